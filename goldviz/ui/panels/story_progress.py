"""How far a reader is in each story, kept in the reader's browser (``assets/story_progress.js``).

The server knows it for a session only: a new session hears from the browser what was kept, and tells it what has become
of it. What the browser says is checked, whoever wrote it; of two accounts of a story the one that began later counts.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st
from pydantic import BaseModel, ValidationError

from goldviz.declare.stories import Story, stories
from goldviz.ui.components import component

LONGEST = 20_000
"""Characters of what a browser may tell."""
AHEAD_SECONDS = 86_400
"""So far a browser's clock may be ahead of the server's."""
_KEPT, _HEARD, KEY = "stories-kept", "stories-heard", "story-progress"

_component = component("story_progress")


class _Told(BaseModel):
    """A story's progress as a browser tells it; earlier versions told of steps that were merely ``seen``, too."""

    began: int
    guesses: dict[str, int]
    tasks: list[int]


@dataclass(frozen=True)
class Progress:
    """Steps of a story, counted from 1: what was guessed (the choice's place) and which tasks are done. ``began`` is
    when it was begun anew, in seconds since 1970; 0 for never."""

    began: int = 0
    guesses: Mapping[int, int] = field(default_factory=dict)
    tasks: frozenset[int] = frozenset()

    def done(self, story: Story) -> list[int]:
        """The steps in which something was guessed or done, and nothing is left."""
        return [
            number
            for number in asking(story)
            if (story.steps[number - 1].guess is None or number in self.guesses)
            and (story.steps[number - 1].task is None or number in self.tasks)
        ]

    def joined(self, other: Progress) -> Progress:
        """What both tell of a story, or the one that was begun later."""
        if self.began != other.began:
            return max(self, other, key=lambda one: one.began)
        return replace(
            self,
            guesses={**other.guesses, **self.guesses},
            tasks=self.tasks | other.tasks,
        )


def asking(story: Story) -> list[int]:
    """The steps in which there is something to guess or to do."""
    return [number for number, step in enumerate(story.steps, 1) if step.guess or step.task]


def of(slug: str) -> Progress:
    """A story's progress in this session."""
    progress: Progress = _kept().get(slug, Progress())
    return progress


def guessed(slug: str, number: int, choice: int) -> None:
    """A choice was made before the answer was shown."""
    _put(slug, replace(of(slug), guesses={**of(slug).guesses, number: choice}))


def did(slug: str, number: int) -> None:
    """A step's task was done."""
    _put(slug, replace(of(slug), tasks=of(slug).tasks | {number}))


def begin_anew(slug: str) -> None:
    """Forget how far a story was read."""
    _put(slug, Progress(began=max(int(time.time()), of(slug).began + 1)))


def keep() -> None:
    """Exchange with the reader's browser what is kept."""
    data = {"kept": written(_kept()), "heard": st.session_state.get(_HEARD), "longest": LONGEST}
    _component(data=data, key=KEY, on_told_change=_hear)


def _hear() -> None:
    text = st.session_state[KEY].get("told")
    if not isinstance(text, str) or len(text) > LONGEST:
        return
    st.session_state[_HEARD] = text
    for slug, entry in read(text, now=time.time()).items():
        _put(slug, of(slug).joined(entry))


def _kept() -> dict[str, Progress]:
    progress_by_story: dict[str, Progress] = st.session_state.setdefault(_KEPT, {})
    return progress_by_story


def _put(slug: str, progress: Progress) -> None:
    st.session_state[_KEPT] = {**_kept(), slug: progress}


def written(progress_by_story: Mapping[str, Progress]) -> str:
    """Progress as the browser keeps it; nothing as an empty text."""
    entries = {
        slug: {
            "began": one.began,
            "guesses": {str(number): choice for number, choice in sorted(one.guesses.items())},
            "tasks": sorted(one.tasks),
        }
        for slug, one in progress_by_story.items()
    }
    return json.dumps(entries, separators=(",", ":")) if entries else ""


def read(text: str, *, now: float) -> dict[str, Progress]:
    """What a browser tells, story by story; a story of which anything is not as it is written is left out.

    >>> read('{"skip": {"began": 0, "guesses": {}, "tasks": [99]}, "no such story": 1}', now=0)
    {}
    """
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    all_stories = stories()
    pairs = entries.items() if isinstance(entries, dict) else ()
    progress_by_story = {slug: _progress(one, all_stories[slug][1], now) for slug, one in pairs if slug in all_stories}
    return {slug: one for slug, one in progress_by_story.items() if one is not None}


def _progress(entry: Any, story: Story, now: float) -> Progress | None:
    try:
        one = _Told.model_validate(entry, strict=True)
    except ValidationError:
        return None
    steps = dict(enumerate(story.steps, 1))
    asks = {str(number): len(step.guess.choices) for number, step in steps.items() if step.guess}
    valid = (
        0 <= one.began <= now + AHEAD_SECONDS
        and set(one.tasks) <= {number for number, step in steps.items() if step.task}
        and all(0 <= choice < asks.get(name, 0) for name, choice in one.guesses.items())
    )
    guesses = {int(name): choice for name, choice in one.guesses.items()} if valid else {}
    return Progress(one.began, guesses, frozenset(one.tasks)) if valid else None
