"""A text's pieces down the side of a figure, so that a phone can show them, and what is said of each beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading
from goldviz.figures.notes import as_label, wrapped
from goldviz.figures.theme import INKS, Theme

MOST_ROWS = 40
"""Pieces that one figure names at most; of more, those with the largest values are drawn, in the text's order."""
ROW_HEIGHT = 19
LONGEST_LABEL = 16


@dataclass(frozen=True)
class Column:
    """One quantity of every piece: its values, its heading, its colour, and how its numbers are written."""

    values: ArrayLike
    heading: str
    colour: str
    written: str = ".1%"


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


def beside_pieces(
    ds: Run,
    columns: Sequence[Column],
    *,
    title: str,
    theme: Theme,
    notes: Sequence[str] = (),
    choice: int | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
) -> Figure:
    """Bars of every quantity beside the pieces, which read downwards; ``choice`` (from 1) is marked with gold.

    ``limits`` fix the axis of a heading, for figures that stand side by side.
    """
    rows = strongest(*(column.values for column in columns))
    headings = [wrapped(column.heading, max(8, 44 // len(columns))) for column in columns]
    labels, places, heights = piece_labels(ds), ds["piece"].values, np.arange(len(rows))
    figure = make_subplots(rows=1, cols=len(columns), shared_yaxes=True, horizontal_spacing=0.05)
    for number, column in enumerate(columns, start=1):
        values = np.asarray(column.values, dtype=float)[rows]
        figure.bar(
            x=values,
            y=heights,
            orientation="h",
            marker={"color": column.colour, "line_width": 0},
            customdata=[f"{labels[row]}, piece {places[row]}" for row in rows],
            showlegend=False,
            hovertemplate=f"%{{customdata}}<br>{as_label(column.heading)}: %{{x:{column.written}}}<extra></extra>",
            row=1,
            col=number,
        )
        font = {"size": 13, "color": INKS[theme].text}
        add_heading(figure, number, f"<b>{headings[number - 1]}</b>", align="left", font=font)
    left_out = len(labels) - len(rows)
    thinning = f"The {len(rows)} of {len(labels)} pieces with the largest values." if left_out else ""
    height = 96 + ROW_HEIGHT * len(rows)
    look.apply(figure, theme, title=title, notes=[*notes, thinning], height=height, legend=False, hover="closest")
    lines = 1 + max(heading.count("<br>") for heading in headings)
    figure.update_layout(bargap=0.25, margin_t=figure.layout.margin.t + 17 * lines)
    _axes(figure, columns, limits or {})
    names = [_marked(labels[row], int(places[row]) == choice, theme) for row in rows]
    return rows_down(figure, names, tickfont_size=13)


def rows_down(figure: Figure, names: Sequence[str], **place: Any) -> Figure:
    """Rows from top to bottom, each with its name. The margin makes room for all, so none is measured for overflow."""
    return figure.update_yaxes(
        range=[len(names) - 0.5, -0.5],
        tickmode="array",
        tickvals=np.arange(len(names)),
        ticktext=names,
        ticks="",
        ticklabeloverflow="allow",
        showgrid=False,
        **place,
    )


def _axes(figure: Figure, columns: Sequence[Column], limits: Mapping[str, tuple[float, float]]) -> None:
    """Zero lines where values have signs, few ticks, and the limits that are shared."""
    for number, column in enumerate(columns, start=1):
        axis = figure.layout[f"xaxis{'' if number == 1 else number}"]
        values = np.asarray(column.values, dtype=float)
        axis.update(
            nticks=4 if len(columns) < 3 else 2,
            tickangle=0,
            tickformat=".0%" if column.written.endswith("%") else ".2~g",
        )
        if np.nanmin(values, initial=0.0) < 0:
            axis.update(zeroline=True)
        if column.heading in limits:
            axis.update(range=list(limits[column.heading]))


def _marked(label: str, is_choice: bool, theme: Theme) -> str:
    return f"<span style='color:{INKS[theme].accent}'><b>▸ {label}</b></span>" if is_choice else label
