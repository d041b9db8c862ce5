"""Walk-forward evaluation: each network is fitted on the past alone and asked about the time after it.

The forecasts, in order of time, are divided like this, for every refit anew up to its own test block:

    | training ... purge, embargo | validation ... purge, embargo | test block | later test blocks ... | final block |

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
    """One refit: positions into the forecasting problem, ascending, and whether ``test`` is the final block."""

    number: int
    train: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]
    final: bool


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
    final_days: float,
    open_final: bool,
) -> list[Fold]:
    """Divide the forecasts made at ``rows`` of ``dates``, whose answers are known at the rows ``answer_rows``.

    * The final block is the last ``final_days`` calendar days of forecasts. It is nobody's training or validation;
      it is the test block of one more fold, numbered ``refits``, where ``open_final`` is true.
    * The last ``test_years`` before it are divided into ``refits`` blocks of equally many forecasts (the first ones
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
    _check_span(release_days, train_years, test_years, final_days)
    day = release_days.as_unit("s").asi8 / 86_400
    final_start = int(np.searchsorted(day, day[-1] - final_days, side="right"))
    test_start = int(np.searchsorted(day, day[final_start - 1] - test_years * DAYS_A_YEAR, side="right"))
    if final_start - test_start < refits:
        raise MarketError(
            f"The {test_years:g} test years hold {final_start - test_start} forecasts, and {refits} refits need one "
            "each at least. Lower refits, or raise test years.",
            "too_many_refits",
        )
    blocks = np.array_split(np.arange(test_start, final_start), refits)
    if open_final and final_days > 0:
        blocks.append(np.arange(final_start, len(rows)))
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
                f"Refit {number + 1} of {len(blocks)} would learn from {len(train)} forecasts, after "
                f"{len(validation)} for validation and an embargo of {embargo} rows; {LEAST_TRAINING} are needed. "
                "Lower embargo or validation share, or raise train years.",
                "too_little_training",
            )
        parts.append(Fold(number, train, validation, test, final=number == refits))
    return parts


def _check_span(dates: pd.DatetimeIndex, train_years: float, test_years: float, final_days: float) -> None:
    years = train_years + test_years + final_days / DAYS_A_YEAR
    if len(dates) == 0:
        raise MarketError(f"There is no forecast to make; these settings need {years:.2f} years of them.", "too_short")
    there = (dates[-1] - dates[0]) / pd.Timedelta(days=1) / DAYS_A_YEAR
    if there < years - SLACK_DAYS / DAYS_A_YEAR:
        final_block = f", testing on {test_years:g} and keeping {final_days:g} days as final block"
        rest = final_block if final_days else f" and testing on {test_years:g}"
        lower = "train years, test years or final days" if final_days else "train years or test years"
        raise MarketError(
            f"Training on {train_years:g} years{rest} need {years:.2f} years of forecasts; there are {there:.2f} "
            f"({dates[0]:%Y-%m-%d} to {dates[-1]:%Y-%m-%d}). Lower {lower}.",
            "too_short",
        )
