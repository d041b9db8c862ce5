"""A figure that needs kinds of variables alone: drawn for every run that recorded them, whatever they are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from goldviz.diagnostics.by_kind import ByKind
from goldviz.figures.draft import Figure
from goldviz.figures.plot import Plot
from goldviz.figures.spec import FigureSpec

Figures = Callable[..., Callable[[Callable[..., Figure]], FigureSpec]]
"""A laboratory's ``figure``, or what stands in for it where there is no laboratory."""


@dataclass(frozen=True)
class KindFigure:
    """How it is drawn, its words, and the kinds that it needs; ``unless`` another figure shows the same with more.

    The drawing function finds its variables by ``plot.kinds["training_loss"]``; ``chart`` is the figure as a value, of
    the kinds that there are, where it is one. What it ``shows`` may hang on which kinds there are.
    """

    draw: Callable[[Plot], Figure]
    needs: tuple[str, ...]
    question: str
    shows: str | Callable[[ByKind], str]
    cannot_show: str = ""
    title: str = ""
    unless: tuple[str, ...] = ()
    chart: Callable[[ByKind], Any] | None = None

    @property
    def name(self) -> str:
        """What links and notebooks call it."""
        return self.draw.__name__

    def said(self, kinds: ByKind) -> str:
        """What it shows of a run with these kinds."""
        return self.shows if isinstance(self.shows, str) else self.shows(kinds)

    def drawn_for(self, kinds: ByKind) -> bool:
        """Whether a run with these kinds has what it needs, and no figure that shows more."""
        more = bool(self.unless) and all(kind in kinds for kind in self.unless)
        return all(kind in kinds for kind in self.needs) and not more

    def of(self, figure: Figures, kinds: ByKind, name: str = "", **own: Any) -> FigureSpec:
        """The figure of a laboratory, which may have a name, words and needs of its ``own`` in place of these."""
        words = {"question": self.question, "cannot_show": self.cannot_show, "title": self.title}
        needs = tuple(kinds[kind] for kind in self.needs)
        spec = figure(**{**words, "shows": self.said(kinds), "needs": needs, "kinds": kinds, **own})(self.draw)
        return replace(spec, name=name or self.name)


def of_kinds(
    question: str,
    *needs: str,
    shows: str | Callable[[ByKind], str],
    cannot_show: str = "",
    title: str = "",
    unless: tuple[str, ...] = (),
) -> Callable[[Callable[[Plot], Figure]], KindFigure]:
    """Make a figure of a function that draws variables of the kinds ``needs``; see :class:`KindFigure`."""
    return lambda draw: KindFigure(draw, needs, question, shows, cannot_show, title, unless)


def chart_of_kinds(question: str, *needs: str, **words: Any) -> Callable[[Callable[[ByKind], Any]], KindFigure]:
    """Make a figure of a function that gives marks on axes for variables of the kinds; words as of :func:`of_kinds`."""

    def made(chart: Callable[[ByKind], Any]) -> KindFigure:
        def draw(plot: Plot) -> Figure:
            figure: Figure = chart(plot.kinds).drawn(plot)
            return figure

        draw.__name__, draw.__doc__ = chart.__name__, chart.__doc__
        return replace(of_kinds(question, *needs, **words)(draw), chart=chart)

    return made
