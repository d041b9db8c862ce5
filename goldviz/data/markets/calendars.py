"""A channel's own calendar: how often it has values, where it has none, and how far it overlaps another's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goldviz.data.markets.market import Channel, Market

Days = NDArray[np.datetime64]
MOST_WEEKDAYS = 0.5
"""Share of weekdays with a value from which a channel counts as daily."""


@dataclass(frozen=True)
class ChannelCalendar:
    """The ``days`` on which a channel has a value, ascending."""

    days: Days

    @classmethod
    def of(cls, channel: Channel) -> ChannelCalendar:
        """The calendar of a channel."""
        return cls(channel.observed.index.to_numpy().astype("datetime64[D]"))

    @property
    def first(self) -> str:
        """The first day with a value; empty where there is none."""
        return str(self.days[0]) if len(self.days) else ""

    @property
    def last(self) -> str:
        """The last day with a value; empty where there is none."""
        return str(self.days[-1]) if len(self.days) else ""

    @property
    def weekend(self) -> int:
        """Values on Saturdays and Sundays."""
        return int(len(self.days) - np.is_busday(self.days).sum())

    @property
    def weekday_share(self) -> float:
        """The share of Mondays to Fridays between the first and the last value that have one."""
        weekdays = int(np.busday_count(self.days[0], self.days[-1] + 1)) if len(self.days) else 0
        return (len(self.days) - self.weekend) / weekdays if weekdays else np.nan

    @property
    def longest_gap(self) -> float:
        """Days between the two neighbours that are farthest apart; NaN for fewer than two."""
        return float(self._gaps.max()) if len(self.days) > 1 else np.nan

    @property
    def gap_ends(self) -> str:
        """The day on which the longest gap ends; empty where there is none."""
        return str(self.days[1 + np.argmax(self._gaps)]) if len(self.days) > 1 else ""

    @property
    def rhythm(self) -> str:
        """How often there are values, in words.

        >>> ChannelCalendar(np.arange("2024-01-01", "2024-03-01", 7, dtype="datetime64[D]")).rhythm
        'about every 7 days'
        """
        if len(self.days) < 2:
            return ""
        if self.weekday_share > MOST_WEEKDAYS:
            return "every day" if self.weekend > len(self.days) / 7 else "weekdays"
        return f"about every {np.median(self._gaps):.0f} days"

    def shared(self, other: ChannelCalendar) -> int:
        """Days on which both have a value."""
        return len(np.intersect1d(self.days, other.days, assume_unique=True))

    @property
    def _gaps(self) -> NDArray[np.int64]:
        return np.diff(self.days).astype(np.int64)


def calendars(market: Market) -> dict[str, ChannelCalendar]:
    """The calendar of each channel, by name."""
    return {channel.name: ChannelCalendar.of(channel) for channel in market.channels}
