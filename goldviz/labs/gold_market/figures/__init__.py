"""The figures of *Gold market*: what is observed and when, what returns are like, and what joining by date leaks."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import bound
from goldviz.figures.market import JOINED, KNOWN
from goldviz.figures.reading import thinned
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.gold_market.figures.leak import answer, correlation, leak
from goldviz.labs.gold_market.figures.observed import clock, last_days, strip
from goldviz.labs.gold_market.figures.returns import distribution, memory, prices, returns
from goldviz.labs.gold_market.settings import GoldMarket

PICTURE_POINTS = 120


def picture(ds: Run) -> str:
    """The home page's picture: the rolling correlation of the first covariate, joined by date and as known."""
    by_release, by_date = ds["known_rolling"].values, ds["joined_rolling"].values
    there = np.flatnonzero(np.isfinite(by_release) & np.isfinite(by_date))
    places = there[thinned(len(there), PICTURE_POINTS)[0]]
    return polyline_svg(
        [Curve("by date", by_date[places], JOINED, "dash"), Curve("known", by_release[places], KNOWN)],
        label="Correlation of silver with gold's next return, joined by date and as known at the forecast.",
        axes=("time", "correlation"),
    )


FIGURES = bound(GoldMarket, clock, prices, strip, last_days, correlation, leak, returns, distribution, memory, answer)
