from itertools import pairwise

import pytest
import torch

from goldviz.diagnostics.backpropagation import backward, forward
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
        trace = forward(weights, biases, activations, x)
        found = backward(weights, activations, trace, trace.outputs[-1] - y)
    torch.testing.assert_close(trace.outputs[-1], h.detach(), rtol=1e-12, atol=0)
    for own, other in zip([*found.delta, *found.weight_gradients, *found.bias_gradients], expected, strict=True):
        assert torch.linalg.vector_norm(own - other) <= 1e-12 * torch.linalg.vector_norm(other)
