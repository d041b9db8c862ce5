"""Figures that say in a sentence that they cannot be drawn, where code trips over a run that it did not foresee."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from goldviz.arrays.labelled import Run
from goldviz.figures.draft import Figure
from goldviz.figures.elements import worded
from goldviz.figures.reading import run_label
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import Theme

UNREAD = "This figure needs settings that are not understood any more."
FAILED = "This figure cannot be drawn of this run; the server's log says why."

log = logging.getLogger(__name__)


def of_unread_run(spec: FigureSpec) -> FigureSpec:
    """The same figure for a run whose settings nobody understands any more: drawn from its numbers, or a sentence."""
    return _or_words(spec, UNREAD, lambda ds: None)


def or_said(spec: FigureSpec) -> FigureSpec:
    """The same figure; where drawing it fails, a sentence under the run's own name, and the fault in the log.

    So one figure that fails takes nothing from those beside it, and no other run's stays in its place.
    """
    return _or_words(spec, FAILED, lambda ds: log.exception("Figure %s of %s failed.", spec.name, run_label(ds)))


def _or_words(spec: FigureSpec, words: str, tell: Callable[[Run], None]) -> FigureSpec:
    def guarded(drawing: Callable[..., Figure]) -> Callable[..., Figure]:
        def draw(ds: Run, *, theme: Theme = "light", **view: Any) -> Figure:
            try:
                return drawing(ds, theme=theme, **view)
            except Exception:  # noqa: BLE001 - any line may trip over a run that nobody has seen
                tell(ds)
                return worded(words, title=spec.question, notes=[run_label(ds)], theme=theme)

        return draw

    return replace(spec, draw=guarded(spec.draw), frames=spec.frames and guarded(spec.frames))
