"""What a stored row must be, before anything is drawn of it."""

import pytest

from goldviz.runs.store.rows import marks_of


def mark(**values: object) -> dict[str, object]:
    return {"step": 3, "text": "clip 1", "changes": {"clip": 1.0}, **values}


@pytest.mark.parametrize("marks", [[], [mark()], [mark(step=0), mark(changes={})]])
def test_changes_of_hot_settings_are_handed_on(marks: list[dict[str, object]]) -> None:
    assert marks_of(marks) == marks


@pytest.mark.parametrize(
    "bad", [mark(step=-1), mark(step=1.5), mark(step="3"), mark(changes=[1]), mark(changes="clip")]
)
def test_a_change_without_a_count_or_without_an_object_is_none(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="the change at step"):
        marks_of([mark(), bad])
