"""How much of the target's next change a covariate seems to tell, joined by date, and how much when it is known.

The difference between the two is the leak of a table that is joined by calendar date.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from goldviz.data.markets.alignment import Panel, next_values
from goldviz.data.markets.market import Transformation
from goldviz.diagnostics.forecasts.lookahead import columns_ahead, since_last_forecast

LEAST_PAIRS = 8
"""Pairs in a window below which no correlation is given."""


def correlation_view(
    by_release: Panel, by_date: Panel, transformations: Sequence[Transformation], *, number: int, window: int
) -> xr.Dataset:
    """Correlations of the target's next change with what each covariate says at the forecast.

    The panels are by release and by calendar date. Over the whole time: ``known_overall`` and
    ``joined_overall`` (channel), NaN for the target. Covariate ``number`` alone (0: none), over the last ``window``
    answers that were known on a day: ``known_rolling``, ``joined_rolling`` (answer_day), and ``noise``, within which
    95 % of the windows of unrelated numbers lie, 1.96 / sqrt(pairs).

    Attributes: ``known_r2`` and ``joined_r2``, the adjusted R2 of a least-squares fit on all covariates, in sample;
    ``forecasts``, their number; ``new``, how many covariates have something new at a forecast on average, and
    ``complete``, the share of forecasts at which all have.
    """
    answers = next_values(by_release, "return")
    y = answers.values
    views = {
        "known": since_last_forecast(by_release, answers, transformations),
        "joined": since_last_forecast(by_date, answers, transformations),
    }
    dataset = xr.Dataset(coords={"answer_day": by_release.dates[answers.known].to_numpy()})
    for name, x in views.items():
        overall = [np.nan, *(correlation(column, y) for column in x.T[1:])]
        dataset[f"{name}_overall"] = ("channel", np.array(overall))
        dataset[f"{name}_rolling"] = (
            "answer_day",
            _rolling(x[:, number] if number else np.full(len(y), np.nan), y, window),
        )
        dataset.attrs[f"{name}_r2"] = adjusted_r2(x[:, 1:], y)
    pairs = pd.Series(np.isfinite(views["known"][:, number])).rolling(window, min_periods=1).sum().to_numpy()
    dataset["noise"] = ("answer_day", np.where(pairs >= LEAST_PAIRS, 1.96 / np.sqrt(np.maximum(pairs, 1.0)), np.nan))
    new = np.isfinite(views["known"][:, 1:])
    dataset.attrs |= {"forecasts": len(y), "new": float(new.sum(1).mean()), "complete": float(new.all(1).mean())}
    return dataset


def _rolling(x: NDArray[np.float64], y: NDArray[np.float64], window: int) -> NDArray[np.float64]:
    least = min(window, LEAST_PAIRS)
    correlations = pd.Series(x).rolling(window, min_periods=least).corr(pd.Series(y)).to_numpy()
    # Where a window's values are all equal, rounding decides what is divided by what.
    return np.where(np.abs(correlations) <= 1 + 1e-6, np.clip(correlations, -1, 1), np.nan)


def ahead_view(panel: Panel, transformations: Sequence[Transformation]) -> xr.Dataset:
    """``ahead`` (channel): which channels tell the next move, as they are known, by more than an honest one can."""
    names = {link.channel for link in columns_ahead(panel, transformations, next_values(panel, "return"))}
    return xr.Dataset({"ahead": ("channel", np.array([name in names for name in panel.channels]))})


def correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Pearson's correlation of the pairs in which both are there; NaN for fewer than 8, or where one never changes.

    >>> correlation(np.array([np.nan, *range(8)]), np.array([5.0, *range(0, -8, -1)]))
    -1.0
    """
    there = np.isfinite(x) & np.isfinite(y)
    if there.sum() < LEAST_PAIRS or np.ptp(x[there]) == 0 or np.ptp(y[there]) == 0:
        return np.nan
    return float(np.clip(np.corrcoef(x[there], y[there])[0, 1], -1, 1))


def adjusted_r2(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The share of y's variance that a linear fit on x (n, k) explains, less what chance explains (Theil 1961).

    1 - (1 - R2)(n - 1) / (n - k - 1), with each column standardised and then 0 where it is NaN. NaN where there is
    no column that changes, or too few rows.
    """
    there = np.isfinite(x)
    count = np.maximum(there.sum(0), 1)
    mean = np.where(there, x, 0.0).sum(0) / count
    deviations = np.where(there, x - mean, 0.0)
    sd = np.sqrt((deviations**2).sum(0) / count)
    standard = deviations[:, sd > 0] / sd[sd > 0]
    n, k = standard.shape
    total = y - y.mean()
    if k == 0 or n <= k + 1 or not total @ total > 0:
        return np.nan
    design = np.column_stack([np.ones(n), standard])
    left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return float(1 - (left @ left) / (total @ total) * (n - 1) / (n - k - 1))
