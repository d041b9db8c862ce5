"""A loss over training with smoothing that does not lie: the first of the five diagnostic plots.

Every point of the line is the plain mean of the last so many steps, counted back from it. So nothing after a step
shapes the line there, its ends are made like its middle (at first of the steps that there are), and who wants to know
where a point came from can add it up. A centred window would look ahead; an exponential mean never says over how many
steps. What was averaged stays behind the line, thin; of more steps than a screen has room for, the lowest and the
highest of each column, so that no spike is lost.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array
from goldviz.figures.draft import Scatter
from goldviz.figures.plot import Plot
from goldviz.figures.reading import MOST_COLUMNS, finite, growing, thinned

SHARE = 20
"""A mean is of a twentieth of the run so far at most."""
WIDTHS = (5, 10, 20, 50, 100, 200, 500, 1000)
EVERY_STEP_UP_TO = 2 * MOST_COLUMNS


def width_of(steps: int) -> int:
    """Over how many steps a line of so many is smoothed; 1 for runs too short to need it.

    >>> [width_of(steps) for steps in (60, 100, 399, 400, 6000)]
    [1, 5, 10, 20, 200]
    """
    return max((width for width in WIDTHS if width * SHARE <= steps), default=1)


def trailing_means(values: NDArray[Any], width: int, places: NDArray[np.intp]) -> NDArray[np.float64]:
    """At each of ``places`` along the first axis, the mean of the last ``width`` values up to it, or of all there are.

    NaN is left out of a mean, and stands where nothing else is.

    >>> trailing_means(np.array([1.0, 3.0, np.nan, 9.0]), 2, np.arange(4))
    array([1., 2., 3., 9.])
    """
    before = np.full((width - 1, *values.shape[1:]), np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(np.concatenate([before, values.astype(np.float64)]), width, 0)
    rows = windows[places]
    is_finite = np.isfinite(rows)
    counts = is_finite.sum(-1)
    sums = np.where(is_finite, rows, 0.0).sum(-1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def extremes(values: NDArray[Any], width: int) -> NDArray[np.intp]:
    """Where the lowest and the highest of each ``width`` values stand, in order; NaN is neither.

    >>> extremes(np.array([1.0, 3.0, 2.0, 5.0, 4.0, 0.0]), 3)
    array([0, 1, 3, 5])
    """
    starts = range(0, len(values), width)
    columns = [values[start : start + width] for start in starts]
    places = [
        start + place
        for start, column in zip(starts, columns, strict=True)
        if np.isfinite(column).any()
        for place in (np.nanargmin(column), np.nanargmax(column))
    ]
    return np.unique(np.array(places, dtype=np.intp))


def smoothed_curves(plot: Plot, name: str, hover: str = "%{y:.4f}") -> str:
    """Draw every network's loss, smoothed where it is long enough, and return the words that explain it."""
    values = finite(plot.ds[name])
    dim = str(growing(values))
    values = values.transpose(dim, ...)
    width = width_of(values.sizes[dim])
    indices, plot.thinning = thinned(values.sizes[dim], noun=dim)
    means = values.isel({dim: indices}).copy(data=trailing_means(values.values, width, indices).astype(values.dtype))
    plot.curves(means, hover=hover)
    if width == 1:
        return ""
    plot.thinning = ""
    behind(plot, values)
    between = between_drawn(values.sizes[dim])
    span = "each" if between == 1 else f"ranges of {between} {dim}s"
    return f"Mean of the last {width} {dim}s. Thin: {span}."


def between_drawn(steps: int) -> int:
    """Of how many steps the lowest and the highest are drawn: 1 where all of them are."""
    return max(1, -(-steps // MOST_COLUMNS)) if steps > EVERY_STEP_UP_TO else 1


def behind(plot: Plot, values: Array) -> None:
    """Every network's values over the steps, the median of its seeds, as a thin line behind the curves."""
    dim = str(growing(values))
    between = between_drawn(values.sizes[dim])
    for network in plot.networks:
        _add_steps(plot, values.sel(network=network).transpose(dim, ...).median("seed"), network, between)


def _add_steps(plot: Plot, values: Array, network: str, between: int) -> None:
    places = extremes(values.values, between) if between > 1 else np.arange(values.size)
    style, dim = plot.look_of(network), str(growing(values))
    curve = Scatter(
        x=values[dim].values[places],
        y=values.values[places],
        mode="lines",
        name=f"{style.label}, each {dim}",
        legendgroup=network,
        showlegend=False,
        opacity=0.4,
        line={"color": style.colour, "width": 1},
        hoverinfo="skip",
    )
    plot.figure.data.insert(0, curve)
