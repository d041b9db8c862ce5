"""The jumps of a GRU at observations, written into prepared memory, and their gradient by hand, in both conventions.

The equations are those of :mod:`gru`. A sample in which nothing is observed has its update gate closed,
which is the same as no jump: h = h' + m z (candidate - h') with m = 0 (document 001, eq. 24 and 33).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import torch
from jaxtyping import Float
from torch import Tensor, nn

from goldviz.models.recurrent.gru import ResetAfterGRU, ResetBeforeGRU


class GRUJumps(Protocol):
    """All jumps of one sequence.

    ``drive`` (time, batch, 3 hidden) is the input's part of the sums, update gate first, then reset gate, then
    candidate; ``observed`` (time, batch, 1) is 1 where a sample jumps and 0 elsewhere.
    """

    def forward(self, i: int, before: Float[Tensor, "batch hidden"], after: Float[Tensor, "batch hidden"]) -> None:
        """Write into ``after`` what the state ``before`` becomes at row i."""

    def start_back(self, before: Float[Tensor, "time batch hidden"]) -> None:
        """Make ready to go back: every slope of every gate at once."""

    def backward(self, i: int, gradient: Float[Tensor, "batch hidden"]) -> None:
        """Turn the gradient by the state after row i into the one by the state before it, in place."""

    def by_drive(self) -> Float[Tensor, "time batch gates"]:
        """The gradient by ``drive``."""

    def by_weights(self) -> tuple[Float[Tensor, "gates hidden"], Float[Tensor, " hidden"] | None]:
        """The gradients by the recurrent matrix and the inner bias, if there is one: one product each."""


class ResetBeforeJumps:
    """The document's GRU, its reset gate inside the matrix product (eq. 23)."""

    def __init__(self, drive: Tensor, observed: Tensor, W_h: Tensor, inner_bias: Tensor | None) -> None:
        time, batch, rows = drive.shape
        self.hidden = rows // 3
        self.W_gates, self.W_candidate = W_h[: 2 * self.hidden], W_h[2 * self.hidden :]
        self.drive_gates, self.drive_candidate = drive.split([2 * self.hidden, self.hidden], 2)
        self.observed = observed
        self.gates = drive.new_empty(time, batch, 2 * self.hidden)
        self.z, self.r = self.gates.chunk(2, 2)
        self.candidates = drive.new_empty(time, batch, self.hidden)
        self.reset_states = drive.new_empty(time, batch, self.hidden)

    def forward(self, i: int, before: Float[Tensor, "batch hidden"], after: Float[Tensor, "batch hidden"]) -> None:
        """Write into ``after`` what the state ``before`` becomes at row i."""
        torch.addmm(self.drive_gates[i], before, self.W_gates.t(), out=self.gates[i]).sigmoid_()
        z = self.z[i].mul_(self.observed[i])
        reset_state = torch.mul(self.r[i], before, out=self.reset_states[i])
        candidate = self.candidates[i]
        torch.addmm(self.drive_candidate[i], reset_state, self.W_candidate.t(), out=candidate).tanh_()
        torch.lerp(before, candidate, z, out=after)

    def start_back(self, before: Float[Tensor, "time batch hidden"]) -> None:
        """Make ready to go back: every slope of every gate at once."""
        self.before = before
        self.deltas = torch.cat(
            [
                (self.candidates - before) * self.z * (1 - self.z),
                before * self.r * (1 - self.r),
                self.z * (1 - self.candidates.square()),
            ],
            2,
        )
        self.delta_gates, self.delta_candidate = self.deltas.split([2 * self.hidden, self.hidden], 2)
        self.delta_z, self.delta_r = self.delta_gates.chunk(2, 2)
        self.by_reset_state = torch.empty_like(before[0])

    def backward(self, i: int, gradient: Float[Tensor, "batch hidden"]) -> None:
        """Turn the gradient by the state after row i into the one by the state before it, in place."""
        self.delta_z[i].mul_(gradient)
        by_reset_state = torch.mm(self.delta_candidate[i].mul_(gradient), self.W_candidate, out=self.by_reset_state)
        self.delta_r[i].mul_(by_reset_state)
        gradient.addcmul_(gradient, self.z[i], value=-1).addcmul_(by_reset_state, self.r[i])
        gradient.addmm_(self.delta_gates[i], self.W_gates)

    def by_drive(self) -> Float[Tensor, "time batch gates"]:
        """The gradient by ``drive``."""
        return self.deltas

    def by_weights(self) -> tuple[Float[Tensor, "gates hidden"], Float[Tensor, " hidden"] | None]:
        """The gradient by the recurrent matrix; this convention has no inner bias."""
        gates = self.delta_gates.flatten(0, 1).t() @ self.before.flatten(0, 1)
        candidate = self.delta_candidate.flatten(0, 1).t() @ self.reset_states.flatten(0, 1)
        return torch.cat([gates, candidate]), None


class ResetAfterJumps:
    """PyTorch's GRU, its reset gate outside the matrix product: one product for all gates."""

    def __init__(self, drive: Tensor, observed: Tensor, W_h: Tensor, inner_bias: Tensor | None) -> None:
        time, batch, rows = drive.shape
        self.hidden = rows // 3
        self.W_h = W_h
        self.bias = W_h.new_zeros(rows)
        if inner_bias is not None:
            self.bias[2 * self.hidden :] = inner_bias
        self.drive_gates, self.drive_candidate = drive.split([2 * self.hidden, self.hidden], 2)
        self.observed = observed
        self.inner = drive.new_empty(time, batch, rows)
        self.gates, self.inner_candidate = self.inner.split([2 * self.hidden, self.hidden], 2)
        self.z, self.r = self.gates.chunk(2, 2)
        self.candidates = drive.new_empty(time, batch, self.hidden)

    def forward(self, i: int, before: Float[Tensor, "batch hidden"], after: Float[Tensor, "batch hidden"]) -> None:
        """Write into ``after`` what the state ``before`` becomes at row i."""
        torch.addmm(self.bias, before, self.W_h.t(), out=self.inner[i])
        self.gates[i].add_(self.drive_gates[i]).sigmoid_()
        z = self.z[i].mul_(self.observed[i])
        candidate = self.candidates[i]
        torch.addcmul(self.drive_candidate[i], self.r[i], self.inner_candidate[i], out=candidate).tanh_()
        torch.lerp(before, candidate, z, out=after)

    def start_back(self, before: Float[Tensor, "time batch hidden"]) -> None:
        """Make ready to go back: this jump's sums depend on the state by one matrix, so all slopes are known."""
        self.before = before
        delta_candidate = self.z * (1 - self.candidates.square())
        self.deltas = torch.stack(
            [
                (self.candidates - before) * self.z * (1 - self.z),
                delta_candidate * self.inner_candidate * self.r * (1 - self.r),
                delta_candidate * self.r,
                delta_candidate,
            ],
            2,
        )
        self.inner_deltas = self.deltas[:, :, :3].flatten(2)

    def backward(self, i: int, gradient: Float[Tensor, "batch hidden"]) -> None:
        """Turn the gradient by the state after row i into the one by the state before it, in place."""
        self.deltas[i].mul_(gradient.unsqueeze(1))
        gradient.addcmul_(gradient, self.z[i], value=-1).addmm_(self.inner_deltas[i], self.W_h)

    def by_drive(self) -> Float[Tensor, "time batch gates"]:
        """The gradient by ``drive``, which enters the candidate without the reset gate."""
        return self.deltas[:, :, [0, 1, 3]].flatten(2)

    def by_weights(self) -> tuple[Float[Tensor, "gates hidden"], Float[Tensor, " hidden"] | None]:
        """The gradients by the recurrent matrix and the inner bias."""
        deltas = self.inner_deltas.flatten(0, 1)
        return deltas.t() @ self.before.flatten(0, 1), deltas[:, 2 * self.hidden :].sum(0)


GRU_JUMPS: dict[type[nn.Module], Callable[[Tensor, Tensor, Tensor, Tensor | None], GRUJumps]] = {
    ResetBeforeGRU: ResetBeforeJumps,
    ResetAfterGRU: ResetAfterJumps,
}
"""The hand-written jumps of every GRU that has them, made from drive, observed, W_h and the inner bias."""
