"""A network that reads a window of the past and forecasts the distribution of what comes next.

A *reader* turns the window into hidden states, and a head (:mod:`heads`) says what the last of them means for the next
value. The readers are the networks of the documents: a multilayer perceptron (document 001, section 1.1), the Elman
network, LSTM and GRU (eq. 5-24), two GRUs that are told how much time has passed, the ODE-RNN (eq. 31-33), whose state
flows meanwhile, and a Transformer over the rows (document 002, section 4). The ODE-RNN's state flows on to the time of
the value that is forecast, GRU-D's fades until then, and the other GRU and a Transformer with positions by time are
told how far away that is, as in :mod:`goldviz.models.continuous.series_forecaster`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional

from goldviz.labs.gold_forecast.models.heads import HEADS
from goldviz.labs.gold_forecast.windows import GAP_UNIT_DAYS, WindowBatch
from goldviz.models.continuous.fused_ode_rnn import fixed_step_ode_rnn
from goldviz.models.continuous.gru_decay import DecayGRU, GapGRU
from goldviz.models.continuous.series_forecaster import ODESeriesReader
from goldviz.models.continuous.vector_field import TanhField
from goldviz.models.recurrent.cells import CELLS, recurrent_layer, usual_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.models.series.attention import AttentionOptions
from goldviz.models.series.row_transformer import RowShape, RowTransformer, initialise_rows

HiddenStates = tuple[Float[Tensor, "batch hidden"], ...]
ForecastStream = Callable[[int], Generator]
"""Gives a fresh generator for each matrix that is drawn."""


class WindowReader(nn.Module):
    """Turns windows into hidden states. All weights are drawn when it is built."""

    def forward(self, window: WindowBatch) -> HiddenStates:
        """The hidden states in the order of the rows; the last one holds what the forecast is made of."""
        raise TypeError(f"{type(self).__name__} does not say how it reads")

    def chain(self, window: WindowBatch) -> HiddenStates:
        """The same states, each a node on the way to the next, so that gradients can be asked of them."""
        states: HiddenStates = self(window)
        return states

    def matrices(self) -> dict[str, Tensor]:
        """Its weight matrices by name, the one next to the inputs first."""
        raise TypeError(f"{type(self).__name__} does not name its matrices")


BLOCKS, BLOCK_HEADS = 2, 2
FACTOR = 2.0
"""ProbSparse lets c ln t rows attend."""


@dataclass(frozen=True)
class AttentionParts:
    """What a Transformer is put together from; names are those of the tables of attention, positions, activations."""

    attention: str = "full"
    kernel: int = 1
    positions: str = "sinusoidal"
    activation: str = "gelu"


USUAL = AttentionParts()
"""Full attention, one row a query."""


class AttentionReader(WindowReader):
    """A Transformer (document 002, sections 4 and 5) of two blocks of two heads over values and mask of each row.

    Its blocks are those of *Transformer for series*: full, convolutional, LogSparse or ProbSparse attention (Li et al.
    2019, Zhou et al. 2021). The last row's state is what is read.

    Positions by time are the days from a row to the value that is forecast. ``hidden`` has to be a multiple of 4, so
    that each head has pairs of sines and cosines; :class:`~goldviz.models.series.row_transformer.RowShape` refuses
    what heads cannot share.
    """

    def __init__(self, window: int, channels: int, hidden: int, parts: AttentionParts, weights: ForecastStream) -> None:
        super().__init__()
        self.network = RowTransformer(
            RowShape(
                2 * channels,
                window,
                BLOCKS,
                BLOCK_HEADS,
                hidden,
                parts.kernel,
                parts.attention,
                AttentionOptions(factor=FACTOR),
                parts.positions,
                parts.activation,
            )
        )
        initialise_rows(self.network, weights)

    def forward(self, window: WindowBatch) -> HiddenStates:
        """The rows as the first block reads them, but the last; its state behind the last block takes its place."""
        rows, places = self.network.embedded(window.values_and_mask.transpose(0, 1), days_before(window))
        steps = rows.unbind(1)
        # Put together again, so that gradients can be asked of each row.
        last = self.network.states(torch.stack(steps, 1), places)[:, -1]
        return (*steps[:-1], last)

    def matrices(self) -> dict[str, Tensor]:
        """What widens a row, and what joins the heads and begins the feed-forward network of each block."""
        by_name = {"input": self.network.widen.weight}
        for number, block in enumerate(self.network.stack(), start=1):
            by_name |= {f"attention {number}": block.attention.output.weight, f"units {number}": block.expand.weight}
        return by_name


def days_before(window: WindowBatch) -> Tensor:
    """Days from each row to the value that is forecast, (batch, time)."""
    later = torch.cat([window.row_gaps[1:], window.ahead[None].to(window.row_gaps)])
    return GAP_UNIT_DAYS * later.flip(0).cumsum(0).flip(0).T


START = RecurrentInitialisation(matrix="orthogonal", biases={"forget": 1.0})
"""Of all recurrent readers: orthogonal matrices, forget gates that start open (Gers et al. 2000)."""


FIELD_STREAM = 100
"""Index of the stream that an ODE-RNN's field is drawn from, beyond those of the cell's matrices."""
LONGEST_FLOW_STEP = 0.5
"""In the unit of the gaps. In weeks, one step leads from a day of trading to the next, also over a weekend."""
SHORTEST_GAP = 1e-6
"""Between rows before the data begin, which have no time of their own: the state all but rests."""


class FlatReader(WindowReader):
    """A multilayer perceptron on the whole window side by side: two ReLU layers, started as by He et al. 2015."""

    def __init__(self, window: int, channels: int, hidden: int, weights: ForecastStream) -> None:
        super().__init__()
        sizes = (2 * window * channels, hidden, hidden)
        self.W = nn.ParameterList(
            torch.randn(rows, columns, generator=weights(layer)) * math.sqrt(2 / columns)
            for layer, (columns, rows) in enumerate(pairwise(sizes))
        )
        self.b = nn.ParameterList(torch.zeros(hidden) for _ in self.W)

    def forward(self, window: WindowBatch) -> HiddenStates:
        """The last layer's values alone: there are no states on the way through time."""
        state = window.values_and_mask.transpose(0, 1).flatten(1)
        for W, b in zip(self.W, self.b, strict=True):
            state = torch.relu(functional.linear(state, W, b))
        return (state,)

    def matrices(self) -> dict[str, Tensor]:
        """The layers in order."""
        return {f"layer {number}": W for number, W in enumerate(self.W, start=1)}


class RecurrentReader(WindowReader):
    """A recurrent cell that reads values and mask row by row."""

    def __init__(self, kind: str, channels: int, hidden: int, weights: ForecastStream) -> None:
        super().__init__()
        self.layer = recurrent_layer(kind, 2 * channels, hidden)
        initialise(self.layer, weights, START)

    def forward(self, window: WindowBatch) -> HiddenStates:
        """h_1 to h_T."""
        states: HiddenStates = self.layer(window.values_and_mask).states[1:]
        return states

    def matrices(self) -> dict[str, Tensor]:
        """W_x and W_h, all gates together."""
        return {**self.layer.matrices()}


class GapReader(WindowReader):
    """A GRU that also reads the gaps: since each channel was last observed, since the row before, and to the next one.

    After the last row the next one is the value that is forecast.
    """

    def __init__(self, channels: int, hidden: int, weights: ForecastStream) -> None:
        super().__init__()
        self.gru = GapGRU(channels, hidden, gaps=channels + 2)
        initialise(self.gru.cell, weights, START)

    def forward(self, window: WindowBatch) -> HiddenStates:
        """h_1 to h_T."""
        later = torch.cat([window.row_gaps[1:], window.ahead.unsqueeze(0)])
        gaps = torch.cat([window.gaps, torch.stack([window.row_gaps, later], 2)], 2)
        states: HiddenStates = self.gru(window.values, window.mask, gaps).states[1:]
        return states

    def matrices(self) -> dict[str, Tensor]:
        """W_x and W_h of its GRU."""
        return {**self.gru.cell.matrices()}


class DecayReader(WindowReader):
    """GRU-D (Che et al. 2018): states and what was last seen fade while nothing is observed.

    What is read has faded to the time of the value that is forecast.
    """

    def __init__(self, channels: int, hidden: int, weights: ForecastStream) -> None:
        super().__init__()
        self.gru = DecayGRU(channels, hidden)
        initialise(self.gru.cell, weights, START)

    def forward(self, window: WindowBatch) -> HiddenStates:
        """h_1 to h_(T-1), and h_T as it has faded by the forecast's time."""
        states = self.gru(window.values, window.mask, window.gaps, window.row_gaps).states
        ahead = window.ahead.to(window.values)
        silent = torch.where(window.mask[-1], 0.0, window.gaps[-1]) + ahead[:, None]
        return (*states[1:-1], self.gru.decays(silent, ahead) * states[-1])

    def matrices(self) -> dict[str, Tensor]:
        """W_x and W_h of its GRU, and the rates at which states fade."""
        return {**self.gru.cell.matrices(), "decay": self.gru.W_d}


class FlowReader(WindowReader):
    """An ODE-RNN (Rubanova et al. 2019): the state flows between rows and jumps where something was observed.

    The value that is forecast is one more row, in which nothing was observed yet: its h' (eq. 32) is what is read.
    """

    def __init__(self, channels: int, hidden: int, weights: ForecastStream) -> None:
        super().__init__()
        cell = recurrent_layer("gru", 2 * channels, hidden)
        initialise(cell, weights, START)
        field = TanhField(hidden, (hidden,), weights(FIELD_STREAM))
        self.follower = ODESeriesReader(fixed_step_ode_rnn(cell, field, "rk4", LONGEST_FLOW_STEP))

    def forward(self, window: WindowBatch) -> HiddenStates:
        """The states just after every row but the last, and then the one that has flowed to the forecast's time."""
        states = self.follower(*self._series(window)).after.unbind(0)
        return (*states[:-2], states[-1])

    def chain(self, window: WindowBatch) -> HiddenStates:
        """The states that the solver sets out from, and where it ends; the same ones."""
        states = self.follower.chain(*self._series(window)).states
        return (*states[:-2], states[-1])

    def matrices(self) -> dict[str, Tensor]:
        """W_x and W_h of its GRU, and the first layer of its field."""
        network = self.follower.network
        return {**network.cell.matrices(), "field": network.field.weights[0]}

    @staticmethod
    def _series(window: WindowBatch) -> tuple[Tensor, Tensor, Tensor]:
        gaps = torch.cat([window.row_gaps, window.ahead.unsqueeze(0)]).detach().double().clamp(min=SHORTEST_GAP)
        nothing = torch.zeros_like(window.values[:1])
        values, mask = torch.cat([window.values, nothing]), torch.cat([window.mask, nothing > 0])
        return gaps.cumsum(0), values, mask


@dataclass(frozen=True)
class ReaderSizes:
    """Rows of a window, channels of a row, hidden units, and the parts of a Transformer."""

    window: int
    channels: int
    hidden: int
    attention: AttentionParts


def _recurrent(kind: str) -> Callable[[ReaderSizes, ForecastStream], RecurrentReader]:
    return lambda sizes, weights: RecurrentReader(kind, sizes.channels, sizes.hidden, weights)


WINDOW_READERS: dict[str, Callable[[ReaderSizes, ForecastStream], WindowReader]] = {
    "mlp": lambda sizes, weights: FlatReader(sizes.window, sizes.channels, sizes.hidden, weights),
    **{cell: _recurrent(usual_layer(cell)) for cell in CELLS},
    "gru_gap": lambda sizes, weights: GapReader(sizes.channels, sizes.hidden, weights),
    "gru_decay": lambda sizes, weights: DecayReader(sizes.channels, sizes.hidden, weights),
    "ode_rnn": lambda sizes, weights: FlowReader(sizes.channels, sizes.hidden, weights),
    "transformer": lambda sizes, weights: AttentionReader(
        sizes.window, sizes.channels, sizes.hidden, sizes.attention, weights
    ),
}
"""By name."""


class Forecaster(nn.Module):
    """A reader of ``window`` rows of ``channels``, and a head on its last hidden state.

    ``centred`` holds the forecast mean at 0, and ``attention`` are a Transformer's parts. Weights are drawn from
    ``weights(index)`` and ``head_weights``. Raises ``ValueError`` for a network or a head that there is not.
    """

    def __init__(
        self,
        network: str,
        head: str,
        *,
        window: int,
        channels: int,
        hidden: int,
        centred: bool,
        weights: ForecastStream,
        head_weights: Generator,
        attention: AttentionParts = USUAL,
    ) -> None:
        super().__init__()
        for name, value, table in (("network", network, WINDOW_READERS), ("head", head, HEADS)):
            if value not in table:
                raise ValueError(f"The {name} is {value!r}; allowed is one of {', '.join(table)}.")
        self.reader = WINDOW_READERS[network](ReaderSizes(window, channels, hidden, attention), weights)
        self.head = HEADS[head](hidden, head_weights, centred=centred)

    def states(self, window: WindowBatch) -> HiddenStates:
        """The reader's hidden states; the last entry is the one that the head reads."""
        hidden_states: HiddenStates = self.reader(window)
        return hidden_states

    def forward(self, window: WindowBatch) -> Float[Tensor, "batch parameters"]:
        """The parameters of the forecast distributions of the standardised next value."""
        parameters: Tensor = self.head(self.states(window)[-1])
        return parameters

    def matrices(self) -> dict[str, Tensor]:
        """Every weight matrix by name, the one next to the inputs first, the head's last."""
        return {**self.reader.matrices(), "head": self.head.W}


def dropped(state: Float[Tensor, "batch hidden"], share: float, generator: Generator) -> Float[Tensor, "batch hidden"]:
    """Inverted dropout (Srivastava et al. 2014): a ``share`` of the values becomes 0, the others grow by as much."""
    if share == 0:
        return state
    mask = torch.rand(state.shape, generator=generator, device=state.device) >= share
    return state * mask / (1 - share)
