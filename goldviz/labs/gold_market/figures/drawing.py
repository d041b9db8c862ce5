"""What several figures of *Gold market* are drawn with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import market
from goldviz.figures.chart import Axis, axis, figure
from goldviz.figures.plot import Plot
from goldviz.figures.reading import thinned

DATES = axis(scale="free", told=lambda plot: market.DATES)


def told(words: Callable[[Run], str]) -> Callable[..., str]:
    """A sentence about a dataset, as a note of a figure."""
    return lambda plot, **looked_at: words(plot.ds)


of_market = partial(figure, lead=told(market.source_sentence), legend="under", legend_lines=2)
"""A figure that says where its numbers come from."""


def free(said: Callable[[Plot], Mapping[str, Any]], title: str | None = None) -> Axis:
    """An axis of which Plotly is told what hangs on the market."""
    return axis(title, scale="free", told=said)


def channels(plot: Plot, first: int = 0) -> dict[str, Any]:
    """Rows of channels, from this one on."""
    names = market.names(plot.ds)[first:]
    return market.channel_rows(names, (len(names) - 0.4, -0.6))


def of(values: Array, *, day: str = "", rows: Any = slice(None), factor: float = 1.0) -> Callable[[Plot], Array]:
    """What a mark draws: numbers times a factor, of some rows; along a ``day``, with dates as Plotly reads them."""
    drawn = factor * (values.isel({day: rows}) if day else values)
    if day:
        drawn = drawn.astype(np.float32).assign_coords(**{day: market.days(drawn[day])})
    return lambda plot: drawn


def thin(plot: Plot, dim: str, most: int) -> NDArray[np.intp]:
    """The days that are drawn; the figure says which."""
    rows, plot.thinning = thinned(plot.ds.sizes[dim], most, "day")
    return rows


def around_zero(words: Callable[[Run], str], **more: Any) -> Axis:
    """A y axis with a line at zero, whose title hangs on the market."""

    def said(plot: Plot) -> dict[str, Any]:
        return {"title_text": words(plot.ds), "zeroline": True, "zerolinecolor": plot.ink.muted, **more}

    return axis(scale="free", told=said)
