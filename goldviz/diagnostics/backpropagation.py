"""The equations of backpropagation, carried out by hand: document 001, eq. 1-4, 34-43 and 44-48."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.models.feedforward.activations import Activation


class Backpropagation(NamedTuple):
    """What the four equations give: the loss, and for each layer its errors delta and its gradients."""

    loss: Float[Tensor, ""]
    delta: list[Float[Tensor, "sample unit"]]
    weight_gradients: list[Float[Tensor, "unit before"]]
    bias_gradients: list[Float[Tensor, " unit"]]


def backpropagate(
    weights: Sequence[Float[Tensor, "unit before"]],
    biases: Sequence[Float[Tensor, " unit"]],
    activations: Sequence[Activation],
    x: Float[Tensor, "sample feature"],
    y: Float[Tensor, "sample output"],
) -> Backpropagation:
    """Gradients of L = 1/2 sum ||x^L - y||^2 over the samples, for x^l = phi_l(W^l x^(l-1) + b^l) (eq. 40).

    delta^L = (x^L - y) * phi'(z^L) (eq. 1, 37), delta^l = (W^(l+1))^T delta^(l+1) * phi'(z^l) (eq. 2, 39),
    dL/db^l = delta^l (eq. 3, 42), dL/dW^l = delta^l (x^(l-1))^T (eq. 4, 43); the samples' gradients are added up.
    """
    inputs, sums = [x], []
    for weight, bias, activation in zip(weights, biases, activations, strict=True):
        sums.append(inputs[-1] @ weight.T + bias)
        inputs.append(activation.function(sums[-1]))
    error = inputs[-1] - y

    delta = [error * activations[-1].derivative(sums[-1])]
    for after, activation, z in zip(weights[:0:-1], activations[-2::-1], sums[-2::-1], strict=True):
        delta.insert(0, delta[0] @ after * activation.derivative(z))
    return Backpropagation(
        error.square().sum() / 2,
        delta,
        [d.T @ before for d, before in zip(delta, inputs[:-1], strict=True)],
        [d.sum(0) for d in delta],
    )


def residual_gradients(
    last: Float[Tensor, "sample unit"], branch_jacobians: Sequence[Float[Tensor, "sample unit unit"]]
) -> list[Float[Tensor, "sample unit"]]:
    """dL/dh_0 to dL/dh_L of residual blocks h_l = h_(l-1) + F_l(h_(l-1)), from dL/dh_L and dF_l/dh_(l-1).

    dL/dh_(l-1) = dL/dh_l (I + dF_l/dh_(l-1)) (eq. 48): however small dF is, the first term arrives whole.
    """
    found = [last]
    for jacobian in reversed(branch_jacobians):
        found.insert(0, found[0] + torch.einsum("su,suv->sv", found[0], jacobian))
    return found
