"""What a browser tells of stories: all of it comes back, and nothing of it is believed."""

import json
from typing import Any

import pytest

from goldviz.declare.stories import stories
from goldviz.ui.panels import story_progress
from goldviz.ui.panels.story_progress import LONGEST, Progress, read, written

SLUG = "skip"
STORY = stories()[SLUG][1]
ASKS = next(number for number, step in enumerate(STORY.steps, 1) if step.guess)
TASK = next(number for number, step in enumerate(STORY.steps, 1) if step.task)
PROGRESS = Progress(5, {ASKS: 1}, frozenset({TASK}))
NOW = 100.0


def told(**changed: Any) -> str:
    """A browser's text in which something of this story is not as it was written."""
    as_written = json.loads(written({SLUG: PROGRESS}))
    as_written[SLUG] |= changed
    return json.dumps(as_written)


def test_what_is_written_is_read_again() -> None:
    assert read(written({SLUG: PROGRESS}), now=NOW) == {SLUG: PROGRESS}
    assert written({}) == ""
    everything = {slug: Progress(2**33, dict.fromkeys(range(1, 8), 9), frozenset(range(1, 8))) for slug in stories()}
    assert len(written(everything)) < LONGEST / 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "null",
        "7",
        "[" * 20_000,
        '{"skip": 1}',
        '{"no such": {}}',
        '{"skip": ' + "9" * 5000 + "}",
        told(tasks=[99]),
        told(tasks=[True]),
        told(tasks="1"),
        told(tasks=[[1]]),
        told(tasks=None),
        told(tasks=[ASKS]),
        told(guesses={str(ASKS): 99}),
        told(guesses={str(ASKS): -1}),
        told(guesses={"<b>": 0}),
        told(guesses={f"0{ASKS}": 0}),
        told(guesses={str(ASKS): "No"}),
        told(guesses=[]),
        told(began=-1),
        told(began=1e300),
        told(began=10**12),
        told(began="now"),
    ],
)
def test_what_is_not_as_it_was_written_is_left_out(text: str) -> None:
    assert read(text, now=NOW) == {}


def test_a_step_is_done_when_something_was_guessed_or_done() -> None:
    assert PROGRESS.done(STORY) == sorted({ASKS, TASK})
    assert Progress().done(STORY) == []
    assert set(story_progress.asking(STORY)) >= {ASKS, TASK}


def test_what_an_earlier_version_kept_is_read() -> None:
    assert read(told(seen=[1, ASKS]), now=NOW) == {SLUG: PROGRESS}


def test_two_accounts_are_joined_and_one_that_began_later_counts_alone() -> None:
    mine, theirs = Progress(tasks=frozenset({1}), guesses={2: 0}), Progress(tasks=frozenset({3}), guesses={2: 1, 4: 1})
    assert mine.joined(theirs) == Progress(tasks=frozenset({1, 3}), guesses={2: 0, 4: 1})
    anew = Progress(began=1)
    assert anew.joined(theirs) == theirs.joined(anew) == anew


@pytest.mark.parametrize(("longer", "steps"), [(0, PROGRESS.tasks), (1, frozenset())])
def test_a_text_of_the_longest_length_is_heard_and_a_longer_one_is_not(
    monkeypatch: pytest.MonkeyPatch, longer: int, steps: frozenset[int]
) -> None:
    state = {story_progress.KEY: {"told": written({SLUG: PROGRESS}).ljust(LONGEST + longer)}}
    monkeypatch.setattr(story_progress.st, "session_state", state)
    story_progress._hear()
    assert story_progress.of(SLUG).tasks == steps
