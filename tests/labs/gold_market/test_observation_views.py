"""What is observed and when: months, last days, facts of every channel."""

import numpy as np
import pandas as pd
import pytest

from goldviz.data.markets.alignment import Alignment, aligned
from goldviz.data.markets.market import Market
from goldviz.data.markets.simulated import simulated_market
from goldviz.labs.gold_market.views.observations import (
    RECENT_ROWS,
    SeenRows,
    channel_facts,
    observed_by_month,
    observed_lately,
    seen_rows,
)
from tests.data.markets.small_market import small_market, with_values


def _seen(market: Market, by: Alignment = "release", share: float = 0.0) -> SeenRows:
    return seen_rows(market, by=by, pattern="random" if share else "none", share=share, seed=3)


@pytest.mark.parametrize("seed", [0, 1])
def test_by_release_nothing_stands_in_a_row_before_it_is_out_and_by_date_every_covariate_does(seed: int) -> None:
    market = simulated_market(seed, years=3)
    waits = _seen(market).wait
    assert np.nanmin(waits) >= 0
    joined = _seen(market, "date").wait
    assert np.nanmax(joined[:, 1:]) < 0
    assert np.nanmin(joined[:, 0]) == np.nanmax(joined[:, 0]) == 0


def test_the_dates_in_the_rows_are_those_of_the_values() -> None:
    """With levels each value names its own date, so the two can be compared cell by cell."""
    market = small_market()
    levels = Market(
        tuple(
            type(channel)(channel.name, channel.words, channel.values, "level", channel.release)
            for channel in market.channels
        ),
        market.source,
        market.origin,
        market.retrieved,
    )
    seen = _seen(levels)
    for column, channel in enumerate(levels.channels):
        there = np.isfinite(seen.panel.values[:, column])
        days = pd.to_datetime(seen.dated[there, column], unit="s")
        np.testing.assert_array_equal(channel.values[days].to_numpy(), seen.panel.values[there, column])
        released = channel.release.moments(days)
        expected = (seen.panel.moments[there] - released) / pd.Timedelta(hours=1)
        np.testing.assert_allclose(seen.wait[there, column], expected, atol=1e-9)


def test_hiding_takes_away_and_adds_nothing() -> None:
    market = simulated_market(0, years=3)
    whole, half = _seen(market), _seen(market, share=0.5)
    assert not half.hidden[:, 0].any()
    np.testing.assert_array_equal(np.isfinite(whole.panel.values), np.isfinite(half.panel.values) | half.hidden)
    assert half.hidden.sum() / np.isfinite(whole.panel.values[:, 1:]).sum() == pytest.approx(0.5, abs=0.03)


def test_months_add_up_to_all_rows() -> None:
    market = simulated_market(0, years=3)
    seen = _seen(market, share=0.4)
    view = observed_by_month(seen)
    np.testing.assert_array_equal(view["seen"].sum("month"), np.isfinite(seen.panel.values).sum(0))
    np.testing.assert_array_equal(view["hidden"].sum("month"), seen.hidden.sum(0))
    dates = seen.panel.dates
    assert int(view["weekdays"].sum()) == len(pd.bdate_range(dates[0], dates[-1]))


def test_a_month_is_blank_before_a_channel_begins_and_zero_where_it_is_silent() -> None:
    market = with_values(small_market(), "rate", lambda values: values[(values.index.month != 2)])
    view = observed_by_month(_seen(market))
    by_month = {str(month)[:7]: row for month, row in zip(view["month"].values, view["seen"].values, strict=True)}
    assert np.isnan(by_month["2024-01"][2])
    # The rate's last value of January comes out on its evening, and counts in February.
    assert by_month["2024-02"][1] == 1
    assert by_month["2024-03"][1] > 15


def test_the_last_days_tell_the_rows_apart() -> None:
    market = small_market()
    seen = _seen(market, share=0.5)
    view = observed_lately(seen)
    assert view.sizes == {"row": RECENT_ROWS, "channel": 3}
    weekend = pd.DatetimeIndex(view["row"].values).day_of_week >= 5
    np.testing.assert_array_equal(view["forecast"].values == 0, weekend)
    # Monday's row brings Friday's rate: it was out on Friday evening, on Saturday's row, so on Monday nothing is new.
    monday = pd.DatetimeIndex(view["row"].values).day_of_week == 0
    assert np.isnan(view["dated"].values[monday, 1]).all()
    assert (view["masked"].values[:, 0] == 0).all()
    assert set(np.unique(view["masked"])) == {0.0, 1.0}


def test_facts_of_a_channel_against_counting_by_hand() -> None:
    market = small_market()
    facts = channel_facts(market, _seen(market))
    rate = market.channel("rate").values
    observed = rate.dropna()
    found = facts.sel(channel="rate")
    assert found["observed"] == len(observed) == 97
    assert found["without_value"] == 3
    assert found["weekday_share"] == pytest.approx(0.97)
    assert found["weekend"] == 0
    assert found["longest_gap"] == max((later - day).days for day, later in zip(observed.index, observed.index[1:]))  # noqa: B905
    assert str(found["gap_ends"].values) == "2024-01-18"
    assert (str(found["first"].values), str(found["last"].values)) == ("2024-01-01", f"{rate.index[-1]:%Y-%m-%d}")
    assert facts.sel(channel="coin")["weekend"] > 20
    # Out at 18:00 and first used at noon of the next row, 18 hours later.
    assert found["typical_wait"] == 18


def test_unchanged_values_are_counted() -> None:
    market = with_values(small_market(), "rate", lambda values: values.round(1))
    observed = market.channel("rate").observed.to_numpy()
    facts = channel_facts(market, _seen(market)).sel(channel="rate")
    assert facts["unchanged"] == (observed[1:] == observed[:-1]).sum() > 0


def test_a_channel_without_any_value_has_facts_too() -> None:
    market = with_values(small_market(), "coin", lambda values: values * np.nan)
    facts = channel_facts(market, _seen(market)).sel(channel="coin")
    assert facts["observed"] == facts["placed"] == 0
    assert str(facts["first"].values) == str(facts["last"].values) == ""
    assert np.isnan(facts["weekday_share"])
    assert np.isnan(facts["typical_wait"])


def test_values_that_stand_too_early_are_counted_as_alignment_places_them() -> None:
    market = simulated_market(0, years=3)
    facts = channel_facts(market, _seen(market, "date", share=0.9))
    placed = np.isfinite(aligned(market, by="date").values).sum(0)
    np.testing.assert_array_equal(facts["placed"], placed)
    np.testing.assert_array_equal(facts["too_early"].values[1:], placed[1:])
    assert facts["too_early"].values[0] == 0
