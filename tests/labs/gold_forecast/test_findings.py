"""Rules and words of the forecast laboratory on runs whose numbers are set by hand."""

import json
from functools import lru_cache

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from goldviz.diagnostics.findings import Finding
from goldviz.diagnostics.findings.conclude import ORDER
from goldviz.diagnostics.forecasts.scores import r2_out_of_sample
from goldviz.labs.gold_forecast.findings import findings_of
from goldviz.labs.gold_forecast.measures import Reading
from goldviz.labs.gold_forecast.scoring.distributions import qlike_losses
from goldviz.labs.gold_forecast.scoring.intervals import coverages
from goldviz.labs.gold_forecast.scoring.results import recorded_score
from goldviz.labs.gold_forecast.scoring.series import Series
from goldviz.labs.gold_forecast.settings import GoldForecast
from goldviz.labs.gold_forecast.verdict import score_rows, verdict
from tests.labs.gold_forecast.runs import build as built

kept = lru_cache(maxsize=None)(built)


def build(**options):
    return kept(**options).copy(deep=True)


def settings_of(run, **changes):
    return GoldForecast.checked_json(run.attrs["settings"]).changed(**changes)


def found(run, **changes) -> dict[str, Finding]:
    return {finding.kind: finding for finding in findings_of(settings_of(run, **changes), run)}


def scored(run, value, low, high, p=None):
    """The run with this score of the network in its table, and a test that agrees with its interval or has this p."""
    if p is None:
        p = 0.001 if low > 0 or high < 0 else 0.5
    kind, metric = ("volatility_", "qlike_gain") if settings_of(run).target == "volatility" else ("", "r2")
    for end, number in (("", value), ("_low", low), ("_high", high)):
        run[f"{kind}score{end}"].loc[{f"{kind}model": "network", f"{kind}metric": metric}] = number
    run[f"{kind}score"].loc[{f"{kind}model": "network", f"{kind}metric": "dm_p"}] = p
    return run


# -- the sentence that stands first ---------------------------------------------------------------------------------


def test_verdict_on_returns_without_skill():
    run = scored(build(), -0.0003, -0.009, 0.008, 0.97)
    assert verdict(run, "return") == (
        "No detectable skill over zero: R² −0.03 % [−0.90 %, +0.80 %], Diebold-Mariano p = 0.97, over 1,500 forecasts "
        "of a simulated market."
    )
    run.attrs["simulated"] = 0
    assert verdict(run, "return").endswith("over 1,500 forecasts.")


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ((0.008, 0.002, 0.013), "Better than zero: R² +0.80 % [+0.20 %, +1.3 %]"),
        ((-0.03, -0.05, -0.01), "Worse than saying zero: R² −3.0 % [−5.0 %, −1.0 %]"),
        ((0.06, -0.01, 0.12), "No detectable skill over zero: R² +6.0 %"),
    ],
)
def test_verdict_follows_the_interval(score, words):
    assert verdict(scored(build(), *score), "return").startswith(words)


def test_verdict_names_the_leak():
    run = scored(build(alignment="date"), 0.61, 0.55, 0.66, 0.0)
    assert verdict(run, "return") == (
        "R² +61 %: no honest forecast of daily returns does that. The leak: covariates are joined by calendar date."
    )
    unexplained = scored(build(), 0.061, 0.02, 0.09)
    assert verdict(unexplained, "return").endswith("is a value known later than it is dated?")


def test_monthly_data_are_not_called_a_leak():
    run = scored(build(), 0.061, 0.02, 0.09)
    run["days_ahead"][:] = 30.0
    assert verdict(run, "return").startswith("Better than zero")
    assert "leak_suspected" not in found(run)


def test_verdict_on_levels_sets_the_fine_score_beside_the_honest_one():
    run = scored(build(target="level"), -0.004, -0.01, 0.002)
    run["score"].loc[{"model": "network", "metric": "r2_mean"}] = 0.998
    assert verdict(run, "level") == (
        "R² 0.998 against the mean, and −0.40 % [−1.0 %, +0.20 %] against repeating the last price: nothing was "
        "learned about tomorrow (1,500 forecasts of a simulated market)."
    )


def test_verdict_on_volatility_names_what_garch_reaches():
    run = scored(build(target="volatility"), 0.144, 0.11, 0.18)
    run["volatility_score"].loc[{"volatility_model": "garch", "volatility_metric": "qlike_gain"}] = 0.151
    assert verdict(run, "volatility").startswith(
        "The size of the next move can be forecast: QLIKE gain 0.14 [0.11, 0.18] over a constant variance in 1,500 "
    )
    assert verdict(run, "volatility").endswith("; GARCH reaches 0.15.")
    assert verdict(scored(run, 0.01, -0.02, 0.03), "volatility").startswith("No detectable skill in the size")
    assert verdict(scored(run, -0.2, -0.3, -0.1), "volatility").startswith("Worse than a constant variance")


@pytest.mark.parametrize("target", ["return", "volatility", "level"])
def test_verdict_while_the_run_goes_on_says_how_far_it_is(target):
    words = verdict(build(stage="running", target=target), target)
    assert words.startswith("So far, at epoch 6 of 20: ")
    assert "the interval comes when the run ends" in words
    stopped = build(stage="running", target=target)
    stopped.attrs["status"] = "stopped"
    assert verdict(stopped, target).startswith("At epoch 6 of 20, where the run was left: ")
    assert verdict(stopped, target).endswith(", without an interval.")


def test_a_leak_shows_while_the_run_goes_on():
    assert "no honest forecast" in verdict(build(stage="running", skill=0.5, alignment="date"), "return")


def test_verdict_without_any_forecast():
    for stage in ("empty", "start"):
        assert verdict(build(stage=stage), "return").startswith("No forecast yet")
    left = build(stage="start")
    left.attrs["status"] = "stopped"
    assert verdict(left, "return") == "This run made no forecast."
    assert verdict(xr.Dataset(), "return").startswith("No forecast yet")
    assert verdict(build(stage="diverged"), "return").startswith("Training diverged")
    lost = build()
    lost["mean"][:] = np.nan
    assert "can be scored" in verdict(lost.drop_vars(["score"]), "return")


def test_verdict_on_shuffled_targets_is_about_the_check():
    run = scored(build(shuffle_targets=True), 0.001, -0.01, 0.012)
    assert "no skill is left, as it must be" in verdict(run, "return")
    assert "only come from a mistake" in verdict(scored(run, 0.2, 0.1, 0.3), "return")


# -- the table ------------------------------------------------------------------------------------------------------


def test_table_has_a_row_for_every_model_with_the_recorded_scores():
    run = build()
    rows = score_rows(run)
    assert [row["Model"] for row in rows] == ["GRU", "mean so far", "AR(1)", "ridge", "zero"]
    network, zero = rows[0], rows[-1]
    assert network["RMSE"] == f"{1e4 * recorded_score(run, 'network', 'rmse'):.1f} bp"
    assert network["Sign right"] == f"{100 * recorded_score(run, 'network', 'hit_rate'):.1f} %"
    assert (zero["R² against zero"], zero["95 % interval"], zero["DM p"], zero["Sign right"]) == ("0", "–", "–", "–")
    assert all(set(row) == set(network) for row in rows)


def test_table_of_a_running_run_has_scores_and_no_intervals():
    rows = score_rows(build(stage="running", target="volatility"))
    assert rows[0]["QLIKE gain"] != "–"
    assert rows[0]["95 % interval"] == rows[0]["QLIKE"] == rows[0]["CRPS"] == rows[0]["Inside 50 %"] == "–"
    assert score_rows(build(stage="empty")) == []


def test_table_of_levels_has_both_r2():
    rows = score_rows(build(target="level"))
    assert rows[-1]["Model"] == "no change"
    assert float(rows[0]["R² against the mean"]) > 0.9
    assert rows[0]["R² against no change"].endswith(" %")


# -- what is read off the forecasts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["return", "level"])
def test_scores_of_means_are_those_of_campbell_and_thompson(target):
    run = build(target=target, seeds=2, final=200)
    series = Series.of(run)
    before = np.isfinite(series.came)
    assert before.sum() == 1300
    for model in series.models:
        wanted = r2_out_of_sample(series.came[before], series.forecast(model)[before], series.simplest[before])
        assert series.score(series.gains(model)) == pytest.approx(wanted)


def test_the_gain_in_volatility_is_that_of_patton_in_the_mean():
    run = build(target="volatility", seeds=2)
    series = Series.of(run)
    constant = run["baseline_scale"].sel(volatility_baseline="constant").values.astype(float)
    network = run["scale"].isel(look=-1).mean("seed").values.astype(float)
    wanted = (qlike_losses(series.came, constant) - qlike_losses(series.came, network)).mean()
    assert series.score(series.gains("network")) == pytest.approx(wanted, rel=1e-5)


def test_what_is_known_of_an_earlier_look_is_of_that_look():
    run = build()
    assert Series.of(run, epoch=7).look == 6
    np.testing.assert_allclose(Series.of(run, epoch=7).mean, run["mean"].sel(look=6))
    assert Series.of(run, epoch=1).look == 2


def test_coverage_counts_what_lies_between_the_quantiles_before_the_final_block():
    run = build(final=250)
    series = Series.of(run)
    half = coverages(run, series)[0]
    before = run.isel(time=slice(0, 1250))
    inside = (before["quantile"].sel(level=0.25) <= before["target"]) & (
        before["target"] <= before["quantile"].sel(level=0.75)
    )
    assert (half.held, half.counted) == (int(inside.sum()), 1250)
    run["quantile"][:100] = np.nan
    assert coverages(run, series)[0].counted == 1150


# -- words that hold ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["return", "volatility", "level"])
@pytest.mark.parametrize("ends", [(0.002, 0.013), (-0.004, 0.004), (-0.05, -0.01), (0.055, 0.09)])
def test_a_known_look_ahead_is_said_whatever_the_score(target, ends):
    run = scored(build(target=target, alignment="date"), sum(ends) / 2, *ends)
    kinds = found(run)
    assert kinds["known_leak"].changes == {"alignment": "release"}
    assert not {kind for kind in kinds if "skill" in kind}
    words = verdict(run, target)
    assert "covariates are joined by calendar date" in words
    assert not words.startswith(("Better", "No detectable", "Worse", "The size"))
    own = scored(build(target=target, alignment="date", inputs="own"), sum(ends) / 2, *ends)
    assert "known_leak" not in found(own)
    assert "calendar date" not in verdict(own, target)


@pytest.mark.parametrize("options", [{"stage": "running"}, {"shuffle_targets": True}])
def test_a_known_look_ahead_is_said_of_unfinished_and_of_shuffled_runs_too(options):
    run = build(alignment="date", **options)
    assert "known_leak" in found(run)
    assert "part of the future is in sight" in verdict(run, "return")


@pytest.mark.parametrize("target", ["return", "volatility"])
def test_better_and_worse_need_interval_and_test(target):
    for value, low, high in ((0.01, 0.004, 0.016), (-0.01, -0.016, -0.004)):
        run = scored(build(target=target), value, low, high, p=0.11)
        words = verdict(run, target)
        assert words.startswith("No detectable skill")
        assert "p = 0.11 (interval and test disagree)" in words
        kinds = found(run)
        assert "no_skill" in kinds or "no_volatility_skill" in kinds
        assert not {"skill", "volatility_skill", "worse_than_simplest"} & set(kinds)
        assert "below 0.05" in kinds["no_skill" if target == "return" else "no_volatility_skill"].threshold


def steady(run, size):
    """The run with a network that says nearly the same all the time."""
    usual = run["scale"][-1].mean() if settings_of(run).target == "volatility" else run["target"].std()
    name = "scale" if settings_of(run).target == "volatility" else "mean"
    wave = np.where(np.arange(run.sizes["time"]) % 2, 1.0, -1.0)[:, None]
    level = float(usual) if name == "scale" else 0.0002
    run[name][-1] = level + size * float(usual) * wave
    return run


@pytest.mark.parametrize(("size", "said"), [(0.0, "less than 0.01 %"), (1e-6, "less than 0.01 %"), (0.004, "0.4 %")])
def test_a_forecast_that_hardly_moves_is_not_said_to_follow_noise(size, said):
    findings = found(scored(steady(build(), size), -0.01, -0.016, -0.004))
    assert findings["constant_forecast"].number.startswith(f"its spread within a refit is {said}")
    worse = findings["worse_than_simplest"]
    assert "so their level is off" in worse.explanation
    assert worse.changes == {}
    moving = found(scored(build(), -0.01, -0.016, -0.004))["worse_than_simplest"]
    assert "not with what comes" in moving.explanation


def test_a_width_that_hardly_moves_follows_no_storm():
    run = scored(steady(build(target="volatility"), 0.001), 0.1, 0.05, 0.15)
    kinds = {finding.kind for finding in findings_of.all(settings_of(run), run)}
    assert {"better_constant", "constant_forecast"} <= kinds
    assert "volatility_skill" not in kinds
    assert verdict(run, "volatility").startswith("Better than a constant variance by its level alone")


def test_fifteen_hundred_forecasts_are_not_called_too_few():
    wide = found(scored(build(), 0.0, -0.03, 0.03))["few_forecasts"]
    assert wide.title == "The interval is too wide to tell"
    assert "thousand forecasts" not in wide.explanation
    few = found(scored(build(forecasts=249), 0.0, -0.001, 0.001))["few_forecasts"]
    assert few.title == "There are too few forecasts to tell"


def test_advice_to_forecast_more_asks_for_no_more_years_than_there_are():
    run = scored(build(forecasts=249), 0.0, -0.001, 0.001)
    before = settings_of(run)
    after = before.changed(**found(run)["few_forecasts"].changes)
    assert after.train_years + after.test_years == before.train_years + before.test_years
    assert after.test_years > before.test_years


def test_an_episode_that_brings_more_than_all_is_no_percentage():
    gains = np.full(1500, -0.001)
    gains[700:715] = 0.9
    number = found(with_gains(gains))["one_episode"].number
    assert number.startswith("more than all of the gain within 15 of 1,500 forecasts")


# -- findings -------------------------------------------------------------------------------------------------------


def test_no_skill_is_good_news_and_sends_to_the_variance():
    finding = found(scored(build(), 0.0001, -0.004, 0.004, 0.9))["no_skill"]
    assert finding.severity == "good"
    assert finding.changes == {"target": "volatility", "head": "student"}
    assert "one seed" in finding.confidence


def test_a_leak_silences_every_other_word_on_skill():
    kinds = set(found(scored(build(alignment="date", skill=0.5), 0.7, 0.6, 0.8), alignment="date"))
    assert "known_leak" in kinds
    assert not kinds & {"leak_suspected"}
    assert not kinds & {"skill", "no_skill", "one_episode", "refits_disagree", "badly_calibrated"}
    leak = found(build(alignment="date", skill=0.5))["known_leak"]
    assert leak.changes == {"alignment": "release"}
    assert found(build(skill=0.5))["leak_suspected"].changes == {"inputs": "own"}


@pytest.mark.parametrize(("value", "leaks"), [(0.049, False), (0.051, True)])
def test_five_per_cent_is_the_line_of_the_leak(value, leaks):
    assert ("leak_suspected" in found(scored(build(), value, 0.01, 0.09))) == leaks


def test_a_levels_fine_score_is_worthless():
    finding = found(scored(build(target="level"), -0.001, -0.004, 0.002))["worthless_level_score"]
    assert finding.severity == "bad"
    assert finding.changes == {"target": "return"}
    assert "against the mean" in finding.number


@pytest.mark.parametrize(
    ("score", "kind"),
    [((0.01, 0.004, 0.016), "skill"), ((-0.02, -0.03, -0.01), "worse_than_simplest"), ((0.0, -0.01, 0.01), "no_skill")],
)
def test_the_interval_decides_about_skill(score, kind):
    kinds = set(found(scored(build(), *score)))
    assert kind in kinds
    assert not ({"skill", "worse_than_simplest", "no_skill"} - {kind}) & kinds


def test_volatility_has_skill_and_garch_may_have_more():
    run = build(target="volatility", head="student")
    kinds = found(run)
    assert {"volatility_skill", "worse_than_garch"} <= set(kinds)
    assert kinds["worse_than_garch"].changes == {"window": 60}
    run["scale"][-1] = run["baseline_scale"].sel(volatility_baseline="garch").values[:, None]
    assert "worse_than_garch" not in found(run)
    assert "no_volatility_skill" in found(scored(run, 0.0, -0.1, 0.1))


def with_gains(gains):
    """A run whose forecasts gain just these, in units of the answers' squares."""
    run = build()
    came = run["target"].values.astype(float)
    error = np.sqrt(np.square(came) * (1 - np.asarray(gains)))
    run["mean"][-1, :, 0] = came - np.sign(came) * error
    return scored(run, 0.01, 0.004, 0.016)


def test_one_episode_is_named_with_its_days():
    gains = np.full(1500, 0.001)
    gains[700:715] = 0.9
    run = with_gains(gains)
    finding = found(run)["one_episode"]
    assert f"{run['time'].values[700]} to {run['time'].values[714]}" in finding.number
    assert "without these days the score is R² +" in finding.confidence
    assert "one_episode" not in found(with_gains(np.full(1500, 0.01)))


def test_refits_are_counted_where_the_whole_looks_skilled():
    gains = np.full(1500, -0.001)
    gains[:500] = 0.1
    run = with_gains(gains)
    assert found(run)["refits_disagree"].number == "above 0 in 2 of 6 refits"
    gains[:1000] = 0.1
    assert "refits_disagree" not in found(with_gains(gains))


@pytest.mark.parametrize(
    ("low", "high", "few"),
    [(-0.019, 0.019, False), (-0.021, 0.021, True), (0.001, 0.05, False), (-0.05, -0.001, False)],
)
def test_an_interval_that_holds_zero_and_much_else_asks_for_more_forecasts(low, high, few):
    findings = found(scored(build(), (low + high) / 2, low, high))
    assert ("few_forecasts" in findings) == few
    if few:
        assert findings["few_forecasts"].changes == {"train_years": 4.0, "test_years": 10.0}


def test_a_year_of_forecasts_is_few_however_narrow_the_interval():
    assert "few_forecasts" in found(scored(build(forecasts=249), 0.0, -0.001, 0.001))


def test_shuffled_targets_are_a_check_and_nothing_else():
    passed = found(scored(build(shuffle_targets=True), 0.0, -0.01, 0.01))
    assert passed["shuffled_check_passed"].severity == "good"
    assert "no_skill" not in passed
    failed = found(scored(build(shuffle_targets=True), 0.2, 0.1, 0.3))
    assert failed["shuffled_skill"].severity == "bad"
    assert "leak_suspected" not in failed


def test_simulated_data_are_told_and_real_ones_are_not():
    run = build()
    assert "simulated_market" in found(run)
    run.attrs["simulated"] = 0
    assert "simulated_market" not in found(run)


def with_losses(training, validation):
    run = build(epochs=len(training), look_every=1)
    for name, curve in (("loss", training), ("validation_loss", validation)):
        run[name][:] = np.asarray(curve)[:, None, None]
    return run


def test_over_fitting_and_under_training_exclude_each_other():
    falling, rising = np.linspace(1.4, 1.0, 10), np.linspace(1.3, 1.5, 10)
    over = found(with_losses(falling, rising), epochs=10)
    assert over["over_fitting"].number.startswith("best epoch 1;")
    assert "6 of 6 fits" in over["over_fitting"].confidence
    assert "under_trained" not in over
    under = found(with_losses(falling, falling), epochs=10)
    assert under["under_trained"].changes == {"epochs": 20}
    assert "over_fitting" not in under
    assert "under_trained" not in found(with_losses(falling, falling), epochs=30)
    late = np.concatenate([np.linspace(1.4, 1.2, 5), np.linspace(1.22, 1.4, 5)])
    assert not {"over_fitting", "under_trained"} & set(found(with_losses(falling, late), epochs=10))


def test_calibration_is_wrong_where_its_interval_says_so_and_by_more_than_two_points():
    run = build()
    came = run["target"].values
    spread = np.quantile(np.abs(came), [0.5, 0.8, 0.86, 0.97])[[3, 2, 1, 0, 0, 0, 1, 2, 3]]
    signs = np.array([-1, -1, -1, -1, 0, 1, 1, 1, 1])
    run["quantile"][:] = spread * signs
    finding = found(run)["badly_calibrated"]
    assert finding.title == "The intervals are too narrow"
    assert finding.number == "90 % intervals held 86.0 %"
    wide = np.quantile(np.abs(came), [0.5, 0.8, 0.95, 0.99])[[3, 2, 1, 0, 0, 0, 1, 2, 3]]
    run["quantile"][:] = wide * signs
    assert "less sure than they could be" in found(run)["badly_calibrated"].explanation
    exact = np.quantile(np.abs(came), [0.5, 0.8, 0.9, 0.95])[[3, 2, 1, 0, 0, 0, 1, 2, 3]]
    run["quantile"][:] = exact * signs
    assert "badly_calibrated" not in found(run)


@pytest.mark.parametrize(("shrinks", "reach"), [(0.5, 6), (0.7, 12), (0.99, 19)])
def test_a_short_reach_asks_for_a_shorter_window(shrinks, reach):
    run = build()
    run["state_gradient_norm"][:] = (shrinks ** run["lag"]).values[:, None]
    finding = found(run).get("short_reach")
    assert (finding is not None) == (reach < 19 / 2)
    if finding:
        assert finding.changes == {"window": reach + 1}
        assert f"up to {reach} of 19" in finding.number
        assert found(run, network="rnn")["short_reach"].changes == {"network": "gru"}
        assert "short_reach" not in found(run, network="mlp")


@pytest.mark.parametrize("target", ["return", "volatility"])
def test_a_constant_forecast_listens_to_nothing(target):
    run = build(target=target)
    assert "constant_forecast" not in found(run)
    run["mean" if target == "return" else "scale"][:] = 0.0005 if target == "return" else 0.01
    run["state_gradient_norm"][:] = (0.1 ** run["lag"]).values[:, None]
    kinds = found(scored(run, 0.0, -0.01, 0.01))
    assert "constant_forecast" in kinds
    assert "short_reach" not in kinds


def test_divergence_silences_the_rest():
    findings = findings_of(settings_of(build()), build(stage="diverged"))
    assert [finding.kind for finding in findings] == ["diverged"]
    assert findings[0].changes == {"learning_rate": pytest.approx(1e-4)}
    half_lost = build(seeds=2)
    half_lost["loss"][-1, :, 0] = np.inf
    assert found(half_lost)["diverged"].number == "6 of 12 fits"


def test_a_running_run_is_not_judged_yet():
    findings = found(build(stage="running", target="volatility"))
    judged = {"volatility_skill", "worse_than_garch", "few_forecasts", "badly_calibrated", "constant_forecast"}
    assert not judged & set(findings)
    assert "so far, at epoch 6 of 20" in findings["simulated_market"].confidence


def test_nothing_recorded_gives_no_findings():
    for stage in ("empty", "start"):
        assert found(build(stage=stage)) == {}
    assert findings_of(GoldForecast(), xr.Dataset()) == []


def test_seeds_on_the_same_side_are_counted():
    run = build(seeds=3)
    own = Reading.of(run).own.value
    seeds = run["seed_r2"].values
    agreed = int((np.sign(seeds) == np.sign(own)).sum())
    assert f"{agreed} of 3 seeds alone have this sign" in found(run)["no_skill"].confidence


@given(
    target=st.sampled_from(["return", "volatility", "level"]),
    score=st.lists(st.floats(-0.5, 0.9, allow_subnormal=False), min_size=3, max_size=3).map(sorted),
    final=st.sampled_from([0, 250]),
    skill=st.sampled_from([0.0, 0.01, 0.5]),
    shrinks=st.floats(0.01, 1.0),
    flat=st.booleans(),
    values=st.fixed_dictionaries(
        {
            "learning_rate": st.sampled_from([1e-6, 1e-3, 1.0]),
            "head": st.sampled_from(["gaussian", "student", "quantiles"]),
            "network": st.sampled_from(["mlp", "rnn", "gru", "gru_decay"]),
            "alignment": st.sampled_from(["release", "date"]),
            "inputs": st.sampled_from(["own", "all"]),
            "scheme": st.sampled_from(["expanding", "rolling"]),
            "epochs": st.sampled_from([20, 500]),
            "window": st.sampled_from([20, 250]),
            "hidden": st.sampled_from([2, 256]),
            "dropout": st.sampled_from([0.0, 0.9]),
            "test_years": st.sampled_from([6.0, 60.0]),
            "shuffle_targets": st.booleans(),
        }
    ),
)
def test_findings_are_few_sorted_consistent_and_every_change_is_allowed(
    target, score, final, skill, shrinks, flat, values
):
    low, value, high = score
    run = scored(build(target=target, final=final, skill=skill), value, low, high)
    run["state_gradient_norm"][:] = (shrinks ** run["lag"]).values[:, None]
    if flat:
        run["mean"][:], run["scale"][:] = float(run["price"].mean()) if target == "level" else 0.0, 0.01
    chosen = settings_of(run, **values)
    findings = findings_of(chosen, run)
    kinds = [finding.kind for finding in findings]
    assert len(kinds) == len(set(kinds)) <= 5
    order = [ORDER[finding.severity] for finding in findings]
    assert order == sorted(order)
    assert "simulated_market" in kinds
    alternatives = [
        {
            "leak_suspected",
            "no_skill",
            "skill",
            "worse_than_simplest",
            "volatility_skill",
            "no_volatility_skill",
            "worthless_level_score",
            "shuffled_skill",
            "shuffled_check_passed",
        },
        {"over_fitting", "under_trained"},
        {"constant_forecast", "short_reach"},
        {"few_forecasts", "skill"},
        {"few_forecasts", "volatility_skill"},
    ]
    for group in alternatives:
        assert len(group & set(kinds)) <= 1, group
    for finding in findings:
        assert finding.number
        assert finding.threshold
        assert finding.confidence
        assert bool(finding.advice) == bool(finding.changes)
        if finding.changes:
            assert chosen.changed(**finding.changes) != chosen
    assert verdict(run, target)[0].isupper() or verdict(run, target)[0] == "R"
    assert verdict(run, target)[-1] in ".?"


def told_ahead(run, correlation=0.4, of_size=False):
    """The run, in which a column told the next move where the last refit learned."""
    column = {"channel": "Model High", "correlation": correlation, "chance": 0.1, "of_size": of_size}
    run.attrs["columns_ahead"] = json.dumps([column])
    return run


def test_a_column_that_tells_the_next_move_is_named_and_takes_the_praise_away():
    run = told_ahead(scored(build(), 0.03, 0.02, 0.04))
    cards = found(run)
    assert cards["column_ahead"].number == "Model High (+0.40); honest ones reach 0.10"
    assert "skill" not in cards
    assert verdict(run, "return").endswith("Beware: Model High (+0.40) told moves before they came.")
    assert "Model High (size +0.40)" in found(told_ahead(run, of_size=True))["column_ahead"].number
    assert "column_ahead" not in found(told_ahead(build(documents="generated", tone_response=0.3)))


def with_simple(value, garch, har=0.0, log_har=0.0):
    """A run on sizes with these gains of the network and of the simple forecasts; no other one gains anything."""
    run = scored(build(target="volatility"), value, value - 0.03, value + 0.03)
    run["volatility_score"].loc[{"volatility_model": run["volatility_model"] != "network"}] = 0.0
    for model, gain in (("network", value), ("garch", garch), ("har", har), ("log_har", log_har)):
        run["volatility_score"].loc[{"volatility_model": model, "volatility_metric": "qlike_gain"}] = gain
    return run


def test_a_gain_in_sizes_several_times_the_best_simple_one_is_a_doubt_and_no_praise():
    run = with_simple(0.17, 0.03, 0.02, 0.05)
    cards = found(run)
    assert not {"volatility_skill", "better_constant", "worse_than_garch"} & set(cards)
    assert cards["leak_suspected"].number == "QLIKE gain 0.17 [0.14, 0.20]; log-HAR, the best simple one, 0.05"
    assert cards["leak_suspected"].threshold.startswith("2 times the best simple forecast's")
    assert "days still to come" in cards["leak_suspected"].explanation
    assert verdict(run, "volatility").startswith(
        "QLIKE gain 0.17 [0.14, 0.20]; log-HAR, the best simple forecast, 0.05: no"
    )


@pytest.mark.parametrize(
    ("value", "garch", "har"), [(0.17, 0.09, 0.0), (0.17, 0.02, 0.13), (0.054, 0.005, 0.0), (0.88, 0.74, 0.7)]
)
def test_a_gain_that_an_honest_column_may_bring_is_praised(value, garch, har):
    kinds = found(with_simple(value, garch, har))
    assert "volatility_skill" in kinds
    assert "leak_suspected" not in kinds


def test_where_nothing_moves_for_long_no_multiple_is_counted():
    run = with_simple(0.5, 0.03)
    run["target"][100:130] = 0.0
    assert "leak_suspected" not in found(run)


def test_sizes_beside_a_column_that_knows_them_are_not_praised():
    cards = found(told_ahead(with_simple(0.17, 0.12), of_size=True))
    assert "volatility_skill" not in cards
    assert "Model High (size +0.40)" in cards["column_ahead"].number


def test_a_simple_forecast_that_is_too_good_counts_as_the_network_does():
    run = scored(build(), -0.01, -0.03, 0.01)
    for end, value in (("", 0.4), ("_low", 0.3), ("_high", 0.5)):
        run[f"score{end}"].loc[{"model": "ridge", "metric": "r2"}] = value
    run["score"].loc[{"model": "ridge", "metric": "dm_p"}] = 0.001
    assert verdict(run, "return").startswith("R² +40 % by ridge: no honest forecast of daily returns does that.")
    [card] = [card for kind, card in found(run).items() if kind == "leak_suspected"]
    assert card.number == "R² +40 % by ridge"
    assert "Model High (+0.40)" in found(told_ahead(run))["leak_suspected"].explanation
    assert "column_ahead" not in found(run)
    # Slower data may be explained by more.
    run["days_ahead"][:] = 30.0
    assert "leak_suspected" in found(run)
    for end in ("", "_low", "_high"):
        run[f"score{end}"].loc[{"model": "ridge", "metric": "r2"}] = 0.15
    assert "leak_suspected" not in found(run)
