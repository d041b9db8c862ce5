"""The figures of *Gold market*: what is observed and when, what returns are like, and what joining by date leaks."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.market import JOINED, KNOWN
from goldviz.figures.reading import thinned
from goldviz.figures.spec import by_name
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.gold_market.figures.answer import answer
from goldviz.labs.gold_market.figures.clock import clock
from goldviz.labs.gold_market.figures.leak import correlation, leak
from goldviz.labs.gold_market.figures.observed import last_days, strip
from goldviz.labs.gold_market.figures.prices import prices
from goldviz.labs.gold_market.figures.returns import distribution, memory, returns

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


FIGURES = by_name(clock, prices, strip, last_days, correlation, leak, returns, distribution, memory, answer)
