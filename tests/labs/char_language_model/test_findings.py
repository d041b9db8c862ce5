"""What is said of models of characters, on runs made by hand."""

import numpy as np
import pytest

from goldviz.labs.char_language_model.figures import FIGURES
from goldviz.labs.char_language_model.findings import findings_of
from goldviz.labs.char_language_model.measures import Reading
from goldviz.labs.char_language_model.settings import CharLanguageModel
from goldviz.runs.examples import example
from tests.labs.small_runs import small_run

HEALTHY = CharLanguageModel()


@pytest.fixture(scope="module")
def healthy():
    return example(CharLanguageModel, "as-in-the-document")


def kinds(settings, run):
    return [finding.kind for finding in findings_of(settings, run)]


def altered(run, **values):
    return run.assign({name: run[name].copy(data=np.full(run[name].shape, value)) for name, value in values.items()})


def test_a_healthy_run_is_praised_alone(healthy):
    assert kinds(HEALTHY, healthy) == ["beats_pairs"]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("saturated", {"saturation": 0.5}),
        ("dead_units", {"dead_units": 0.2}),
        ("learning_rate_too_small", {"update_to_data": 1e-6, "dev_loss": 2.6}),
        ("learning_rate_too_large", {"update_to_data": 0.5, "dev_loss": 2.6}),
        ("by_heart", {"train_loss": 1.0}),
        ("no_better_than_pairs", {"dev_loss": 2.6, "train_loss": 2.6}),
    ],
)
def test_each_trouble_is_named(healthy, kind, values):
    assert kind in kinds(HEALTHY, altered(healthy, **values))


def test_a_first_loss_far_above_ln_v_is_named_with_its_number(healthy):
    loss = healthy["loss"].copy(deep=True)
    loss[0] = 25.0
    [found] = [one for one in findings_of(HEALTHY, healthy.assign(loss=loss)) if one.kind == "first_loss"]
    assert found.number == "a first loss of 25.0 nat"
    assert found.changes == {}, "the output's weights are small already"
    [found] = [
        one
        for one in findings_of(HEALTHY.changed(output_gain=1.0), healthy.assign(loss=loss))
        if one.kind == "first_loss"
    ]
    assert found.changes == {"output_gain": 0.01}


def test_noisy_steps_ask_for_a_larger_batch(healthy):
    drawn = np.random.default_rng(0).normal(2.4, 0.8, healthy["loss"].shape).astype(np.float32)
    found = findings_of(HEALTHY.changed(batch=2), healthy.assign(loss=healthy["loss"].copy(data=drawn)))
    [noisy] = [one for one in found if one.kind == "batch_too_small"]
    assert noisy.changes == {"batch": 16}


def test_running_statistics_that_lag_are_named():
    settings = HEALTHY.changed(normalisation="batch", momentum=0.001)
    run = example(CharLanguageModel, "fix-it-batch-norm")
    stale = run.assign(batch_statistics_loss=run["dev_loss"] - 0.2)
    [found] = [one for one in findings_of(settings, stale) if one.kind == "stale_statistics"]
    assert found.number == "0.20 nat"
    assert found.changes == {"momentum": 0.1}
    assert "stale_statistics" not in kinds(settings, run)


def test_the_wrong_axis_is_seen_by_the_count_of_running_means():
    wrong = CharLanguageModel.preset("break-it-the-wrong-axis")
    assert "wrong_axis" in kinds(wrong, example(CharLanguageModel, "break-it-the-wrong-axis"))
    assert "wrong_axis" not in kinds(CharLanguageModel.preset("hierarchy"), example(CharLanguageModel, "hierarchy"))


def test_a_pair_without_a_count_makes_the_loss_infinite_and_one_fake_count_mends_it():
    settings = CharLanguageModel(model="bigram", smoothing=0.0, corpus="cities", items=60, steps=3, close_looks=2)
    run = small_run(settings)
    assert np.isposinf(run["dev_loss"].values[-1]).all()
    [found] = [one for one in findings_of(settings, run) if one.kind == "impossible_pair"]
    assert found.changes == {"smoothing": 1.0}
    mended = settings.changed(**found.changes)
    assert np.isfinite(small_run(mended)["dev_loss"].values).all()
    assert "impossible_pair" not in kinds(mended, small_run(mended))


def test_a_loss_that_is_a_little_lower_than_that_of_pairs_is_not_called_no_better(healthy):
    settings = CharLanguageModel.preset("break-it-twenty-layers-gain-1")
    [found] = findings_of(settings, example(CharLanguageModel, "break-it-twenty-layers-gain-1"))
    # On the same contexts; on all of the dev names pairs score 2.555.
    assert (found.kind, found.number) == ("no_better_than_pairs", "2.545 nat against 2.543")
    assert found.title == "The deep MLP guesses no better than counted pairs"
    [found] = findings_of(HEALTHY, altered(healthy, dev_loss=2.52, train_loss=2.52))
    assert found.title == "The MLP guesses hardly better than counted pairs"
    [worse] = findings_of(HEALTHY, altered(healthy, dev_loss=2.6, train_loss=2.6))
    assert worse.title == "The MLP guesses no better than counted pairs"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("difference", "names"),
    [
        ("lag", ("dev_loss", "batch_statistics_loss")),
        ("excess", ("loss", "uniform_loss")),
        ("over_letters", ("dev_loss", "unigram_dev_loss")),
    ],
)
def test_a_difference_of_losses_without_end_is_no_number_and_warns_of_nothing(difference, names):
    preset = "fix-it-batch-norm"
    run = altered(example(CharLanguageModel, preset), **dict.fromkeys(names, np.inf))
    reading = Reading.of(run, str(run["network"].values[0]), CharLanguageModel.preset(preset))
    assert np.isnan(getattr(reading, difference)).all()


def test_the_scatter_needs_three_losses_in_the_second_half(healthy):
    def scatter(steps):
        return Reading.of(healthy.isel(step=slice(steps)), str(healthy["network"].values[0]), HEALTHY).noise

    assert np.isnan(scatter(4)).all()
    assert np.isfinite(scatter(6)).all()


def test_a_bigram_s_own_table_is_drawn_below_the_counted_one_as_of_the_look_in_view():
    run = example(CharLanguageModel, "pairs-as-a-network")
    looks = run["close_look"].values
    for look in (looks[0], looks[-1]):
        counted, own = FIGURES["table"](run, epoch=int(look)).data
        held = run["table"].sel(close_look=look).isel(network=0).values
        np.testing.assert_allclose(10.0 ** np.array(own.z), held, rtol=1e-4, atol=2e-6)
        np.testing.assert_array_equal(counted.customdata, run["count"].values)
