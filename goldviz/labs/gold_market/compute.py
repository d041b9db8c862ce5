"""Everything that is shown of a market, as one labelled dataset."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pandas as pd
import xarray as xr

from goldviz.data.markets.alignment import Alignment, Panel, aligned
from goldviz.data.markets.kept_markets import SIMULATED, load_market
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.markets.masking import masked
from goldviz.data.markets.statements import answering_market, statement_tones, with_statements
from goldviz.labs.gold_market.settings import GoldMarket
from goldviz.labs.gold_market.views import observations, returns
from goldviz.labs.gold_market.views.leak import ahead_view, correlation_view
from goldviz.labs.gold_market.views.returns import answer_view

LEAST_VALUES = 60
"""Values of the target without which its distribution and its correlations say nothing."""


@lru_cache(maxsize=4)
def market_at_hand(name: str, seed: int, tone_response: float = 0.0) -> Market:
    """The market of this name, kept in memory: knobs are turned many times on the same one.

    A simulated one that was told to answer to statements has their tone as its last channel.
    """
    if name != SIMULATED or not tone_response:
        return load_market(name, seed)
    tones = statement_tones()
    return with_statements(answering_market(seed, tones, tone_response), tones, "Generated statements")


def in_last_years(market: Market, years: int) -> Market:
    """The market's last years, up to the target's last value.

    Raises :class:`MarketError` where the target has fewer than :data:`LEAST_VALUES` values in
    them, or never changes.
    """
    last = market.last
    first = last - pd.DateOffset(years=years)
    channels = tuple(replace(channel, values=_between(channel.values, first, last)) for channel in market.channels)
    recent_market = replace(market, channels=channels)
    words, target_values = market.target.words, recent_market.target.observed
    if len(target_values) < LEAST_VALUES:
        too_short = len(market.target.observed) < LEAST_VALUES
        span = "" if too_short else f" in the {years} year{'' if years == 1 else 's'} before {last:%Y-%m-%d}"
        advice = "Choose other data." if too_short else "Raise Years, or choose other data."
        raise MarketError(
            f"{words} has {len(target_values)} values{span}; these figures need at least {LEAST_VALUES}. {advice}",
            "too_few",
        )
    if target_values.nunique() == 1:
        raise MarketError(
            f"{words} is {target_values.iloc[0]:g} on every day of these years; choose other data.", "constant"
        )
    return recent_market


def _between(values: pd.Series, first: pd.Timestamp, last: pd.Timestamp) -> pd.Series:
    return values[(values.index > first) & (values.index <= last)]


def compute(settings: GoldMarket) -> xr.Dataset:
    """Everything that the settings ask for: see :func:`market_view`."""
    market = market_at_hand(settings.data, settings.market_seed, settings.tone_response)
    return market_view(market, settings)


def market_view(market: Market, settings: GoldMarket) -> xr.Dataset:
    """The last years of a market: observations, facts of every channel, returns, and two kinds of correlation.

    The covariate beside the target is counted from 1; beyond the last it means the last.

    Raises :class:`goldviz.data.markets.market.MarketError` for too few values, and for prices that have no log return.
    """
    market = in_last_years(market, settings.years)
    number, window = min(settings.channel, len(market.channels) - 1), settings.window
    by, pattern, share, seed = settings.alignment, settings.missing, settings.missing_share, settings.market_seed
    rows = observations.seen_rows(market, by=by, pattern=pattern, share=share, seed=seed)
    panels: dict[Alignment, Panel] = {by: rows.panel}
    other: Alignment = "date" if by == "release" else "release"
    panels[other] = masked(aligned(market, by=other), pattern, share, np.random.Generator(np.random.PCG64(seed)))
    transformations = [channel.transformation for channel in market.channels]
    moves = returns.changes(market.target).to_numpy()
    parts = [
        observations.observed_by_month(rows),
        observations.observed_lately(rows),
        observations.channel_facts(market, rows),
        observations.clock_view(market),
        returns.price_view(market, number),
        returns.volatility_view(market.target, window),
        returns.distribution_view(moves),
        returns.memory_view(moves),
        answer_view(market),
        correlation_view(panels["release"], panels["date"], transformations, number=number, window=window),
    ]
    if not market.simulated:
        parts.append(ahead_view(panels["release"], transformations))
    about = {
        "simulated": int(market.simulated),
        "data_origin": market.origin,
        "data_last": f"{market.last:%Y-%m-%d}",
        "number": number,
        "window": window,
        "planted": settings.tone_response if settings.data == SIMULATED else 0.0,
        "alignment": by,
        "missing": pattern,
        "missing_share": share if pattern != "none" else 0.0,
        "calendar_days": int((market.last - market.target.observed.index[0]).days),
    }
    return xr.merge(parts, combine_attrs="no_conflicts", join="exact").assign_attrs(about)
