"""A diagram as a Plotly figure, for reports and notebooks: the same places as on a page's canvas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly.colors import sample_colorscale

from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Scatter, make_subplots
from goldviz.figures.elements import add_heading, colour_bar_below, power_ticks, ways
from goldviz.figures.notes import as_label
from goldviz.figures.theme import INKS, Ink, Theme, tone

HEADING = 34
"""Pixels over a network for its name and its arcs."""
BRIGHT, DARK = "#fefefe", "#111111"
"""Of words on a box; no theme's own colours, which a report changes with its reader's theme."""
SIDE = 0.08
"""Half the gap between two nodes, in columns and rows."""


def drawn_by_plotly(layout: Mapping[str, Any]) -> Figure:
    """The diagram in ``layout.meta.diagram`` at one step, coloured by its first quantity.

    Nodes without a number are drawn empty.
    """
    diagram = layout["meta"]["diagram"]
    theme: Theme = "dark" if str(layout["template"]).endswith("dark") else "light"
    parts, colour, ink = diagram["parts"], diagram["colours"][0], INKS[theme]
    figure = make_subplots(rows=len(parts), cols=1, vertical_spacing=0.12 / max(1, len(parts) - 1))
    values = np.asarray(colour["values"], np.float64)
    shares = _scaled(values, colour)
    start = 0
    for row, part in enumerate(parts, start=1):
        here = slice(start, start + len(part["nodes"]))
        _draw_wires(figure, part, row, ink)
        _draw_nodes(figure, part, row, values[here], shares[here], ink)
        add_heading(figure, row, f"<b>{as_label(part['heading'])}</b>", font={"color": tone(part["colour"], theme)})
        start = here.stop
    for name, own in layout.items():
        if name != "meta":
            figure.update_layout({name: own})
    figure.update_layout(height=sum(HEADING + _rows(part) * part["row"] for part in parts) + 190)
    figure.update_layout(meta={"notes": layout["meta"].get("notes", [])})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    carrier = Scatter(x=[None], y=[None], mode="markers", marker={"color": [0], "coloraxis": "coloraxis"})
    figure.add_trace(carrier.update(showlegend=False, hoverinfo="skip"), row=1, col=1)
    low, high = colour["limits"]
    ticks = power_ticks(low, high) if colour["scale"].startswith("log") else {"nticks": 6}
    at = colour.get("at")
    words = colour["words"] if at is None else f"{colour['words']}, {diagram['step']} {at}"
    return colour_bar_below(figure, (low, high), look.SEQUENTIAL, as_label(words), **ticks)


def _rows(part: Mapping[str, Any]) -> float:
    return float(max(node[3] + node[5] for node in part["nodes"]))


def _scaled(values: NDArray[np.float64], colour: Mapping[str, Any]) -> NDArray[np.float64]:
    """Where numbers stand between the limits, from 0 to 1; NaN where a number has no place."""
    low, high = colour["limits"]
    with np.errstate(divide="ignore", invalid="ignore"):
        along = np.log10(values) if colour["scale"] == "log" else values
    share = np.clip((along - low) / (high - low), 0.0, 1.0)
    return np.where(np.isfinite(along), share, np.nan)


def _draw_nodes(
    figure: Figure,
    part: Mapping[str, Any],
    row: int,
    values: NDArray[np.float64],
    shares: NDArray[np.float64],
    ink: Ink,
) -> None:
    nodes = part["nodes"]
    for (_, _, column, at, wide, high, _, _), share in zip(nodes, shares, strict=True):
        fill = ink.surface if np.isnan(share) else sample_colorscale(look.SEQUENTIAL, [float(share)])[0]
        figure.add_shape(
            type="rect",
            row=row,
            col=1,
            x0=column + SIDE * wide,
            x1=column + (1 - SIDE) * wide,
            y0=-at - SIDE * high,
            y1=-at - (1 - SIDE) * high,
            fillcolor=fill,
            line={"color": ink.muted, "width": 1},
        )
    middles = [(node[2] + node[4] / 2, -node[3] - node[5] / 2) for node in nodes]
    texts = [f"{value:.3g}" if np.isfinite(value) else "no number" for value in values]
    inks = [BRIGHT if share < 0.55 else DARK if share >= 0.55 else ink.text for share in shares]
    figure.scatter(
        x=[x for x, _ in middles],
        y=[y for _, y in middles],
        mode="markers+text",
        text=[as_label(node[0]) for node in nodes],
        textfont={"color": inks},
        showlegend=False,
        marker={"size": 14, "opacity": 0},
        customdata=texts,
        hovertext=[as_label(node[1]) for node in nodes],
        hovertemplate="%{hovertext}: %{customdata}<extra></extra>",
        row=row,
    )


def _draw_wires(figure: Figure, part: Mapping[str, Any], row: int, ink: Ink) -> None:
    """Straight lines between boxes, arcs over what is skipped, and back under the boxes."""
    nodes = part["nodes"]
    lines = (_line(nodes[start], nodes[end], way, _rows(part)) for start, end, way in part["wires"])
    line = {"color": ink.muted, "width": 1.5}
    figure.scatter(**ways(lines), mode="lines", line=line, hoverinfo="skip", showlegend=False, row=row)


def _line(start: list[Any], end: list[Any], way: str, rows: float) -> list[tuple[float, float]]:
    right, left = start[2] + start[4], end[2]
    middles = [-node[3] - node[5] / 2 for node in (start, end)]
    if way == "skip":
        turn = np.linspace(0, np.pi, 9)
        last = end[2] + end[4]
        return [
            (right + (last - right) * float(share), 0.25 * float(np.sin(angle)))
            for share, angle in zip(np.linspace(0, 1, 9), turn, strict=True)
        ]
    if way == "back":
        low = -rows - 0.15
        return [(right, middles[0]), (right, low), (left, low), (left, middles[1])]
    return [(right - SIDE * start[4], middles[0]), (left + SIDE * end[4], middles[1])]
