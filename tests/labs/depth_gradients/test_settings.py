"""What the presets claim is so in their recorded runs, whose first steps the contract repeats."""

import numpy as np
import pytest

from goldviz.declare.settings import SettingsError
from goldviz.labs.depth_gradients.settings import DepthGradients
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


def test_a_large_gain_makes_the_gradient_grow_downwards_until_the_loss_is_lost():
    dataset = run("break-it-exploding")
    assert dataset.attrs["status"] == "diverged"
    assert dataset.sizes["epoch"] < 5
    signal = dataset.hidden_gradient_norm.isel(epoch=0, seed=0)
    assert (signal.isel(hidden=0) > 10 * signal.isel(hidden=-1)).all()
    assert (dataset.loss.isel(epoch=0) > 1000).all()


def test_clipping_lets_the_exploding_plain_network_learn():
    dataset = run("fix-it-clip")
    assert dataset.attrs["status"] == "finished"
    assert (dataset.clipped.isel(epoch=0) == 1).all()
    assert (dataset.loss.isel(epoch=-1) < 1e-3 * dataset.loss.isel(epoch=0)).all()
    assert dataset.test_loss.sel(network="plain").item() < 0.9 * dataset.zero_loss.item()


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
    assert (dataset.test_loss < 0.7 * dataset.zero_loss).all()


def test_batch_norm_refuses_batches_of_one_sample():
    with pytest.raises(
        SettingsError, match=r"Batch is 1; with batch norm, which needs a spread, 0 or at least 2 is allowed."
    ):
        DepthGradients.checked({"batch": 1, "normalisation": "batch"})
