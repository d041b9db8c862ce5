"""An ODE-RNN over the rows of a series: the same rows in, the same answer out; its state flows for as long as a gap is.

Document 001, eq. 31-33: the state flows from a row's time to the next row's, and jumps where a value is read. What is
said of a value is read off the state that has flowed to its time.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from goldviz.labs.series_attention.rolling import Reader
from goldviz.models.continuous.fused_ode_rnn import fixed_step_ode_rnn
from goldviz.models.continuous.vector_field import TanhField
from goldviz.models.recurrent.cells import recurrent_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise

START = RecurrentInitialisation(matrix="orthogonal", biases={})
FIELD_STREAM, READ_OUT_STREAM = 100, 101
"""Streams beyond those of the cell's matrices."""
LONGEST_STEP = 0.4
"""Of the Runge-Kutta method, in the network's unit of time."""


class SeriesODERNN(nn.Module):
    """A GRU cell, a field of one hidden layer, and a linear read-out; ``unit`` is how much time the network calls 1.

    It reads values and times; a covariate says nothing that it does not have from the times.
    """

    def __init__(self, hidden: int, outputs: int, unit: float, weights: Callable[[int], Generator]) -> None:
        super().__init__()
        cell = recurrent_layer("gru", 2, hidden)
        initialise(cell, weights, START)
        field = TanhField(hidden, (hidden,), weights(FIELD_STREAM))
        self.network = fixed_step_ode_rnn(cell, field, "rk4", LONGEST_STEP)
        self.read_out = nn.Linear(hidden, outputs)
        with torch.no_grad():
            self.read_out.weight.normal_(0, 1 / math.sqrt(hidden), generator=weights(READ_OUT_STREAM))
            self.read_out.bias.zero_()
        self.unit = unit

    def forward(
        self, rows: Float[Tensor, "batch time input"], times: Float[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time output"]:
        """What is said of the value of every row; raises SeriesError for times that do not ascend."""
        output: Tensor = self.read_out(self._before(rows, times).transpose(0, 1))
        return output

    def _before(self, rows: Tensor, times: Tensor) -> Tensor:
        """The state that has flowed to each row's time, (time, batch, hidden)."""
        # A row holds the value before it, so the value of a row stands in the next one, and the last is unknown.
        values = torch.cat([rows[:, 1:, 0], torch.zeros_like(rows[:, :1, 0])], 1).T[..., None]
        mask = torch.ones_like(values, dtype=torch.bool)
        mask[-1] = False
        before: Tensor = self.network(times.T / self.unit, values, mask).before
        return before

    def reader(self) -> Reader:
        """Reads a series on, row after row, from the state that it is in."""
        state: Tensor | None = None
        last = torch.empty(0)

        def read(rows: Tensor, times: Tensor) -> Tensor:
            nonlocal state, last
            first = 0
            if state is None:
                state, last, first = self._before(rows, times)[-1], times[:, -1], rows.shape[1]
            for row in range(first, rows.shape[1]):
                value = rows[:, row, :1]
                state_after = self.network.cell(torch.cat([value, torch.ones_like(value)], 1)[None], state).states[-1]
                state = self.network.evolve(state_after, (times[:, row] - last) / self.unit)
                last = times[:, row]
            output: Tensor = self.read_out(state)
            return output

        return read
