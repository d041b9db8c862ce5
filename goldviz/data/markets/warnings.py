"""Warnings of a visitor's own market, said beside the settings before a run."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Protocol, TypeVar

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.sealed_names import KEY

MOST_WARNINGS = 4


class OfMarket(Protocol):
    """Settings that name a market."""

    data: str


Settings = TypeVar("Settings", bound=OfMarket)


def market_warnings(
    settings: Settings, names: Collection[str], warnings: Callable[[Settings], list[str]], **fixed: Any
) -> tuple[str, ...]:
    """The first ``warnings`` of one's own market, or why it cannot be learned from; nothing of simulated data.

    Of the settings only those of these ``names`` are handed on, beside the ``fixed`` ones, so that one cache serves
    all networks on a market. Where the settings have other values than the fixed ones, no market is learned from.
    """
    learned = all(getattr(settings, name) == value for name, value in fixed.items())
    if not learned or not KEY.fullmatch(settings.data):
        return ()
    try:
        of_the_market = type(settings)(**fixed, **{name: getattr(settings, name) for name in names})
        return tuple(warnings(of_the_market)[:MOST_WARNINGS])
    except MarketError as error:
        return (str(error),)
