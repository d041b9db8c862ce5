from goldviz.attribute_docstrings import attribute_docstrings


class Base:
    """A base."""

    first: int = 1
    """What comes
    first."""
    second = 2
    """What comes second."""
    bare: int = 3


class Derived(Base):
    """A class that says something else of one attribute."""

    second = 4
    """What comes second, here."""

    def method(self) -> None:
        """No attribute."""

    third: int = 5
    """What comes third."""


def test_docstrings_stand_on_one_line_and_a_class_overrides_its_bases() -> None:
    first, third = "What comes first.", "What comes third."
    assert attribute_docstrings(Base, Base) == {"first": first, "second": "What comes second."}
    assert attribute_docstrings(Derived, Base) == {"first": first, "second": "What comes second, here.", "third": third}
    assert set(attribute_docstrings(Derived, Derived)) == {"second", "third"}


def test_a_class_inside_a_function_is_found_by_its_place() -> None:
    class Derived:
        inner: int = 0
        """Of the inner one."""

    assert attribute_docstrings(Derived, object) == {"inner": "Of the inner one."}


def test_a_class_without_a_source_has_none() -> None:
    made = type("Made", (), {"__module__": "nowhere"})
    assert attribute_docstrings(made, made) == {}
    assert attribute_docstrings(type("Absent", (), {"__module__": __name__}), object) == {}
