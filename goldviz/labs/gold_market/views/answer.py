"""How the target moves after documents: its mean move until the next one, beside the tone of the last.

Nothing here is a forecast: the line is fitted to all the years that are shown.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from goldviz.data.markets.market import Market
from goldviz.data.markets.simulated import RESPONSE_WAIT
from goldviz.data.markets.text_channels import TONE_CHANNEL
from goldviz.labs.gold_market.views.returns import changes

LEAST_DOCUMENTS = 10
"""Documents below which no line is fitted."""


def answer_view(market: Market) -> xr.Dataset:
    """``tone`` and ``answer`` (document), by day of release: the tone in standard deviations from its mean, and the
    mean move from the second working day after release until the next document's; NaN where there is no move.

    Attributes: ``answer_slope``, what one standard deviation of the tone adds to a move by least squares over all
    moves, in the moves' standard deviations, and ``answer_error``, its standard error. NaN for fewer than
    ``LEAST_DOCUMENTS`` documents; a market without a tone has none.
    """
    none = pd.Series(dtype=float, index=pd.DatetimeIndex([]))
    tones = next((channel.observed for channel in market.channels if channel.name == TONE_CHANNEL), none)
    if not tones.std() > 0:
        tones = tones.iloc[:0]
    moves, count = changes(market.target), len(tones)
    released = tones.index.to_numpy()
    answers_from = np.busday_offset(released.astype("datetime64[D]"), RESPONSE_WAIT, roll="forward")
    last = np.searchsorted(answers_from, moves.index.to_numpy().astype("datetime64[D]"), side="right") - 1
    answered, last = moves.to_numpy()[last >= 0], last[last >= 0]
    tone = ((tones - tones.mean()) / tones.std(ddof=0)).to_numpy()
    counts, sums = np.bincount(last, minlength=count), np.bincount(last, answered, minlength=count)
    slope, error = _line(tone[last], answered) if count >= LEAST_DOCUMENTS else (np.nan, np.nan)
    return xr.Dataset(
        {
            "tone": ("document", tone),
            "answer": ("document", np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)),
        },
        coords={"document": released},
        attrs={"answer_slope": slope, "answer_error": error},
    )


def _line(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
    """The slope of y on x, and its standard error, in standard deviations of y."""
    x, y = x - x.mean(), (y - y.mean()) / y.std()
    slope = float(x @ y / (x @ x))
    error = float(np.sqrt(np.square(y - slope * x).sum() / (len(x) - 2) / (x @ x)))
    return slope, error
