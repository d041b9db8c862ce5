"""How the target moves after documents: its mean move until the next one, beside the tone of the last.

Nothing here is a forecast: the line is fitted to all the years that are shown.
"""

from __future__ import annotations

import numpy as np
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
    tones = next((channel.observed for channel in market.channels if channel.name == TONE_CHANNEL), None)
    if tones is None or len(tones) < 2 or not tones.std() > 0:
        return _view(np.array([], "datetime64[ns]"), np.array([]), np.array([]), np.nan, np.nan)
    moves = changes(market.target)
    days_of_release = tones.index.to_numpy()
    answers_from = np.busday_offset(days_of_release.astype("datetime64[D]"), RESPONSE_WAIT, roll="forward")
    last = np.searchsorted(answers_from, moves.index.to_numpy().astype("datetime64[D]"), side="right") - 1
    tone = ((tones - tones.mean()) / tones.std(ddof=0)).to_numpy()
    counts = np.bincount(last[last >= 0], minlength=len(tone))
    sums = np.bincount(last[last >= 0], moves.to_numpy()[last >= 0], minlength=len(tone))
    answer = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    slope, error = _line(tone[last[last >= 0]], moves.to_numpy()[last >= 0])
    enough = len(tone) >= LEAST_DOCUMENTS
    return _view(days_of_release, tone, answer, slope if enough else np.nan, error if enough else np.nan)


def _line(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
    """The slope of y on x, and its standard error, in standard deviations of y."""
    x, y = x - x.mean(), (y - y.mean()) / y.std()
    slope = float(x @ y / (x @ x))
    error = float(np.sqrt(np.square(y - slope * x).sum() / (len(x) - 2) / (x @ x)))
    return slope, error


def _view(
    days: NDArray[np.datetime64], tone: NDArray[np.float64], answer: NDArray[np.float64], slope: float, error: float
) -> xr.Dataset:
    return xr.Dataset(
        {"tone": ("document", tone), "answer": ("document", answer)},
        coords={"document": days},
        attrs={"answer_slope": slope, "answer_error": error},
    )
