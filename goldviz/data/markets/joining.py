"""Several markets as one: their channels side by side, each with its own calendar and release times.

Nothing is filled in and no row is made here. Values meet in rows by their release (``alignment.aligned``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from goldviz.data.markets.calendars import ChannelCalendar
from goldviz.data.markets.market import Channel, Market, MarketError


def joined(markets: Sequence[Market]) -> Market:
    """One market with the channels of all, the first market's target first.

    Of channels of one name the later is named with its file, *Close (silver)*. Channels that are called by no more
    than their names say their files.

    Raises :class:`MarketError` where a market is simulated among others, and where a channel has no value in the
    target's time.

    >>> import pandas as pd
    >>> days = pd.date_range("2024-01-01", periods=3)
    >>> gold, silver = (Channel("Close", "Close", pd.Series([1.0, 2.0, 3.0], days), "level") for _ in range(2))
    >>> one, other = Market((gold,), "file", "gold.csv", days[-1]), Market((silver,), "file", "silver.csv", days[-1])
    >>> [channel.name for channel in joined([one, other]).channels], joined([one, other]).origin
    (['Close', 'Close (silver)'], 'gold.csv and silver.csv')
    """
    if len(markets) == 1:
        return markets[0]
    if any(market.simulated for market in markets):
        raise MarketError(
            "The simulated market cannot be joined with observed ones; choose files or downloads alone.", "simulated"
        )
    channels: list[Channel] = []
    notes: dict[str, str] = {}
    for market in markets:
        for channel in market.channels:
            name = _distinct(channel.name, _label(market), {one.name for one in channels})
            words = channel.words if channel.words != channel.name else f"{channel.name} ({_label(market)})"
            channels.append(replace(channel, name=name, words=words))
            if channel.name in market.notes:
                notes[name] = market.notes[channel.name]
        notes |= {name: note for name, note in market.notes.items() if name not in notes and name not in _names(market)}
    joined_market = Market(
        tuple(channels),
        "file" if any(market.source == "file" for market in markets) else markets[0].source,
        _listed(list(dict.fromkeys(market.origin for market in markets))),
        max(market.retrieved for market in markets),
        notes,
    )
    _check_overlap(joined_market)
    return joined_market


def _names(market: Market) -> set[str]:
    return {channel.name for channel in market.channels}


def _label(market: Market) -> str:
    return PurePath(market.origin).stem


def _distinct(name: str, label: str, names_taken: set[str]) -> str:
    names = [name, f"{name} ({label})", *(f"{name} ({label} {count})" for count in range(2, len(names_taken) + 3))]
    return next(one for one in names if one not in names_taken)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _check_overlap(market: Market) -> None:
    """Refuse a covariate that ends before the target begins, or begins after its end."""
    target = ChannelCalendar.of(market.target)
    for channel in market.channels[1:]:
        calendar = ChannelCalendar.of(channel)
        if not calendar.days.size or calendar.last < target.first or calendar.first > target.last:
            raise MarketError(
                f"{channel.words} has values from {calendar.first or 'no day'} to {calendar.last or 'no day'}, and "
                f"{market.target.words} from {target.first} to {target.last}: they never overlap. Leave one of them "
                "out.",
                "no_overlap",
            )
