"""Long short-term memory, unrolled step by step so that every gate, cell and hidden state can be read.

Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000; document 001, eq. 10-15.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from goldviz.models.recurrent.weights import Initial, RecurrentTrace, RecurrentWeights, Steps


@dataclass(frozen=True)
class LSTMTrace(RecurrentTrace):
    """Everything one forward pass computed, step by step; each tensor is (batch, hidden) and in the graph.

    ``states`` h_0 to h_T and ``cells`` c_0 to c_T have one entry more than the gates i_t, f_t, o_t and the
    candidates (c-tilde of eq. 13), whose entry 0 belongs to step 1.
    """

    carried: ClassVar[tuple[str, ...]] = ("states", "cells")

    cells: Steps
    input_gates: Steps
    forget_gates: Steps
    output_gates: Steps
    candidates: Steps


class LSTM(RecurrentWeights):
    """An LSTM layer (document 001, eq. 10-15). Its state is the pair (h_t, c_t)."""

    blocks: ClassVar[tuple[str, ...]] = ("input", "forget", "output", "candidate")
    trace = LSTMTrace

    def step(self, drive: Tensor, *state: Tensor) -> tuple[tuple[Tensor, ...], Steps]:
        """(h_t, c_t) with i, f, o and the candidate, by eq. 10-15."""
        h, c = state
        valves, candidate = torch.addmm(drive, h, self.W_h.t()).split([3 * self.hidden, self.hidden], 1)
        i, f, o = torch.sigmoid(valves).chunk(3, 1)
        candidate = torch.tanh(candidate)
        c = f * c + i * candidate
        return (o * torch.tanh(c), c), (i, f, o, candidate)

    def forward(self, inputs: Float[Tensor, "time batch inputs"], initial: Initial = None) -> LSTMTrace:
        """Run over a batch of sequences from (h_0, c_0) = ``initial`` (zeros if it is not given)."""
        h, c = self.start(inputs, initial)
        to_gates = self.W_h.t()
        states, cells = [h], [c]
        gates: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []
        for drive in functional.linear(inputs, self.W_x, self.b).unbind(0):
            sums = torch.addmm(drive, h, to_gates)
            valves, candidate = sums.split([3 * self.hidden, self.hidden], 1)
            i, f, o = torch.sigmoid(valves).chunk(3, 1)  # eq. 10-12
            candidate = torch.tanh(candidate)  # eq. 13
            c = torch.addcmul(f * c, i, candidate)  # eq. 14
            h = o * torch.tanh(c)  # eq. 15
            states.append(h)
            cells.append(c)
            gates.append((i, f, o, candidate))
        i_t, f_t, o_t, candidates = zip(*gates, strict=True)
        return LSTMTrace(tuple(states), tuple(cells), i_t, f_t, o_t, candidates)

    @classmethod
    def from_torch(cls, module: nn.LSTM) -> LSTM:
        """The same network as a one-layer, one-way :class:`torch.nn.LSTM`.

        PyTorch stacks input, forget, candidate, output and keeps two biases; here the candidate comes last, as
        in the document, and the biases are added into one.
        """

        def reorder(rows: Tensor) -> Tensor:
            i, f, candidate, o = rows.chunk(4)
            return torch.cat([i, f, o, candidate])

        weights = cls.weights_of(module)
        layer = cls(module.input_size, module.hidden_size, dtype=weights.W_x.dtype)
        layer.copy_weights(reorder(weights.W_x), reorder(weights.W_h), reorder(weights.b_x + weights.b_h))
        return layer
