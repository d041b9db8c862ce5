import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

import goldviz.api
from goldviz.export.standalone import StandaloneRecord
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.labs.depth_gradients.train import batches, problem, train, trainee

SMALL = {"depth": 3, "width": 8, "samples": 60, "features": 4, "epochs": 4, "histogram_every": 2}
AWKWARD = SMALL | {"batch": 16, "normalisation": "batch", "clip": 0.5, "read_out": "untied", "optimiser": "adamw"}


def run(**settings):
    return goldviz.api.run("depth-gradients", progress=False, **settings)


def first_hidden_and_last(dataset, network):
    """Mean gradient norms over the epochs, without the input matrix and an untied read-out."""
    means = dataset.gradient_norm.sel(network=network).mean(["epoch", "seed"]).values
    return means[1], means[15]


GELU = SMALL | {"normalisation": "layer", "activation": "gelu"}


@pytest.mark.parametrize("changes", [SMALL, AWKWARD, GELU])
def test_every_declared_variable_is_recorded(changes):
    dataset = run(**changes | {"shallower": 1, "headroom": True}, seeds=(0, 3))
    assert dataset.attrs["status"] == "finished"
    for name, variable in DepthGradients.variables.items():
        assert dataset[name].dims == variable.dims, name
        if name not in ("decay_rate", "headroom"):
            assert np.isfinite(dataset[name]).all(), name
    assert dataset.decay_rate.isel(layer=-1).isnull().all()
    assert list(dataset.epoch) == [1, 2, 3, 4]
    assert list(dataset.histogram_epoch) == [1, 2, 4]
    for name in ("activation_histogram", "gradient_histogram", "weight_gradient_histogram"):
        np.testing.assert_allclose(dataset[name].sum(dataset[name].dims[-1]), 1, atol=1e-5)


def test_probing_the_rate_changes_nothing_else():
    """With dropout, noise, batch norm and mini-batches: weights, buffers and random streams go on as they were."""
    bare, probed = (run(**AWKWARD | {"headroom": probes}) for probes in (False, True))
    assert set(probed.data_vars) - set(bare.data_vars) == {"headroom"}
    for name in bare.data_vars:
        np.testing.assert_array_equal(bare[name], probed[name], err_msg=name)
    assert (probed.headroom.fillna(0) >= 0).all()


def test_without_histograms_only_those_are_missing():
    dataset = run(**SMALL | {"histogram_every": 0})
    missing = {name for name in DepthGradients.variables if name not in dataset}
    seldom = {name for name, v in DepthGradients.variables.items() if v.dims[0] == "histogram_epoch"}
    assert missing == seldom | {"loss_by_depth"}


def test_the_document_s_experiment_gives_the_document_s_figures():
    dataset = run(read_out="untied")
    first, last = first_hidden_and_last(dataset, "plain")
    assert 5e-7 < first < 2e-5
    assert 2e-3 < last < 5e-2
    assert 500 < last / first < 30_000
    assert max(first_hidden_and_last(dataset, "residual")) / min(first_hidden_and_last(dataset, "residual")) < 10
    plain, residual = dataset.test_loss.sel(seed=0)
    assert 0.5 < residual < 0.75 < plain < 1
    assert plain == pytest.approx(dataset.zero_loss.item(), rel=0.05)
    assert list(dataset.parameter_count) == [39_310, 39_310]


def test_the_tied_network_has_the_document_s_number_of_parameters():
    assert list(run(epochs=1).parameter_count) == [38_810, 38_810]


def test_it_trains_as_a_bare_loop_does():
    settings = DepthGradients(**SMALL, read_out="untied", dropout=0.0, noise=0.0, learning_rate=0.01)
    dataset = goldviz.api.run(settings, progress=False)
    data = problem(settings, 0, torch.device("cpu"))
    for residual, name in enumerate(["plain", "residual"]):
        layers = [nn.Linear(a, b) for a, b in [(4, 8), (8, 8), (8, 8), (8, 8), (8, 4)]]
        for index, layer in zip([100, 101, 102, 103, 99], layers, strict=True):
            bound = layer.in_features**-0.5
            generator = torch.Generator().manual_seed(index)
            nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
            nn.init.uniform_(layer.bias, -bound, bound, generator=generator)

        def predicted(x, layers=layers, residual=residual):
            h = nn.functional.leaky_relu(layers[0](x), 0.3)
            for layer in layers[1:-1]:
                h = residual * h + nn.functional.leaky_relu(layer(h), 0.3)
            return layers[-1](h)

        optimiser = torch.optim.Adam([p for layer in layers for p in layer.parameters()], lr=0.01)
        seen = dataset.sel(network=name, seed=0)
        for epoch in range(1, 5):
            optimiser.zero_grad()
            loss = nn.functional.mse_loss(predicted(data.x), data.y)
            loss.backward()
            before = [layer.weight.detach().clone() for layer in layers]
            optimiser.step()
            now = seen.sel(epoch=epoch)
            steps = [(layer.weight.detach() - b).std() / b.std() for layer, b in zip(layers, before, strict=True)]
            norms = [layer.weight.grad.norm().item() for layer in layers]
            assert now.loss.item() == pytest.approx(loss.item(), rel=1e-4)
            np.testing.assert_allclose(now.gradient_norm, norms, rtol=2e-3)
            np.testing.assert_allclose(now.decay_rate[:-1], np.diff(np.log(norms)), atol=4e-3)
            np.testing.assert_allclose(now.update_to_data, torch.stack(steps), rtol=2e-3)
            np.testing.assert_allclose(now.weight_norm, [layer.weight.norm().item() for layer in layers], rtol=1e-4)
        test_loss = nn.functional.mse_loss(predicted(data.test_x), data.test_y).item()
        assert seen.test_loss.item() == pytest.approx(test_loss, rel=1e-3)


def test_the_loss_on_unseen_samples_is_recorded_at_every_epoch_and_changes_no_other_number():
    settings = DepthGradients(**AWKWARD, seeds=(0, 3))
    dataset = goldviz.api.run(settings, progress=False)
    np.testing.assert_allclose(dataset.evaluation_loss.isel(epoch=-1), dataset.test_loss, rtol=1e-6)
    shorter = goldviz.api.run(settings.changed(epochs=2), progress=False)
    np.testing.assert_array_equal(shorter.test_loss, dataset.evaluation_loss.sel(epoch=2))
    np.testing.assert_array_equal(shorter.loss, dataset.loss[:2])


def test_what_answering_zero_scores_is_known_from_the_start():
    diverged = run(**SMALL, gain=10.0, optimiser="sgd", learning_rate=10.0)
    assert diverged.attrs["status"] == "diverged"
    assert np.isfinite(diverged.zero_loss).all()


def test_pairs_that_are_trained_beside_are_those_of_runs_of_their_own():
    beside = run(**SMALL, shallower=2, seeds=(0, 3))
    alone = run(**SMALL | {"depth": 1}, seeds=(0, 3))
    assert list(beside.trained_depth) == [1, 3]
    np.testing.assert_array_equal(beside.loss_by_depth.sel(trained_depth=1), alone.loss)
    np.testing.assert_array_equal(beside.loss_by_depth.sel(trained_depth=3), beside.loss)
    np.testing.assert_array_equal(beside.loss, run(**SMALL, seeds=(0, 3)).loss)


def test_hot_settings_hold_from_the_next_epoch_on():
    settings = DepthGradients(**SMALL)
    curves = {}
    for name, changes in {"as it is": {}, "rate": {"learning_rate": 0.5}, "clip": {"clip": 1e-3}}.items():
        record = StandaloneRecord(settings, {2: changes})
        train(settings, record)
        curves[name] = record.curves
    for name in ("rate", "clip"):
        assert curves[name]["loss"]["values"][:3] == curves["as it is"]["loss"]["values"][:3]
    assert curves["rate"]["loss"]["values"][3] != curves["as it is"]["loss"]["values"][3]
    assert curves["clip"]["clipped"]["values"] == [[[0], [0]], [[0], [0]], [[1], [1]], [[1], [1]]]


@given(st.integers(16, 200), st.integers(0, 220), st.integers(0, 5))
def test_batches_hold_every_sample_once_and_never_one_alone(samples, size, seed):
    chosen = batches(samples, size, torch.Generator().manual_seed(seed))
    rows = torch.cat([torch.arange(samples)[batch] for batch in chosen])
    assert sorted(rows.tolist()) == list(range(samples))
    if size not in (0, 1) and size < samples:
        lengths = [len(batch) for batch in chosen]
        assert min(lengths) > 1
        assert max(lengths) <= size + 1


def test_both_networks_of_a_seed_own_the_same_streams():
    settings = DepthGradients(**SMALL)
    data = problem(settings, 5, torch.device("cpu"))
    pair = [trainee(settings, network, 5, data) for network in ("plain", "residual")]
    assert [(one.order.initial_seed(), one.disturbance.initial_seed()) for one in pair] == [(5002, 5003)] * 2
    assert pair[0].order is not pair[1].order
    for own, other in zip(pair[0].network.parameters(), pair[1].network.parameters(), strict=True):
        assert torch.equal(own, other)
