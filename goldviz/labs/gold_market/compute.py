"""Everything that is shown of a market, as one labelled dataset."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pandas as pd
import xarray as xr

from goldviz.data.markets.alignment import Alignment, Panel, aligned
from goldviz.data.markets.kept_markets import load_market
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.markets.masking import MissingPattern, masked
from goldviz.labs.gold_market.settings import GoldMarket
from goldviz.labs.gold_market.views.leak import correlation_view
from goldviz.labs.gold_market.views.observations import (
    channel_facts,
    observed_by_month,
    observed_lately,
    seen_rows,
)
from goldviz.labs.gold_market.views.returns import (
    changes,
    distribution_view,
    memory_view,
    price_view,
    volatility_view,
)

LEAST_VALUES = 60
"""Values of the target without which its distribution and its correlations say nothing."""


@lru_cache(maxsize=4)
def market_at_hand(name: str, seed: int) -> Market:
    """The market of this name, kept in memory: knobs are turned many times on the same one."""
    return load_market(name, seed)


def in_last_years(market: Market, years: int) -> Market:
    """The market's last years, up to the target's last value.

    Raises :class:`MarketError` where the target has fewer than :data:`LEAST_VALUES` values in
    them, or never changes.
    """
    last = market.last
    first = last - pd.DateOffset(years=years)
    channels = tuple(replace(channel, values=_between(channel.values, first, last)) for channel in market.channels)
    found = replace(market, channels=channels)
    words, observed = market.target.words, found.target.observed
    if len(observed) < LEAST_VALUES:
        raise MarketError(
            f"{words} has {len(observed)} values in the {years} year{'' if years == 1 else 's'} before "
            f"{last:%Y-%m-%d}; these figures need at least {LEAST_VALUES}. Raise Years, or choose other data."
        )
    if observed.nunique() == 1:
        raise MarketError(f"{words} is {observed.iloc[0]:g} on every day of these years; choose other data.")
    return found


def _between(values: pd.Series, first: pd.Timestamp, last: pd.Timestamp) -> pd.Series:
    return values[(values.index > first) & (values.index <= last)]


def compute(settings: GoldMarket) -> xr.Dataset:
    """Everything that the settings ask for: see :func:`market_view`."""
    return market_view(
        market_at_hand(settings.data, settings.market_seed),
        years=settings.years,
        number=settings.channel,
        by=settings.alignment,
        pattern=settings.missing,
        share=settings.missing_share,
        seed=settings.market_seed,
        window=settings.window,
    )


def market_view(
    market: Market,
    *,
    years: int,
    number: int,
    by: Alignment,
    pattern: MissingPattern,
    share: float,
    seed: int,
    window: int,
) -> xr.Dataset:
    """The last ``years`` of a market: observations, facts of every channel, returns, and two kinds of correlation.

    ``number`` is the covariate that stands beside the target, counted from 1; beyond the last it means the last.
    ``by``, ``pattern``, ``share`` and ``seed`` say how observations are put on rows and which are hidden; ``window``
    is the length of rolling windows in observations.

    Raises :class:`goldviz.data.markets.market.MarketError` for too few values, and for prices that have no log return.
    """
    market = in_last_years(market, years)
    number = min(number, len(market.channels) - 1)
    seen = seen_rows(market, by=by, pattern=pattern, share=share, seed=seed)
    panels: dict[Alignment, Panel] = {by: seen.panel}
    other: Alignment = "date" if by == "release" else "release"
    panels[other] = masked(aligned(market, by=other), pattern, share, np.random.Generator(np.random.PCG64(seed)))
    transformations = [channel.transformation for channel in market.channels]
    moves = changes(market.target).to_numpy()
    parts = [
        observed_by_month(seen),
        observed_lately(seen),
        channel_facts(market, seen),
        price_view(market, number),
        volatility_view(market.target, window),
        distribution_view(moves),
        memory_view(moves),
        correlation_view(panels["release"], panels["date"], transformations, number=number, window=window),
    ]
    about = {
        "simulated": int(market.simulated),
        "data_origin": market.origin,
        "data_last": f"{market.last:%Y-%m-%d}",
        "number": number,
        "window": window,
        "alignment": by,
        "missing": pattern,
        "missing_share": share if pattern != "none" else 0.0,
        "calendar_days": int((market.last - market.target.observed.index[0]).days),
    }
    return xr.merge(parts, combine_attrs="no_conflicts", join="exact").assign_attrs(about)
