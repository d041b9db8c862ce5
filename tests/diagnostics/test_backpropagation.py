from itertools import pairwise

import pytest
import torch

from goldviz.diagnostics.backpropagation import backpropagate, residual_gradients
from goldviz.labs.depth_gradients.jacobians import jacobians
from goldviz.labs.depth_gradients.networks import DeepMLP
from goldviz.models.feedforward.activations import ACTIVATIONS, IDENTITY

SIZES = [3, 7, 5, 2]


def problem():
    generator = torch.Generator().manual_seed(0)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64).requires_grad_()

    weights = [normal(rows, columns) for columns, rows in pairwise(SIZES)]
    biases = [normal(rows) for rows in SIZES[1:]]
    return weights, biases, normal(11, SIZES[0]), normal(11, SIZES[-1])


@pytest.mark.parametrize("last", [*ACTIVATIONS, "identity"])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_four_equations_equal_autograd(name, last):
    activations = [ACTIVATIONS[name](0.3)] * 2 + [IDENTITY if last == "identity" else ACTIVATIONS[last](0.3)]
    weights, biases, x, y = problem()
    sums, h = [], x
    for weight, bias, activation in zip(weights, biases, activations, strict=True):
        sums.append(h @ weight.T + bias)
        h = activation.function(sums[-1])
    loss = (h - y).square().sum() / 2
    expected = torch.autograd.grad(loss, [*sums, *weights, *biases])

    with torch.no_grad():
        found = backpropagate(weights, biases, activations, x, y)
    torch.testing.assert_close(found.loss, loss.detach(), rtol=1e-12, atol=0)
    for own, other in zip([*found.delta, *found.weight_gradients, *found.bias_gradients], expected, strict=True):
        assert torch.linalg.vector_norm(own - other) <= 1e-12 * torch.linalg.vector_norm(other)


def test_equation_48_carries_the_gradient_through_residual_blocks():
    model = (
        DeepMLP(
            network="residual",
            features=4,
            width=6,
            depth=5,
            activation="tanh",
            gain=2.0,
            weights=lambda layer: torch.Generator().manual_seed(100 + layer),
        )
        .double()
        .eval()
    )
    x = torch.randn(9, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    done = model(x)
    expected = torch.autograd.grad((done.output - x).square().sum(), done.hidden)
    branches = [
        jacobians(lambda h, block=block: model.branch(block, h), before)
        for block, before in enumerate(done.hidden[:-1], start=1)
    ]
    for own, other in zip(residual_gradients(expected[-1], branches), expected, strict=True):
        torch.testing.assert_close(own, other, rtol=1e-12, atol=1e-13)


def test_a_residual_branch_that_says_nothing_lets_the_gradient_through_whole():
    last = torch.ones(2, 3)
    assert all(torch.equal(found, last) for found in residual_gradients(last, [torch.zeros(2, 3, 3)] * 4))
