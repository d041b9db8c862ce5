"""A loss over training with smoothing that does not lie: the first of the five diagnostic plots.

Every point of the line is the plain mean of the last so many steps, counted back from it. So nothing after a step
shapes the line there, its ends are made like its middle (at first of the steps that there are), and who wants to know
where a point came from can add it up. A centred window would look ahead; an exponential mean never says over how many
steps. What was averaged stays behind the line, thin; of more steps than a screen has room for, the lowest and the
highest of each column, so that no spike is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.figures.draft import Scatter
from goldviz.figures.marks import Canvas, ChannelLike, Curves
from goldviz.figures.plot import Plot
from goldviz.figures.reading import MOST_COLUMNS, OVER, finite, growing, growing_dim, thinned

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


@dataclass(frozen=True)
class Smoothed(Curves):
    """Every network's loss over the steps, smoothed where it is long enough; :func:`smoothing` explains it.

    Each step's own value stands ``behind`` it, unless something else is to be read there.
    """

    behind: bool = True

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        plot = canvas.plot
        values = canvas.values(self.of, whole=True)
        dim = str(growing(values))
        values = values.transpose(dim, ...)
        width = width_of(values.sizes[dim])
        indices, words = thinned(values.sizes[dim], noun=dim)
        # Where a line begins is read, too.
        indices = np.union1d(indices, [0])
        means = trailing_means(values.values, width, indices).astype(values.dtype)
        drawn = values.isel({dim: indices}).copy(data=means)
        Curves(lambda plot: drawn, over=dim, hover=self.hover or "%{y:.4f}").draw(canvas)
        plot.thinning = words if width == 1 else ""
        if width > 1 and self.behind:
            Behind(self.of).draw(canvas)


def smoothing(name: str, *, behind: bool = True) -> Callable[[Plot], str]:
    """Over how many steps a variable's curves are means, and what stands behind them."""

    def words(plot: Plot) -> str:
        dim = str(growing(plot.ds[name]))
        steps = plot.ds.sizes[dim]
        width, between = width_of(steps), between_drawn(steps)
        span = "each" if between == 1 else f"ranges of {between} {dim}s"
        return f"Mean of the last {width} {dim}s.{f' Thin: {span}.' if behind else ''}" if width > 1 else ""

    return words


def between_drawn(steps: int) -> int:
    """Of how many steps the lowest and the highest are drawn: 1 where all of them are."""
    return max(1, -(-steps // MOST_COLUMNS)) if steps > EVERY_STEP_UP_TO else 1


@dataclass(frozen=True)
class Behind:
    """Every network's values over the steps, the median of its seeds, as a thin line behind the curves."""

    of: ChannelLike

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        plot, middle = canvas.plot, canvas.values(self.of, whole=True).median("seed")
        dim = str(growing(middle))
        between = between_drawn(middle.sizes[dim])
        for network in plot.networks:
            own = middle.sel(network=network)
            places = extremes(own.values, between) if between > 1 else np.arange(own.size)
            style = plot.look_of(network)
            line = Scatter(
                x=own[dim].values[places],
                y=own.values[places],
                mode="lines",
                name=f"{style.label}, each {dim}",
                legendgroup=network,
                showlegend=False,
                opacity=0.4,
                line={"color": style.colour, "width": 1},
                hoverinfo="skip",
            )
            plot.figure.data.insert(0, line)


@dataclass(frozen=True)
class AtTheEnd:
    """An open marker at the end for each network's test loss, with a bar from the lowest seed to the highest."""

    of: str = "test_loss"

    def draw(self, canvas: Canvas) -> None:
        """Draw them, where the run has any."""
        plot = canvas.plot
        if plot.lacks(self.of):
            return
        for network in plot.networks:
            losses, style = finite(plot.ds[self.of]).sel(network=network), plot.look_of(network)
            middle = float(losses.median())
            bars = {"array": [float(losses.max()) - middle], "arrayminus": [middle - float(losses.min())]}
            plot.figure.scatter(
                x=[int(plot.ds[growing_dim(plot.ds)].max())],
                y=[middle],
                name=f"{style.label}, test",
                legendgroup=network,
                showlegend=False,
                mode="markers",
                marker={"symbol": f"{style.symbol}-open", "size": 13, "color": style.colour, "line": {"width": 2.5}},
                error_y=bars if losses.size > 1 else None,
                hovertemplate="%{y:.4f}",
                cliponaxis=False,
            )


def words_of_test_losses(plot: Plot, name: str = "test_loss") -> str:
    """What the open markers are, or why there is none."""
    if not plot.lacks(name):
        return "Open: test loss."
    is_over = plot.ds.attrs.get("status") in OVER
    return "No test loss: the run broke off." if is_over else "Test loss follows when training ends."
