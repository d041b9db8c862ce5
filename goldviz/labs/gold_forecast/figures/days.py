"""What figures of the *Forecast lab* share: forecasts of the look in view, axes of days, limits, what comes when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import Axis, axis, between, lines
from goldviz.figures.limits import Quantity, Values, padded
from goldviz.figures.market import days_between
from goldviz.figures.marks import Mark, given
from goldviz.figures.plot import Plot
from goldviz.figures.reading import absence
from goldviz.figures.theme import style_of
from goldviz.labs.gold_forecast.scoring.series import Dates, Series

UNFINISHED = ("queued", "running", "paused")
AT_FIRST_LOOK = "The first forecasts come with the first look."
AT_FIRST_EPOCH = "The first numbers come with the first epoch."
AT_THE_END = "This comes when the run ends."
DAYS_UNDER_LEGEND = {"legend_y": -0.13, "margin_b": 100}
"""An axis of days has no title, so that the legend stands right under it."""


def missing(*names: str, waiting: str = AT_FIRST_LOOK) -> Callable[[Run], str]:
    """Why these variables cannot be drawn; while a run goes on, ``waiting`` says when they come. Empty if they can."""

    def said(ds: Run) -> str:
        words, training = absence(ds, *names), str(ds.attrs.get("status", "")) in UNFINISHED
        return waiting if words and training and any(name not in ds for name in names) else words

    return said


def in_view(plot: Plot) -> Series:
    """The forecasts at the look in view."""
    return plot.once(_series)


def _series(plot: Plot) -> Series:
    return Series.of(plot.ds, plot.epoch)


def curve(
    network: str,
    values: Values,
    dates: Dates,
    hover: str,
    width: float = 0,
    seeds: Sequence[Values] = (),
    mode: str = "lines",
) -> list[Mark]:
    """A baseline's thin curve of this width, in its own dash; or the network's, over the range of its ``seeds``."""
    style = style_of(network)
    line = lines(
        given(values, day=dates),
        name=style.label,
        colour=network,
        dash=style.dash if width else "solid",
        width=width or 2.5,
        symbol=style.symbol,
        mode=mode,
        hover=hover,
        more={"legendgroup": network},
    )
    if len(seeds) < 2:
        return [line]
    low, high = (given(edge(np.stack(seeds), axis=0), day=dates) for edge in (np.fmin.reduce, np.fmax.reduce))
    return [between(low, high, colour=network, alpha=0.22, more={"group": network}), line]


def axis_of_days(limits: str, ticks: int = 6, title: str | None = None) -> Axis:
    """An axis of dates between these limits, which are days since 1970."""
    return axis(title, scale="free", told=lambda plot: days_between(plot.limit(limits), ticks))


def ends(values: Values) -> Values:
    """The lowest and the highest of the finite ones."""
    finite = values[np.isfinite(values)]
    return np.array([finite.min(), finite.max()]) if finite.size else finite


def limits_of(
    read: Callable[[Run, Series], Iterable[Any]],
    *needs: str,
    rounded: Callable[[float, float], tuple[float, float]] = padded,
) -> Quantity:
    """Limits over what is read of the last look's forecasts; nothing where a run lacks what that needs."""

    def values(ds: Run) -> Values:
        if not ds.sizes.get("time") or any(name not in ds or not ds[name].size for name in ("target", *needs)):
            return np.array([])
        parts = [ends(np.ravel(np.asarray(part).astype(float))) for part in read(ds, Series.of(ds))]
        return np.concatenate([np.array([]), *parts])

    return Quantity(values, rounded)


def widened(limits: tuple[float, float], *values: Values) -> tuple[float, float]:
    """Limits that also hold these values.

    Shared limits are those of the last look, where the answer is fine; a wild early one must not flatten it, and
    must not be cut off either when someone goes back to it.
    """
    numbers = ends(np.concatenate([np.ravel(part) for part in values]))
    if not numbers.size or (numbers[0] >= limits[0] and numbers[1] <= limits[1]):
        return limits
    return padded(min(limits[0], float(numbers[0])), max(limits[1], float(numbers[1])))
