"""What the instant pages' figures share: heat maps in one colour scale, a cursor, a legend under the plot, and how a
figure of all positions on a page travels to the browser."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from goldviz.arrays.labelled import Run
from goldviz.figures.draft import Figure, Heatmap, Node, look_of
from goldviz.figures.frames import AtStep, together
from goldviz.figures.spec import FigureSpec
from goldviz.figures.table import Arrays, Drawn, packed
from goldviz.figures.theme import DIVERGING, INKS, TEXT, Theme

POSITION = "position"
"""The dimension along which an instant page's figures have rows."""

WRITTEN_UP_TO = 8
"""Cells in a row up to which each shows its number."""

SIGNED = f"{DIVERGING}_r"
"""Red for more, blue for less, as a heat map is read; white in the middle."""


def cells(z: ArrayLike | AtStep, *, x: Any, y: Any, hover: str, **options: Any) -> Node:
    """A heat map on the figure's common colour axis; single precision is enough for colours and three digits."""
    values = np.asarray(z.values if isinstance(z, AtStep) else z, dtype=np.float32)
    values = np.where(np.isfinite(values), values, np.float32(np.nan))
    z_values = AtStep(z.dim, values) if isinstance(z, AtStep) else values
    hover = hover if "<extra>" in hover else f"{hover}<extra></extra>"
    return Heatmap(z=z_values, x=x, y=y, coloraxis="coloraxis", hovertemplate=hover, **options)


def written(columns: int, number: str) -> dict[str, Any]:
    """Of a map whose cells stand apart: the template of their numbers, where a row is short enough for them."""
    template = number if columns <= WRITTEN_UP_TO else ""
    return {"xgap": 1, "ygap": 1, "texttemplate": template, "textfont": {"size": TEXT}}


def colour_bar(figure: Figure, limits: tuple[float, float], scale: str, words: str, **bar: Any) -> Figure:
    """The one colour scale, its bar under the plot and what it means above the bar. Call after ``theme.apply``."""
    figure.update_layout(
        margin_b=112, coloraxis={"cmin": limits[0], "cmax": limits[1], "colorscale": scale, "colorbar": bar}
    )
    return figure.add_annotation(
        text=words, x=0.5, xref="paper", y=0, yref="paper", yanchor="top", yshift=-48, showarrow=False, font_size=13
    )


def symmetric(*arrays: ArrayLike, least: float = 0.0) -> tuple[float, float]:
    """Limits around zero that hold every finite value, at least ``least`` wide on each side.

    >>> symmetric([1.0, -3.0, float("inf")])
    (-3.0, 3.0)
    """
    flat = np.concatenate([np.ravel(np.asarray(array, dtype=float)) for array in arrays])
    finite = np.abs(flat[np.isfinite(flat)])
    most = max(float(finite.max()) if finite.size else 0.0, least) or 1.0
    return -most, most


def legend_below(figure: Figure) -> None:
    """Long names find no room over a phone's plot: put them under it. Call after ``theme.apply``."""
    figure.update_layout(legend={"y": -0.2, "yanchor": "top"}, margin={"t": figure.layout.margin.t - 12, "b": 130})


def cursor(figure: Figure, x: float | AtStep, theme: Theme) -> None:
    """A gold line over every panel at the place in view."""
    figure.add_vline(x=x, line={"color": INKS[theme].background, "width": 5}, opacity=0.7)
    figure.add_vline(x=x, line={"color": INKS[theme].accent, "width": 2})


def drawn_at(spec: FigureSpec, views: Sequence[tuple[int, Run]], theme: Theme, **more: Any) -> Drawn:
    """A figure at all positions, each with its dataset, as of a run with those steps."""
    numbers = [number for number, _ in views]
    if spec.at_once:
        everywhere = spec.position(AtStep(POSITION, numbers))
        template = spec.draw(views[0][1], theme=theme, **everywhere, **more).template()
    else:
        drafts = (spec.draw(ds, theme=theme, **spec.position(number), **more) for number, ds in views)
        template = together(POSITION, [json.loads(draft.to_json()) for draft in drafts])
    places = {POSITION: [*range(len(numbers))]}
    return Drawn(json.dumps(template.figure), template.rows, places, template.shape, redrawn=False)


def at_positions(spec: FigureSpec, views: Sequence[tuple[int, Run]], theme: Theme, **more: Any) -> str:
    """A figure at all positions, each with its dataset, in base64: a message of frames as of a run with those steps."""
    arrays = Arrays()
    header = {
        "fresh": True,
        "steps": {POSITION: {"from": 0, "labels": [number for number, _ in views]}},
        "look": look_of(theme),
        "figures": {spec.name: drawn_at(spec, views, theme, **more).since(None, arrays)},
    }
    return base64.b64encode(packed(header, arrays)).decode("ascii")
