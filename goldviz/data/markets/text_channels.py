"""Documents as channels of a market: numbers that become known when a document is released."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

import numpy as np
import pandas as pd

from goldviz.data.markets.market import Channel, Market, MarketError
from goldviz.data.texts.dated_texts import DatedTexts

SameDay = Literal["last", "mean"]
TEXT_CHANNEL = "text "
"""How the names of these channels begin."""
TONE_CHANNEL = "text tone"


@dataclass(frozen=True)
class TextSeries:
    """One number for each document, in the documents' order; NaN where there is none."""

    name: str
    words: str
    values: np.ndarray


def text_channels(documents: DatedTexts, series: Sequence[TextSeries], same_day: SameDay = "last") -> list[Channel]:
    """A channel for each series, its values dated by the day of release and known from the hour of release on.

    Of several documents of a day the last one counts, or their mean. The network sees the values themselves.

    Raises :class:`goldviz.data.markets.market.MarketError` for a series without any value.
    """
    channels = []
    for one in series:
        values = pd.Series(np.asarray(one.values, np.float64), documents.release_days).dropna()
        if values.empty:
            raise MarketError(f"{one.words} has no value for any of these documents; leave it out.", "no_values")
        by_day = values.groupby(level=0)
        daily = by_day.last() if same_day == "last" else by_day.mean()
        words = f"{one.words} (generated documents)" if documents.generated else one.words
        channels.append(Channel(one.name, words, daily, "level", documents.release))
    return channels


def is_text_channel(name: str) -> bool:
    """Whether a channel of this name came out of documents.

    >>> is_text_channel("text tone"), is_text_channel("gold")
    (True, False)
    """
    return name.startswith(TEXT_CHANNEL)


def same_day_note(documents: DatedTexts, same_day: SameDay) -> str:
    """How many documents share their day of release with another, and what is done; empty where none does."""
    count = int(documents.release_days.duplicated(keep=False).sum())
    if not count:
        return ""
    counts = "the last one" if same_day == "last" else "their mean"
    return f"{count} documents share their day of release with another; {counts} counts."


def with_text_channels(market: Market, channels: Sequence[Channel], notes: Mapping[str, str], origin: str) -> Market:
    """The market with these channels after its own; channels of the same name give way.

    It keeps its source: a simulated market stays simulated whatever is added, and says so wherever it appears.

    Raises :class:`MarketError` where the channels would take the target's name, and where none of
    their values becomes known while the market lasts.
    """
    names = {channel.name for channel in channels}
    if market.target.name in names:
        raise MarketError(f"The target is called {market.target.name} as a channel of the texts; rename it.", "twice")
    last = market.target.release.moments(pd.DatetimeIndex([market.last]))[0]
    first = market.target.release.moments(pd.DatetimeIndex([market.target.observed.index[0]]))[0]
    for channel in channels:
        out = channel.release.moments(pd.DatetimeIndex(channel.observed.index))
        if not ((out > first) & (out <= last)).any():
            raise MarketError(
                f"No value of {channel.words} becomes known between {first:%Y-%m-%d} and {last:%Y-%m-%d}, the days of "
                f"{market.target.words}; bring documents of that time, or choose another market.",
                "no_overlap",
            )
    others = tuple(channel for channel in market.channels if channel.name not in names)
    own_notes = {name: note for name, note in market.notes.items() if name not in names}
    base = market.origin.split(WITH_TEXTS)[0]
    return replace(
        market, channels=(*others, *channels), origin=f"{base}{WITH_TEXTS}{origin}", notes={**own_notes, **notes}
    )


WITH_TEXTS = ", with channels out of documents: "


def axes_note(before: date) -> str:
    """What is said of components whose axes were fitted on documents released before a day.

    >>> axes_note(date(2015, 3, 1))
    'Axes fitted on documents released before 2015-03-01; judge forecasts after that day.'
    """
    return f"{AXES}{before}; judge forecasts after that day."


def axes_fitted_before(market: Market) -> date | None:
    """The latest day that :func:`axes_note` names in the notes of a market; None where there are no such components."""
    days = [date for note in market.notes.values() for date in re.findall(rf"{AXES}(\d{{4}}-\d\d-\d\d)", note)]
    return max(map(date.fromisoformat, days), default=None)


def axes_know_the_future(market: Market, first: pd.Timestamp, subject: str, advice: str) -> list[str]:
    """What to say where ``subject``, which begin on ``first``, lie before the day up to which axes were fitted."""
    last_fit = axes_fitted_before(market)
    if last_fit is None or first >= pd.Timestamp(last_fit):
        return []
    return [
        f"The documents' components were fitted on documents until {last_fit}, and {subject} begin on "
        f"{first:%Y-%m-%d}. Those before that day know the future. {advice}"
    ]


AXES = "Axes fitted on documents released before "
