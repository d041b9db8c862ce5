"""A recurrent layer and what reads answers off its hidden states (document 001, eq. 5: y_t = W_hy h_t + b_y)."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from goldviz.models.recurrent.networks import RecurrentLayer, Trace


class SequenceReader(nn.Module):
    """A recurrent layer with a linear read-out of ``outputs`` numbers, its weights drawn N(0, 1/hidden)."""

    def __init__(self, layer: RecurrentLayer, outputs: int, generator: Generator) -> None:
        super().__init__()
        self.layer = layer
        drawn = torch.randn(outputs, layer.hidden, generator=generator) / math.sqrt(layer.hidden)
        self.W_hy = nn.Parameter(drawn)
        self.b_y = nn.Parameter(torch.zeros(outputs))

    def forward(self, inputs: Float[Tensor, "time batch inputs"]) -> Trace:
        """Everything that the layer computes from h_0 = 0."""
        trace: Trace = self.layer(inputs)
        return trace

    def read(self, hidden: Float[Tensor, "*any hidden"]) -> Float[Tensor, "*any outputs"]:
        """The answers at these hidden states."""
        return nn.functional.linear(hidden, self.W_hy, self.b_y)
