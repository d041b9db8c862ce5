"""The figures of *Gold market*: what is observed and when, what returns are like, and what joining by date leaks."""

from __future__ import annotations

import numpy as np
import xarray as xr

from goldviz.figures.market import JOINED, KNOWN
from goldviz.figures.reading import thinned
from goldviz.figures.spec import FigureSpec
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.gold_market.figures.leak import correlation, leak
from goldviz.labs.gold_market.figures.observed import last_days, strip
from goldviz.labs.gold_market.figures.prices import prices
from goldviz.labs.gold_market.figures.returns import distribution, memory, returns

PICTURE_POINTS = 120


def picture(ds: xr.Dataset) -> str:
    """The home page's picture: the rolling correlation of the first covariate, joined by date and as known."""
    known, joined = ds["known_rolling"].values, ds["joined_rolling"].values
    there = np.flatnonzero(np.isfinite(known) & np.isfinite(joined))
    kept = there[thinned(len(there), PICTURE_POINTS)[0]]
    return polyline_svg(
        [Curve("by date", joined[kept], JOINED, "dash"), Curve("known", known[kept], KNOWN)],
        label="Correlation of silver with gold's next return, joined by date and as known at the forecast.",
    )


FIGURES: dict[str, FigureSpec] = {
    "prices": FigureSpec(
        prices,
        "Where did the target and the covariate go?",
        "Prices above zero as an index or on a log axis, so that equal heights are equal log returns.",
        "Whether the two move together day by day; prices that both drift look alike without being related.",
    ),
    "strip": FigureSpec(
        strip,
        "Who is observed in which month?",
        "How many days of each month bring a new value of each channel, and how many masking hides.",
        "Why a value is missing: a holiday, a late start and a lost record look the same.",
    ),
    "last_days": FigureSpec(
        last_days,
        "Who is new on which of the last days?",
        "Each mark is a new value in the row of that day's forecast.",
        "Revisions: a series that is revised later stands here as it was last read.",
    ),
    "correlation": FigureSpec(
        correlation,
        "Does the covariate tell the next move?",
        "The correlation over a rolling window, placed on the day on which its last answer was known.",
        "Anything that is not a straight line between the two, or that needs several covariates.",
    ),
    "leak": FigureSpec(
        leak,
        "Which covariates leak when joined by date?",
        "Each covariate's correlation with the target's next move over all the years, both ways.",
        "How a forecast would do: this is in sample, and a leak can hide in one covariate out of many.",
    ),
    "returns": FigureSpec(
        returns,
        "When are the moves large?",
        "The target's moves, and twice two volatilities that were known on the day before.",
        "Moves within a day; one value a day is observed.",
    ),
    "distribution": FigureSpec(
        distribution,
        "Are large moves rarer than in a Gaussian?",
        "Days by the size of their move, in bins of a quarter of the standard deviation.",
        "That moves are independent draws: they are not, large ones come together.",
    ),
    "memory": FigureSpec(
        memory,
        "What do past moves tell?",
        "The autocorrelation of the moves, which would help to forecast them, and of their squares.",
        "Whether a lag is real: where volatility changes, the band is too narrow for the moves themselves.",
    ),
}
