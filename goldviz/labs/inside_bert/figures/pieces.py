"""A text's pieces down the side of a figure, so that a phone can show them, and what is said of each beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightArray
from goldviz.figures.chart import Chart, Panel, Part, axis, bars, figure, panel
from goldviz.figures.marks import Bars, Channel, ChannelLike, channel
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot

MOST_ROWS = 40
"""Pieces that one figure names at most; of more, those with the largest values are drawn, in the text's order."""
ROW_HEIGHT = 19
LONGEST_LABEL = 16
LYING: dict[str, Any] = {"hover": "closest", "layout": {"bargap": 0.25}}
"""Of figures of bars that lie."""
DOWNWARDS = axis(told=lambda plot: {"autorange": "reversed", "range": None})
DOWN_THE_LAYERS = axis(told=lambda plot: {"dtick": 1, "autorange": "reversed", "range": None})
"""The first layer at the top."""


@dataclass(frozen=True)
class Column:
    """One number of every piece: what it is, its heading, its colour, and how it is written.

    Its axis ends beyond the largest value of ``most``, for numbers or figures that are compared.
    """

    of: ChannelLike
    heading: str
    colour: str
    written: str = ".1%"
    most: ChannelLike | None = None

    def values(self, plot: Plot) -> NDArray[np.float64]:
        """Its numbers, piece by piece."""
        return np.asarray(plot.once(channel(self.of).whole).values, dtype=float)

    def axis(self, plot: Plot) -> Mapping[str, Any]:
        """Its end and its ticks, and a zero line where values have signs."""
        ends = {} if self.most is None else {"range": [0.0, 1.08 * float(channel(self.most).whole(plot).max()) or 1.0]}
        signed = {"zeroline": True} if (self.values(plot) < 0).any() else {}
        return {"tickformat": ".0%" if self.written.endswith("%") else ".2~g", "tickangle": 0, **ends, **signed}


ColumnOf = Column | Callable[[Plot], Column]


def short_piece(text: str) -> str:
    """A piece in at most ``LONGEST_LABEL`` characters, not escaped; what cannot be seen is written as its code.

    >>> short_piece("##ing"), short_piece(" "), short_piece("extraordinarily-long")
    ('##ing', 'U+0020', 'extraordinarily…')
    """
    blank = not text.strip()
    characters = "".join(f"U+{ord(c):04X}" if blank or not c.isprintable() else c for c in text)
    return characters if len(characters) <= LONGEST_LABEL else characters[: LONGEST_LABEL - 1] + "…"


def piece_labels(pieces: Array) -> list[str]:
    """Pieces as escaped labels."""
    return [as_label(short_piece(str(piece))) for piece in pieces.values]


def strongest(*values: ArrayLike, most: int = MOST_ROWS) -> NDArray[np.intp]:
    """Places, in order, of the pieces with the largest absolute value in any of the quantities, at most ``most``.

    Each quantity is measured by its own largest value.

    >>> strongest([0.1, -0.5, 0.2, 0.0], most=2)
    array([1, 2])
    """
    sizes = np.abs(np.nan_to_num(np.stack([np.asarray(quantity, dtype=float) for quantity in values])))
    largest = (sizes / np.maximum(sizes.max(axis=1, keepdims=True), 1e-300)).max(axis=0)
    return np.sort(np.argsort(-largest, kind="stable")[:most])


def of_pieces(
    name: str,
    question: str,
    *columns: ColumnOf,
    notes: Sequence[Callable[[Run], str]] = (),
    followed: bool = False,
    **how: Any,
) -> Chart:
    """Bars of every column beside the pieces, which read downwards; gold is the piece that is ``followed``."""

    def strong(plot: Plot) -> NDArray[np.intp]:
        return strongest(*(_column(one, plot).values(plot) for one in columns))

    def shown(plot: Plot) -> NDArray[np.intp]:
        return plot.once(strong)

    def rows(plot: Plot) -> Mapping[str, Any]:
        labels = [*plot.once(_labels)]
        for row in np.flatnonzero(plot.ds["piece"].values == plot.ds.attrs["query_piece"]) if followed else ():
            labels[row] = f"<span style='color:{plot.ink.accent}'><b>▸ {labels[row]}</b></span>"
        return rows_of([labels[row] for row in shown(plot)]) | {"tickfont_size": 13}

    def left_out(plot: Plot, **looked_at: Any) -> str:
        count, drawn = plot.ds.sizes["piece"], len(shown(plot))
        return f"The {drawn} of {count} pieces with the largest values." if drawn < count else ""

    return figure(
        name,
        question,
        *(_part(column, shown, 4 if len(columns) < 3 else 2) for column in columns),
        beside=True,
        y=axis(told=rows),
        notes=(*(lambda plot, note=note, **looked_at: note(plot.ds) for note in notes), left_out),
        height=lambda plot: 96 + ROW_HEIGHT * len(shown(plot)),
        legend="none",
        **LYING,
        **how,
    )


def _labels(plot: Plot) -> list[str]:
    return piece_labels(plot.ds["token"])


def _column(one: ColumnOf, plot: Plot) -> Column:
    return one if isinstance(one, Column) else one(plot)


def _part(one: ColumnOf, shown: Callable[[Plot], NDArray[np.intp]], ticks: int) -> Part:
    """The column's panel, or what gives the panel of a column that the text tells."""
    return _panel(one, shown, ticks) if isinstance(one, Column) else lambda plot: [_panel(one(plot), shown, ticks)]


def _panel(column: Column, shown: Callable[[Plot], NDArray[np.intp]], ticks: int) -> Panel:
    def values(plot: Plot) -> Array:
        drawn = column.values(plot)[shown(plot)]
        return LightArray(drawn, ("piece",), {"piece": np.arange(drawn.size)})

    def pieces(plot: Plot) -> Mapping[str, Any]:
        places, names = plot.ds["piece"].values, plot.once(_labels)
        return {"customdata": [f"{names[row]}, piece {places[row]}" for row in shown(plot)]}

    drawn = bars(
        Channel(channel(column.of).name, values, values),
        rows="piece",
        colour=column.colour,
        marker={"line_width": 0},
        hover=f"%{{customdata}}<br>{as_label(column.heading)}: %{{x:{column.written}}}<extra></extra>",
        more=pieces,
    )
    return panel(drawn, heading=column.heading, x=axis(told=lambda plot: {"nticks": ticks, **column.axis(plot)}))


def numbered(
    of: ChannelLike, rows: str, written: str, said: Callable[[Plot], Mapping[str, Any]] = lambda plot: {}, **how: Any
) -> Bars:
    """Bars that lie, with their numbers behind them; ``said`` is what else Plotly is told of them."""
    more = {"texttemplate": f"%{{x:{written}}}", "textposition": "outside", "cliponaxis": False, "marker_line_width": 0}
    return bars(of, rows=rows, more=lambda plot: {**more, **said(plot)}, **how)


def in_rows(name: str, question: str, part: Part, names: Callable[[Run], Sequence[str]], **how: Any) -> Chart:
    """Bars below one another, counted from 1, with the name of each at the left."""
    return figure(
        name,
        question,
        part,
        y=axis(told=lambda plot: rows_of(names(plot.ds), first=1)),
        height=lambda plot: 110 + (ROW_HEIGHT + 4) * len(names(plot.ds)),
        legend="none",
        **LYING,
        **how,
    )


def rows_of(names: Sequence[str], first: int = 0) -> dict[str, Any]:
    """Rows from top to bottom, each with its name. The margin makes room for all, so none is measured for overflow."""
    return {
        "range": [first + len(names) - 0.5, first - 0.5],
        "autorange": None,
        "tickmode": "array",
        "tickvals": first + np.arange(len(names)),
        "ticktext": names,
        "ticks": "",
        "ticklabeloverflow": "allow",
        "showgrid": False,
    }
