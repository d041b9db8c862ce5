from functools import partial

import pytest
import torch

from goldviz.labs.depth_gradients.networks import CONNECTIONS, DeepMLP, block_gains, jacobians, rms_singular_value
from goldviz.models.feedforward.activations import ACTIVATIONS
from goldviz.models.feedforward.normalisations import NORMALISATIONS


def network(kind, normalisation="none", activation="tanh"):
    model = DeepMLP(
        network=kind,
        features=5,
        width=8,
        depth=4,
        residual_scale=0.7,
        gain=2.0,
        dropout=0.3,
        noise=0.1,
        normalisation=normalisation,
        activation=activation,
        weights=lambda layer: torch.Generator().manual_seed(100 + layer),
    ).double()
    model.train()(torch.randn(50, 5, generator=torch.Generator().manual_seed(4)).double(), torch.Generator())
    return model.eval()


def states(model):
    with torch.no_grad():
        return model(torch.randn(6, 5, generator=torch.Generator().manual_seed(1)).double())


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("kind", CONNECTIONS)
def test_without_normalisation_they_have_the_closed_form(kind, activation):
    model = network(kind, activation=activation)
    done = states(model)
    for block in range(1, 5):
        slopes = model.activation.derivative(done.sums[block])
        branch = slopes[:, :, None] * model.block_weight[block - 1].detach()
        expected = branch if kind == "plain" else torch.eye(8) + 0.7 * branch
        (found,) = jacobians([partial(model.block, block)], done.hidden[block - 1][None])
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_they_agree_with_autograd_one_sample_at_a_time(normalisation):
    model = network("residual", normalisation)
    h = states(model).hidden[1]
    (found,) = jacobians([partial(model.block, 2)], h[None])
    for sample, jacobian in zip(h, found, strict=True):
        expected = torch.autograd.functional.jacobian(lambda h: model.block(2, h[None])[0], sample)
        torch.testing.assert_close(jacobian, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_several_blocks_at_once_have_the_jacobians_of_each_alone(normalisation, monkeypatch):
    model = network("residual", normalisation)
    hidden = states(model).hidden
    blocks = [partial(model.block, block) for block in range(1, 5)]
    together = jacobians(blocks, torch.stack(hidden[:-1]))
    alone = [jacobians([block], before[None]) for block, before in zip(blocks, hidden, strict=False)]
    torch.testing.assert_close(together, torch.cat(alone), rtol=0, atol=0)
    gains = block_gains(model, hidden)
    monkeypatch.setattr("goldviz.labs.depth_gradients.networks.JACOBIANS_AT_ONCE", 3 * 6 * 8 * 8)
    torch.testing.assert_close(block_gains(model, hidden), gains, rtol=0, atol=0)
    assert gains.shape == (4,)


def test_the_gain_is_the_root_mean_square_singular_value():
    matrices = torch.randn(3, 8, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    expected = torch.linalg.svdvals(matrices).square().mean(1).sqrt().mean()
    torch.testing.assert_close(rms_singular_value(matrices), expected)
    orthogonal = torch.linalg.qr(matrices).Q
    torch.testing.assert_close(rms_singular_value(3 * orthogonal), torch.tensor(3.0).double())


def test_gains_are_measured_quietly_and_leave_the_network_as_it_was():
    model = network("residual", "batch")
    hidden = states(model).hidden
    expected = block_gains(model, hidden)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    torch.testing.assert_close(block_gains(model.train(), hidden), expected, rtol=0, atol=0)
    assert model.training
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert all(parameter.grad is None for parameter in model.parameters())
