"""Every gradient of the network three times: by equations 1-4, by autograd, and by nudging one number at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.diagnostics.backpropagation import Trace, backward, forward
from goldviz.labs.backpropagation_steps.network import Network

NUDGE = 1e-5
"""Half the distance of a central difference: its two errors, of curvature and of rounding, are then alike."""


@dataclass(frozen=True)
class Loss:
    """The loss at the network's outputs: ½‖x − y‖², or the cross-entropy of their softmax; λ/2 ‖W‖² on top."""

    kind: str
    penalty: float

    def of(
        self, outputs: Float[Tensor, "... output"], targets: Float[Tensor, "... output"]
    ) -> Float[Tensor, "*copies"]:
        """Each sample's loss."""
        if self.kind == "squared":
            return (outputs - targets).square().sum(-1) / 2
        return -(targets * outputs.log_softmax(-1)).sum(-1)

    def gradient(
        self, outputs: Float[Tensor, "... output"], targets: Float[Tensor, "... output"]
    ) -> Float[Tensor, "... output"]:
        """dL/dx^L: x − y (document 001, eq. 37), or g − y (document 003)."""
        return (outputs if self.kind == "squared" else outputs.softmax(-1)) - targets

    def penalties(self, weights: Sequence[Float[Tensor, "... unit before"]]) -> Float[Tensor, "*copies"]:
        """λ/2 times the sum of all squared weights."""
        return self.penalty / 2 * torch.stack([weight.square().sum((-2, -1)) for weight in weights]).sum(0)


@dataclass(frozen=True)
class Gradients:
    """dL/dx, dL/dz, dL/dW and dL/db of every layer, however they were found."""

    arriving: list[Float[Tensor, "sample unit"]]
    delta: list[Float[Tensor, "sample unit"]]
    weights: list[Float[Tensor, "unit before"]]
    biases: list[Float[Tensor, " unit"]]

    def all(self) -> Float[Tensor, " number"]:
        """All of them in one row."""
        return torch.cat([part.flatten() for part in (*self.arriving, *self.delta, *self.weights, *self.biases)])


def traced(network: Network) -> Trace:
    """Phase A."""
    return forward(network.weights, network.biases, network.activations, network.inputs)


def total(network: Network, loss: Loss) -> Float[Tensor, ""]:
    """The loss of all samples with the penalty."""
    outputs = traced(network).outputs[-1]
    return loss.of(outputs, network.targets).sum() + loss.penalties(network.weights)


def by_hand(network: Network, loss: Loss, trace: Trace) -> Gradients:
    """Phase B; the penalty adds λW (document 003)."""
    gradients = backward(network.weights, network.activations, trace, loss.gradient(trace.outputs[-1], network.targets))
    weights = [
        gradient + loss.penalty * weight
        for gradient, weight in zip(gradients.weight_gradients, network.weights, strict=True)
    ]
    return Gradients(gradients.arriving[1:], gradients.delta, weights, gradients.bias_gradients)


def by_autograd(network: Network, loss: Loss) -> Gradients:
    """The same by torch's autograd."""
    weights = [weight.clone().requires_grad_() for weight in network.weights]
    biases = [bias.clone().requires_grad_() for bias in network.biases]
    trace = forward(weights, biases, network.activations, network.inputs)
    value = loss.of(trace.outputs[-1], network.targets).sum() + loss.penalties(weights)
    parts = (trace.outputs[1:], trace.sums, weights, biases)
    derivatives = iter(torch.autograd.grad(value, [one for part in parts for one in part]))
    return Gradients(*([next(derivatives) for _ in part] for part in parts))


def by_nudges(network: Network, loss: Loss, nudge: float = NUDGE) -> Gradients:
    """The same by central differences: every number in its turn ``nudge`` up and down, and the loss taken anew."""
    layers = range(len(network.weights))
    trace = traced(network)
    of_outputs = [_loss_of_outputs(network, loss, layer) for layer in layers]
    of_sums = [
        lambda sums, layer=layer: of_outputs[layer](network.activations[layer].function(sums)) for layer in layers
    ]
    return Gradients(
        [_nudged(trace.outputs[layer + 1], nudge, of_outputs[layer]) for layer in layers],
        [_nudged(trace.sums[layer], nudge, of_sums[layer]) for layer in layers],
        [_nudged(network.weights[layer], nudge, _loss_of(network, loss, "weights", layer)) for layer in layers],
        [_nudged(network.biases[layer], nudge, _loss_of(network, loss, "biases", layer)) for layer in layers],
    )


def _nudged(values: Tensor, nudge: float, loss_of: Callable[[Tensor], Tensor]) -> Tensor:
    """(L(v + nudge) − L(v − nudge)) / 2 nudge for each of the values; ``loss_of`` takes many copies of them at once."""
    steps = nudge * torch.eye(values.numel(), dtype=torch.float64).view(-1, *values.shape)
    return ((loss_of(values + steps) - loss_of(values - steps)) / (2 * nudge)).view(values.shape)


def _loss_of_outputs(network: Network, loss: Loss, layer: int) -> Callable[[Tensor], Tensor]:
    """The loss from x of one layer on; the penalty does not hear of it."""
    rest = slice(layer + 1, None)

    def loss_of(x: Tensor) -> Tensor:
        after = forward(network.weights[rest], network.biases[rest], network.activations[rest], x)
        return loss.of(after.outputs[-1], network.targets).sum(-1)

    return loss_of


def _loss_of(network: Network, loss: Loss, part: str, layer: int) -> Callable[[Tensor], Tensor]:
    """The loss of many copies of one layer's ``weights`` or ``biases``; the penalty hears of weights alone."""

    def loss_of(copies: Tensor) -> Tensor:
        changed: Any = {part: [*getattr(network, part)]}
        changed[part][layer] = copies
        losses = loss.of(traced(replace(network, **changed)).outputs[-1], network.targets).sum(-1)
        return losses + loss.penalty / 2 * copies.square().sum((-2, -1)) if part == "weights" else losses

    return loss_of


def losses_after(
    network: Network, gradients: Gradients, loss: Loss, learning_rates: Float[Tensor, " rate"]
) -> Float[Tensor, " rate"]:
    """The loss after w ← w − η dL/dw for every weight and bias, for each η from where the network stands."""
    rates = learning_rates[:, None]
    weights = [w - rates[..., None] * gradient for w, gradient in zip(network.weights, gradients.weights, strict=True)]
    biases = [b - rates * gradient for b, gradient in zip(network.biases, gradients.biases, strict=True)]
    outputs = forward(weights, biases, network.activations, network.inputs).outputs[-1]
    return loss.of(outputs, network.targets).sum(-1) + loss.penalties(weights)


def softmax_jacobian(logits: Float[Tensor, "... output"]) -> Float[Tensor, "... output output"]:
    """dg_i/do_j = g_i(δ_ij − g_j) for g = softmax(o) (document 003)."""
    shares = logits.softmax(-1)
    return torch.diag_embed(shares) - shares.unsqueeze(-1) * shares.unsqueeze(-2)
