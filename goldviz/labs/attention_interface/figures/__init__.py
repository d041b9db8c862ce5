"""The figures of *Attention between networks*."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.theme import sequential_stops
from goldviz.figures.thumbnail import picture_svg
from goldviz.labs.attention_interface.figures.alignment import alignment, lines
from goldviz.labs.attention_interface.figures.answers import by_length, peaks, right
from goldviz.labs.attention_interface.figures.quantities import KINDS, figure, shared_limits

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(figure, KINDS, alignment, lines, by_length, right, peaks, "loss")


def picture(ds: Run) -> str:
    """The home page's picture: the weights of the probe as squares."""
    weights = ds["attention"].isel(look=-1).values
    colours = [str(colour) for _, colour in sequential_stops()]
    rows, columns = weights.shape
    width, height = 200 / columns, 148 / rows
    parts = [
        f'<rect x="{60 + column * width:.1f}" y="{6 + row * height:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'fill="{colours[round(float(weights[row, column]) * (len(colours) - 1))]}"/>'
        for row in range(rows)
        for column in range(columns)
    ]
    return picture_svg(
        parts, label="Attention weights: the first word written looks at the last word read.", axes=("read", "written")
    )
