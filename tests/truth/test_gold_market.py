"""*Gold market*: what its page shows, recomputed with pandas' calendars, scipy and statsmodels.

Only the drawn values and the release times as they are declared are taken from the market.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from pandas.tseries.holiday import USFederalHolidayCalendar
from scipy import stats
from statsmodels.api import OLS, add_constant
from statsmodels.tsa.stattools import acf

import goldviz
from goldviz.data.markets.simulated import simulated_market

WINDOW, CHANNEL = 90, 3
DRAWS = [(917, 6), (918, 3)]
EVERY = pytest.mark.parametrize(("seed", "years"), DRAWS)


@cache
def page(seed, years, alignment="release"):
    return goldviz.compute(
        "gold-market", market_seed=seed, years=years, window=WINDOW, channel=CHANNEL, alignment=alignment
    )


@cache
def observed(seed, years):
    """Each channel's values in the last years, the target first, with its declaration."""
    channels = simulated_market(seed).channels
    last = channels[0].values.dropna().index[-1]
    kept = [
        one.values.dropna()[lambda v: (v.index > last - pd.DateOffset(years=years)) & (v.index <= last)]
        for one in channels
    ]
    return list(zip(channels, kept, strict=True))


@cache
def working_days():
    """Mondays to Fridays that are no federal holidays."""
    weekdays = pd.bdate_range("2010-01-01", "2026-12-31")
    return weekdays.difference(USFederalHolidayCalendar().holidays(weekdays[0], weekdays[-1]))


def released(channel, days):
    """When values of these days are out, in UTC, counted on a list of working days."""
    rule = channel.release
    at = days + pd.Timedelta(days=rule.days)
    if rule.business_days is not None:
        at = working_days()[np.searchsorted(working_days(), at) + rule.business_days]
    hours, minutes = rule.clock.split(":")
    local = at + pd.Timedelta(hours=int(hours), minutes=int(minutes))
    return pd.DatetimeIndex(local).tz_localize(rule.zone).tz_convert("UTC")


def increments(channel, values):
    if channel.transformation == "level":
        return values
    return (np.log(values) if channel.transformation == "log_return" else values).diff().iloc[1:]


@cache
def said_at_forecasts(seed, years, joined):
    """For each forecast, what a covariate brought since the one before (or, joined by date, until its answer)."""
    (target, price), *others = observed(seed, years)
    moments = released(target, price.index)
    columns = []
    for channel, values in others:
        moves = increments(channel, values)
        if joined:
            place = np.searchsorted(price.index, moves.index) - 1
        else:
            place = np.searchsorted(moments, released(channel, moves.index))
        inside = (place >= 0) & (place < len(price) - 1)
        groups = moves[inside].groupby(place[inside])
        column = groups.last() if channel.transformation == "level" else groups.sum()
        columns.append(column.reindex(range(len(price) - 1)).to_numpy())
    return np.stack(columns, axis=1), np.diff(np.log(price.to_numpy()))


@EVERY
def test_returns_and_their_widths(seed, years):
    ds, (_, price) = page(seed, years), observed(seed, years)[0]
    moves = np.diff(np.log(price.to_numpy()))
    np.testing.assert_allclose(ds["price"], price)
    np.testing.assert_allclose(ds["change"], moves)
    for day in (WINDOW, WINDOW + 17, len(moves) - 1):
        np.testing.assert_allclose(ds["rolling_sd"][day], np.std(moves[day - WINDOW : day], ddof=1))
        np.testing.assert_allclose(ds["expanding_sd"][day], np.std(moves[:day], ddof=1))


@EVERY
def test_distribution_and_memory(seed, years):
    ds = page(seed, years)
    moves = np.diff(np.log(observed(seed, years)[0][1].to_numpy()))
    assert ds.attrs["sd"] == pytest.approx(np.std(moves))
    assert ds.attrs["excess_kurtosis"] == pytest.approx(stats.kurtosis(moves))
    assert ds.attrs["beyond"] == (np.abs(stats.zscore(moves)) > 4).sum()
    assert ds.attrs["gaussian_beyond"] == pytest.approx(2 * len(moves) * stats.norm.sf(4))
    assert float(ds["count"].sum()) + ds.attrs["off_scale"] == len(moves)
    for name, series in (("of_changes", moves), ("of_squares", (moves - moves.mean()) ** 2)):
        np.testing.assert_allclose(ds[name], acf(series, nlags=ds.sizes["lag"], fft=False)[1:], atol=1e-10)


@EVERY
@pytest.mark.parametrize("name", ["known", "joined"])
def test_correlations_with_the_next_return(name, seed, years):
    ds = page(seed, years)
    x, y = said_at_forecasts(seed, years, joined=name == "joined")
    for channel, column in enumerate(x.T, start=1):
        there = np.isfinite(column)
        expected = stats.pearsonr(column[there], y[there]).statistic
        assert float(ds[f"{name}_overall"][channel]) == pytest.approx(expected, abs=1e-9)
    standard = np.nan_to_num((x - np.nanmean(x, axis=0)) / np.nanstd(x, axis=0))
    assert ds.attrs[f"{name}_r2"] == pytest.approx(OLS(y, add_constant(standard)).fit().rsquared_adj, abs=1e-9)
    beside = x[-WINDOW:, CHANNEL - 1]
    there = np.isfinite(beside)
    last = stats.pearsonr(beside[there], y[-WINDOW:][there]).statistic
    assert float(ds[f"{name}_rolling"][-1]) == pytest.approx(last, abs=1e-9)
    if name == "known":
        assert ds.attrs["new"] == pytest.approx(np.isfinite(x).sum(axis=1).mean())
        assert ds.attrs["complete"] == pytest.approx(np.isfinite(x).all(axis=1).mean())


@EVERY
def test_facts_of_every_channel(seed, years):
    ds = page(seed, years)
    for place, (channel, values) in enumerate(observed(seed, years)):
        days = values.index
        weekdays = pd.bdate_range(days[0], days[-1])
        one = ds.isel(channel=place)
        assert str(one["channel"].values) == channel.name
        assert float(one["observed"]) == len(values)
        assert float(one["weekend"]) == (days.day_of_week >= 5).sum()
        assert float(one["weekday_share"]) == pytest.approx(len(days.intersection(weekdays)) / len(weekdays))
        assert float(one["longest_gap"]) == days.to_series().diff().max().days
        assert float(one["unchanged"]) == (values.diff() == 0).sum()


@EVERY
def test_no_value_is_used_before_it_is_out_unless_joined_by_date(seed, years):
    assert float(page(seed, years)["too_early"].isel(channel=slice(1, None)).sum()) == 0
    ds = page(seed, years, "date")
    (target, price), *others = observed(seed, years)
    moments = released(target, price.index)
    for place, (channel, values) in enumerate(others, start=1):
        moves = increments(channel, values)
        row = np.searchsorted(price.index, moves.index) - 1
        inside = row >= 0
        # Where several values share a row, the row counts once, by the newest.
        early = pd.Series(released(channel, moves.index[inside]) > moments[row[inside]]).groupby(row[inside]).last()
        assert float(ds["too_early"][place]) == early.sum()
        assert float(ds["placed"][place]) == len(early)
