"""The equations of backpropagation, carried out by hand: document 001, eq. 1-4 and 34-43."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from goldviz.models.feedforward.activations import Activation


class Trace(NamedTuple):
    """What the forward pass stores (document 001, 1.2.1, phase A): x^0 to x^L, and z^1 to z^L."""

    outputs: list[Float[Tensor, "... sample unit"]]
    sums: list[Float[Tensor, "... sample unit"]]


class Backward(NamedTuple):
    """What the backward pass finds: dL/dx^0 to dL/dx^L, the errors delta^1 to delta^L, and the gradients.

    dL/dx^l = (W^(l+1))^T delta^(l+1) is the first half of eq. 2; its product with phi'(z^l) is delta^l.
    """

    arriving: list[Float[Tensor, "sample unit"]]
    delta: list[Float[Tensor, "sample unit"]]
    weight_gradients: list[Float[Tensor, "unit before"]]
    bias_gradients: list[Float[Tensor, " unit"]]


def forward(
    weights: Sequence[Float[Tensor, "... unit before"]],
    biases: Sequence[Float[Tensor, "... unit"]],
    activations: Sequence[Activation],
    x: Float[Tensor, "... sample feature"],
) -> Trace:
    """x^l = phi_l(W^l x^(l-1) + b^l) for every layer (eq. 40); dimensions in front are networks side by side."""
    outputs, sums = [x], []
    for weight, bias, activation in zip(weights, biases, activations, strict=True):
        sums.append(outputs[-1] @ weight.mT + bias.unsqueeze(-2))
        outputs.append(activation.function(sums[-1]))
    return Trace(outputs, sums)


def backward(
    weights: Sequence[Float[Tensor, "unit before"]],
    activations: Sequence[Activation],
    trace: Trace,
    output_gradient: Float[Tensor, "sample output"],
) -> Backward:
    """Phase B of document 001, 1.2.1, from dL/dx^L: eq. 1-4; the samples' gradients are added up.

    delta^L = dL/dx^L * phi'(z^L) (eq. 1, 36), delta^l = (W^(l+1))^T delta^(l+1) * phi'(z^l) (eq. 2, 39),
    dL/db^l = delta^l (eq. 3, 42), dL/dW^l = delta^l (x^(l-1))^T (eq. 4, 43).
    """
    arriving: list[Tensor] = [output_gradient]
    delta: list[Tensor] = []
    for weight, activation, z in zip(weights[::-1], activations[::-1], trace.sums[::-1], strict=True):
        delta.insert(0, arriving[0] * activation.derivative(z))
        arriving.insert(0, delta[0] @ weight)
    return Backward(
        arriving,
        delta,
        [d.T @ before for d, before in zip(delta, trace.outputs[:-1], strict=True)],
        [d.sum(0) for d in delta],
    )
