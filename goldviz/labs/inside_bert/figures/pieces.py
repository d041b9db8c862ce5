"""A text's pieces down the side of a figure, so that a phone can show them, and what is said of each beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import Chart, Panel, Part, axis, bars, figure, panel
from goldviz.figures.draft import Figure
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot

MOST_ROWS = 40
"""Pieces that one figure names at most; of more, those with the largest values are drawn, in the text's order."""
ROW_HEIGHT = 19
LONGEST_LABEL = 16
NUMBERED = {"textposition": "outside", "cliponaxis": False, "marker_line_width": 0}
"""Of bars whose numbers stand behind them."""
DOWNWARDS = axis(told=lambda plot: {"autorange": "reversed", "range": None})
DOWN_THE_LAYERS = axis(told=lambda plot: {"dtick": 1, "autorange": "reversed", "range": None})
"""The first layer at the top."""


@dataclass(frozen=True)
class Column:
    """One quantity of every piece: its values, its heading, its colour, and how its numbers are written.

    ``most`` is where its axis ends, for quantities or figures that are compared.
    """

    values: ArrayLike
    heading: str
    colour: str
    written: str = ".1%"
    most: float | None = None

    @property
    def axis(self) -> Mapping[str, Any]:
        """Its end and its ticks, and a zero line where values have signs."""
        signed = np.nanmin(np.asarray(self.values, dtype=float), initial=0.0) < 0
        ends = {} if self.most is None else {"range": [0.0, self.most]}
        written = {"tickformat": ".0%" if self.written.endswith("%") else ".2~g", "tickangle": 0}
        return {**written, **ends, **({"zeroline": True} if signed else {})}


Columns = Callable[..., Sequence[Column]]
"""Quantities of a dataset's pieces; also told what a figure looks at."""


def short_piece(text: str) -> str:
    """A piece in at most ``LONGEST_LABEL`` characters, not escaped; what cannot be seen is written as its code.

    >>> short_piece("##ing"), short_piece(" "), short_piece("extraordinarily-long")
    ('##ing', 'U+0020', 'extraordinarily…')
    """
    blank = not text.strip()
    characters = "".join(f"U+{ord(c):04X}" if blank or not c.isprintable() else c for c in text)
    return characters if len(characters) <= LONGEST_LABEL else characters[: LONGEST_LABEL - 1] + "…"


def piece_label(text: str) -> str:
    """A piece as an escaped label.

    >>> piece_label("<b>")
    '&lt;b&gt;'
    """
    return as_label(short_piece(text))


def piece_labels(ds: Run) -> list[str]:
    """The labels of all pieces of the dataset, escaped."""
    return [piece_label(str(token)) for token in ds["token"].values]


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
    columns: Columns,
    *,
    notes: Sequence[Callable[[Run], str]] = (),
    followed: bool = False,
    **how: Any,
) -> Chart:
    """Bars of every quantity beside the pieces, which read downwards; gold is the piece that is ``followed``."""

    def shown(ds: Run) -> NDArray[np.intp]:
        return strongest(*(column.values for column in columns(ds)))

    def panels(plot: Plot, **looks_at: Any) -> Sequence[Panel]:
        quantities = columns(plot.ds, **looks_at)
        ticks = 4 if len(quantities) < 3 else 2
        return [_panel(plot.ds, column, shown(plot.ds), ticks) for column in quantities]

    def ticks(plot: Plot) -> Mapping[str, Any]:
        ds, labels = plot.ds, piece_labels(plot.ds)
        for row in np.flatnonzero(ds["piece"].values == ds.attrs["query_piece"]) if followed else ():
            labels[row] = f"<span style='color:{plot.ink.accent}'><b>▸ {labels[row]}</b></span>"
        return rows_of([labels[row] for row in shown(ds)]) | {"tickfont_size": 13}

    def told(plot: Plot, **looks_at: Any) -> str:
        count, drawn = plot.ds.sizes["piece"], len(shown(plot.ds))
        return f"The {drawn} of {count} pieces with the largest values." if drawn < count else ""

    return figure(
        name,
        question,
        panels,
        beside=True,
        y=axis(told=ticks),
        notes=(*(lambda plot, note=note, **looks_at: note(plot.ds) for note in notes), told),
        height=lambda plot: 96 + ROW_HEIGHT * len(shown(plot.ds)),
        legend="none",
        hover="closest",
        layout={"bargap": 0.25},
        **how,
    )


def _panel(ds: Run, column: Column, rows: NDArray[np.intp], ticks: int) -> Panel:
    labels, values = piece_labels(ds), ds["token"].isel(piece=rows).assign_coords(piece=np.arange(len(rows)))
    drawn = bars(
        lambda plot: values.copy(data=np.asarray(column.values, dtype=float)[rows]),
        rows="piece",
        colour=column.colour,
        marker={"line_width": 0},
        hover=f"%{{customdata}}<br>{as_label(column.heading)}: %{{x:{column.written}}}<extra></extra>",
        more={"customdata": [f"{labels[row]}, piece {ds['piece'].values[row]}" for row in rows]},
    )
    return panel(drawn, heading=column.heading, x=axis(told=lambda plot: {"nticks": ticks, **column.axis}))


def in_rows(name: str, question: str, part: Part, names: Callable[[Run], Sequence[str]], **how: Any) -> Chart:
    """Bars below one another, counted from 1, with the name of each at the left."""
    return figure(
        name,
        question,
        part,
        y=axis(told=lambda plot: rows_of(names(plot.ds), first=1)),
        height=lambda plot: 110 + (ROW_HEIGHT + 4) * len(names(plot.ds)),
        legend="none",
        hover="closest",
        layout={"bargap": 0.25},
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


def rows_down(figure: Figure, names: Sequence[str], **place: Any) -> Figure:
    """Such rows in a figure with a drawing function of its own."""
    return figure.update_yaxes(**rows_of(names), **place)
