"""The flow of an ODE-RNN between its observations, stage by stage into prepared memory, and its gradient by hand.

Automatic differentiation keeps a node for every small product and adds to every weight's gradient at every stage. Here
a stage's sums are written where they stay, going back costs one product a layer, and the gradient of a weight matrix is
one product over all stages of the whole sequence at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.models.continuous.runge_kutta import ButcherTableau


@dataclass(frozen=True)
class FlowPlan:
    """How a sequence is integrated: ``steps[i]`` equal steps before row i, of ``step_sizes[i]`` (batch, 1) each."""

    tableau: ButcherTableau
    steps: Sequence[int]
    step_sizes: Float[Tensor, "time batch 1"]


class FlowStages:
    """All Runge-Kutta stages of a tanh field over one sequence.

    ``weights`` and ``biases`` are the field's layers. Entry l of ``layers`` is (stages of the whole sequence, batch,
    units): layer 0 the states y at which the field was evaluated, the others tanh's values. In float32 that is
    4 bytes * stages * batch * (hidden + widths), and as much again while going back.
    """

    def __init__(self, plan: FlowPlan, like: Tensor, weights: Sequence[Tensor], biases: Sequence[Tensor]) -> None:
        self.plan = plan
        stages = plan.tableau.stages
        self.layers = [like.new_empty(sum(plan.steps) * stages, len(like), W.shape[1]) for W in weights]
        self.first_row = [0, *(stages * count for count in accumulate(plan.steps))]
        self.sizes = plan.step_sizes.unbind(0)
        self.slopes = like.new_empty(stages, *like.shape).unbind(0)
        self._a = [_without_zeros(row) for row in plan.tableau.a]
        self._b = _without_zeros(plan.tableau.b)
        self._states, *values = [layer.unbind(0) for layer in self.layers]
        *inner, (self._W_last, self._b_last) = zip([W.t() for W in weights], biases, strict=True)
        self._inner = [(W, b, rows) for (W, b), rows in zip(inner, values, strict=True)]

    def forward(self, i: int, start: Float[Tensor, "batch hidden"], end: Float[Tensor, "batch hidden"]) -> None:
        """Carry the state ``start`` over the interval before row i and write it into ``end``."""
        step, row = self.sizes[i], self.first_row[i]
        if self.plan.steps[i] == 0:
            end.copy_(start)
        for _ in range(self.plan.steps[i]):
            for a, slope in zip(self._a, self.slopes, strict=True):
                h = self._move(start, a, step, self._states[row])
                for W, b, values in self._inner:
                    h = torch.addmm(b, h, W, out=values[row]).tanh_()
                torch.addmm(self._b_last, h, self._W_last, out=slope)
                row += 1
            start = self._move(start, self._b, step, end)

    def _move(self, start: Tensor, coefficients: list[tuple[int, float]], step: Tensor, out: Tensor) -> Tensor:
        """start + step * sum_j coefficient_j k_j, into ``out``, which may be ``start`` itself."""
        for stage, coefficient in coefficients:
            start = torch.addcmul(start, self.slopes[stage], step, value=coefficient, out=out)
        return start if start is out else out.copy_(start)


class FlowGradient:
    """Goes back over the stages of :class:`FlowStages`, from the last interval to the first."""

    def __init__(self, stages: FlowStages, weights: Sequence[Tensor]) -> None:
        self.stages = stages
        tableau, step_sizes = stages.plan.tableau, stages.plan.step_sizes
        states, *inner = stages.layers
        # tanh' of every value at once; what flows back is multiplied onto it, row by row.
        one = states.new_ones(())
        self.deltas = [torch.addcmul(one, values, values, value=-1) for values in inner] + [torch.empty_like(states)]
        self._W_first, *others = weights
        *rows, self._by_slope = [delta.unbind(0) for delta in self.deltas]
        scratch = [values.new_empty(values.shape[1:]) for values in inner]
        self._inner = list(zip(others, rows, scratch, strict=True))[::-1]
        self._b = [(step_sizes * b).unbind(0) for b in tableau.b]
        self._pulled = states.new_empty(tableau.stages, *states.shape[1:]).unbind(0)
        self._later = [
            [(j, row[stage]) for j, row in enumerate(tableau.a) if j > stage and row[stage]]
            for stage in range(tableau.stages)
        ]

    def backward(self, i: int, gradient: Float[Tensor, "batch hidden"]) -> None:
        """Turn the gradient by the state at the end of interval i into the one by its start, in place.

        With g at the end of a step of size d, the gradient by slope k_i is d (b_i g + sum_(j > i) a_ji p_j), where p_j
        is the gradient by the state y_j at which stage j looked. The start of the step gets g + sum_i p_i.
        """
        step, row = self.stages.sizes[i], self.stages.first_row[i + 1]
        order = range(len(self._pulled))[::-1]
        for _ in range(self.stages.plan.steps[i]):
            for stage in order:
                row -= 1
                torch.mul(gradient, self._b[stage][i], out=self._by_slope[row])
                for later, a in self._later[stage]:
                    self._by_slope[row].addcmul_(self._pulled[later], step, value=a)
                self._pull(row, self._pulled[stage])
            for pulled in self._pulled:
                gradient.add_(pulled)

    def _pull(self, row: int, out: Float[Tensor, "batch hidden"]) -> None:
        delta = self._by_slope[row]
        for W, deltas, scratch in self._inner:
            delta = deltas[row].mul_(torch.mm(delta, W, out=scratch))
        torch.mm(delta, self._W_first, out=out)

    def by_weights(self) -> list[Tensor]:
        """The gradients by W_1, b_1, W_2, b_2, ...: one product a matrix."""
        found = []
        for values, delta in zip(self.stages.layers, self.deltas, strict=True):
            flat = delta.flatten(0, 1)
            found += [flat.t() @ values.flatten(0, 1), flat.sum(0)]
        return found


def _without_zeros(coefficients: Sequence[float]) -> list[tuple[int, float]]:
    return [(stage, value) for stage, value in enumerate(coefficients) if value]
