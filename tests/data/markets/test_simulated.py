"""The simulated market has the habits that its docstring promises, in every one of some seeds."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.markets.alignment import Panel, aligned, next_values
from goldviz.data.markets.market import Market, MarketError, Release
from goldviz.data.markets.simulated import (
    REGIMES,
    SHOCK_CORRELATIONS,
    SIMULATED_CHANNELS,
    ToneResponse,
    simulated_market,
)
from tests.refusals import refused

SEEDS = range(8)


@pytest.fixture(scope="module")
def markets() -> list[Market]:
    return [simulated_market(seed) for seed in SEEDS]


@pytest.fixture(scope="module")
def panels(markets) -> list[Panel]:
    return [aligned(market) for market in markets]


def autocorrelation(x: np.ndarray, lag: int) -> float:
    centred = x - x.mean()
    return float((centred[lag:] * centred[:-lag]).mean() / x.var())


def gold_returns(market: Market) -> np.ndarray:
    return market.target.increments().to_numpy()


def known_lags(panel: Panel) -> tuple[np.ndarray, np.ndarray]:
    """Gold's next returns, and the last three rows of everything known when each is forecast, 0 where unobserved."""
    answers = next_values(panel, "return")
    seen = np.nan_to_num(panel.values / np.nanstd(panel.values, axis=0))
    rows = answers.rows[answers.rows >= 2]
    lags = np.concatenate([seen[rows - lag] for lag in range(3)], axis=1)
    return answers.values[-len(rows) :], lags


def explained(y: np.ndarray, x: np.ndarray) -> float:
    x = np.column_stack([np.ones(len(x)), x])
    return float(1 - np.square(y - x @ np.linalg.lstsq(x, y, rcond=None)[0]).sum() / np.square(y - y.mean()).sum())


def test_a_seed_always_gives_the_same_numbers():
    first, second = simulated_market(3, years=4), simulated_market(3, years=4)
    for one, other in zip(first.channels, second.channels, strict=True):
        pd.testing.assert_series_equal(one.values, other.values, check_exact=True)
    assert not simulated_market(4, years=4).target.values.equals(first.target.values)


def test_the_numbers_of_seed_0_are_those_that_kept_runs_and_examples_were_made_with():
    last = {channel.name: channel.observed.iloc[-1] for channel in simulated_market(0).channels}
    assert last == {
        "gold": 2532.6,
        "silver": 40.681,
        "dollar": 45.568,
        "yield": 3.12,
        "vix": 13.18,
        "stocks": 11156.15,
        "bitcoin": 41734.48,
        "balance": 6963729.0,
    }


@given(seed=st.integers(0, 999), years=st.integers(1, 30))
def test_every_market_is_whole_and_ends_on_the_last_days_of_2024(seed, years):
    market = simulated_market(seed, years)
    assert market.target.observed.index[0] >= pd.Timestamp("2025-01-01") - pd.DateOffset(years=years)
    for channel in market.channels:
        assert pd.Timestamp("2024-12-25") <= channel.observed.index[-1] <= pd.Timestamp("2024-12-31")
        assert np.isfinite(channel.increments()).all()
        if channel.transformation == "log_return":
            assert channel.observed.min() > 0
    assert market.retrieved == pd.Timestamp("2024-12-31", tz="UTC")


def test_it_says_that_it_is_simulated(markets):
    for market in markets:
        assert market.simulated
        assert "simulated" in market.origin
        assert "simulated" in market.notes["gold"]
        assert all("(simulated)" in channel.words for channel in market.channels)
        assert set(market.notes) <= {channel.name for channel in market.channels}


def test_golds_returns_have_the_spread_the_tails_and_the_whiteness_of_real_ones(markets):
    returns = [gold_returns(market) for market in markets]
    spreads = np.array([r.std() for r in returns])
    kurtoses = np.array([pd.Series(r).kurt() for r in returns])
    # Slow volatility makes the spread of twenty years itself uncertain: its standard error is about 0.08 %.
    assert ((spreads > 0.009) & (spreads < 0.0140)).all()
    assert spreads.mean() == pytest.approx(0.011, abs=0.001)
    # So it is with kurtosis: single seeds are from 2.7 to 12.6 in sixty seeds.
    assert ((kurtoses > 2.5) & (kurtoses < 14)).all()
    assert 4 < np.median(kurtoses) < 9
    # With such tails the standard error of one autocorrelation is about 0.025, not 1 / sqrt(5,000).
    whiteness = np.array([autocorrelation(r, 1) for r in returns])
    assert (np.abs(whiteness) < 0.08).all()
    assert abs(whiteness.mean()) < 0.03


def test_big_moves_follow_big_moves_for_months(markets):
    for market in markets:
        sizes = np.abs(gold_returns(market))
        near, far = autocorrelation(sizes, 1), autocorrelation(sizes, 60)
        assert near > 0.15
        assert autocorrelation(sizes, 20) > 0.05
        assert far < near / 2


def test_covariates_go_with_gold_on_the_same_day_as_real_ones_do(markets):
    # 5,000 days with tails: a standard error of about 0.025; bitcoin has half the days, the balance sheet a fifth.
    expected = {"silver": 0.78, "dollar": -0.40, "yield": -0.25, "vix": 0.0, "stocks": 0.05}
    for market in markets:
        returns = pd.DataFrame({channel.name: channel.increments() for channel in market.channels})
        found = returns.corr()["gold"]
        for name, value in expected.items():
            assert found[name] == pytest.approx(value, abs=0.10), name
        assert found["bitcoin"] == pytest.approx(0.10, abs=0.15)
        assert found["balance"] == pytest.approx(0.0, abs=0.25)
        assert returns.corr()["stocks"]["vix"] < -0.4


def test_the_shocks_explain_as_much_of_gold_as_is_said():
    assert np.array_equal(SHOCK_CORRELATIONS, SHOCK_CORRELATIONS.T)
    assert len(SHOCK_CORRELATIONS) == len(SIMULATED_CHANNELS)
    others = SHOCK_CORRELATIONS[1:, 1:]
    share = SHOCK_CORRELATIONS[0, 1:] @ np.linalg.solve(others, SHOCK_CORRELATIONS[0, 1:])
    assert share == pytest.approx(0.64, abs=0.005)


def test_knowing_the_regime_would_explain_a_fifth_of_a_percent():
    assert sum(regime.share for regime in REGIMES) == pytest.approx(1)
    assert sum(regime.share * regime.drift**2 for regime in REGIMES) / 0.011**2 == pytest.approx(0.002, abs=0.0005)


def test_what_is_known_at_a_forecast_says_nothing_of_the_next_return(panels):
    y, x = (np.concatenate(parts) for parts in zip(*map(known_lags, panels), strict=True))
    # 24 coefficients for 40,000 forecasts explain 0.06 % by chance alone; tails double or triple it.
    assert explained(y, x) < 0.003


def test_joining_by_date_leaks_most_of_the_next_return(markets):
    for market in markets:
        y, x = known_lags(aligned(market, by="date"))
        assert 0.5 < explained(y, x) < 0.72


def test_calendars_differ(markets):
    for market in markets:
        for name in ("gold", "silver", "dollar", "yield", "vix", "stocks"):
            assert market.channel(name).values.index.day_of_week.max() == 4
        assert set(market.channel("balance").values.index.day_of_week) == {2}
        bitcoin = market.channel("bitcoin").observed.index
        assert bitcoin[0] == pd.Timestamp("2014-09-17")
        assert (bitcoin.to_series().diff().iloc[1:] == pd.Timedelta(days=1)).all()
        for christmas in pd.DatetimeIndex(["2012-12-25", "2023-12-25"]):
            assert all(christmas not in market.channel(name).observed.index for name in ("gold", "dollar", "stocks"))
        fourth_thursdays = pd.date_range("2005-01-01", "2024-12-31", freq="WOM-4THU")
        thanksgiving = fourth_thursdays[fourth_thursdays.month == 11]
        assert not market.target.observed.index.isin(thanksgiving).any()
        assert market.channel("dollar").observed.index.isin(thanksgiving).sum() > 15
        third_mondays = pd.date_range("2005-01-01", "2024-12-31", freq="WOM-3MON")
        king = third_mondays[third_mondays.month == 1]
        assert market.target.observed.index.isin(king).sum() > 15
        assert not market.channel("stocks").observed.index.isin(king).any()


def test_the_published_yield_lists_its_closed_days_without_a_value(markets):
    for market in markets:
        values = market.channel("yield").values
        assert len(values) == len(pd.bdate_range(values.index[0], values.index[-1]))
        veterans = values.index[(values.index.month == 11) & (values.index.day == 11)]
        assert values[veterans].isna().all()
        assert 150 < values.isna().sum() < 200  # ten closed days a year, less those on weekends


def test_days_are_missing_at_random(markets):
    # Dollar: 260 weekdays a year less two; 2 % of 5,180 days are 104, with a standard error of 10.
    for market in markets:
        dollar, currencies_open = market.channel("dollar").observed.index, pd.bdate_range("2005-01-01", "2024-12-31")
        closed = (currencies_open.day_of_year == 1) | ((currencies_open.month == 12) & (currencies_open.day == 25))
        assert (~currencies_open[~closed].isin(dollar)).mean() == pytest.approx(0.02, abs=0.008)


def test_values_are_known_when_their_real_likes_are(markets):
    tuesday = pd.DatetimeIndex(["2024-07-09"])
    known = {channel.name: channel.release.moments(tuesday)[0] for channel in markets[0].channels}
    assert known["gold"] == known["silver"] == pd.Timestamp("2024-07-09 17:30", tz="UTC")
    assert known["stocks"] == pd.Timestamp("2024-07-09 20:00", tz="UTC")
    assert known["yield"] == pd.Timestamp("2024-07-10 20:15", tz="UTC")
    assert known["balance"] == pd.Timestamp("2024-07-10 20:30", tz="UTC")
    assert known["gold"] < known["dollar"] < known["bitcoin"] < known["yield"]


@pytest.mark.parametrize(
    ("choice", "facts"),
    [({"seed": -1}, ("seed is -1",)), ({"years": 0}, ("0 years", "1 to 60")), ({"years": 61}, ("61 years", "1 to 60"))],
)
def test_what_it_cannot_draw_is_refused(choice, facts):
    with refused(MarketError, "not_allowed", *facts):
        simulated_market(**choice)


def weekly_tones(count=1000, seed=0):
    days = pd.date_range("2005-01-05", periods=count, freq="7D")
    return days, np.random.default_rng(seed).uniform(-1, 1, count)


def test_without_a_response_the_market_is_what_it_was():
    days, tones = weekly_tones()
    plain, silent = simulated_market(2), simulated_market(2, response=ToneResponse(days, tones, 0.0))
    for one, other in zip(plain.channels, silent.channels, strict=True):
        pd.testing.assert_series_equal(one.values, other.values)


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_a_response_moves_gold_by_what_a_forecast_can_know_and_nothing_else(seed):
    days, tones = weekly_tones(seed=seed)
    plain, moved = simulated_market(seed), simulated_market(seed, response=ToneResponse(days, tones, 0.3))
    assert "Planted" in moved.notes["gold"]
    assert "planted" in moved.origin
    for one, other in zip(plain.channels[1:], moved.channels[1:], strict=True):
        pd.testing.assert_series_equal(one.values, other.values)
    returns = np.log(moved.target.observed).diff().dropna()
    added = returns - np.log(plain.target.observed).diff().dropna()
    days_of_gold = pd.DatetimeIndex(moved.target.observed.index)
    out = Release("14:00", "America/New_York").moments(days)
    known = np.searchsorted(out, moved.target.release.moments(days_of_gold[:-1]), side="right") - 1
    usual = (np.diff(days_of_gold) == np.timedelta64(1, "D")) & (known >= 0)
    standard = (tones - tones.mean()) / tones.std()
    # A price is quoted to a tenth, so a return is known to about a ten-thousandth.
    np.testing.assert_allclose(added[usual], 0.011 * 0.3 * standard[known[usual]], atol=6e-4)
    slope = np.polyfit(standard[known], returns, 1)[0]
    assert slope == pytest.approx(0.3 * 0.011, abs=4 * 0.011 / np.sqrt(len(returns)))
