"""A figure that needs kinds of variables alone: drawn for every run that recorded them, whatever they are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from goldviz.diagnostics.by_kind import ByKind
from goldviz.figures.draft import Figure
from goldviz.figures.figure_value import Chart
from goldviz.figures.plot import Plot
from goldviz.figures.reading import GROWING
from goldviz.figures.spec import FigureSpec

Figures = Callable[..., Callable[[Callable[..., Figure]], FigureSpec]]
"""A laboratory's ``figure``, or what stands in for it where there is no laboratory."""


@dataclass(frozen=True)
class KindFigure:
    """Its marks and axes, its words, and the kinds that it needs; ``unless`` another figure shows the same with more.

    What it ``shows`` may hang on which kinds there are.
    """

    name: str
    marks: Callable[[ByKind], Chart]
    needs: tuple[str, ...]
    question: str
    shows: str | Callable[[ByKind], str]
    cannot_show: str = ""
    title: str = ""
    unless: tuple[str, ...] = ()

    def chart(self, kinds: ByKind) -> Chart:
        """The figure as a value, of the kinds that there are."""
        return replace(self.marks(kinds), name=self.name)

    def said(self, kinds: ByKind) -> str:
        """What it shows of a run with these kinds."""
        return self.shows if isinstance(self.shows, str) else self.shows(kinds)

    def drawn_for(self, kinds: ByKind) -> bool:
        """Whether a run with these kinds has what it needs, and no figure that shows more."""
        more = bool(self.unless) and all(kind in kinds for kind in self.unless)
        return all(kind in kinds for kind in self.needs) and not more

    def of(self, figure: Figures, kinds: ByKind, name: str = "", **own: Any) -> FigureSpec:
        """The figure of a laboratory, which may have a name, words and needs of its ``own`` in place of these."""
        chart = self.chart(kinds)
        needs = tuple(kinds[kind] for kind in self.needs)
        words = {"question": self.question, "cannot_show": self.cannot_show, "title": self.title}

        def draw(plot: Plot) -> Figure:
            return chart.drawn(plot)

        return replace(
            figure(**{**words, "shows": self.said(kinds), "needs": needs, "kinds": kinds, **own})(draw),
            name=name or self.name,
        )


def of_kinds(question: str, *needs: str, **words: Any) -> Callable[[Callable[[ByKind], Chart]], KindFigure]:
    """Make a figure of a function that gives marks on axes for variables of the kinds; see :class:`KindFigure`."""
    return lambda marks: KindFigure(marks.__name__, marks, needs, question, **words)


def growing_of(kinds: ByKind, name: str) -> str:
    """The dimension along which a variable grows."""
    return next(dim for dim in kinds.dims[name] if dim in GROWING)
