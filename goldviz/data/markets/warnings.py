"""Warnings of a visitor's own market, said beside the settings before a run."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Protocol, TypeVar

from goldviz.data.tables.sealed_names import KEY

MOST_WARNINGS = 4


class OfMarket(Protocol):
    """Settings that name a market."""

    data: str


Settings = TypeVar("Settings", bound=OfMarket)


def market_warnings(
    settings: Settings, names: Collection[str], warnings: Callable[[Settings], list[str]], **conditions: Any
) -> tuple[str, ...]:
    """The first ``warnings`` of one's own market; nothing of simulated data. Raises what ``warnings`` raise.

    Of the settings only those of these ``names`` are handed on, beside the ``conditions``, so that one cache serves
    all networks on a market. Where the settings have other values than these, no market is learned from.
    """
    applies = all(getattr(settings, name) == value for name, value in conditions.items())
    if not applies or not KEY.fullmatch(settings.data):
        return ()
    of_the_market = type(settings)(**conditions, **{name: getattr(settings, name) for name in names})
    return tuple(warnings(of_the_market)[:MOST_WARNINGS])
