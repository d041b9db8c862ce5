"""A market as it was observed: channels of dated values, each with the moment at which it became known.

An observation is (time, channel, value, release time). Documents number observations t_1 < ... < t_K (document 001,
section 1.1); channels keep calendars of their own, and nothing is filled in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

import numpy as np
import pandas as pd
from pandas.tseries.holiday import USFederalHolidayCalendar

from goldviz.coded_errors import CodedError

Transformation = Literal["log_return", "difference", "level"]
Source = Literal["simulated", "yahoo", "file"]
Period = Literal["", "week", "month", "quarter", "year"]


class MarketError(CodedError):
    """Data that cannot be used, in a sentence for a person."""


@dataclass(frozen=True)
class Release:
    """When a value dated d becomes known: at ``clock`` in ``zone``, ``days`` after d.

    With a ``period`` they count from the last day of the one that begins with d. ``business_days`` are added to that,
    on the calendar of US federal holidays; 0 waits for the next working day where the day is none, and None lets every
    day count.
    """

    clock: str
    zone: str
    days: int = 0
    business_days: int | None = None
    period: Period = ""

    def moments(self, dates: pd.DatetimeIndex) -> pd.DatetimeIndex:
        """The release times (UTC) of values dated ``dates`` (days without a zone).

        >>> Release("13:30", "America/New_York").moments(pd.DatetimeIndex(["2024-07-01"]))[0].isoformat()
        '2024-07-01T17:30:00+00:00'
        """
        hours, minutes = (int(part) for part in self.clock.split(":"))
        days = _last_days(dates.normalize(), self.period) + pd.Timedelta(days=self.days)
        if self.business_days is not None and len(days):
            dates_alone, working = days.to_numpy().astype("datetime64[D]"), _federal_working_days()
            later = np.busday_offset(dates_alone, self.business_days, roll="forward", busdaycal=working)
            days = pd.DatetimeIndex(later)
        local = days + pd.Timedelta(hours=hours, minutes=minutes)
        # An hour that a change of the clocks skips or repeats is rare and at night; the later moment leaks nothing.
        zone_times = local.tz_localize(self.zone, ambiguous=np.zeros(len(local), bool), nonexistent="shift_forward")
        return zone_times.tz_convert("UTC")


def _last_days(days: pd.DatetimeIndex, period: Period) -> pd.DatetimeIndex:
    """The last days of the periods that begin with these days; the days themselves without a period."""
    if not period:
        return days
    length = {"week": pd.DateOffset(days=7), "month": pd.DateOffset(months=1), "quarter": pd.DateOffset(months=3)}
    return pd.DatetimeIndex(days + length.get(period, pd.DateOffset(years=1)) - pd.Timedelta(days=1))


@cache
def _federal_working_days() -> np.busdaycalendar:
    holidays = USFederalHolidayCalendar().holidays(pd.Timestamp("1950-01-01"), pd.Timestamp("2100-01-01"))
    return np.busdaycalendar(holidays=holidays.to_numpy().astype("datetime64[D]"))


END_OF_DAY = Release("23:59", "UTC")
"""What is assumed of a channel that says nothing about its release."""


@dataclass(frozen=True)
class Channel:
    """One observed quantity.

    ``values`` is a series of float64 over its own dates (days without a zone, ascending, each once); NaN stands for
    a day that the source lists without a value. ``transformation`` is what a network sees of it: the log return or
    the difference between consecutive observations, or the level itself.
    """

    name: str
    words: str
    values: pd.Series
    transformation: Transformation
    release: Release = END_OF_DAY
    unit: str = ""

    def __post_init__(self) -> None:
        index = self.values.index
        if not isinstance(index, pd.DatetimeIndex) or index.tz is not None:
            raise MarketError(f"The dates of {self.name} are not days without a time zone.", "bad_date")
        if not index.is_monotonic_increasing or not index.is_unique:
            raise MarketError(f"The dates of {self.name} are not ascending, each named once.", "not_ascending")
        moments = index.to_numpy()
        if not (moments == moments.astype("datetime64[D]")).all():
            raise MarketError(f"The dates of {self.name} carry times of day; days are allowed.", "bad_date")
        if np.isinf(self.values.to_numpy(np.float64)).any():
            raise MarketError(f"{self.words} has an infinite value; numbers and gaps are allowed.", "not_finite")

    @property
    def observed(self) -> pd.Series:
        """The values that there are."""
        return self.values.dropna()

    def increments(self) -> pd.Series:
        """The transformed observations, on the dates of the later value of each pair.

        Raises :class:`MarketError` with the date where a log return meets a price that is not positive.
        """
        observations = self.observed
        if self.transformation == "level":
            return observations
        if self.transformation == "difference":
            return observations.diff().iloc[1:]
        if (observations <= 0).any():
            first = int(np.argmax(observations.to_numpy() <= 0))
            raise MarketError(
                f"{self.words} was {observations.iloc[first]:g} on {observations.index[first]:%Y-%m-%d}: "
                "a log return needs prices above zero. Use changes for this channel, or leave it out.",
                "not_positive",
            )
        return pd.Series(np.log(observations.to_numpy()), index=observations.index).diff().iloc[1:]


@dataclass(frozen=True)
class Market:
    """The target channel first, then the covariates, with where they come from and since when they are held."""

    channels: tuple[Channel, ...]
    source: Source
    origin: str
    retrieved: pd.Timestamp
    notes: Mapping[str, str] = field(default_factory=dict)
    """A sentence for each channel that could not be had, or about which something should be known."""

    def __post_init__(self) -> None:
        names = [channel.name for channel in self.channels]
        if not names:
            raise MarketError("There is no channel in these data; at least one is needed.", "empty")
        if len(set(names)) < len(names):
            raise MarketError(f"A channel is named twice: {', '.join(names)}.", "twice")

    @property
    def target(self) -> Channel:
        """The channel that is forecast."""
        return self.channels[0]

    @property
    def simulated(self) -> bool:
        """Whether the numbers were made up; wherever they appear, this is said."""
        return self.source == "simulated"

    @property
    def nbytes(self) -> int:
        """About what it takes in memory."""
        return sum(int(channel.values.memory_usage()) for channel in self.channels)

    @property
    def provenance(self) -> dict[str, str | int]:
        """What a run keeps of where its data come from, and of what is forecast."""
        return {
            "data_source": self.source,
            "data_origin": self.origin,
            "data_retrieved": self.retrieved.isoformat(),
            "target_words": self.target.words,
            "target_transformation": self.target.transformation,
            "target_unit": self.target.unit,
            "simulated": int(self.simulated),
        }

    @property
    def last(self) -> pd.Timestamp:
        """The date of the target's last observation."""
        observations = self.target.observed
        if observations.empty:
            raise MarketError(f"{self.target.words} has no value at all.", "no_values")
        last: pd.Timestamp = observations.index[-1]
        return last

    def channel(self, name: str) -> Channel:
        """The channel of this name; raises :class:`MarketError`."""
        for channel in self.channels:
            if channel.name == name:
                return channel
        raise MarketError(
            f"There is no channel {name!r}; there are {', '.join(c.name for c in self.channels)}.", "not_offered"
        )

    def only(self, names: Sequence[str]) -> Market:
        """The same market with these channels, in this order."""
        return Market(tuple(self.channel(name) for name in names), self.source, self.origin, self.retrieved, self.notes)
