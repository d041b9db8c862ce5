"""A figure with the words that stand beside it, so that pages and reports can walk through a laboratory's figures."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import plotly.graph_objects as go

from goldviz.arrays.labelled import Run
from goldviz.figures.draft import Figure
from goldviz.figures.elements import worded
from goldviz.figures.reading import run_label
from goldviz.figures.theme import Theme, style_of
from goldviz.models.style import NetworkStyle

UNREAD = "This figure needs settings that are not understood any more."
FAILED = "This figure cannot be drawn of this run; the server's log says why."

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FigureSpec:
    """A drawing function, the question it answers, what it shows, and what it cannot show.

    Called as ``spec(ds, epoch=..., limits=..., theme=...)`` it gives Plotly's figure, ``draw`` the draft of it; all but
    the dataset may be left out. ``frames(ds, since=..., limits=..., theme=...)`` draws all steps at once, from those on
    that ``since`` counts along each growing dimension; None for a figure that is drawn anew for every step.

    ``at`` is for pages with a position to look at: the argument that says which one is drawn, ``"ds"`` where the
    dataset itself is of one position; empty for a figure that is the same at all of them, or that the server draws
    anew. ``at_once`` says that the argument may be all positions, an :class:`goldviz.figures.frames.AtStep`.

    ``needs`` are the variables without which there is nothing to draw. ``canvas`` says that a page draws it with a
    canvas of its own in place of Plotly; see :mod:`goldviz.figures.diagram`. ``computed`` is the part of what it shows
    that is read off its marks. ``look_of`` is how its laboratory draws a network.
    """

    draw: Callable[..., Figure]
    question: str
    shows: str
    cannot_show: str = ""
    name: str = ""
    frames: Callable[..., Figure] | None = None
    at: str = ""
    at_once: bool = False
    needs: tuple[str, ...] = ()
    canvas: bool = False
    computed: str = ""
    look_of: Callable[[str], NetworkStyle] = style_of

    def drawable(self, ds: Run) -> bool:
        """Whether a dataset alone, at one of its positions, is all that it takes to draw it."""
        told = inspect.signature(self.draw).parameters.values()
        more = any(one.kind is one.KEYWORD_ONLY and one.default is one.empty and one.name != self.at for one in told)
        return not more and all(name in ds for name in self.needs)

    @property
    def limits(self) -> str:
        """What it cannot show, as a sentence that stands by itself; empty where nothing of it is worth saying."""
        return f"Not shown here: {self.cannot_show[0].lower()}{self.cannot_show[1:]}" if self.cannot_show else ""

    @property
    def caption(self) -> str:
        """What it shows and what it cannot, in a line."""
        return f"{self.shows} {self.limits}".rstrip()

    @property
    def description(self) -> str:
        """Its question with the caption: what readers hear of it, and what stands behind its i."""
        return f"{self.question} {self.caption}".lstrip()

    def position(self, number: Any) -> dict[str, Any]:
        """What ``draw`` is told to draw this position, beside its dataset."""
        return {} if self.at in ("", "ds") else {self.at: number}

    def __call__(self, ds: Run, **view: Any) -> go.Figure:
        """Plotly's figure of a dataset."""
        return self.draw(ds, **view).checked()


def drawn(
    question: str,
    *,
    shows: str,
    cannot_show: str = "",
    name: str = "",
    at: str = "",
    at_once: bool = False,
    needs: tuple[str, ...] = (),
) -> Callable[[Callable[..., Figure]], FigureSpec]:
    """Make a figure of a function that draws a dataset in a theme; its name is the function's, or ``name``."""
    return lambda draw: FigureSpec(
        draw, question, shows, cannot_show, name or draw.__name__, at=at, at_once=at_once, needs=needs
    )


def by_name(*specs: FigureSpec) -> dict[str, FigureSpec]:
    """A laboratory's table of figures, in the order in which a page shows them."""
    return {spec.name: spec for spec in specs}


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
