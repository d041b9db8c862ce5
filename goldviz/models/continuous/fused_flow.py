"""The flow of an ODE-RNN between its observations, stage by stage into prepared memory, and its gradient by hand.

Automatic differentiation keeps a node for every small product and adds to every weight's gradient at every stage. Here
a stage's sums are written where they stay, going back costs one product a layer, and the gradient of a weight matrix is
one product over all stages of the whole sequence at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.models.continuous.methods import ButcherTableau


@dataclass(frozen=True)
class FlowPlan:
    """How a sequence is integrated: ``steps[i]`` steps before row i, each sample by its own length in each.

    ``step_sizes`` has a row for every step of the sequence. In step k only the first ``moving[k]`` samples move, and
    never more than in the step before.
    """

    tableau: ButcherTableau
    steps: Sequence[int]
    step_sizes: Float[Tensor, "step batch 1"]
    moving: Sequence[int]

    @cached_property
    def first_step(self) -> list[int]:
        """The number of the first step before each row, and of the first one after the sequence."""
        return [0, *accumulate(self.steps)]

    def of_moving(self, values: Float[Tensor, "step batch 1"]) -> list[Tensor]:
        """Each step's values, of the samples that move in it."""
        return [row[:count] for row, count in zip(values.unbind(0), self.moving, strict=True)]


class FlowStages:
    """All Runge-Kutta stages of a tanh field over one sequence.

    ``weights`` and ``biases`` are the field's layers. Entry l of ``layers`` is (samples that move, in all stages of
    the whole sequence, one after the other; units): layer 0 the states y at which the field was evaluated, the others
    tanh's values. In float32 that is 4 bytes * stages * batch * (hidden + widths), and as much again while going back.
    """

    def __init__(self, plan: FlowPlan, like: Tensor, weights: Sequence[Tensor], biases: Sequence[Tensor]) -> None:
        self.plan = plan
        stages = plan.tableau.stages
        self.rows = [count for count in plan.moving for _ in range(stages)]
        self.layers = [like.new_empty(sum(self.rows), W.shape[1]) for W in weights]
        self.sizes = plan.of_moving(plan.step_sizes)
        self._slopes = first_samples(like.new_empty(stages, *like.shape), plan.moving)
        self._a = [_without_zeros(row) for row in plan.tableau.a]
        self._b = _without_zeros(plan.tableau.b)
        self._states, *values = [layer.split(self.rows) for layer in self.layers]
        *inner, (self._W_last, self._b_last) = zip([W.t() for W in weights], biases, strict=True)
        self._inner = [(W, b, rows) for (W, b), rows in zip(inner, values, strict=True)]

    def forward(self, i: int, start: Float[Tensor, "batch hidden"], end: Float[Tensor, "batch hidden"]) -> None:
        """Carry the state ``start`` over the interval before jump i and write it into ``end``, maybe the same."""
        first, after = self.plan.first_step[i : i + 2]
        if start is not end:
            resting = self.plan.moving[first] if first < after else 0
            end[resting:] = start[resting:]
        for k in range(first, after):
            count = self.plan.moving[k]
            self._step(k, start[:count], end[:count])
            start = end

    def _step(self, k: int, start: Tensor, end: Tensor) -> None:
        step, slopes = self.sizes[k], self._slopes[len(start)]
        for row, (a, slope) in enumerate(zip(self._a, slopes, strict=True), start=k * len(slopes)):
            h = self._move(start, a, slopes, step, self._states[row])
            for W, b, values in self._inner:
                h = torch.addmm(b, h, W, out=values[row]).tanh_()
            torch.addmm(self._b_last, h, self._W_last, out=slope)
        self._move(start, self._b, slopes, step, end)

    def _move(
        self, start: Tensor, coefficients: list[tuple[int, float]], slopes: Sequence[Tensor], step: Tensor, out: Tensor
    ) -> Tensor:
        """start + step * sum_j coefficient_j k_j, into ``out``, which may be ``start`` itself."""
        for stage, coefficient in coefficients:
            start = torch.addcmul(start, slopes[stage], step, value=coefficient, out=out)
        return start if start is out else out.copy_(start)


class FlowGradient:
    """Goes back over the stages of :class:`FlowStages`, from the last interval to the first."""

    def __init__(self, stages: FlowStages, weights: Sequence[Tensor]) -> None:
        self.stages, self.plan = stages, stages.plan
        tableau, step_sizes = self.plan.tableau, self.plan.step_sizes
        states, *inner = stages.layers
        # tanh' of every value at once; what flows back is multiplied onto it, row by row.
        one = states.new_ones(())
        self.deltas = [torch.addcmul(one, values, values, value=-1) for values in inner] + [torch.empty_like(states)]
        self._W_first, *others = weights
        *rows, self._by_slope = [delta.split(stages.rows) for delta in self.deltas]
        scratch = [
            first_samples(values.new_empty(1, step_sizes.shape[1], values.shape[1]), self.plan.moving)
            for values in inner
        ]
        self._inner = list(zip(others, rows, scratch, strict=True))[::-1]
        self._b = [self.plan.of_moving(step_sizes * b) for b in tableau.b]
        pullbacks = states.new_empty(tableau.stages, step_sizes.shape[1], states.shape[1])
        self._pulled = first_samples(pullbacks, self.plan.moving)
        self._later = [
            [(j, row[stage]) for j, row in enumerate(tableau.a) if j > stage and row[stage]]
            for stage in range(tableau.stages)
        ]

    def backward(self, i: int, gradient: Float[Tensor, "batch hidden"]) -> None:
        """Turn the gradient by the state at the end of interval i into the one by its start, in place.

        With g at the end of a step of size d, the gradient by slope k_i is d (b_i g + sum_(j > i) a_ji p_j), where p_j
        is the gradient by the state y_j at which stage j looked. The start of the step gets g + sum_i p_i.
        """
        first, after = self.plan.first_step[i : i + 2]
        for k in reversed(range(first, after)):
            self._step_back(k, gradient[: self.plan.moving[k]])

    def _step_back(self, k: int, gradient: Tensor) -> None:
        step, pullbacks = self.stages.sizes[k], self._pulled[len(gradient)]
        for stage in reversed(range(len(pullbacks))):
            row = k * len(pullbacks) + stage
            torch.mul(gradient, self._b[stage][k], out=self._by_slope[row])
            for later, a in self._later[stage]:
                self._by_slope[row].addcmul_(pullbacks[later], step, value=a)
            self._pull(row, pullbacks[stage])
        for one in pullbacks:
            gradient.add_(one)

    def _pull(self, row: int, out: Float[Tensor, "batch hidden"]) -> None:
        delta = self._by_slope[row]
        for W, deltas, scratch in self._inner:
            [room] = scratch[len(delta)]
            delta = deltas[row].mul_(torch.mm(delta, W, out=room))
        torch.mm(delta, self._W_first, out=out)

    def by_weights(self) -> list[Tensor]:
        """The gradients by W_1, b_1, W_2, b_2, ...: one product a matrix."""
        gradients = []
        for values, delta in zip(self.stages.layers, self.deltas, strict=True):
            gradients += [delta.t() @ values, delta.sum(0)]
        return gradients


def first_samples(room: Float[Tensor, "stage batch hidden"], counts: Iterable[int]) -> dict[int, tuple[Tensor, ...]]:
    """For each of the counts, the stages' room for so many samples."""
    return {count: room[:, :count].unbind(0) for count in dict.fromkeys(counts)}


def _without_zeros(coefficients: Sequence[float]) -> list[tuple[int, float]]:
    return [(stage, value) for stage, value in enumerate(coefficients) if value]
