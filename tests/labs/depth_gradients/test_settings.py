"""What the presets claim is so in their recorded runs, whose first steps the contract repeats."""

import numpy as np
import pytest
import torch

import goldviz
from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.settings import SettingsError
from goldviz.labs.depth_gradients.findings import BRANCH
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.labs.depth_gradients.train import problem, trainee
from goldviz.runs.examples import example


def run(slug):
    return example(DepthGradients, slug)


def hidden_layers(dataset, network):
    """Mean gradient norm of each hidden layer's weights over the epochs."""
    return dataset.gradient_norm.sel(network=network, layer=slice(1, None)).mean(["epoch", "seed"]).values


def test_sigmoids_make_the_gradient_vanish_in_the_plain_network_alone():
    dataset = run("break-it-sigmoid")
    plain, residual = hidden_layers(dataset, "plain"), hidden_layers(dataset, "residual")
    assert 0 < plain[0] < 1e-15 * plain[-1]
    assert residual.max() / residual.min() < 100


def test_a_sigmoid_layer_hands_back_a_sixth_of_the_error_and_never_more_than_its_weights_allow():
    dataset = run("break-it-sigmoid")
    errors = dataset.hidden_gradient_norm.sel(network="plain").astype(float)
    per_block = (errors.isel(hidden=0) / errors.isel(hidden=-1)) ** (1 / 30)
    np.testing.assert_allclose(per_block, 0.17, atol=0.01)
    settings = DepthGradients.preset("break-it-sigmoid")
    largest = []
    for seed in range(10):
        network = trainee(settings, "plain", seed, problem(settings, seed, torch.device("cpu"))).network
        largest.append(torch.linalg.matrix_norm(network.block_weight.detach(), 2).max().item() / 4)
    assert max(largest) == pytest.approx(0.31, abs=0.005)
    assert min(largest) > 0.25, "the slope alone is no bound of a layer"


def test_a_deeper_plain_network_trains_worse_though_its_gradient_is_kept():
    dataset = run("32-layers-the-residual-network-learns")
    layers = hidden_layers(dataset, "plain")
    assert layers.max() / layers.min() < 10
    loss = dataset.loss_by_depth.isel(epoch=-1, seed=0)
    assert list(loss.trained_depth) == [2, 4, 8, 16, 32]
    plain, residual = (loss.sel(network=network).values for network in ("plain", "residual"))
    assert 2.4 < plain[-1] / plain[:-1].min() < 5.3
    assert residual[-1] / residual[:-1].min() < 1.4
    np.testing.assert_array_equal(loss.sel(trained_depth=32), dataset.loss.isel(epoch=-1, seed=0))


def test_a_large_gain_makes_the_gradient_grow_downwards_until_the_loss_is_lost():
    dataset = run("break-it-exploding")
    assert dataset.attrs["status"] == "diverged"
    assert dataset.sizes["epoch"] < 5
    signal = dataset.hidden_gradient_norm.isel(epoch=0, seed=0)
    assert (signal.isel(hidden=0) > 10 * signal.isel(hidden=-1)).all()
    assert (signal.diff("hidden") < 0).all(), "each layer enlarges the error on its way back"
    assert (dataset.loss.isel(epoch=0) > 1000).all()


def test_clipping_lets_the_exploding_plain_network_learn_and_not_the_residual_one():
    dataset = run("fix-it-clip")
    assert dataset.attrs["status"] == "finished"
    assert (dataset.clipped.isel(epoch=0) == 1).all()
    assert (dataset.loss.isel(epoch=-1) < 1e-3 * dataset.loss.isel(epoch=0)).all()
    assert dataset.test_loss.sel(network="plain").item() < 0.9 * dataset.zero_loss.item()
    assert dataset.test_loss.sel(network="residual").item() > 200 * dataset.zero_loss.item()


def test_long_steps_drive_the_plain_network_s_loss_up():
    loss = run("break-it-learning-rate-30").loss.isel(seed=0)
    plain = loss.sel(network="plain")
    # Where in its swings such a training ends differs by processor; that they grow does not.
    assert plain.max() > 100 * plain.isel(epoch=0)
    assert (loss.sel(network="residual").isel(epoch=-1) < 0.1).all()


def test_zero_weights_never_move():
    dataset = run("break-it-zero-weights")
    assert (dataset.gradient_norm == 0).all()
    assert (dataset.weight_norm == 0).all()
    np.testing.assert_allclose(dataset.test_loss.sel(seed=0), dataset.zero_loss.item(), rtol=0.01)


@pytest.mark.parametrize("slug", ["fix-it-orthogonal", "fix-it-normalise"])
def test_the_fixes_keep_the_gradient_within_a_decade_and_beat_zero(slug):
    dataset = run(slug)
    for network in ("plain", "residual"):
        layers = hidden_layers(dataset, network)
        assert layers.max() / layers.min() < 10
        if (slug, network) == ("fix-it-normalise", "plain"):
            assert max(layers[0] / layers[-1], layers[-1] / layers[0]) < 4 / 3
    assert (dataset.test_loss < 0.7 * dataset.zero_loss).all()


@pytest.mark.parametrize("preset", DepthGradients.presets, ids=lambda preset: preset.slug)
def test_a_preset_in_which_the_residual_network_loses_says_so(preset):
    dataset = run(preset.slug)
    if "test_loss" not in dataset:
        return
    plain, residual = (dataset.test_loss.sel(network=name).item() for name in ("plain", "residual"))
    told = any(word in preset.words for word in ("still loses", "worse than zero"))
    assert told == (residual > 1.01 * plain)


def test_batch_norm_refuses_batches_of_one_sample():
    with pytest.raises(
        SettingsError, match=r"Batch is 1; with batch norm, which needs a spread, 0 or at least 2 is allowed."
    ):
        DepthGradients.checked({"batch": 1, "normalisation": "batch"})


def test_small_batches_take_longer_for_each_has_a_step_of_its_own():
    seconds = [DepthGradients(batch=batch).estimated_seconds() for batch in (0, 64, 8, 1)]
    assert seconds == sorted(seconds)
    assert seconds[-1] > 2 * seconds[0] > 0


def test_above_twenty_layers_the_page_says_that_branches_want_a_scale() -> None:
    lab = laboratory_of(DepthGradients())
    deep = DepthGradients(depth=30)
    assert not lab.doubts(DepthGradients())
    [sentence] = lab.doubts(deep)
    assert "30" in sentence
    assert not lab.doubts(deep.changed(residual_scale=BRANCH))
    words, cure = lab.beside(deep)["depth"]
    assert "20 layers" in words
    assert not lab.beside(deep.changed(**cure))
    assert not lab.beside(DepthGradients())
    assert not lab.beside(deep.changed(residual_scale=BRANCH))


@pytest.mark.slow
def test_what_it_says_of_thirty_layers_holds_on_five_seeds() -> None:
    deep = {"depth": 30, "seeds": tuple(range(5)), "histogram_every": 0}
    as_it_arrives, scaled = (
        goldviz.run("depth-gradients", progress=False, **deep, **more)["test_loss"]
        for more in ({}, {"residual_scale": BRANCH})
    )
    assert (as_it_arrives.sel(network="residual") > 5 * as_it_arrives.sel(network="plain")).all()
    assert (scaled.sel(network="residual") < 0.2 * scaled.sel(network="plain")).all()


def test_links_of_the_old_name_open_the_preset_of_thirty_two_layers() -> None:
    assert DepthGradients.preset("break-it-deeper-is-worse") == DepthGradients.preset(
        "32-layers-the-residual-network-learns"
    )
