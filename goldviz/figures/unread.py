"""Figures of runs whose settings nobody understands any more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from goldviz.arrays.labelled import Run
from goldviz.figures.draft import Figure
from goldviz.figures.elements import worded
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import Theme


def of_unread_run(spec: FigureSpec) -> FigureSpec:
    """The same figure for such a run: drawn from its numbers, or a sentence where it needs the settings too."""

    def guarded(drawing: Callable[..., Figure]) -> Callable[..., Figure]:
        def draw(ds: Run, *, theme: Theme = "light", **view: Any) -> Figure:
            try:
                return drawing(ds, theme=theme, **view)
            except Exception:  # noqa: BLE001 - any line may trip over a setting that no code of today has seen
                words = "This figure needs settings that are not understood any more."
                return worded(words, title=spec.question, theme=theme)

        return draw

    return replace(spec, draw=guarded(spec.draw), frames=spec.frames and guarded(spec.frames))
