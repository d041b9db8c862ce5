"""Gated recurrent units in both conventions, unrolled step by step so that every gate and state can be read.

Cho et al. 2014; document 001, eq. 21-24. There are two networks by this name. Eq. 23 applies the reset gate to
the state *before* the recurrent matrix, W_hh (r * h). PyTorch and cuDNN apply it *after*, r * (W_hh h + b_hh).
They are not the same function: no choice of weights turns one into the other. Both use the document's update
gate, h_t = (1 - z) h_(t-1) + z h~_t (eq. 24): z near 0 keeps the state. PyTorch's z is the document's 1 - z.
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
class GRUTrace(RecurrentTrace):
    """Everything one forward pass computed, step by step; each tensor is (batch, hidden) and in the graph.

    ``states`` h_0 to h_T has one entry more than the gates z_t, r_t and the candidates, whose entry 0 is step 1.
    """

    update_gates: Steps
    reset_gates: Steps
    candidates: Steps


class GatedRecurrentUnit(RecurrentWeights):
    """What both conventions share: gates by eq. 21-22, state update by eq. 24. They differ in the candidate."""

    blocks: ClassVar[tuple[str, ...]] = ("update", "reset", "candidate")
    trace = GRUTrace

    def step(self, drive: Tensor, *state: Tensor) -> tuple[tuple[Tensor, ...], Steps]:
        """h_t with z, r and the candidate, by eq. 21-24."""
        (h,) = state
        drive_gates, drive_candidate = drive.split([2 * self.hidden, self.hidden], 1)
        z, r = torch.sigmoid(torch.addmm(drive_gates, h, self.W_h[: 2 * self.hidden].t())).chunk(2, 1)
        candidate = self.candidate(drive_candidate, r, h)
        return (torch.lerp(h, candidate, z),), (z, r, candidate)

    def candidate(self, drive: Tensor, r: Tensor, h: Tensor) -> Tensor:
        """h~_t from the input's part ``drive``, the reset gate and the last state, each (batch, hidden)."""
        raise TypeError(f"{type(self).__name__} does not say where its reset gate acts")

    def forward(self, inputs: Float[Tensor, "time batch inputs"], initial: Initial = None) -> GRUTrace:
        """Run over a batch of sequences from h_0 = ``initial`` (zero if it is not given).

        Its own, for a trace without drives; a cell whose trace is a :class:`DrivenTrace` inherits one.
        """
        (h,) = self.start(inputs, initial)
        to_gates = self.W_h[: 2 * self.hidden].t()
        states = [h]
        gates: list[tuple[Tensor, Tensor, Tensor]] = []
        for drive in functional.linear(inputs, self.W_x, self.b).unbind(0):
            drive_gates, drive_candidate = drive.split([2 * self.hidden, self.hidden], 1)
            z, r = torch.sigmoid(torch.addmm(drive_gates, h, to_gates)).chunk(2, 1)  # eq. 21-22
            candidate = self.candidate(drive_candidate, r, h)
            h = torch.lerp(h, candidate, z)  # eq. 24
            states.append(h)
            gates.append((z, r, candidate))
        z_t, r_t, candidates = zip(*gates, strict=True)
        return GRUTrace(tuple(states), z_t, r_t, candidates)


class ResetBeforeGRU(GatedRecurrentUnit):
    """The document's GRU: h~_t = tanh(W_xh x_t + W_hh (r_t * h_(t-1)) + b_h), eq. 23."""

    def read_by_blocks(self, trace: RecurrentTrace) -> Float[Tensor, "time batch gates hidden"]:
        """The candidate's block reads r_t * h_(t-1)."""
        if not isinstance(trace, GRUTrace):
            raise TypeError(f"A {type(trace).__name__} is not what a GRU leaves behind.")
        last = torch.stack(trace.states[:-1])
        return torch.stack([last, last, torch.stack(trace.reset_gates) * last], 2)

    def candidate(self, drive: Tensor, r: Tensor, h: Tensor) -> Tensor:
        """h~_t with the reset gate inside the matrix product, eq. 23."""
        return torch.tanh(torch.addmm(drive, r * h, self.block(self.W_h, "candidate").t()))


class ResetAfterGRU(GatedRecurrentUnit):
    """PyTorch's GRU: h~_t = tanh(W_xh x_t + b_h + r_t * (W_hh h_(t-1) + b_hh)).

    The inner bias ``b_hh`` (hidden,) cannot be added into b_h, because the reset gate multiplies it.
    """

    def __init__(self, inputs: int, hidden: int, *, dtype: torch.dtype | None = None) -> None:
        super().__init__(inputs, hidden, dtype=dtype)
        self.b_hh = nn.Parameter(torch.zeros(hidden, dtype=dtype))

    def candidate(self, drive: Tensor, r: Tensor, h: Tensor) -> Tensor:
        """h~_t with the reset gate outside the matrix product, as in PyTorch."""
        inner = torch.addmm(self.b_hh, h, self.block(self.W_h, "candidate").t())
        return torch.tanh(torch.addcmul(drive, r, inner))

    @classmethod
    def from_torch(cls, module: nn.GRU) -> ResetAfterGRU:
        """The same network as a one-layer, one-way :class:`torch.nn.GRU`.

        PyTorch stacks reset, update, candidate, and its update gate is 1 - z: the rows are reordered and those
        of the update gate change sign, because 1 - sigmoid(u) = sigmoid(-u).
        """

        def reorder(rows: Tensor) -> Tensor:
            reset, update, candidate = rows.chunk(3)
            return torch.cat([-update, reset, candidate])

        weights = cls.weights_of(module)
        layer = cls(module.input_size, module.hidden_size, dtype=weights.W_x.dtype)
        inner = weights.b_h[2 * module.hidden_size :]
        outer = torch.cat([weights.b_h[: 2 * module.hidden_size], torch.zeros_like(inner)])
        layer.copy_weights(reorder(weights.W_x), reorder(weights.W_h), reorder(weights.b_x + outer))
        with torch.no_grad():
            layer.b_hh.copy_(inner)
        return layer
