"""Columns that know tomorrow are named, and honest ones are not, by rates that are counted in draws."""

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import signal

from goldviz.data.markets.alignment import aligned, next_values
from goldviz.data.markets.market import Channel, Market
from goldviz.data.markets.simulated import simulated_market
from goldviz.diagnostics.forecasts.lookahead import NextMoveLink, columns_ahead, next_move_links
from tests.data.markets.real_gold import FILES, real_channel, real_gold
from tests.diagnostics.forecasts.market_columns import (
    KINDS,
    beside_moves,
    drawn_market,
    honest_columns,
    leaking_columns,
)

Floats = NDArray[np.float64]
COLUMNS = 5


def honest_file(seed: int, days: int) -> tuple[Floats, Floats]:
    """Columns of a file (days, 5), and the next moves: fat tails, lasting volatility, and the same day in common.

    The third is a level without a mean that moves with the price, the fourth remembers its past, the fifth is the
    change of a column of noise.
    """
    generator = np.random.default_rng(seed)
    log_variance = signal.lfilter([0.85 * np.sqrt(1 - 0.98**2)], [1, -0.98], generator.standard_normal(days + 1))
    common = generator.standard_normal((days + 1, 1))
    shocks = np.sqrt(0.6) * common + np.sqrt(0.4) * generator.standard_normal((days + 1, 1 + COLUMNS))
    shocks *= np.exp(log_variance / 2)[:, None] / np.sqrt(generator.chisquare(4, (days + 1, 1)) / 2)
    moves, news = shocks[1:, 0], shocks[:-1, 1:].copy()
    news[:, 2] = np.cumsum(shocks[:-1, 0])
    news[:, 3] = signal.lfilter([1], [1, -0.7], news[:, 3])
    news[:, 4] = np.diff(generator.standard_normal(days + 1))
    return news, moves


def with_leak(seed: int, days: int, correlation: float) -> tuple[Floats, Floats]:
    """The same, and the first column tells the next move by a ``correlation``."""
    news, moves = honest_file(seed, days)
    share = correlation / np.sqrt(1 - correlation**2)
    news[:, 0] += share * news[:, 0].std() / moves.std() * moves
    return news, moves


def named(news: Floats, moves: Floats) -> set[str]:
    names = [str(place) for place in range(news.shape[1])]
    return {link.channel for link in next_move_links(names, news, moves) if link.suspicious}


def test_a_leak_is_named_and_honest_columns_are_not() -> None:
    # At the promised rates, one of five may be missed or named by chance.
    assert sum("0" in named(*with_leak(seed, 1500, 0.15)) for seed in range(5)) >= 4
    assert sum(bool(named(*honest_file(seed, 1500))) for seed in range(5)) <= 1


@pytest.mark.slow
def test_the_two_rates_in_many_draws() -> None:
    draws = 80
    assert sum("0" in named(*with_leak(seed, 1500, 0.15)) for seed in range(draws)) >= 0.95 * draws
    for days in (120, 300, 1500, 4000):
        assert sum(bool(named(*honest_file(seed, days))) for seed in range(draws)) <= 0.05 * draws


@pytest.mark.slow
def test_no_channel_of_simulated_markets_is_named() -> None:
    for seed in range(20):
        market = simulated_market(seed, years=8)
        panel = aligned(market)
        kinds = [channel.transformation for channel in market.channels]
        assert columns_ahead(panel, kinds, next_values(panel, "return")) == ()


def test_no_real_channel_is_named() -> None:
    market = real_gold("^GSPC", "SI=F", "EURUSD=X", "DGS10", "VIXCLS", "DTWEXBGS")
    panel = aligned(market)
    kinds = [channel.transformation for channel in market.channels]
    assert columns_ahead(panel, kinds, next_values(panel, "return")) == ()


def test_what_moves_on_the_same_day_alone_is_no_leak() -> None:
    generator = np.random.default_rng(0)
    past, ahead = generator.standard_normal((2, 1500))
    moves = np.append(past[1:], ahead[-1])
    assert named(np.stack([past, past + 0.1 * ahead], axis=1), moves) == set()


def test_a_column_that_is_two_days_early_is_named() -> None:
    generator = np.random.default_rng(1)
    moves = generator.standard_normal(800)
    assert named(np.append(moves[1:], 0.0)[:, None] + generator.standard_normal((800, 1)), moves) == {"0"}


def test_the_size_of_tomorrow_is_named_where_sizes_are_forecast() -> None:
    news, moves = honest_file(3, 1500)
    news[:, 1] = np.abs(moves) + np.abs(moves).mean() * np.random.default_rng(2).standard_normal(1500)
    assert named(news, moves) == {"1"}
    assert named(*honest_file(3, 1500)) == set()


def test_a_month_that_is_known_at_its_beginning_is_named() -> None:
    """The close of a month, stamped and known on its first day, beside daily prices."""
    days = pd.bdate_range("2008-01-01", "2019-12-31")
    price = pd.Series(np.exp(np.cumsum(0.01 * np.random.default_rng(4).standard_normal(len(days)))), days)
    ends = price.resample("MS").last()
    for index, names in ((ends.index, {"Month"}), (ends.index + pd.offsets.MonthEnd(0), set())):
        month = Channel("month", "Month", pd.Series(ends.to_numpy(), index), "log_return")
        market = Market((Channel("gold", "Gold", price, "log_return"), month), "file", "x", days[-1])
        panel = aligned(market)
        links = columns_ahead(panel, ("log_return", "log_return"), next_values(panel, "return"))
        assert {link.channel.title() for link in links} == names


def test_only_what_was_known_at_the_end_counts() -> None:
    generator = np.random.default_rng(6)
    days = pd.bdate_range("2015-01-01", periods=1000)
    moves = 0.01 * generator.standard_normal(1000)
    gold = Channel("gold", "Gold", pd.Series(np.exp(np.cumsum(moves)), days), "log_return")
    knowing = np.where(np.arange(1000) < 500, 0.0, np.append(moves[1:], 0)) + 0.01 * generator.standard_normal(1000)
    model = Channel("model", "Model", pd.Series(np.cumsum(knowing), days), "difference")
    panel = aligned(Market((gold, model), "file", "x", days[-1]))
    changes = next_values(panel, "return")
    assert columns_ahead(panel, ("log_return", "difference"), changes, end=450) == ()
    assert len(columns_ahead(panel, ("log_return", "difference"), changes)) == 1


@pytest.mark.parametrize("column", [np.full(60, np.nan), np.ones(60), np.where(np.arange(60) % 3, np.nan, 1.0)])
def test_a_column_without_news_has_no_link(column: Floats) -> None:
    links = next_move_links(["x"], column[:, None], np.random.default_rng(0).standard_normal(60))
    assert [(link.of_size, link.suspicious) for link in links] == [(False, False), (True, False)]
    assert all(np.isnan(link.correlation) for link in links)


def test_a_link_below_what_honest_markets_have_is_not_suspicious() -> None:
    assert not NextMoveLink("x", 0.079, 0.03).suspicious
    assert NextMoveLink("x", -0.081, 0.03).suspicious
    assert not NextMoveLink("x", 0.19, 0.03, of_size=True, honest=0.3).suspicious
    assert not NextMoveLink("x", 0.3, 0.31).suspicious


def named_of(kind: str, seed: int) -> tuple[set[str], set[str], set[str]]:
    """Honest columns of a drawn market that are named, leaking ones that are not, and all of these; ten to a file."""
    market = drawn_market(kind, seed)
    honest, leaking = honest_columns(market), leaking_columns(market)
    found = set()
    for columns in (honest, leaking):
        for first in range(0, len(columns), 10):
            file = dict(list(columns.items())[first : first + 10])
            names, news, moves = beside_moves(market, file)
            found |= {link.channel for link in next_move_links(names, news, moves) if link.suspicious}
    return found & set(honest), set(leaking) - found, set(leaking)


def test_columns_computed_from_what_comes_are_named_and_honest_ones_are_not() -> None:
    alarms, missed, _ = named_of("gjr", 0)
    assert (alarms, missed) == (set(), set())


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_in_many_markets(kind: str) -> None:
    found = [named_of(kind, seed) for seed in range(5)]
    assert sum(len(alarms) for alarms, _, _ in found) <= 1, [alarms for alarms, _, _ in found]
    missed = [name for _, names, _ in found for name in names]
    assert len(missed) <= 0.05 * sum(len(all_of_them) for _, _, all_of_them in found), missed


@pytest.mark.parametrize("noise", [0.0, 0.5, 1.0])
def test_a_month_s_number_on_all_its_days_is_named_under_daily_noise(noise: float) -> None:
    moves = np.log(real_gold().target.observed).diff().dropna()[-2000:]
    number = moves.groupby(pd.DatetimeIndex(moves.index).to_period("M")).transform("sum")
    column = number + noise * number.std() * np.random.default_rng(0).standard_normal(len(number))
    assert named(column.to_numpy()[:-1, None], moves.to_numpy()[1:]) == {"0"}


@pytest.mark.slow
@pytest.mark.parametrize("target", ["GC=F", "^GSPC", "VIXCLS", "DGS10"])
def test_no_real_column_tells_more_than_the_next_move(target: str) -> None:
    """A column that comes out after the target may tell the next one, and no more."""
    for year in (2000, 2008, 2016):
        channels = []
        for name in (target, *(name for name in FILES if name not in (target, "DTWEXBGS"))):
            whole = real_channel(name)
            values = whole.values[whole.values.index.year.isin(range(year, year + 8))]
            if values.notna().sum() > 300:
                channels.append(Channel(name, whole.words, values, whole.transformation, whole.release, whole.unit))
        panel = aligned(Market(tuple(channels), "file", "public daily files", pd.Timestamp("2026-11-20", tz="UTC")))
        kinds = [channel.transformation for channel in channels]
        links = columns_ahead(panel, kinds, next_values(panel, "return"))
        assert [link for link in links if link.of_size or link.last > 1] == []


def test_the_moves_ahead_are_said() -> None:
    links = [
        NextMoveLink("x", 0.5, 0.1, *ahead) for ahead in ((False, 1, 21), (True, 1, 5), (True, 1, 1), (False, 7, 7))
    ]
    assert [link.ahead for link in links] == [
        "the next 21 moves",
        "the size of the next 5 moves",
        "the size of the next move",
        "the move 7 steps ahead",
    ]
