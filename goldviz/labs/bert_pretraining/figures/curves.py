"""Curves of *Pre-training and fine-tuning*: lines with the range of their seeds, and the marks of its two phases."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import xarray as xr
from numpy.typing import NDArray

from goldviz.figures.elements import MARKERS_UP_TO
from goldviz.figures.reading import Band
from goldviz.figures.theme import INKS, NetworkStyle, Theme, as_label, with_alpha
from goldviz.labs.bert_pretraining.figures.quantities import change_of_phase


def add_line(
    figure: go.Figure, style: NetworkStyle, x: NDArray[Any], band: Band, *,
    hover: str, row: int | None = None, legend: bool = True, width: float = 2.5,
) -> None:  # fmt: skip
    """A curve in its style: the median of its seeds, over a transparent band from the lowest to the highest."""
    place = {} if row is None else {"row": row, "col": 1}
    name = as_label(style.label)
    if band.seeds > 1:
        edge = {"x": x, "mode": "lines", "line": {"width": 0}, "legendgroup": name, "showlegend": False}
        figure.add_trace(go.Scatter(y=band.low, hoverinfo="skip", **edge), **place)
        fill = _transparent(style.colour)
        figure.add_trace(go.Scatter(y=band.high, fill="tonexty", fillcolor=fill, hoverinfo="skip", **edge), **place)
    figure.add_trace(
        go.Scatter(
            x=x, y=band.middle, name=name, legendgroup=name, showlegend=legend,
            mode="lines+markers" if len(x) <= MARKERS_UP_TO else "lines",
            line={"color": style.colour, "dash": style.dash, "width": width},
            marker={"symbol": style.symbol, "size": 7},
            hovertemplate=hover,
        ),
        **place,
    )  # fmt: skip


def legend_at_foot(figure: go.Figure, rows: int) -> go.Figure:
    """Put the legend at the figure's lower edge, with room for so many rows; call it after ``theme.apply``."""
    room = 62 + 20 * rows
    figure.update_layout(height=figure.layout.height + room - 44)
    figure.update_layout(
        legend={"x": 0.02, "xref": "container", "y": 0.01, "yref": "container", "yanchor": "bottom"},
        margin={"t": figure.layout.margin.t - 6, "b": room},
    )
    return figure


def _transparent(colour: str) -> str:
    """A colour made transparent, given as ``#rrggbb`` or, as colour scales give them, as ``rgb(r, g, b)``."""
    return with_alpha(colour, 0.22) if colour.startswith("#") else f"rgba{colour[3:-1]}, 0.22)"


def mark_phases(figure: go.Figure, ds: xr.Dataset, theme: Theme) -> None:
    """A line over every panel where the masked words end and the tone begins, named at the first panel's foot."""
    change = change_of_phase(ds)
    if change is None:
        return
    ink = INKS[theme]
    figure.add_vline(x=change + 0.5, line={"color": ink.muted, "width": 1.5, "dash": "dashdot"})
    figure.add_annotation(
        x=change + 0.5, xref="x", y=0, yref="y domain", xanchor="left", yanchor="bottom", showarrow=False,
        text="tone", bgcolor=with_alpha(ink.background, 0.75), font={"size": 12, "color": ink.muted},
    )  # fmt: skip
