"""Forecast the next observation of an irregular series: by an ODE-RNN or a neural CDE, or by a GRU that knows nothing
of time, is told the gaps, or fades over them.

All of them are read the same way: before each row stands a state that knows the rows before it and, but for the plain
GRU, the row's time; mean and scale of the row's values are read off that state.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn
from torch.nn.functional import linear

from goldviz.models.continuous.gru_decay import DecayGRU, GapGRU, channel_gaps
from goldviz.models.continuous.neural_cde import NeuralCDE
from goldviz.models.continuous.observed_series import (
    Mask,
    State,
    Times,
    Values,
    check_times,
    check_values,
    gaps_before,
    visible,
)
from goldviz.models.continuous.ode_rnn import ODERNN
from goldviz.models.continuous.ode_solvers import Evolution, FixedSteps, Solver
from goldviz.models.losses import normal_loss
from goldviz.models.recurrent.cells import recurrent_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise

SMALLEST_FORECAST_SCALE = 5e-3
"""A likelihood without a floor under the scale grows without bound where forecasts become exact."""
READ_OUT_START = 0.1
"""Read-out weights start at a tenth of N(0, 1 / hidden): first forecasts are near 0 with scale 1."""

WeightStream = Callable[[int], Generator]

ORTHOGONAL_START = RecurrentInitialisation(matrix="orthogonal", biases={"forget": 1.0})
"""Of every cell: orthogonal recurrent matrices, and an LSTM's forget gates start open (Gers et al. 2000)."""


class ReaderTrace(NamedTuple):
    """What a pass gives for every row of a series.

    ``before`` is what a forecast of the row reads, ``after`` the state that includes it. ``evaluations`` counts how
    often the batch's field was evaluated on the way to the row, and ``steps`` how many steps the solver tried; both
    are 0 for a network without a field.
    """

    before: Float[Tensor, "time batch hidden"]
    after: Float[Tensor, "time batch hidden"]
    evaluations: Int[Tensor, " time"]
    steps: Int[Tensor, " time"]


class StateChain(NamedTuple):
    """``before`` as in :class:`ReaderTrace`, and the states after the rows one by one, each a node on the way to
    the next: gradients can be asked of them."""

    before: Float[Tensor, "time batch hidden"]
    states: tuple[State, ...]


class SeriesReader(nn.Module):
    """Follows a series and keeps a hidden state; see the module's docstring. Times are as in ``observed_series``."""

    hidden: int

    def forward(self, times: Tensor, values: Tensor, mask: Tensor) -> ReaderTrace:
        """The states before and after every row; raises ``SeriesError`` for a series that cannot be followed."""
        before, states = self.chain(times, values, mask)
        none = torch.zeros(len(before), dtype=torch.int64)
        return ReaderTrace(before, torch.stack(states), none, none)

    def chain(self, times: Tensor, values: Tensor, mask: Tensor) -> StateChain:
        """The same states by plain automatic differentiation, row by row."""
        raise TypeError(f"{type(self).__name__} does not say how it follows a series")

    def between(
        self,
        trace: ReaderTrace,
        times: Times,
        values: Values,
        mask: Mask,
        durations: Float[Tensor, "places time batch"],
    ) -> Float[Tensor, "places time batch hidden"]:
        """The states that forecasts for so long after each row would read, if nothing were observed meanwhile.

        ``trace`` is what :meth:`forward` gives for the same series.
        """
        raise TypeError(f"{type(self).__name__} does not say what lies between two rows")


class FlowingSeriesReader(SeriesReader):
    """A network whose state flows between rows. A forecast reads the state that has flowed to its time."""

    network: ODERNN | NeuralCDE

    def forward(self, times: Tensor, values: Tensor, mask: Tensor) -> ReaderTrace:
        """By the network's own solver, fused where there is such a one."""
        trace = self.network(times, values, mask)
        return ReaderTrace(trace.before, trace.after, trace.evaluations, trace.steps)

    def watched(self, solver: Solver) -> ODERNN | NeuralCDE:
        """The same network with another solver between rows."""
        raise TypeError(f"{type(self).__name__} does not say how another solver carries its state")

    def chain(self, times: Tensor, values: Tensor, mask: Tensor) -> StateChain:
        """The states are those that the solver sets out from, and the last one."""
        solver = WatchedSolver(self.network.solver)
        trace = self.watched(solver)(times, values, mask)
        return StateChain(trace.before, (*solver.starts[1:], trace.after[-1]))

    def between(self, trace: ReaderTrace, times: Tensor, values: Tensor, mask: Tensor, durations: Tensor) -> Tensor:
        """Fixed steps go for all rows at once, as no sample's numbers depend on its company there.

        Other solvers go row by row, so that steps before and after an observation are as long as those of the way to
        the next.
        """
        places, rows, batch = durations.shape
        if isinstance(self.network.solver, FixedSteps):
            start = trace.after.repeat(places, 1, 1, 1).flatten(0, 2)
            return self.network.evolve(start, durations.flatten().to(start.dtype)).view(places, rows, batch, -1)
        states = [
            self.network.evolve(h.repeat(places, 1), duration.reshape(-1).to(h.dtype)).view(places, batch, -1)
            for h, duration in zip(trace.after, durations.unbind(1), strict=True)
        ]
        return torch.stack(states, 1)


class ODESeriesReader(FlowingSeriesReader):
    """An ODE-RNN (document 001, eq. 31-33): the state jumps at rows."""

    network: ODERNN

    def __init__(self, network: ODERNN) -> None:
        super().__init__()
        self.network = network
        self.hidden = network.cell.hidden

    def watched(self, solver: Solver) -> ODERNN:
        """By plain automatic differentiation, even where the network's own is fused."""
        return ODERNN(self.network.cell, self.network.field, solver)


class CDESeriesReader(FlowingSeriesReader):
    """A neural CDE (Kidger et al. 2020): at rows the values drive the state, which never jumps."""

    network: NeuralCDE

    def __init__(self, network: NeuralCDE) -> None:
        super().__init__()
        self.network = network
        self.hidden = network.field.hidden

    def watched(self, solver: Solver) -> NeuralCDE:
        """With the same field and the same solver while values move."""
        own = self.network
        return NeuralCDE(own.field, own.start, own.channels, solver, own.value_solver)


class PlainSeriesReader(SeriesReader):
    """A GRU that reads values and mask and knows nothing of time: between two rows its state rests."""

    def __init__(self, channels: int, hidden: int, weights: WeightStream) -> None:
        super().__init__()
        self.cell = recurrent_layer("gru", 2 * channels, hidden)
        initialise(self.cell, weights, ORTHOGONAL_START)
        self.channels = channels
        self.hidden = hidden

    def chain(self, times: Tensor, values: Tensor, mask: Tensor) -> StateChain:
        """h_0 to h_(T-1) are the states before, h_1 to h_T those after."""
        check_values(values, mask, self.channels)
        check_times(times, mask)
        states = self.cell(torch.cat([visible(values, mask), mask.to(values.dtype)], 2)).states
        return StateChain(torch.stack(states[:-1]), states[1:])

    def between(self, trace: ReaderTrace, times: Tensor, values: Tensor, mask: Tensor, durations: Tensor) -> Tensor:
        """The state after the row, whatever the time."""
        return trace.after.expand(len(durations), *trace.after.shape)


class GapSeriesReader(SeriesReader):
    """A GRU that is told, with every row, the gap before it and the gap to the next row, which it is to forecast.

    After the last row the gap is unknown; it reads 0 there.
    """

    def __init__(self, channels: int, hidden: int, weights: WeightStream) -> None:
        super().__init__()
        self.network = GapGRU(channels, hidden, gaps=2)
        initialise(self.network.cell, weights, ORTHOGONAL_START)
        self.hidden = hidden

    def chain(self, times: Tensor, values: Tensor, mask: Tensor) -> StateChain:
        """h_0 to h_(T-1) are the states before, h_1 to h_T those after."""
        check_times(times, mask)
        gaps = gaps_before(times)
        later = torch.cat([gaps[1:], torch.zeros_like(gaps[:1])])
        states = self.network(values, mask, torch.stack([gaps, later], 2)).states
        return StateChain(torch.stack(states[:-1]), states[1:])

    def between(self, trace: ReaderTrace, times: Tensor, values: Tensor, mask: Tensor, durations: Tensor) -> Tensor:
        """Each row read once more with the duration in place of the gap to the next row."""
        inputs = torch.cat([visible(values, mask), mask.to(values.dtype), gaps_before(times)[..., None].to(values)], 2)
        places = len(durations)
        queries = torch.cat([inputs.repeat(places, 1, 1, 1), durations[..., None].to(values.dtype)], 3)
        before = trace.before.repeat(places, 1, 1, 1).flatten(0, 2)
        states: Tensor = self.network.cell(queries.flatten(0, 2)[None], before).states[-1]
        return states.view(*durations.shape, -1)


class DecaySeriesReader(SeriesReader):
    """GRU-D (Che et al. 2018): a forecast reads the state that has faded to its time."""

    def __init__(self, channels: int, hidden: int, weights: WeightStream) -> None:
        super().__init__()
        self.network = DecayGRU(channels, hidden)
        initialise(self.network.cell, weights, ORTHOGONAL_START)
        self.hidden = hidden

    def chain(self, times: Tensor, values: Tensor, mask: Tensor) -> StateChain:
        """The states before are gamma_t * h_(t-1)."""
        check_times(times, mask)
        trace = self.network(values, mask, channel_gaps(times, mask), gaps_before(times))
        before = torch.stack(trace.decays) * torch.stack(trace.states[:-1])
        return StateChain(before, trace.states[1:])

    def between(self, trace: ReaderTrace, times: Tensor, values: Tensor, mask: Tensor, durations: Tensor) -> Tensor:
        """gamma of the duration, and of the time since each channel was observed, times the state after the row."""
        silent = torch.where(mask, 0.0, channel_gaps(times, mask))
        silences = (silent + durations[..., None]).to(values.dtype)
        return trace.after * self.network.decays(silences, durations.to(values.dtype))


@dataclass
class WatchedSolver:
    """A solver that remembers the states from which it was sent off."""

    solver: Solver

    def __post_init__(self) -> None:
        self.starts: list[Tensor] = []

    @property
    def longest_gap(self) -> float:
        """The solver's."""
        return self.solver.longest_gap

    def evolve(self, field: nn.Module, state: Tensor, durations: Tensor) -> Evolution:
        """What the solver does."""
        self.starts.append(state)
        return self.solver.evolve(field, state, durations)


BASELINE_READERS: dict[str, Callable[[int, int, WeightStream], SeriesReader]] = {
    "gru": PlainSeriesReader,
    "gru_gap": GapSeriesReader,
    "gru_decay": DecaySeriesReader,
}
"""GRUs by name; each takes (channels, hidden, weights), which gives a fresh generator for every matrix."""


def baseline_reader(name: str, channels: int, hidden: int, weights: WeightStream) -> SeriesReader:
    """The GRU of this name; raises ``ValueError`` for a name that is not in :data:`BASELINE_READERS`."""
    if name not in BASELINE_READERS:
        raise ValueError(f"The baseline is {name!r}; allowed is one of {', '.join(BASELINE_READERS)}.")
    return BASELINE_READERS[name](channels, hidden, weights)


class SeriesForecaster(nn.Module):
    """A reader of series, and the mean and the scale of every channel's value, read off its states.

    ``W`` (2 channels, hidden) and ``b`` read the means, then the logarithms of the scales; weights are drawn from
    ``generator``.
    """

    def __init__(self, reader: SeriesReader, channels: int, generator: Generator) -> None:
        super().__init__()
        self.reader = reader
        self.channels = channels
        normal = torch.randn(2 * channels, reader.hidden, generator=generator)
        self.W = nn.Parameter(normal * (READ_OUT_START / math.sqrt(reader.hidden)))
        self.b = nn.Parameter(torch.zeros(2 * channels))

    def forward(self, times: Tensor, values: Tensor, mask: Tensor) -> ReaderTrace:
        """The states before and after every row; :meth:`decode` makes forecasts of the former."""
        trace: ReaderTrace = self.reader(times, values, mask)
        return trace

    def decode(
        self, states: Float[Tensor, "*any hidden"]
    ) -> tuple[Float[Tensor, "*any channels"], Float[Tensor, "*any channels"]]:
        """Mean and standard deviation of the values at these states."""
        mean, log_scale = linear(states, self.W, self.b).split(self.channels, -1)
        return mean, SMALLEST_FORECAST_SCALE + log_scale.exp()


def forecast_loss(
    mean: Float[Tensor, "*any"], scale: Float[Tensor, "*any"], values: Float[Tensor, "*any"], mask: Bool[Tensor, "*any"]
) -> Float[Tensor, ""]:
    """The Gaussian negative log likelihood of the observed values, in nats a value.

    >>> one = torch.ones(1)
    >>> round(float(forecast_loss(0 * one, one, one, one > 0)), 4)  # (1 + ln 2 pi) / 2
    1.4189
    """
    return torch.where(mask, normal_loss(visible(values, mask), mean, scale), 0.0).sum() / mask.sum()
