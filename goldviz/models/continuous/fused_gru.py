"""The jumps of a GRU at observations, written into prepared memory, and their gradient by hand, in both conventions.

The equations are those of :mod:`gru`. A sample in which nothing is observed has its update gate closed,
which is the same as no jump: h = h' + m z (candidate - h') with m = 0 (document 001, eq. 24 and 33).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from goldviz.models.recurrent.gru import ResetAfterGRU, ResetBeforeGRU


class GRUJumps(Protocol):
    """All jumps of one sequence.

    In jump e, ``arriving[e]`` samples are at a row of their series; all such arrivals stand one after the other.
    ``drive`` (arrival, 3 hidden) is the input's part of the sums, update gate first, then reset gate, then candidate.
    """

    def forward(self, e: int, before: Float[Tensor, "some hidden"], after: Float[Tensor, "some hidden"]) -> None:
        """Write into ``after`` what the states ``before`` of those that arrive become in jump e."""

    def start_back(self, before: Float[Tensor, "arrival hidden"]) -> None:
        """Make ready to go back: every slope of every gate at once."""

    def backward(
        self, e: int, gradient: Float[Tensor, "some hidden"], more: Float[Tensor, "some hidden"]
    ) -> Float[Tensor, "some hidden"]:
        """The gradient by the states before jump e from the one by the states after it; ``more`` is added to it."""

    def by_drive(self) -> Float[Tensor, "arrival gates"]:
        """The gradient by ``drive``."""

    def by_weights(self) -> tuple[Float[Tensor, "gates hidden"], Float[Tensor, " hidden"] | None]:
        """The gradients by the recurrent matrix and the inner bias, if there is one: one product each."""


JumpsOf = Callable[[Sequence[int], Tensor, Tensor, Tensor | None], GRUJumps]


class ResetBeforeJumps:
    """The document's GRU, its reset gate inside the matrix product (eq. 23)."""

    def __init__(self, arriving: Sequence[int], drive: Tensor, W_h: Tensor, inner_bias: Tensor | None) -> None:
        self.arriving = arriving
        hidden = self.hidden = drive.shape[1] // 3
        self.W_gates, self.W_candidate = W_h[: 2 * hidden], W_h[2 * hidden :]
        self._W_gates_t, self._W_candidate_t = self.W_gates.t(), self.W_candidate.t()
        self.gates = drive.new_empty(len(drive), 2 * hidden)
        self.z, self.r = self.gates.chunk(2, 1)
        self.candidates = drive.new_empty(len(drive), hidden)
        self.reset_states = torch.empty_like(self.candidates)
        # One row of parts a jump: taking each apart where it is used costs as much as the sums themselves.
        self._parts = _by_jump(
            arriving,
            *drive.split([2 * hidden, hidden], 1),
            self.gates,
            self.z,
            self.r,
            self.candidates,
            self.reset_states,
        )

    def forward(self, e: int, before: Float[Tensor, "some hidden"], after: Float[Tensor, "some hidden"]) -> None:
        """Write into ``after`` what the states ``before`` of those that arrive become in jump e."""
        drive_gates, drive_candidate, gates, z, r, candidate, reset_state = self._parts[e]
        torch.addmm(drive_gates, before, self._W_gates_t, out=gates).sigmoid_()
        torch.mul(r, before, out=reset_state)
        torch.addmm(drive_candidate, reset_state, self._W_candidate_t, out=candidate).tanh_()
        torch.lerp(before, candidate, z, out=after)

    def start_back(self, before: Float[Tensor, "arrival hidden"]) -> None:
        """Make ready to go back: every slope of every gate at once."""
        self.before = before
        rests = 1 - self.z
        self.deltas = torch.cat(
            [
                (self.candidates - before) * self.z * rests,
                before * self.r * (1 - self.r),
                self.z * (1 - self.candidates.square()),
            ],
            1,
        )
        self.delta_gates, self.delta_candidate = self.deltas.split([2 * self.hidden, self.hidden], 1)
        self._slopes = _by_jump(
            self.arriving, self.delta_gates, *self.delta_gates.chunk(2, 1), self.delta_candidate, rests, self.r
        )

    def backward(
        self, e: int, gradient: Float[Tensor, "some hidden"], more: Float[Tensor, "some hidden"]
    ) -> Float[Tensor, "some hidden"]:
        """The gradient by the states before jump e from the one by the states after it; ``more`` is added to it."""
        delta_gates, delta_z, delta_r, delta_candidate, rests, r = self._slopes[e]
        delta_z.mul_(gradient)
        by_reset_state = torch.mm(delta_candidate.mul_(gradient), self.W_candidate)
        delta_r.mul_(by_reset_state)
        return torch.addcmul(more, gradient, rests).addcmul_(by_reset_state, r).addmm_(delta_gates, self.W_gates)

    def by_drive(self) -> Float[Tensor, "arrival gates"]:
        """The gradient by ``drive``."""
        return self.deltas

    def by_weights(self) -> tuple[Float[Tensor, "gates hidden"], Float[Tensor, " hidden"] | None]:
        """The gradient by the recurrent matrix; this convention has no inner bias."""
        return torch.cat([self.delta_gates.t() @ self.before, self.delta_candidate.t() @ self.reset_states]), None


class ResetAfterJumps:
    """PyTorch's GRU, its reset gate outside the matrix product: one product for all gates."""

    def __init__(self, arriving: Sequence[int], drive: Tensor, W_h: Tensor, inner_bias: Tensor | None) -> None:
        self.arriving = arriving
        rows = drive.shape[1]
        hidden = self.hidden = rows // 3
        self.W_h, self._W_h_t = W_h, W_h.t()
        self.bias = W_h.new_zeros(rows)
        if inner_bias is not None:
            self.bias[2 * hidden :] = inner_bias
        self.inner = torch.empty_like(drive)
        self.gates, self.inner_candidate = self.inner.split([2 * hidden, hidden], 1)
        self.z, self.r = self.gates.chunk(2, 1)
        self.candidates = drive.new_empty(len(drive), hidden)
        self._parts = _by_jump(
            arriving,
            *drive.split([2 * hidden, hidden], 1),
            self.inner,
            self.gates,
            self.inner_candidate,
            self.z,
            self.r,
            self.candidates,
        )

    def forward(self, e: int, before: Float[Tensor, "some hidden"], after: Float[Tensor, "some hidden"]) -> None:
        """Write into ``after`` what the states ``before`` of those that arrive become in jump e."""
        drive_gates, drive_candidate, inner, gates, inner_candidate, z, r, candidate = self._parts[e]
        torch.addmm(self.bias, before, self._W_h_t, out=inner)
        gates.add_(drive_gates).sigmoid_()
        torch.addcmul(drive_candidate, r, inner_candidate, out=candidate).tanh_()
        torch.lerp(before, candidate, z, out=after)

    def start_back(self, before: Float[Tensor, "arrival hidden"]) -> None:
        """Make ready to go back: this jump's sums depend on the state by one matrix, so all slopes are known."""
        self.before = before
        rests = 1 - self.z
        delta_candidate = self.z * (1 - self.candidates.square())
        self.deltas = torch.stack(
            [
                (self.candidates - before) * self.z * rests,
                delta_candidate * self.inner_candidate * self.r * (1 - self.r),
                delta_candidate * self.r,
                delta_candidate,
            ],
            1,
        )
        self.inner_deltas = self.deltas[:, :3].flatten(1)
        self._slopes = _by_jump(self.arriving, self.deltas, self.inner_deltas, rests)

    def backward(
        self, e: int, gradient: Float[Tensor, "some hidden"], more: Float[Tensor, "some hidden"]
    ) -> Float[Tensor, "some hidden"]:
        """The gradient by the states before jump e from the one by the states after it; ``more`` is added to it."""
        deltas, inner_deltas, rests = self._slopes[e]
        deltas.mul_(gradient.unsqueeze(1))
        return torch.addcmul(more, gradient, rests).addmm_(inner_deltas, self.W_h)

    def by_drive(self) -> Float[Tensor, "arrival gates"]:
        """The gradient by ``drive``, which enters the candidate without the reset gate."""
        return self.deltas[:, [0, 1, 3]].flatten(1)

    def by_weights(self) -> tuple[Float[Tensor, "gates hidden"], Float[Tensor, " hidden"] | None]:
        """The gradients by the recurrent matrix and the inner bias."""
        return self.inner_deltas.t() @ self.before, self.inner_deltas[:, 2 * self.hidden :].sum(0)


def closed_unless_observed(
    drive: Float[Tensor, "*rows gates"], observed: Bool[Tensor, "*rows 1"]
) -> Float[Tensor, "*rows gates"]:
    """The drive with the update gate closed, z = sigmoid(-inf) = 0, in the rows in which nothing is observed."""
    of_update = torch.arange(drive.shape[-1], device=drive.device) < drive.shape[-1] // 3
    return drive.masked_fill(~observed & of_update, -math.inf)


def _by_jump(arriving: Sequence[int], *parts: Float[Tensor, "arrival some"]) -> list[tuple[Tensor, ...]]:
    """For each jump, the rows of each part that belong to it."""
    return list(zip(*(part.split(arriving) for part in parts), strict=True))


GRU_JUMPS: dict[type[nn.Module], JumpsOf] = {
    ResetBeforeGRU: ResetBeforeJumps,
    ResetAfterGRU: ResetAfterJumps,
}
"""The hand-written jumps of every GRU that has them, made from arrivals, drive, W_h and the inner bias."""
