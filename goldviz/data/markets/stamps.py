"""When a value was known, told from how a file stamps its values: the safe reading where several are possible.

A bar that is stamped at its opening, or a month at its first day, is known only when it is over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from goldviz.data.markets.market import END_OF_DAY, Period, Release
from goldviz.data.markets.release_words import release_words

FEWEST = 10
"""Values below which nothing is told from their days."""
FRIDAY, SATURDAY, SUNDAY = 4, 5, 6
LATE = 12 * 3600
"""Stamps from noon of UTC on may be the opening of the next day's bar."""
DAY = 24 * 3600


@dataclass(frozen=True)
class StampReading:
    """From when values of a file count, with a sentence where it may be another time than the end of their days."""

    release: Release = END_OF_DAY
    note: str = ""


def stamp_reading(
    days: pd.DatetimeIndex, latest_clock: int = 0, behind: int = 0, *, one_clock: bool = False
) -> StampReading:
    """What the days of a column's values say of the time at which they are known.

    Values of months, quarters and years that are dated by their first day, and of weeks by their Monday, count from
    the period's end. Where no value is dated on a Friday and some are on Sundays, stamps are likely the openings of
    bars, and values count a day later: at ``latest_clock``, the latest time of day among their stamps in seconds of UTC
    (0: not known); where it is that of all of them (``one_clock``), it may be the release, which is said. ``behind``
    are the seconds by which midnight of the stamps' zone is behind UTC's.

    >>> stamp_reading(pd.date_range("2016-01-01", periods=40, freq="MS")).release
    Release(clock='23:59', zone='UTC', days=0, business_days=None, period='month')
    >>> stamp_reading(pd.bdate_range("2016-01-04", periods=40)).note
    ''
    """
    if len(days) < FEWEST:
        return StampReading()
    # A day with an afternoon hour is a moment, as of a release, and no period.
    if latest_clock < LATE and (period := _period(days)):
        release = Release("23:59", "UTC", period=period)
        return StampReading(release, f"Dated by the first day of their {period}, values count from its end.")
    weekdays = np.bincount(days.day_of_week, minlength=7)
    if weekdays[FRIDAY] <= len(days) / 100 and not weekdays[SATURDAY] and weekdays[SUNDAY] > len(days) / 10:
        clock = _clock(latest_clock) if latest_clock >= LATE else END_OF_DAY.clock
        release = Release(clock, "UTC", days=1)
        return StampReading(
            release,
            f"None are dated on a Friday, and {weekdays[SUNDAY]} on Sundays, so stamps may be the openings of bars. "
            f"Values count from {release_words(release)}.",
        )
    if behind > 0:
        release = Release(_clock(behind - 60), "UTC", days=1)
        return StampReading(
            release, f"Days of their time zone end later than UTC's: known at {release_words(release)}."
        )
    if one_clock and latest_clock:
        clock = _clock(latest_clock)
        rule = f"say so: {clock} UTC or {clock} New York, under Known at or by releases=."
        return StampReading(note=f"All values are stamped {clock}. If they come out then, {rule}")
    return StampReading()


def _period(days: pd.DatetimeIndex) -> Period:
    """The period whose first day all of the days are; empty where there is none."""
    if (days.day == 1).all():
        months = set(days.month)
        return "year" if months == {1} else "quarter" if months <= {1, 4, 7, 10} else "month"
    return "week" if (days.day_of_week == 0).all() and np.median(np.diff(days.as_unit("s").asi8)) == 7 * DAY else ""


def _clock(seconds: int) -> str:
    return f"{pd.Timestamp(seconds, unit='s'):%H:%M}"
