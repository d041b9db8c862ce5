"""A small market made by hand, and how to change one of its channels."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from goldviz.data.markets.market import Channel, Market, Release

NOON, EVENING = Release("12:00", "UTC"), Release("18:00", "UTC")
MONDAY = pd.Timestamp("2024-01-01")


def small_market(days: int = 100, seed: int = 0) -> Market:
    """Gold on weekdays at noon; a rate in differences, out in the evening; a coin that begins late, every day."""
    drawn = np.random.default_rng(seed)
    weekdays, every = pd.bdate_range(MONDAY, periods=days), pd.date_range(MONDAY, periods=days * 7 // 5)
    gold = pd.Series(100 * np.exp(np.cumsum(0.01 * drawn.standard_normal(days))), weekdays)
    rate = pd.Series(4 + np.cumsum(0.05 * drawn.standard_normal(days)), weekdays)
    rate.iloc[10:13] = np.nan
    coin = pd.Series(50 * np.exp(np.cumsum(0.03 * drawn.standard_normal(len(every)))), every).iloc[40:]
    channels = (
        Channel("gold", "Gold", gold, "log_return", NOON, "USD"),
        Channel("rate", "Rate", rate, "difference", EVENING, "percent"),
        Channel("coin", "Coin", coin, "log_return"),
    )
    return Market(channels, "file", "by hand", pd.Timestamp("2024-12-01", tz="UTC"))


def with_values(market: Market, name: str, change: Callable[[pd.Series], pd.Series]) -> Market:
    """The market with one channel's values changed."""
    channels = tuple(
        replace(channel, values=change(channel.values)) if channel.name == name else channel
        for channel in market.channels
    )
    return replace(market, channels=channels)
