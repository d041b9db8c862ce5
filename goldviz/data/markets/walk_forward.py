"""Walk-forward evaluation: each network is fitted on the past alone and asked about the time after it.

The forecasts, in order of time, are divided like this, for every refit anew up to its own test block:

    | training ... purge, embargo | validation ... purge, embargo | test block | later test blocks ... |

An answer that becomes known only when the next part has begun belongs to neither (purging), and for ``embargo``
rows more nothing is used (Lopez de Prado 2018, chapter 7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from goldviz.data.markets.market import MarketError
from goldviz.data.markets.window_schemes import SCHEMES

DAYS_A_YEAR = 365.25
LEAST_TRAINING = 30
"""Training answers below which no network is fitted."""
SLACK_DAYS = 7.0
"""A market of whole years has its first forecast some days into them, and its last one before their end."""


@dataclass(frozen=True)
class Fold:
    """One refit: positions into the forecasting problem, ascending."""

    number: int
    train: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]


def folds(
    dates: pd.DatetimeIndex,
    answer_rows: NDArray[np.int64],
    rows: NDArray[np.int64],
    *,
    scheme: str,
    train_years: float,
    test_years: float,
    refits: int,
    embargo: int,
    validation_share: float,
) -> list[Fold]:
    """Divide the forecasts made at ``rows`` of ``dates``, whose answers are known at the rows ``answer_rows``.

    * The last ``test_years`` are divided into ``refits`` blocks of equally many forecasts (the first ones
      have one more where they do not divide evenly).
    * A refit's window begins as the scheme says: it is all that lies before its block (``expanding``), or the last
      ``train_years`` of it (``rolling``). Its last ``validation_share`` is for validation, the rest for training.
    * A training answer is known before the first validation row minus ``embargo`` rows, strictly; likewise a
      validation answer and the first test row.

    ``dates`` are those of all rows of a panel, (rows,); ``answer_rows`` and ``rows`` are (n,), ascending. Raises
    :class:`MarketError`, with what is needed, what there is and which setting to change, where
    the data are too few; an expanding window, too, begins with at least ``train_years``.
    """
    release_days = dates[rows]
    _check_span(release_days, train_years, test_years)
    day = release_days.as_unit("s").asi8 / 86_400
    test_start = int(np.searchsorted(day, day[-1] - test_years * DAYS_A_YEAR, side="right"))
    blocks = np.array_split(np.arange(test_start, len(rows)), refits)
    if not len(blocks[-1]):
        raise MarketError(
            f"The {test_years:g} test years hold {len(rows) - test_start} forecasts, and {refits} refits need one "
            "each at least. Lower refits, or raise test years.",
            "too_many_refits",
        )
    parts = []
    for number, test in enumerate(blocks):
        first_day = SCHEMES[scheme].first_day(day[0], day[test[0]], train_years * DAYS_A_YEAR)
        window = np.arange(np.searchsorted(day, first_day), test[0])
        window = window[answer_rows[window] < rows[test[0]] - embargo]
        validation_rows = max(1, round(validation_share * len(window)))
        validation = window[-validation_rows:]
        train = window[:-validation_rows]
        if len(validation):
            train = train[answer_rows[train] < rows[validation[0]] - embargo]
        if len(train) < LEAST_TRAINING:
            raise MarketError(
                f"Refit {number + 1} of {refits} would learn from {len(train)} forecasts, after "
                f"{len(validation)} for validation and an embargo of {embargo} rows; {LEAST_TRAINING} are needed. "
                "Lower embargo or validation share, or raise train years.",
                "too_little_training",
            )
        parts.append(Fold(number, train, validation, test))
    return parts


def _check_span(dates: pd.DatetimeIndex, train_years: float, test_years: float) -> None:
    years = train_years + test_years
    if len(dates) == 0:
        raise MarketError(f"There is no forecast to make; these settings need {years:.2f} years of them.", "too_short")
    there = (dates[-1] - dates[0]) / pd.Timedelta(days=1) / DAYS_A_YEAR
    if there < years - SLACK_DAYS / DAYS_A_YEAR:
        raise MarketError(
            f"Training on {train_years:g} years and testing on {test_years:g} need {years:.2f} years of forecasts; "
            f"there are {there:.2f} ({dates[0]:%Y-%m-%d} to {dates[-1]:%Y-%m-%d}). Lower train years or test years.",
            "too_short",
        )
