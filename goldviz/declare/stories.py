"""Stories: a few steps that lead through a question, from page to page, as data.

A laboratory declares its stories in ``stories.py``: ``STORIES``. A step shows recorded runs of presets and says one
thing in few words. It may ask for a guess first, whose answer is read from the recorded numbers, and may set a task
whose success is judged on the visitor's own run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from goldviz.declare.registry import laboratories
from goldviz.diagnostics.measure import Measure
from goldviz.diagnostics.verdicts import printed

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.declare.settings import Settings

MOST_WORDS = 40
"""Of a step; what a projector shows is read in ten seconds."""
STEPS = range(5, 8)


@dataclass(frozen=True)
class Curve:
    """A line of a figure of the step's first run, which may be drawn as a guess before it is shown.

    ``means`` says which choice a drawn one stands for, by its values at their places on the axis across.
    """

    figure: str
    line: str
    means: Callable[[Mapping[float, float]], int]


class _Said(float):
    """A number of a sentence: in Python's formats, and powers of ten as people write them."""

    def __format__(self, spec: str) -> str:
        return printed(float(self), spec) if spec.endswith("e") else format(float(self), spec)


@dataclass(frozen=True)
class Found:
    """What recorded runs say to a guess: ``measures`` of their laboratory by name, and ``words`` with their numbers.

    ``choice`` are the bounds between the choices, in their order, for the first number; or a function that gives the
    right one's place by all numbers. A measure is of the step's first run, or of that with a number, counted from 1:
    ``"gpt.bits 2"``. Of several seeds it is the first one's number, or the mean ``over_seeds``. Words may name facts
    of the first run, too: ``{run.attrs[longest_trained]}``.

    ::

        Found("ntm.read_cells", (2, 8), "The weights of an answer are spread over {:.1f} of 16 cells.")
    """

    measures: str | tuple[str, ...]
    choice: tuple[float, ...] | Callable[..., int]
    words: str
    over_seeds: bool = False

    def names(self) -> Iterator[tuple[str, int]]:
        """Each measure's name, and the place of its run among the step's."""
        for one in (self.measures,) if isinstance(self.measures, str) else self.measures:
            name, _, number = one.partition(" ")
            yield name, int(number or 1) - 1

    def __call__(self, *runs: Run) -> tuple[int, str]:
        """The right choice's place, and the sentence. Raises UnknownMeasureError for a name that is none."""
        numbers = [self._number(name, runs[place]) for name, place in self.names()]
        if callable(self.choice):
            place = self.choice(*numbers)
        else:
            rises = self.choice[0] <= self.choice[-1]
            place = sum(numbers[0] >= bound if rises else numbers[0] <= bound for bound in self.choice)
        return place, self.words.format(*map(_Said, numbers), run=runs[0])

    def _number(self, name: str, run: Run) -> float:
        measure = measure_of(str(run.attrs["experiment"]), name)
        return measure.over_seeds(run) if self.over_seeds else measure.first(run)


@dataclass(frozen=True)
class Guess:
    """A question with choices, and what is ``found``: the place of the right choice and a sentence with the number.

    A function that finds more than :class:`Found` says is called with the recorded runs of the step's presets, in their
    order. Where the answer is a ``curve``, it may be drawn in place of a choice.
    """

    question: str
    choices: tuple[str, ...]
    found: Callable[..., tuple[int, str]]
    curve: Curve | None = None


@dataclass(frozen=True)
class Task:
    """Something to do, and whether a run, by its settings and its records so far, has done it."""

    words: str
    done: Callable[[Settings, Run], bool]


@dataclass(frozen=True)
class Step:
    """One thing to see: a laboratory's presets side by side, the first in the panel, and a figure beside the main one.

    ``lab`` is the story's own unless it is named. Raises ValueError where there are too many words.
    """

    words: str
    presets: tuple[str, ...]
    figure: str = ""
    guess: Guess | None = None
    task: Task | None = None
    lab: str = ""

    def __post_init__(self) -> None:
        if len(self.words.split()) > MOST_WORDS:
            raise ValueError(f"A step has {len(self.words.split())} words; allowed are {MOST_WORDS}: {self.words!r}.")


WORDS_A_MINUTE = 130
LOOK, GUESS, TASK = 0.5, 0.3, 2.5
"""Minutes for a step's figures, for a guess, and for what is to be trained: estimates, no measurements."""


@dataclass(frozen=True)
class Story:
    """A question, and the steps that answer it. Raises ValueError for fewer than five steps or more than seven.

    ``able`` ends the sentence *Then you can ...*. ``picture`` names the laboratory whose picture is shown beside it,
    where it is not the story's own.
    """

    slug: str
    title: str
    able: str
    steps: tuple[Step, ...]
    picture: str = ""

    def __post_init__(self) -> None:
        if len(self.steps) not in STEPS:
            raise ValueError(f"The story {self.slug!r} has {len(self.steps)} steps; allowed are 5 to 7.")

    @property
    def minutes(self) -> int:
        """About how long it takes: reading, a look at each step's figures, a guess, a task with its training."""
        words = sum(len(f"{one.words} {one.guess.question if one.guess else ''}".split()) for one in self.steps)
        guesses, tasks = (sum(bool(getattr(one, name)) for one in self.steps) for name in ("guess", "task"))
        return round(words / WORDS_A_MINUTE + len(self.steps) * LOOK + guesses * GUESS + tasks * TASK)

    @property
    def questions(self) -> str:
        """What it asks on its way: words that need no figure beside them."""
        return " ".join(step.guess.question for step in self.steps if step.guess)


@cache
def stories() -> dict[str, tuple[str, Story]]:
    """All stories by slug, each with its laboratory's name, in the navigation's order."""
    by_slug: dict[str, tuple[str, Story]] = {}
    for name, lab in laboratories().items():
        own_stories: Sequence[Story] = lab.part("stories").STORIES if lab.has("stories") else ()
        by_slug |= {story.slug: (name, story) for story in own_stories}
    return by_slug


def place(slug: str, number: int) -> str:
    """The laboratory on whose page a story's step is, counted from 1."""
    home, story = stories()[slug]
    return story.steps[number - 1].lab or home


def step_of(text: str) -> tuple[str, int] | None:
    """The story and the number of the step that a link means, such as ``skip.2``; None where there is no such step."""
    slug, _, number = text.partition(".")
    if slug not in stories() or not (number.isascii() and number.isdigit()):
        return None
    return (slug, int(number)) if 1 <= int(number) <= len(stories()[slug][1].steps) else None


def first_over_last(values: Mapping[float, float]) -> float:
    """A curve's value at 1 over the one at its end.

    >>> first_over_last({0: 5, 1: 2, 2: 9, 3: 8})
    0.25
    """
    return values[1] / values[max(values)]


def measure_of(laboratory: str, name: str) -> Measure:
    """A measure by its laboratory's name and its own: a story leads through laboratories that it may not import."""
    return laboratories()[laboratory].measures[name]
