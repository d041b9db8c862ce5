"""Parts of the instant pages' figures: heat maps in one colour scale, a cursor, a legend under the plot."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from goldviz.figures.draft import Figure, Heatmap, Node
from goldviz.figures.frames import AtStep
from goldviz.figures.theme import DIVERGING, INKS, Theme

SIGNED = f"{DIVERGING}_r"
"""Red for more, blue for less, as a heat map is read; white in the middle."""


def cells(z: ArrayLike | AtStep, *, x: Any, y: Any, hover: str, **options: Any) -> Node:
    """A heat map on the figure's common colour axis; single precision is enough for colours and three digits."""
    values = np.asarray(z.values if isinstance(z, AtStep) else z, dtype=np.float32)
    values = np.where(np.isfinite(values), values, np.float32(np.nan))
    shown = AtStep(z.dim, values) if isinstance(z, AtStep) else values
    return Heatmap(z=shown, x=x, y=y, coloraxis="coloraxis", hovertemplate=f"{hover}<extra></extra>", **options)


def colour_bar(figure: Figure, limits: tuple[float, float], scale: str, words: str, **bar: Any) -> None:
    """The one colour scale, its bar under the plot and what it means above the bar. Call after ``theme.apply``."""
    figure.update_layout(
        margin_b=112, coloraxis={"cmin": limits[0], "cmax": limits[1], "colorscale": scale, "colorbar": bar}
    )
    figure.add_annotation(
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
    figure.update_layout(legend={"y": -0.2, "yanchor": "top"}, margin={"t": figure.layout.margin.t - 24, "b": 130})


def cursor(figure: Figure, x: float, theme: Theme) -> None:
    """A gold line over every panel at the place in view."""
    figure.add_vline(x=x, line={"color": INKS[theme].background, "width": 5}, opacity=0.7)
    figure.add_vline(x=x, line={"color": INKS[theme].accent, "width": 2})
