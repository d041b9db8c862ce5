"""A neural controlled differential equation: a hidden state that the data drive along their own path, without jumps.

Kidger, Morrill, Foster and Lyons 2020: dh = F(h) dX, where X is a path through the observations with time among its
channels, and h begins at zeta(X_0), a network of the first observation. Here X is rectilinear (Morrill, Kidger, Yang
and Lyons 2021): time goes on while the values rest, then the values move while time rests. So what stands before an
observation depends on nothing that comes later, as a forecast must; a spline through all observations would bend
towards the next one before it came.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.functional import linear

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
from goldviz.models.continuous.ode_rnn import ODERNNTrace
from goldviz.models.continuous.ode_solvers import Evolution, Solver
from goldviz.models.continuous.vector_field import TanhField


def controls(channels: int) -> int:
    """How many channels the path has: time, each value, and how often each was observed so far."""
    return 1 + 2 * channels


class AlongPath(nn.Module):
    """dh/ds = F(h) dX/ds on a straight piece of the path, the same ``velocity`` dX/ds all the way.

    ``field`` gives F(h) (hidden, controls) as one row. Called as ``along(s, h)``, the order that torchdiffeq uses.
    """

    def __init__(self, field: TanhField, velocity: Float[Tensor, "batch controls"]) -> None:
        super().__init__()
        self.field = field
        self.velocity = velocity

    def forward(self, s: Tensor, h: State) -> State:
        """The state's own velocity."""
        F = self.field(s, h).unflatten(-1, (-1, self.velocity.shape[1]))
        return torch.einsum("bhc,bc->bh", F, self.velocity)


class FirstState(nn.Module):
    """zeta of Kidger et al. 2020, one linear layer: h = W_x (values, counts) + b_x at a series' first row.

    A state of zeros would stay where it is until F has learned a bias. A value that was not observed counts as 0. W_x
    is drawn N(0, 1 / inputs) in float64 on the CPU and rounded, b_x starts at 0.
    """

    def __init__(self, channels: int, hidden: int, generator: Generator, *, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        inputs, precision = controls(channels) - 1, torch.get_default_dtype() if dtype is None else dtype
        drawn = torch.randn(hidden, inputs, generator=generator, dtype=torch.float64) / math.sqrt(inputs)
        self.W_x = nn.Parameter(drawn.to(precision))
        self.b_x = nn.Parameter(torch.zeros(hidden, dtype=precision))

    def forward(self, row: Float[Tensor, "batch inputs"]) -> State:
        """The state that follows from the first row: its values, and 1 for each one that was observed."""
        return linear(row, self.W_x, self.b_x)


class NeuralCDE(nn.Module):
    """dh = F(h) dX along the rectilinear path of each series, from h = zeta(X_0) at the first row on.

    ``field`` maps a state to hidden * controls numbers, and ``start`` is zeta. ``solver`` carries the state while time
    goes on, in the unit of the times; ``value_solver`` while the values move, which takes from s = 0 to 1. A value that
    was not observed rests; one that was not observed at the first row rests at 0.
    """

    def __init__(
        self, field: TanhField, start: FirstState, channels: int, solver: Solver, value_solver: Solver
    ) -> None:
        super().__init__()
        if field.outputs != field.hidden * controls(channels):
            raise ValueError(
                f"The field gives {field.outputs} numbers; allowed are {field.hidden * controls(channels)}, one for "
                f"each of {field.hidden} hidden units and of {controls(channels)} channels of the path."
            )
        self.field = field
        self.start = start
        self.channels = channels
        self.solver = solver
        self.value_solver = value_solver

    def forward(self, times: Times, values: Values, mask: Mask) -> ODERNNTrace:
        """Follow a batch of series; the trace is as an ODE-RNN's, with the state before and after each row.

        Before the first row, where nothing is known, the state is 0.

        Raises :class:`SeriesError` as :class:`goldviz.models.continuous.ode_rnn.ODERNN` does.
        """
        check_values(values, mask, self.channels)
        check_times(times, mask)
        check_gaps(times, self.solver.longest_gap)
        h = values.new_zeros(values.shape[1], self.field.hidden)
        last = torch.zeros_like(values[0])
        before, after, evaluations, steps = list[Tensor](), list[Tensor](), list[int](), list[int]()
        for gap, row, present in zip(gaps_before(times).to(values.dtype), visible(values, mask), mask, strict=True):
            flow = self.solver.evolve(self._in_time(h), h, gap)
            counts = present.to(values.dtype)
            if after:
                changes = torch.cat([torch.zeros_like(gap)[:, None], torch.where(present, row - last, 0.0), counts], 1)
                move = self.value_solver.evolve(AlongPath(self.field, changes), flow.state, counts.amax(1))
            else:
                move = Evolution(self.start(torch.cat([row, counts], 1)), 0, 0)
            last, h = torch.where(present, row, last), move.state
            before.append(flow.state)
            after.append(h)
            evaluations.append(flow.evaluations + move.evaluations)
            steps.append(flow.steps + move.steps)
        trace = ODERNNTrace(torch.stack(before), torch.stack(after), torch.tensor(evaluations), torch.tensor(steps))
        check_states(times, trace.before, trace.after)
        return trace

    def evolve(self, state: State, durations: Float[Tensor, " batch"]) -> State:
        """Every sample's state ``durations`` later if nothing is observed meanwhile: time alone moves it.

        Raises :class:`SeriesError` for a duration below 0 or longer than the solver's step can bridge.
        """
        check_durations(durations, self.solver.longest_gap)
        return self.solver.evolve(self._in_time(state), state, durations).state

    def _in_time(self, state: State) -> AlongPath:
        velocity = state.new_zeros(len(state), controls(self.channels))
        velocity[:, 0] = 1.0
        return AlongPath(self.field, velocity)
