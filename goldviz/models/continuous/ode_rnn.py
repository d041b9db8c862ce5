"""ODE-RNN: a hidden state that flows along a field between observations and jumps at each of them.

Rubanova, Chen and Duvenaud 2019; document 001, eq. 31-33.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from goldviz.models.continuous.observed_series import (
    Mask,
    State,
    Times,
    Values,
    check_durations,
    check_gaps,
    check_states,
    check_times,
    check_values,
    gaps_before,
    visible,
)
from goldviz.models.continuous.ode_solvers import Solver, UnsolvedIntervalError
from goldviz.models.continuous.vector_field import TanhField
from goldviz.models.recurrent.weights import RecurrentWeights

Inputs = Float[Tensor, "time batch inputs"]
Observed = Bool[Tensor, "time batch 1"]
"""Whether anything of a sample is observed in a row."""


@dataclass(frozen=True)
class ODERNNTrace:
    """What one pass gives, for row i of the series.

    ``before`` is h'_i = h(t_i-), what is known of t_i before looking (eq. 32): a forecast of t_i reads this one.
    ``after`` is h_i = h(t_i+) (eq. 33). ``evaluations`` and ``steps`` count, for the interval that ends at row i, how
    often the whole batch's field was evaluated and how many steps the solver tried.
    """

    before: Float[Tensor, "time batch hidden"]
    after: Float[Tensor, "time batch hidden"]
    evaluations: Int[Tensor, " time"]
    steps: Int[Tensor, " time"]


class ODERNN(nn.Module):
    """dh/dt = f(h) between observations (eq. 31), h_i = cell(h'_i, [x_i, m_i]) at them (eq. 33).

    ``cell`` is a recurrent layer with 2 * channels inputs: the values, 0 where none was observed, then the mask. A
    row in which nothing of a sample is observed is no jump for it: h_i = h'_i. An LSTM's memory c jumps with h and
    rests in between (Lechner and Hasani 2020); it starts at 0.

    The first row is reached at once: h'_0 is the initial state. A padded row (the time of the row before it, nothing
    observed) changes nothing.
    """

    def __init__(self, cell: RecurrentWeights, field: TanhField, solver: Solver) -> None:
        super().__init__()
        if cell.inputs % 2:
            raise ValueError(
                f"The cell has {cell.inputs} inputs; allowed is an even number: every channel's value and its mask."
            )
        if cell.hidden != field.hidden:
            raise ValueError(f"The field has {field.hidden} hidden units; allowed is {cell.hidden}, as in the cell.")
        self.cell = cell
        self.field = field
        self.solver = solver
        self.channels = cell.inputs // 2

    def forward(self, times: Times, values: Values, mask: Mask, initial: State | None = None) -> ODERNNTrace:
        """Follow a batch of series from the state ``initial`` (zero if it is not given).

        Times may be float64 where the values are float32: gaps are taken before they are rounded. Raises
        :class:`SeriesError`, which names sample and time, for times that do not ascend, gaps that the solver's step
        cannot bridge, observed values that are not finite, a sample without observations, and a state that becomes
        infinite or NaN on the way.
        """
        check_values(values, mask, self.channels)
        check_times(times, mask)
        check_gaps(times, self.solver.longest_gap)
        inputs = torch.cat([visible(values, mask), mask.to(values.dtype)], 2)
        state = self.cell.zero_state(inputs) if initial is None else initial
        trace = self._follow(gaps_before(times).to(values.dtype), inputs, mask.any(2, keepdim=True), state)
        check_states(times, trace.before, trace.after)
        return trace

    def evolve(self, state: State, durations: Float[Tensor, " batch"]) -> State:
        """Every sample's state ``durations`` later if nothing is observed meanwhile: what a forecast reads.

        Raises :class:`SeriesError` for a duration below 0 or longer than the solver's step can bridge.
        """
        check_durations(durations, self.solver.longest_gap)
        return self.solver.evolve(self.field, state, durations).state

    def _follow(self, gaps: Times, inputs: Inputs, observed: Observed, h: State) -> ODERNNTrace:
        memory = [torch.zeros_like(h) for _ in self.cell.trace.carried[1:]]
        before, after, evaluations, steps = [], [], [], []
        for row, (gap, x, present) in enumerate(zip(gaps, inputs.unsqueeze(1), observed, strict=True)):
            try:
                evolution = self.solver.evolve(self.field, h, gap)
            except UnsolvedIntervalError as error:
                raise UnsolvedIntervalError(f"On the way to row {row}: {error}", "unsolved") from error
            jump = self.cell(x, (evolution.state, *memory))
            latest = [getattr(jump, name)[-1] for name in jump.carried[1:]]
            memory = [torch.where(present, after, before) for after, before in zip(latest, memory, strict=True)]
            h = torch.where(present, jump.states[-1], evolution.state)
            before.append(evolution.state)
            after.append(h)
            evaluations.append(evolution.evaluations)
            steps.append(evolution.steps)
        return ODERNNTrace(torch.stack(before), torch.stack(after), torch.tensor(evaluations), torch.tensor(steps))
