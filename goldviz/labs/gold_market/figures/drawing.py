"""What several figures of *Gold market* are drawn with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import market
from goldviz.figures.chart import Axis, axis, figure
from goldviz.figures.plot import Plot
from goldviz.figures.reading import thinned

DATES = axis(scale="free", **market.DATES)
MOST_DAYS = 1_000
"""Days drawn of a curve at most."""
FLAT = {"line": {"width": 0}}
"""Bars without edges."""


def told(words: Callable[[Run], str]) -> Callable[..., str]:
    """A sentence about a dataset, as a note of a figure."""
    return lambda plot, **looked_at: words(plot.ds)


of_market = partial(figure, lead=told(market.source_sentence), legend="under", legend_lines=2)
"""A figure that says where its numbers come from."""


def thin(plot: Plot, dim: str, most: int = MOST_DAYS) -> NDArray[np.intp]:
    """The days that are drawn; the figure says which."""
    rows, plot.thinning = thinned(plot.ds.sizes[dim], most, "day")
    return rows


def on_days(values: Array, rows: Any = slice(None)) -> Callable[[Plot], Array]:
    """Numbers on these of their days, which Plotly reads as dates."""
    drawn = values[rows].astype(np.float32)
    day = str(drawn.dims[0])
    return lambda plot: drawn.assign_coords(**{day: market.days(drawn[day])})


def channels(plot: Plot, first: int = 0) -> dict[str, Any]:
    """Rows of channels, from this one on."""
    return market.channel_rows(market.names(plot.ds)[first:])


def around_zero(title: str | Callable[[Run], str], **more: Any) -> Axis:
    """A y axis with a line at zero; its title may hang on the market."""

    def said(plot: Plot) -> dict[str, Any]:
        own = {"title_text": title(plot.ds)} if callable(title) else {}
        return {**own, "zeroline": True, "zerolinecolor": plot.ink.muted, **more}

    return axis(None if callable(title) else title, scale="free", told=said)
