import dataclasses

import numpy as np
import pandas as pd
import psutil
import pytest
import torch
import xarray as xr

import goldviz.api
from goldviz.api import RunFailedError
from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.market import Channel, Market, MarketError
from goldviz.data.markets.simulated import simulated_market
from goldviz.diagnostics.forecasts.scores import r2_out_of_sample
from goldviz.export.standalone import StandaloneRecord
from goldviz.labs.gold_forecast import train as gold_forecast
from goldviz.labs.gold_forecast.problem import forecast_problem
from goldviz.labs.gold_forecast.refit import Refit, gradients_by_input, gradients_by_state
from goldviz.labs.gold_forecast.settings import (
    HEADS,
    LEVELS,
    METRICS,
    NETWORKS,
    VOLATILITY_METRICS,
    GoldForecast,
)
from goldviz.labs.gold_forecast.train import train
from goldviz.models.baselines.mean_baselines import MEAN_FORECASTS
from goldviz.models.baselines.volatility_baselines import VOLATILITY_FORECASTS
from goldviz.runs.recorder import Command, Ended, Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks
from tests.refusals import refused
from tests.thinned import thinned

TINY = {
    "scheme": "rolling",
    "train_years": 1,
    "test_years": 0.5,
    "refits": 3,
    "window": 4,
    "hidden": 3,
    "epochs": 3,
    "batch": 64,
    "look_every": 2,
}


def run(**settings):
    return goldviz.api.run("gold-forecast", progress=False, **TINY | settings)


def declared(name, dataset):
    return {label: dataset.sizes[label] for label in GoldForecast.variables[name].dims}


@pytest.mark.parametrize(
    "settings",
    thinned(
        [
            {"network": "gru", "head": "gaussian", "seeds": (0, 3)},
            {"network": "mlp", "head": "student", "target": "volatility"},
            {"network": "rnn", "head": "quantiles", "inputs": "own"},
            {"network": "lstm", "head": "student", "target": "level"},
            {"network": "gru_gap", "head": "quantiles", "target": "volatility", "missing": "blocks"},
            {"network": "gru_decay", "head": "gaussian", "missing": "channel", "missing_share": 0.6, "dropout": 0.0},
        ],
        2,
    ),
    ids=lambda settings: settings["network"],
)
def test_every_declared_variable_is_recorded(settings):
    dataset = run(**settings)
    assert dataset.attrs["status"] == "finished"
    assert list(dataset.epoch) == [1, 2, 3]
    assert list(dataset.look) == [2, 3]
    assert dataset.sizes["fold"] == 3
    for name, variable in GoldForecast.variables.items():
        assert dataset[name].dims == variable.dims, name
        if name not in EXPECTED_NAN:
            assert np.isfinite(dataset[name]).all(), name
    assert dataset.input_gradient.max() > 0
    assert dataset.state_gradient_norm.isnull().all() == (settings["network"] == "mlp")
    assert (dataset["mean"] == 0).all() == (settings.get("target") == "volatility")
    assert (dataset["scale"] > 0).all()
    assert (dataset["quantile"].diff("level") >= 0).all()
    assert ((dataset.pit >= 0) & (dataset.pit <= 1)).all()
    # A hidden or silent channel has no gradient to show; the target always has.
    assert np.isfinite(dataset.input_gradient.isel(channel=0, lag=0)).all()


EXPECTED_NAN = {
    "score",
    "score_low",
    "score_high",
    "volatility_score",
    "volatility_score_low",
    "volatility_score_high",
    "state_gradient_norm",
    "input_gradient",
}


def test_labels_are_those_that_the_declaration_names():
    dataset = run(seeds=(0, 3))
    assert tuple(dataset.baseline.values) == tuple(MEAN_FORECASTS)
    assert tuple(dataset.volatility_baseline.values) == tuple(VOLATILITY_FORECASTS)
    assert tuple(dataset.model.values) == ("network", *MEAN_FORECASTS)
    assert tuple(dataset.volatility_model.values) == ("network", *VOLATILITY_FORECASTS)
    assert tuple(dataset.metric.values) == METRICS
    assert tuple(dataset.volatility_metric.values) == VOLATILITY_METRICS
    assert tuple(dataset.level.values) == LEVELS
    assert list(dataset.lag.values) == [0, 1, 2, 3]
    assert list(dataset.layer.values) == ["input", "recurrent", "head"]
    assert list(dataset.seed.values) == [0, 3]
    assert dataset.channel.values[0] == "gold"
    days = pd.DatetimeIndex(dataset.time.values)
    assert days.is_monotonic_increasing
    assert days.is_unique
    attributes = dataset.attrs
    assert attributes["data_source"] == "simulated"
    assert attributes["simulated"] == 1
    assert attributes["data_last"] == "2024-12-31"
    assert attributes["target_words"] == "Gold (simulated)"
    assert "simulated" in attributes["data_notes"]
    assert attributes["forecasts"] == dataset.sizes["time"]
    assert days[-1] == pd.Timestamp("2024-12-30")


def test_what_came_is_what_the_market_did():
    dataset, market = run(), simulated_market(0)
    prices = market.target.observed
    here = prices.index.get_indexer(pd.DatetimeIndex(dataset.time.values))
    np.testing.assert_allclose(dataset.price, prices.iloc[here], rtol=1e-6)
    came = np.log(prices.to_numpy()[here + 1] / prices.to_numpy()[here])
    np.testing.assert_allclose(dataset.target, came, atol=1e-8)
    days = (prices.index[here + 1] - prices.index[here]).days
    np.testing.assert_array_equal(dataset.days_ahead, days)


def altered_after(market: Market, day: pd.Timestamp, seed: int) -> Market:
    """The same dates; every value after ``day`` is another."""
    generator = np.random.default_rng(seed)

    def altered(channel: Channel) -> Channel:
        values = channel.values.copy()
        later = values.index > day
        values[later] = values[later] * np.exp(generator.normal(0.3, 0.5, later.sum()))
        return dataclasses.replace(channel, values=values)

    return dataclasses.replace(market, source="file", channels=tuple(altered(one) for one in market.channels))


@pytest.fixture
def markets(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    "settings",
    thinned(
        [
            {"network": "gru_decay", "target": "level", "head": "quantiles", "missing": "random"},
            {"network": "gru", "missing": "random"},
            {"network": "mlp", "target": "volatility", "head": "student"},
            {"network": "gru_gap", "inputs": "own"},
        ],
    ),
    ids=lambda settings: settings["network"],
)
def test_altering_all_that_comes_after_a_forecast_does_not_change_it(markets, settings):
    market = dataclasses.replace(simulated_market(0), source="file")
    whole = run(data=keep(market), **settings)
    days = whole.time.values
    for seed, place in enumerate((2, len(days) // 2, len(days) - 2)):
        other = run(data=keep(altered_after(market, pd.Timestamp(days[place]), seed)), **settings)
        for name in ("mean", "scale", "baseline_mean", "baseline_scale", "price"):
            before, after = (ds[name].sel(time=days[: place + 1]) for ds in (whole, other))
            before, after = (one.isel(look=-1) if "look" in one.dims else one for one in (before, after))
            np.testing.assert_array_equal(after, before, err_msg=f"{name}, altered after {days[place]}")
        assert (whole.target.values[: place - 1] == other.target.values[: place - 1]).all()
        assert (whole.target.values[place + 1 :] != other.target.values[place + 1 :]).any()


@pytest.mark.slow
def test_the_leak_is_seen():
    leaking = {"network": "mlp", "window": 2, "hidden": 16, "train_years": 6, "epochs": 12, "learning_rate": 3e-3}
    r2 = {by: run(**leaking, alignment=by).score.sel(model="network", metric="r2") for by in ("date", "release")}
    assert r2["date"] > 0.4
    assert r2["release"] < 0.05


@pytest.mark.parametrize("target", thinned(["return", "level"]))
def test_on_shuffled_targets_no_skill_is_left(target):
    dataset = run(shuffle_targets=True, target=target, alignment="date", train_years=4, test_years=4, epochs=5)
    r2 = dataset.score.sel(metric="r2")
    # A thousand forecasts: R2 of forecasts without skill is near 0 from below, rarely above a third of a percent.
    assert (r2 < 0.004).all()
    came = run(target=target, train_years=4, test_years=4, epochs=1).target
    assert not np.array_equal(came, dataset.target)
    if target == "return":
        assert abs(float(came.mean() - dataset.target.mean())) < 0.001


def test_shuffling_deals_out_every_answer():
    was, now = (forecast_problem(GoldForecast(**TINY, shuffle_targets=dealt)).answers.values for dealt in (False, True))
    np.testing.assert_array_equal(np.sort(was), np.sort(now))
    assert not np.array_equal(was, now)


def test_levels_are_forecast_from_the_last_price():
    dataset = run(target="level", test_years=2)
    scores = dataset.score.sel(model="network")
    assert scores.sel(metric="r2_mean") > 0.9
    assert abs(scores.sel(metric="r2")) < 0.05
    np.testing.assert_array_equal(dataset.baseline_mean.sel(baseline="zero"), dataset.price)


def test_scores_are_those_of_the_forecasts():
    dataset = run(seeds=(0, 3))
    truth, mean = (dataset[name].astype(float).values for name in ("target", "mean"))
    ours = r2_out_of_sample(truth, mean[-1].mean(1))
    assert float(dataset.score.sel(model="network", metric="r2")) == pytest.approx(ours, abs=1e-4)
    by_seed = [r2_out_of_sample(truth, one) for one in mean[-1].T]
    np.testing.assert_allclose(dataset.seed_r2, by_seed, atol=1e-4)


def test_a_refit_is_the_same_alone_and_in_company():
    company = run(test_years=1.2)
    here = company.block.values == 2
    years = (pd.Timestamp(company.time.values[-1]) - pd.Timestamp(company.time.values[~here][-1])).days / 365.25
    alone = run(refits=1, test_years=years)
    assert list(alone.time.values) == list(company.time.values[here])
    np.testing.assert_array_equal(alone.loss.isel(fold=0), company.loss.isel(fold=2))
    np.testing.assert_array_equal(alone["mean"], company["mean"].isel(time=here))


class Keeping(Memory):
    """A sink that keeps the states as well."""

    def checkpoint(self, step, state):
        self.finals.setdefault("states", {})[step] = state


@pytest.mark.slow
def test_a_paused_run_that_is_shared_among_processes_goes_on_bit_for_bit(monkeypatch):
    monkeypatch.setattr(gold_forecast, "LEAST_SHARED_SECONDS", 0.0)
    settings = GoldForecast(**TINY, seeds=(0, 1))
    whole, first, second = Keeping(), Keeping(), Keeping()
    train(settings, Recorder(settings, whole, NobodyAsks()))
    with pytest.raises(Ended):
        train(settings, Recorder(settings, first, NobodyAsks(), budget=2, processes=2))
    restored = first.finals["states"][2]
    train(settings, Recorder(settings, second, NobodyAsks(), start_step=2, restored=restored, processes=2))
    assert second.finals.pop("states")[3] == whole.finals.pop("states")[3]
    for name, values in second.records.values.items():
        np.testing.assert_array_equal(values, whole.records.values[name][-len(values) :], err_msg=name)
    for name, values in second.finals.items():
        np.testing.assert_array_equal(values, whole.finals[name], err_msg=name)
    assert second.facts == whole.facts


@pytest.mark.slow
def test_the_number_of_processes_changes_no_number(monkeypatch):
    monkeypatch.setattr(gold_forecast, "LEAST_SHARED_SECONDS", 0.0)
    found = {}
    for processes in ("1", "3"):
        monkeypatch.setenv("GOLDVIZ_REFIT_PROCESSES", processes)
        found[processes] = run(seeds=(0, 1), head="student")
    xr.testing.assert_identical(found["3"].drop_attrs(deep=False), found["1"].drop_attrs(deep=False))


class Killer:
    """A control channel that kills whoever shares the run's work, once."""

    def __init__(self):
        self.killed = []

    def commands(self) -> list[Command]:
        for child in psutil.Process().children():
            if not self.killed and "goldviz.labs.gold_forecast.pool_process" in child.cmdline():
                child.kill()
                self.killed.append(child.pid)
        return []


@pytest.mark.slow
def test_a_run_that_loses_a_process_fails_in_a_sentence_and_keeps_what_it_has(monkeypatch, tmp_path):
    monkeypatch.setattr(gold_forecast, "LEAST_SHARED_SECONDS", 0.0)
    monkeypatch.setenv("GOLDVIZ_REFIT_PROCESSES", "2")
    monkeypatch.setenv("GOLDVIZ_DATABASE_URL", f"sqlite:///{tmp_path / 'runs.db'}")
    killer = Killer()
    with pytest.raises(
        RunFailedError, match=r"^A process that trained . of this run's networks died \(exit status -9\)"
    ):
        goldviz.api.carried_out(GoldForecast(**TINY), progress=False, keep=True, channel=killer)
    assert len(killer.killed) == 1


@pytest.mark.slow
def test_hot_settings_hold_from_the_next_epoch_on():
    settings = GoldForecast(**TINY | {"clip": 0.0, "optimiser": "sgd"})
    losses = {}
    for name, changes in {"as it is": {}, "rate": {"learning_rate": 0.1}, "clip": {"clip": 1e-9}}.items():
        record = StandaloneRecord(settings, {2: changes})
        train(settings, record)
        losses[name] = record.curves["loss"]["values"]
    for name in ("rate", "clip"):
        assert losses[name][:2] == losses["as it is"][:2]
        assert losses[name][2] != losses["as it is"][2]


def test_a_batch_larger_than_the_training_window_is_all_of_it():
    one, other = (run(batch=batch, train_years=6, epochs=2) for batch in (1600, 2048))
    np.testing.assert_array_equal(one.loss, other.loss)
    # With one step an epoch and no dropout the first loss is that of the start, over every training window.
    settings = GoldForecast(**TINY | {"train_years": 6, "dropout": 0.0, "batch": 2048})
    task = gold_forecast.refit_tasks(settings, forecast_problem(settings), torch.device("cpu"))[0]
    made = Refit(task)
    with torch.no_grad():
        windows, answers = made._at(task.fold.train)
        expected = made.network.head.losses(made.network(windows), answers).mean().item()
    assert len(task.fold.train) > 1024
    assert made.epoch(1e-3, 1.0)[0]["loss"] == pytest.approx(expected, rel=1e-6)


def test_the_best_weights_make_the_forecasts():
    dataset = run(epochs=12, learning_rate=0.05, look_every=1, refits=1, dropout=0.0)
    best = dataset.validation_loss.argmin("epoch").squeeze() + 1
    assert 0 < int(best) < 12
    assert dataset.best_epoch.isel(epoch=-1).squeeze() == best
    at_best = dataset["mean"].sel(look=int(best))
    np.testing.assert_array_equal(dataset["mean"].isel(look=-1), at_best)
    running = dataset.validation_loss.squeeze().to_series().expanding().min()
    expected = [int(dataset.validation_loss.squeeze().to_series()[:n].idxmin()) for n in range(1, 13)]
    assert dataset.best_epoch.squeeze().astype(int).values.tolist() == expected
    assert running.is_monotonic_decreasing


def test_a_run_that_diverges_keeps_what_it_recorded_and_says_where():
    dataset = run(optimiser="sgd", learning_rate=1.0, clip=0.0, network="mlp", epochs=6, seeds=(0, 1))
    assert dataset.attrs["status"] == "diverged"
    assert dataset.attrs["message"].startswith("Training loss of each refit was no longer finite at epoch ")
    assert dataset.sizes["time"] > 50


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"data": "0123456789abcdef"}, "This machine does not hold the market 0123456789abcdef: "),
        ({"train_years": 40}, "Training on 40 years and testing on 0.5 need "),
    ],
)
def test_data_that_cannot_be_used_are_refused_in_a_sentence(markets, settings, sentence):
    with pytest.raises(MarketError) as error:
        run(**settings)
    assert str(error.value).startswith(sentence)


def test_a_target_that_does_not_move_is_refused(markets):
    days = pd.bdate_range("2015-01-01", "2020-12-31")
    flat = Channel("gold", "Gold", pd.Series(1000.0, days), "log_return")
    window = "from 2019-07-02 to 2020-04-21, the training window of refit 1"
    with refused(MarketError, "constant", f"Gold does not move {window}"):
        run(data=keep(Market((flat,), "file", "made by hand", pd.Timestamp("2021-01-01", tz="UTC"))))


def watched_refit(**settings):
    """The last refit of a run, in float64, with the windows and answers of its look."""
    chosen = GoldForecast(**TINY | settings)
    problem = forecast_problem(chosen)
    made = Refit(gold_forecast.refit_tasks(chosen, problem, torch.device("cpu"))[-1])
    windows, answers = made._at(made.task.fold.train[-20:])
    return made.network.double(), dataclasses.replace(windows, table=windows.table.double()), answers.double()


@pytest.mark.parametrize("network", [network for network in NETWORKS if network != "mlp"])
def test_gradients_by_state_are_those_of_each_windows_own_loss(network):
    # A Transformer's two heads have pairs of sines and cosines.
    forecaster, windows, answers = watched_refit(network=network, hidden=4 if network == "transformer" else 3)
    states = forecaster.reader.chain(windows)
    for state in states:
        state.retain_grad()
    forecaster.head.losses(forecaster.head(states[-1]), answers).mean().backward()
    expected = [20 * torch.linalg.vector_norm(state.grad, dim=1).mean().item() for state in reversed(states)]
    np.testing.assert_allclose(gradients_by_state(forecaster, windows, answers), expected, rtol=1e-10)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("target", ["return", "volatility"])
def test_gradients_by_input_are_finite_differences(target, head):
    forecaster, windows, _ = watched_refit(target=target, head=head, network="gru")
    forecaster.head.W.data *= 10
    found = gradients_by_input(forecaster, windows)

    def said(table):
        with torch.no_grad():
            parameters = forecaster(dataclasses.replace(windows, table=table))
            of = forecaster.head.standard_deviation if target == "volatility" else forecaster.head.mean
            return of(parameters)

    step = 1e-5
    for lag, channel in ((0, 0), (1, 1), (3, 2)):
        row = windows.table.shape[0] - 1 - lag
        moved = [windows.table.clone(), windows.table.clone()]
        for table, sign in zip(moved, (1, -1), strict=True):
            table[row, :, channel] += sign * step
        slopes = ((said(moved[0]) - said(moved[1])) / (2 * step)).abs()
        expected = slopes[windows.mask[row, :, channel]].mean()
        assert found[lag, channel] == pytest.approx(float(expected), rel=1e-4)
