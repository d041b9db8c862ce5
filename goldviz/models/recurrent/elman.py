"""The Elman network, unrolled step by step so that every hidden state can be read.

Elman 1990; document 001, eq. 5: h_t = phi(W_xh x_t + W_hh h_(t-1) + b_h).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from goldviz.models.recurrent.weights import Initial, RecurrentTrace, RecurrentWeights, Steps


@dataclass(frozen=True)
class Activation:
    """A nonlinearity phi and its slope, written as a function of the value phi(u) that the network keeps."""

    apply: Callable[[Tensor], Tensor]
    slope: Callable[[Tensor], Tensor]
    largest_slope: float


ACTIVATIONS = {
    "tanh": Activation(torch.tanh, lambda value: 1 - value.square(), 1.0),
    "relu": Activation(torch.relu, lambda value: (value > 0).to(value.dtype), 1.0),
}


@dataclass(frozen=True)
class ElmanTrace(RecurrentTrace):
    """All hidden states of one forward pass: h_0 to h_T, each (batch, hidden), all in the autograd graph."""


class Elman(RecurrentWeights):
    """An Elman layer with ``activation`` "tanh" or "relu" (document 001, eq. 5)."""

    blocks: ClassVar[tuple[str, ...]] = ("state",)
    trace = ElmanTrace

    def __init__(self, inputs: int, hidden: int, activation: str = "tanh", *, dtype: torch.dtype | None = None) -> None:
        super().__init__(inputs, hidden, dtype=dtype)
        if activation not in ACTIVATIONS:
            raise ValueError(f"Activation is {activation!r}; allowed is one of {', '.join(ACTIVATIONS)}.")
        self.activation = activation

    def step(self, drive: Tensor, *state: Tensor) -> tuple[tuple[Tensor, ...], Steps]:
        """h_t by eq. 5."""
        (h,) = state
        return (ACTIVATIONS[self.activation].apply(torch.addmm(drive, h, self.W_h.t())),), ()

    def forward(self, inputs: Float[Tensor, "time batch inputs"], initial: Initial = None) -> ElmanTrace:
        """Run over a batch of sequences from h_0 = ``initial`` (zero if it is not given)."""
        phi = ACTIVATIONS[self.activation].apply
        to_hidden = self.W_h.t()
        states = [*self.start(inputs, initial)]
        for drive in functional.linear(inputs, self.W_x, self.b).unbind(0):
            states.append(phi(torch.addmm(drive, states[-1], to_hidden)))
        return ElmanTrace(tuple(states))

    @classmethod
    def from_torch(cls, module: nn.RNN) -> Elman:
        """The same network as a one-layer, one-way :class:`torch.nn.RNN`; its two biases are added into one."""
        weights = cls.weights_of(module)
        layer = cls(module.input_size, module.hidden_size, module.nonlinearity, dtype=weights.W_x.dtype)
        layer.copy_weights(weights.W_x, weights.W_h, weights.b_x + weights.b_h)
        return layer
