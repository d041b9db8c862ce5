"""The markets that this machine holds: a folder with a Parquet file for each, named by its content.

A run's settings name their market, so the same settings mean the same numbers wherever the market is held.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from goldviz.data.markets.market import Market, MarketError, Source
from goldviz.data.markets.parquet import DamagedMarketError, market_description, market_file, market_name, read_market
from goldviz.data.markets.simulated import simulated_market
from goldviz.data.markets.text_channels import WITH_TEXTS
from goldviz.data.tables.kept_files import BROUGHT, KeptFiles, market_folder
from goldviz.data.tables.sealed_names import KEY, check_open
from goldviz.data.tables.whole_files import disk_faults_as

SIMULATED = "simulated"
MARKETS = KeptFiles("", ".parquet", 2000 * 10**6, "Markets", BROUGHT, named=KEY)


@dataclass(frozen=True)
class KeptMarket:
    """What is known of a kept market without reading its values; ``first`` and ``last`` are the target's days.

    ``retrieved`` is in UTC; ``observations`` counts the values that there are, of all channels.
    """

    name: str
    source: Source
    origin: str
    retrieved: pd.Timestamp
    target_words: str
    first: pd.Timestamp
    last: pd.Timestamp
    channels: tuple[str, ...]
    observations: int

    @property
    def public(self) -> bool:
        """Whether every visitor may choose it: a download that holds nothing of a visitor's own."""
        return self.source == "yahoo" and WITH_TEXTS not in self.origin


def market_budget() -> int:
    """``GOLDVIZ_DATA_MB`` in bytes: how much room kept markets may take in all; default 2000 MB.

    Raises :class:`goldviz.data.markets.market.MarketError` where it is not a number.
    """
    text = os.environ.get("GOLDVIZ_DATA_MB", "2000").strip()
    if not text.isdecimal():
        raise MarketError(f"GOLDVIZ_DATA_MB is {text!r}; allowed is a whole number of megabytes.", "not_allowed")
    return int(text) * 10**6


def keep(market: Market) -> str:
    """Keep a market and return its name, the first 16 digits of its content's SHA-256.

    The file appears whole or not at all, also where several processes keep the same market at once. The same content
    kept again takes the place of the old file: it was retrieved later. Where all kept markets pass the room that they
    may take, the least recently used go.

    Raises :class:`MarketError` where the folder cannot be written, or the market alone is too
    large.
    """
    budget = market_budget()
    content = market_file(market)
    if len(content) > budget:
        raise MarketError(
            f"These data take {len(content) / 1e6:.1f} MB, and kept markets may take {budget / 1e6:.0f} MB in all; "
            "raise GOLDVIZ_DATA_MB or choose fewer channels.",
            "too_large",
        )
    name = market_name(market)
    with _trouble_named("cannot be written"):
        MARKETS.write(name, content)
        replace(MARKETS, budget=budget).make_room(survivor=name)
    return name


def load_market(name: str, seed: int = 0) -> Market:
    """The market of this name: ``simulated`` with ``seed``, or a kept one, which counts as used just now.

    Raises :class:`goldviz.data.markets.market.MarketError` where this machine does not hold it, or its file is damaged.
    """
    if name == SIMULATED:
        return simulated_market(seed)
    check_open(name, MarketError)
    if not KEY.fullmatch(name):
        raise MarketError(
            f"The market is {name!r}; allowed is '{SIMULATED}' or the 16 characters that name kept data.", "not_allowed"
        )
    with _trouble_named("cannot be read"):
        content = MARKETS.read(name)
    if content is None:
        raise MarketError(
            f"This machine does not hold the market {name}: load its data here again, or choose another market.", "gone"
        )
    try:
        market = read_market(content)
        if market_name(market) != name:
            raise DamagedMarketError
    except DamagedMarketError:
        raise MarketError(
            f"The file {MARKETS.path(name)} is damaged and was not used; load its data again.", "damaged"
        ) from None
    return market


def kept() -> list[KeptMarket]:
    """All kept markets, the one that was retrieved last first. Files that are damaged are left out.

    Raises :class:`goldviz.data.markets.market.MarketError` where the folder is there and cannot be read.
    """
    with _trouble_named("cannot be read"):
        paths = MARKETS.paths()
    entries = []
    for path in paths:
        with suppress(DamagedMarketError, FileNotFoundError):
            market = _kept_market(path)
            if market.name == path.stem:
                entries.append(market)
    return sorted(entries, key=lambda market: (market.retrieved, market.name), reverse=True)


def kept_market(name: str) -> KeptMarket | None:
    """What is known of the kept market of this name; None where there is none, or its file cannot be read."""
    with suppress(DamagedMarketError, OSError):
        return _kept_market(MARKETS.path(name))
    return None


def is_public(name: str) -> bool:
    """Whether every visitor may choose the market of this name."""
    market = kept_market(name)
    return market is not None and market.public


def _kept_market(path: Path) -> KeptMarket:
    description = market_description(path)
    moment = pd.Timestamp(description["retrieved"])
    return KeptMarket(
        name=description["name"],
        source=description["source"],
        origin=description["origin"],
        retrieved=moment.tz_localize("UTC") if moment.tz is None else moment.tz_convert("UTC"),
        target_words=description["channels"][0]["words"],
        first=pd.Timestamp(description["first"]),
        last=pd.Timestamp(description["last"]),
        channels=tuple(facts["name"] for facts in description["channels"]),
        observations=description["observations"],
    )


def _trouble_named(what: str) -> AbstractContextManager[None]:
    words = f"The folder of kept markets, {market_folder()}, {what}"
    return disk_faults_as(MarketError, words, " GOLDVIZ_DATA can name another.")
