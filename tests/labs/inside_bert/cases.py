"""What the contract of all laboratories needs to know of *Inside BERT*."""

from collections.abc import Iterator

from goldviz.figures.draft import Figure

QUICK = {"steps": 4}
"""The path of integrated gradients is what takes long."""
TOO_LONG_FOR_A_LINK = {"break-it-too-long": {"text"}}


def drawn_of() -> Iterator[tuple[str, Figure]]:
    """Its figures, of two readings made by hand: it takes a model a few seconds to read."""
    from goldviz.labs.inside_bert.figures import FIGURES, ON_PAGES
    from tests.labs.inside_bert.made_readings import made, with_ends_for

    one, other = made(), made(9, seed=1)
    for name, spec in FIGURES.items():
        yield name, spec.draw(one)
        yield f"{name}, another", spec.draw(made(15, 8, seed=2), theme="dark")
    yield "two tones", ON_PAGES["tones"].draw(one, second=other)
    yield "two texts", ON_PAGES["shares_pair"].draw(with_ends_for(one, other), heading="First")
    for summary in ("entropy_share", "distance"):
        yield f"two maps of {summary}", ON_PAGES[f"heads_{summary}"].draw(one, second=other)
