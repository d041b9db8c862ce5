"""The networks of *Transformer for series*, as its settings describe them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from goldviz.diagnostics.layers import Layer
from goldviz.labs.series_attention.extent import window_rows
from goldviz.labs.series_attention.outputs import OUTPUTS
from goldviz.labs.series_attention.rolling import Reader, reading_again
from goldviz.models.continuous.fused_ode_rnn import fixed_step_ode_rnn
from goldviz.models.continuous.vector_field import TanhField
from goldviz.models.recurrent.cells import recurrent_layer
from goldviz.models.recurrent.fused import FusedRecurrence
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.models.series.attention import AttentionOptions
from goldviz.models.series.row_transformer import Memory, RowShape, RowTransformer, initialise_rows
from goldviz.training.seeds import WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.series_attention.settings import SeriesAttention


class SeriesGRU(nn.Module):
    """PyTorch's GRU and a linear read-out; times are told by the covariates alone."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.recurrent = FusedRecurrence("gru", inputs, hidden)
        self.read_out = nn.Linear(hidden, outputs)

    def forward(
        self, rows: Float[Tensor, "batch time input"], _times: Float[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time output"]:
        """What is said of the value of every row."""
        states, _ = self.recurrent.read(rows.transpose(0, 1))
        output: Tensor = self.read_out(states.transpose(0, 1))
        return output

    def reader(self) -> Reader:
        """Reads a series on, row after row, from the state that it is in."""
        state: Tensor | None = None

        def read(rows: Tensor, _times: Tensor) -> Tensor:
            nonlocal state
            states, state = self.recurrent.read(rows.transpose(0, 1), state)
            output: Tensor = self.read_out(states[-1])
            return output

        return read


START = RecurrentInitialisation(matrix="orthogonal", biases={})
FIELD_STREAM, READ_OUT_STREAM = 100, 101
"""Streams beyond those of the cell's matrices."""
LONGEST_STEP = 0.4
"""Of the Runge-Kutta method, in the network's unit of time."""


class SeriesODERNN(nn.Module):
    """A GRU cell, a field of one hidden layer, and a linear read-out; ``unit`` is how much time the network calls 1.

    Document 001, eq. 31-33: the state flows from a row's time to the next row's, and jumps where a value is read. What
    is said of a value is read off the state that has flowed to its time.

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


class SeriesTransformer(RowTransformer):
    """A Transformer over rows and a linear read-out of so many ``outputs`` at each."""

    def __init__(self, shape: RowShape, outputs: int) -> None:
        super().__init__(shape)
        self.read_out = nn.Linear(shape.width, outputs)

    def forward(
        self, rows: Float[Tensor, "batch time input"], times: Float[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time output"]:
        """What is said of the value of every row, which sees itself and what stands before."""
        output: Tensor = self.read_out(self.states(*self.embedded(rows, times)))
        return output

    def reader(self) -> Reader:
        """Reads a series on, row after row: what is said of the last row given so far.

        Keys and values are kept, so a row costs one row; ProbSparse attention, whose choice depends on how many rows
        there are, reads all rows again.
        """
        if self.shape.attention not in ("full", "log_sparse"):
            return reading_again(self)
        memories = [Memory() for _ in self.blocks]

        def read(rows: Tensor, times: Tensor) -> Tensor:
            x, places = self.embedded(rows, times, memories[0].rows)
            for block, memory in zip(self.stack(), memories, strict=True):
                x = block(x, places, memory)
            output: Tensor = self.read_out(self.final_norm(x[:, -1]))
            return output

        return read


SeriesNetwork: TypeAlias = SeriesTransformer | SeriesGRU | SeriesODERNN
TIME_UNITS = {"oscillator": 1.0}
"""What an ODE-RNN calls 1: a second there, five rows or days elsewhere."""


def options_of(settings: SeriesAttention) -> AttentionOptions:
    """What the chosen kind of attention is told: nothing of what it leaves unread.

    An exported script has the settings' values alone, so the kind is asked here.
    """
    usual = AttentionOptions()
    if settings.attention == "log_sparse":
        return AttentionOptions(settings.window, settings.restart or None, usual.factor)
    if settings.attention.startswith("prob_sparse"):
        return AttentionOptions(usual.window, usual.restart, settings.factor)
    return usual


def series_network(settings: SeriesAttention, lane: str, inputs: int, seed: int) -> SeriesNetwork:
    """A network at its start; both Transformers of a seed begin with the same weights."""
    outputs = OUTPUTS[settings.output].size
    network: SeriesNetwork
    if lane == "ode_rnn":
        unit = TIME_UNITS.get(settings.task, 5.0)
        return SeriesODERNN(settings.width, outputs, unit, lambda index: stream(seed, WEIGHTS + index))
    if lane == "gru":
        network = SeriesGRU(inputs, settings.width, outputs)
    else:
        network = SeriesTransformer(
            RowShape(
                inputs,
                window_rows(settings),
                settings.layers,
                settings.heads,
                settings.width,
                1 if lane == "pointwise" else int(settings.kernel),
                settings.attention,
                options_of(settings),
                settings.positions,
                settings.activation,
                settings.block,
            ),
            outputs,
        )
    initialise_rows(network, lambda index: stream(seed, WEIGHTS + index))
    return network


def layers_of(network: SeriesNetwork) -> list[Layer]:
    """What the plots of layers tell apart."""
    if isinstance(network, SeriesGRU):
        return [Layer.of("GRU", network.recurrent), Layer.of("read-out", network.read_out)]
    if isinstance(network, SeriesODERNN):
        return [Layer.of("ODE-RNN", network.network), Layer.of("read-out", network.read_out)]
    blocks = [Layer.of(f"block {number}", block) for number, block in enumerate(network.stack(), start=1)]
    return [Layer.of("input", network.widen), *blocks, Layer.of("read-out", network.read_out)]


def layer_names(settings: SeriesAttention) -> list[str]:
    """The layers of all networks in order, whichever are trained; an ODE-RNN's at irregular times."""
    flowing = ["ODE-RNN"] if settings.task == "oscillator" or settings.networks == "ode_rnn" else []
    return ["input", *(f"block {number}" for number in range(1, settings.layers + 1)), "GRU", *flowing, "read-out"]
