"""The minimal gated unit (Zhou et al. 2016): one gate, which resets and updates at once.

A cell that goldviz has not: tests put it in, to see what a new one takes, and what follows from its step alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.models.recurrent.weights import DrivenTrace, RecurrentTrace, RecurrentWeights, Steps


@dataclass(frozen=True)
class MinimalGatedTrace(DrivenTrace):
    """States, the gate and the candidates of one forward pass."""

    update_gates: Steps
    candidates: Steps


class MinimalGatedUnit(RecurrentWeights):
    """h_t = (1 - f) h_(t-1) + f tanh(W x_t + U (f h_(t-1)) + b), with f = sigmoid(W_f x_t + U_f h_(t-1) + b_f)."""

    blocks: ClassVar[tuple[str, ...]] = ("update", "candidate")
    trace = MinimalGatedTrace

    def step(self, drive: Tensor, *state: Tensor) -> tuple[tuple[Tensor, ...], Steps]:
        """h_t with the gate and the candidate."""
        (h,) = state
        to_gate, to_candidate = self.W_h.split(self.hidden)
        drive_gate, drive_candidate = drive.split(self.hidden, -1)
        f = torch.sigmoid(drive_gate + h @ to_gate.t())
        candidate = torch.tanh(drive_candidate + (f * h) @ to_candidate.t())
        return ((1 - f) * h + f * candidate,), (f, candidate)

    def read_by_blocks(self, trace: RecurrentTrace) -> Float[Tensor, "time batch gates hidden"]:
        """The candidate's block reads f h_(t-1)."""
        last = torch.stack(trace.states[:-1])
        return torch.stack([last, torch.stack(trace.update_gates) * last], 2)
