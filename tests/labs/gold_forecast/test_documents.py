"""Statements in the forecast: a positive control, what refits could learn from, and what is refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import goldviz.api
from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.market import Channel, MarketError, Release
from goldviz.data.markets.simulated import simulated_market
from goldviz.data.markets.text_channels import with_text_channels
from goldviz.labs.gold_forecast.findings import findings_of
from goldviz.labs.gold_forecast.measures import Reading, observed_rows
from goldviz.labs.gold_forecast.problem import dealt_out, forecast_problem, market_with_statements, statement_tones
from goldviz.labs.gold_forecast.settings import GoldForecast
from tests.refusals import refused

CONTROL = GoldForecast.preset("documents-that-move-gold")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))


def better(**changes: object) -> bool:
    """Whether a run's whole interval lies above zero."""
    return Reading.of(goldviz.api.run(CONTROL.changed(**changes), progress=False)).own.better


@pytest.mark.slow
def test_a_planted_response_is_found_and_goes_with_the_documents_order() -> None:
    small = {"refits": 1, "epochs": 6}
    assert better(**small)
    assert not better(**small, documents="shuffled")


@pytest.mark.slow
@pytest.mark.parametrize("market_seed", range(5))
def test_in_five_markets_the_response_is_found_and_nothing_without_it(market_seed: int) -> None:
    assert better(market_seed=market_seed)
    assert not better(market_seed=market_seed, documents="shuffled")
    assert not better(market_seed=market_seed, tone_response=0.0)


def test_dealing_out_moves_tones_and_leaves_the_days() -> None:
    tones = statement_tones()
    dealt = dealt_out(tones, 3)
    assert dealt.index.equals(tones.index)
    assert sorted(dealt) == sorted(tones)
    assert abs(np.corrcoef(tones, dealt)[0, 1]) < 0.3


def test_without_documents_the_market_is_the_simulated_one() -> None:
    for one, other in zip(
        market_with_statements(GoldForecast(market_seed=4)).channels, simulated_market(4).channels, strict=True
    ):
        pd.testing.assert_series_equal(one.values, other.values)


def test_statements_of_the_simulation_are_refused_beside_other_data() -> None:
    name = keep(simulated_market(0, years=2))
    for changes in ({"documents": "generated"}, {"tone_response": 0.2}):
        with refused(MarketError, "simulated", "Generated statements"):
            market_with_statements(GoldForecast(data=name, **changes))


def late_statements() -> str:
    """Gold of 25 years, with statements from 2019 on."""
    days = pd.date_range("2019-01-30", "2024-12-01", freq="42D")
    tones = pd.Series(np.random.default_rng(0).uniform(-1, 1, len(days)), days)
    tone = Channel("text tone", "Tone of policy documents", tones, "level", Release("14:00", "America/New_York"))
    return keep(with_text_channels(simulated_market(0, years=25).only(["gold", "dollar"]), [tone], {}, "by hand"))


def shares_of(settings: GoldForecast) -> xr.Dataset:
    problem = forecast_problem(settings)
    return xr.Dataset(
        {"observed": (("fold", "channel"), problem.observed_shares(settings.window))},
        {"channel": list(problem.panel.channels), "fold": [fold.number for fold in problem.folds]},
        attrs={"settings": settings.model_dump_json()},
    )


def test_a_channel_that_refits_never_saw_is_told_and_the_advice_lets_them_see_it() -> None:
    settings = GoldForecast(data=late_statements())
    found = shares_of(settings)
    rows = {row["Channel"]: [*row.values()][1:] for row in observed_rows(found)}
    assert set(rows) == {"gold", "dollar", "text tone"}
    assert rows["text tone"].count("never") == 4
    assert "never" not in rows["dollar"]
    [finding] = [one for one in findings_of(settings, found) if one.kind == "channel_unobserved"]
    assert "text tone: in 4 of 6 refits" in finding.number
    assert finding.explanation.startswith("A refit leaves out a channel that it never saw while it learned.")
    for remedy in finding.remedies:
        assert not Reading.of(shares_of(settings.changed(**remedy.changes))).unobserved


def test_shares_count_the_rows_that_a_refit_learns_from() -> None:
    settings = GoldForecast(data=late_statements(), scheme="rolling", test_years=3.0)
    problem = forecast_problem(settings)
    tone = problem.market.channel("text tone")
    out = tone.release.moments(pd.DatetimeIndex(tone.observed.index))
    for fold, share in zip(problem.folds, problem.observed_shares(settings.window), strict=True):
        first, last = problem.answers.rows[fold.train[[0, -1]]]
        moments = problem.panel.moments[first - settings.window : last + 1]
        counted = ((out > moments[0]) & (out <= moments[-1])).sum()
        assert share[problem.panel.channels.index("text tone")] == pytest.approx(counted / (len(moments) - 1))


def test_a_run_without_documents_has_no_rows() -> None:
    assert observed_rows(xr.Dataset()) == []
