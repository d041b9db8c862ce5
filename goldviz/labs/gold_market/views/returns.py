"""What a target's returns are like: beside a covariate's, volatility, distribution, memory, after documents."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.special import ndtr

from goldviz.data.markets.market import Channel, Market
from goldviz.data.markets.simulated import RESPONSE_WAIT
from goldviz.data.markets.text_channels import TONE_CHANNEL

LEAST_RETURNS = 20
"""Returns before which no volatility is given."""

BINS_PER_SD = 4
FARTHEST_BIN = 20
"""Standard deviations up to which there are bins; what lies beyond is counted apart."""

MOST_LAGS = 40


def changes(channel: Channel) -> pd.Series:
    """Log returns where the channel is seen in log returns, else differences, on the later of each two dates."""
    return channel.observed.diff().iloc[1:] if channel.transformation == "level" else channel.increments()


def price_view(market: Market, number: int) -> xr.Dataset:
    """The levels of the target, ``price`` (day), and of covariate ``number``, ``beside`` (beside_day).

    Without any covariate the second has no days.
    """
    target = market.target.observed
    beside = market.channels[number].observed if len(market.channels) > 1 else target.iloc[:0]
    return xr.Dataset(
        {"price": ("day", target.to_numpy()), "beside": ("beside_day", beside.to_numpy())},
        coords={"day": target.index.to_numpy(), "beside_day": beside.index.to_numpy()},
    )


def volatility_view(channel: Channel, window: int) -> xr.Dataset:
    """The target's changes with two forecasts of their size.

    ``change`` (change_day); ``rolling_sd``, the standard deviation of the ``window`` changes before, and
    ``expanding_sd``, of all before: both known on the day before. NaN while there are fewer than 20.
    """
    moves = changes(channel)
    rolling = moves.rolling(window, min_periods=min(window, LEAST_RETURNS)).std().shift(1)
    expanding = moves.expanding(min_periods=LEAST_RETURNS).std().shift(1)
    return xr.Dataset(
        {
            "change": ("change_day", moves.to_numpy()),
            "rolling_sd": ("change_day", rolling.to_numpy()),
            "expanding_sd": ("change_day", expanding.to_numpy()),
        },
        coords={"change_day": moves.index.to_numpy()},
    )


def distribution_view(moves: NDArray[np.float64]) -> xr.Dataset:
    """A histogram of changes and what a Gaussian of the same mean and standard deviation would give.

    ``count`` and ``gaussian`` (bin), at the bins' middles ``bin``; attributes ``sd``, ``excess_kurtosis`` (the mean of
    z^4, less 3), ``beyond`` and ``gaussian_beyond``: changes more than four standard deviations from the mean, found
    and expected; ``off_scale``, changes beyond the last bins. The changes may not all be equal.
    """
    mean, sd = float(moves.mean()), float(moves.std())
    z = (moves - mean) / sd
    reach = min(int(np.ceil(np.abs(z).max())), FARTHEST_BIN)
    # A middle bin around the mean, so that a Gaussian's peak is not cut in two.
    edges = (np.arange(-reach * BINS_PER_SD, reach * BINS_PER_SD + 2) - 0.5) / BINS_PER_SD
    count, _ = np.histogram(z, edges)
    return xr.Dataset(
        {"count": ("bin", count.astype(np.float64)), "gaussian": ("bin", len(z) * np.diff(ndtr(edges)))},
        coords={"bin": mean + sd * (edges[1:] + edges[:-1]) / 2},
        attrs={
            "sd": sd,
            "bin_width": sd / BINS_PER_SD,
            "excess_kurtosis": float((z**4).mean() - 3),
            "beyond": int((np.abs(z) > 4).sum()),
            "gaussian_beyond": float(2 * len(z) * ndtr(-4.0)),
            "off_scale": int(((z < edges[0]) | (z > edges[-1])).sum()),
        },
    )


def memory_view(moves: NDArray[np.float64]) -> xr.Dataset:
    """Autocorrelation of changes and of their squares at lags 1 to 40: ``of_changes`` and ``of_squares`` (lag).

    r_k = sum_t (x_t - m)(x_(t-k) - m) / sum_t (x_t - m)^2. Of white noise 95 % lie within the attribute ``noise``,
    1.96 / sqrt(n).
    """
    lags = np.arange(1, min(MOST_LAGS, len(moves) // 4) + 1)
    return xr.Dataset(
        {
            "of_changes": ("lag", autocorrelation(moves, lags)),
            "of_squares": ("lag", autocorrelation((moves - moves.mean()) ** 2, lags)),
        },
        coords={"lag": lags},
        attrs={"noise": 1.96 / float(np.sqrt(len(moves)))},
    )


def autocorrelation(values: NDArray[np.float64], lags: NDArray[np.int64]) -> NDArray[np.float64]:
    """The autocorrelation at some lags; NaN for values that are all equal.

    >>> autocorrelation(np.array([1.0, -1.0, 1.0, -1.0]), np.array([1, 2])).tolist()
    [-0.75, 0.5]
    """
    deviations = values - values.mean()
    total = float(deviations @ deviations)
    if not total > 0:
        return np.full(len(lags), np.nan)
    return np.array([float(deviations[lag:] @ deviations[:-lag]) / total for lag in lags])


LEAST_DOCUMENTS = 10
"""Documents below which no line is fitted."""


def answer_view(market: Market) -> xr.Dataset:
    """``tone`` and ``answer`` (document), by day of release: the tone in standard deviations from its mean, and the
    mean move from the second working day after release until the next document's; NaN where there is no move. It is
    no forecast: the line is fitted to all the years that are shown.

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
