import math

import pytest
import torch
from torch import nn
from torch.nn.functional import leaky_relu

from goldviz.labs.depth_gradients.networks import DeepMLP
from goldviz.models.feedforward.initialisations import INITIALISATIONS
from goldviz.models.feedforward.normalisations import NORMALISATIONS


def weights(layer):
    return torch.Generator().manual_seed(100 + layer)


def network(kind="plain", **changes):
    settings = {"features": 10, "width": 50, "depth": 15, "weights": weights} | changes
    return DeepMLP(network=kind, **settings)


def samples(n=7, features=10):
    return torch.randn(n, features, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(("read_out", "count"), [("tied", 38_810), ("untied", 39_310)])
@pytest.mark.parametrize("kind", ["plain", "residual"])
def test_parameter_counts_are_those_of_the_document(kind, read_out, count):
    assert sum(p.numel() for p in network(kind, read_out=read_out).parameters()) == count


@pytest.mark.parametrize("read_out", ["tied", "untied"])
@pytest.mark.parametrize("kind", ["plain", "residual"])
def test_it_computes_what_the_equations_say(kind, read_out):
    model = network(kind, depth=3, read_out=read_out, residual_scale=0.5).double().eval()
    x = samples().double()
    h = leaky_relu(x @ model.input_weight.T + model.input_bias, 0.3)
    states = [h]
    for l in range(3):
        f = leaky_relu(h @ model.block_weight[l].T + model.block_bias[l], 0.3)
        h = f if kind == "plain" else h + 0.5 * f
        states.append(h)
    last = model.input_weight if read_out == "tied" else model.read_out_weight.T
    done = model(x)
    torch.testing.assert_close(done.output, h @ last + model.output_bias, rtol=1e-12, atol=0)
    for found, expected in zip(done.hidden, states, strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)
    torch.testing.assert_close(model.block(2, done.hidden[1]), done.hidden[2], rtol=1e-12, atol=0)


def test_plain_and_residual_start_equal_and_a_deeper_network_shares_its_first_layers():
    short, long = network("plain", depth=4, read_out="untied"), network("residual", depth=9, read_out="untied")
    assert torch.equal(short.block_weight, long.block_weight[:4])
    assert torch.equal(short.block_bias, long.block_bias[:4])
    for name in ("input_weight", "input_bias", "read_out_weight", "output_bias"):
        assert torch.equal(getattr(short, name), getattr(long, name))


def test_default_initialisation_has_the_range_and_spread_of_torch():
    ours, theirs = network(width=200, read_out="untied"), nn.Linear(200, 200)
    for own, other in [(ours.block_weight[0], theirs.weight), (ours.block_bias.flatten(), theirs.bias)]:
        assert own.abs().max() <= 1 / math.sqrt(200)
        assert own.abs().max() > 0.98 / math.sqrt(200)
        assert own.std().item() == pytest.approx(other.std().item(), rel=0.1)


SPREADS = {
    "default": 1 / math.sqrt(3 * 200),
    "xavier": 1 / math.sqrt(200),
    "kaiming": math.sqrt(2 / (1 + 0.3**2) / 200),
    "orthogonal": 1 / math.sqrt(200),
    "zero": 0.0,
}


@pytest.mark.parametrize("initialisation", INITIALISATIONS)
def test_initialisations_have_their_spread_times_the_gain(initialisation):
    model = network(width=200, depth=1, initialisation=initialisation, gain=1.5)
    assert model.block_weight.std().item() == pytest.approx(1.5 * SPREADS[initialisation], rel=0.02)
    assert (initialisation == "default") == bool(model.block_bias.any())


def test_orthogonal_matrices_are_orthogonal_up_to_the_gain():
    weight = network(initialisation="orthogonal", gain=2.0).block_weight[3].double()
    torch.testing.assert_close(weight @ weight.T, 4 * torch.eye(50).double(), atol=1e-5, rtol=0)


def test_tied_read_out_gets_gradients_from_both_of_its_places():
    model = network(depth=1).double().eval()
    x = samples().double()
    h = model(x).hidden[-1].detach()
    model(x).output.sum().backward()
    from_read_out = h.sum(0)[:, None].expand(-1, 10)
    (through_input,) = torch.autograd.grad(
        (model(x).hidden[-1] @ model.input_weight.detach()).sum(), model.input_weight
    )
    torch.testing.assert_close(model.input_weight.grad, from_read_out + through_input, rtol=1e-10, atol=1e-12)


def test_plain_and_residual_meet_the_same_dropout_and_noise():
    # With zero weights and biases F is noise alone, so the plain states are the increments of the residual ones.
    states = [
        network(kind, initialisation="zero", dropout=0.3, noise=0.1)(samples(), weights(7)).hidden
        for kind in ("plain", "residual")
    ]
    increments = torch.stack(states[1]).diff(dim=0)
    torch.testing.assert_close(increments, torch.stack(states[0][1:]), atol=1e-6, rtol=0)
    assert increments.std().item() == pytest.approx(0.1, rel=0.05)


def test_dropout_is_inverted_and_spares_h_0():
    model = network(depth=1, width=400, dropout=0.25).train()
    x = samples(200)
    quiet = model.eval()(x)
    loud = model.train()(x, weights(3))
    assert torch.equal(loud.hidden[0], quiet.hidden[0])
    ratio = loud.hidden[1] / quiet.hidden[1]
    kept = ratio != 0
    assert kept.float().mean().item() == pytest.approx(0.75, abs=0.01)
    torch.testing.assert_close(ratio[kept], torch.full_like(ratio[kept], 1 / 0.75))


def test_evaluation_is_quiet_and_training_repeats_with_its_generator():
    model = network(dropout=0.5, noise=0.3)
    assert torch.equal(model.eval()(samples()).output, model(samples()).output)
    model.train()
    assert torch.equal(model(samples(), weights(1)).output, model(samples(), weights(1)).output)
    assert not torch.equal(model(samples(), weights(1)).output, model(samples(), weights(2)).output)


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
@pytest.mark.parametrize("read_out", ["tied", "untied"])
@pytest.mark.parametrize("kind", ["plain", "residual"])
def test_the_output_alone_is_that_of_the_whole_pass(kind, read_out, normalisation):
    model = network(kind, read_out=read_out, normalisation=normalisation, residual_scale=0.2).eval()
    x = samples()
    assert torch.equal(model.predict(x), model(x).output)


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_sums_are_normalised_before_the_activation(normalisation):
    done = network(normalisation=normalisation).train()(samples(300))
    last = done.sums[-1]
    axis = {"batch": 0, "layer": 1}.get(normalisation)
    if axis is None:
        assert last.std() < 0.5
    else:
        assert last.mean(axis).abs().max() < 1e-4
        assert (last.var(axis, unbiased=False) - 1).abs().max() < 0.05


def test_building_a_network_leaves_the_global_randomness_alone():
    before = torch.random.get_rng_state()
    network(normalisation="batch")
    assert torch.equal(before, torch.random.get_rng_state())
