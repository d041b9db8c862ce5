"""Recurrent cells: what each is called, how it is drawn, and what it computes.

A new one is an entry of :data:`CELLS` and a class of :class:`goldviz.models.recurrent.weights.RecurrentWeights` with
its ``step``: settings, labels, counts, diagrams, figures and laboratories read the table; Jacobians, gradients
through time and what a change becomes follow from the step, where nobody wrote them by hand. A cell whose gates do not
read the state is one, too: its step takes a state and need not look at it. Torch is loaded when a layer is made,
because settings read the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from goldviz.models.recurrent.drawings import (
    GRU_DRAWING,
    LSTM_DRAWING,
    MIN_GRU_DRAWING,
    RNN_DRAWING,
    Drawing,
    plain_drawing,
)
from goldviz.models.style import NetworkStyle

if TYPE_CHECKING:
    from goldviz.models.recurrent.weights import RecurrentWeights


class CellPart(NamedTuple):
    """What a cell computes of one of its sums: its letter, its name, and which gate it is ("" for what is none).

    The gates have the names of the layer's ``blocks``; how far they open, a trace keeps as ``<gate>_gates``.
    """

    letter: str
    words: str
    gate: str = ""


class CellLayer(NamedTuple):
    """One network of a cell: its name in words, and what makes it of (inputs, hidden, dtype=...)."""

    words: str
    make: Callable[..., RecurrentWeights]


@dataclass(frozen=True)
class RecurrentCell:
    """A cell: its label and line, its parts from top to bottom, and its networks.

    ``layers`` has the networks by name, the usual one first. ``values`` is about how many numbers a step keeps for each
    hidden unit until the gradient was taken, ``states`` how many vectors are carried on: h, or h and c. A cell that
    reads no state has no recurrent matrix.
    Without a ``drawing`` of its own a cell has a plain one.
    """

    style: NetworkStyle
    parts: tuple[CellPart, ...]
    layers: Mapping[str, CellLayer]
    values: int
    states: int = 1
    drawing: Drawing | None = None
    reads_state: bool = True

    @property
    def label(self) -> str:
        """What it is called."""
        return self.style.label

    @property
    def diagram(self) -> Drawing:
        """Its drawing."""
        return self.drawing or plain_drawing(self.label, self.parts)

    @property
    def gates(self) -> tuple[str, ...]:
        """The names of its gates, from top to bottom."""
        return tuple(part.gate for part in self.parts if part.gate)


def _elman(inputs: int, hidden: int, **options: Any) -> RecurrentWeights:
    from goldviz.models.recurrent.elman import Elman

    return Elman(inputs, hidden, **options)


def _lstm(inputs: int, hidden: int, **options: Any) -> RecurrentWeights:
    from goldviz.models.recurrent.lstm import LSTM

    return LSTM(inputs, hidden, **options)


def _gru(inputs: int, hidden: int, **options: Any) -> RecurrentWeights:
    from goldviz.models.recurrent.gru import ResetBeforeGRU

    return ResetBeforeGRU(inputs, hidden, **options)


def _gru_reset_after(inputs: int, hidden: int, **options: Any) -> RecurrentWeights:
    from goldviz.models.recurrent.gru import ResetAfterGRU

    return ResetAfterGRU(inputs, hidden, **options)


def _min_gru(inputs: int, hidden: int, **options: Any) -> RecurrentWeights:
    from goldviz.models.recurrent.min_gru import MinGRU

    return MinGRU(inputs, hidden, **options)


CELLS = {
    "rnn": RecurrentCell(
        NetworkStyle("RNN", "#838383", "solid", "square"),
        parts=(CellPart("tanh", "sum and tanh"),),
        layers={
            "rnn_tanh": CellLayer("RNN, tanh", _elman),
            "rnn_relu": CellLayer("RNN, ReLU", partial(_elman, activation="relu")),
        },
        values=6,
        drawing=RNN_DRAWING,
    ),
    "lstm": RecurrentCell(
        NetworkStyle("LSTM", "#009e73", "dash", "triangle-up"),
        parts=(
            CellPart("i", "input gate", "input"),
            CellPart("f", "forget gate", "forget"),
            CellPart("c̃", "candidate"),
            CellPart("o", "output gate", "output"),
        ),
        layers={"lstm": CellLayer("LSTM", _lstm)},
        values=18,
        states=2,
        drawing=LSTM_DRAWING,
    ),
    "gru": RecurrentCell(
        NetworkStyle("GRU", "#3590c8", "dashdot", "cross"),
        parts=(
            CellPart("z", "update gate", "update"),
            CellPart("r", "reset gate", "reset"),
            CellPart("h̃", "candidate"),
        ),
        layers={
            "gru": CellLayer("GRU, reset before the matrix (document, eq. 23)", _gru),
            "gru_reset_after": CellLayer("GRU, reset after the matrix (PyTorch)", _gru_reset_after),
        },
        values=14,
        drawing=GRU_DRAWING,
    ),
    "min_gru": RecurrentCell(
        NetworkStyle("minGRU", "#a5673f", "longdashdot", "diamond-wide"),
        parts=(CellPart("z", "update gate", "update"), CellPart("h̃", "candidate")),
        layers={"min_gru": CellLayer("minGRU, whose gate reads the input alone", _min_gru)},
        values=6,
        drawing=MIN_GRU_DRAWING,
        reads_state=False,
    ),
}
"""Cell by name."""

CELL_LABELS = {name: cell.label for name, cell in CELLS.items()}
"""What each is called."""

CELL_OF_LAYER = {layer: name for name, cell in CELLS.items() for layer in cell.layers}
"""Which cell a network is of."""

GATES = tuple(dict.fromkeys(gate for cell in CELLS.values() for gate in cell.gates))
"""All gates that any cell has."""


def usual_layer(cell: str) -> str:
    """The name of the cell's usual network.

    >>> usual_layer("rnn"), usual_layer("gru")
    ('rnn_tanh', 'gru')
    """
    return next(iter(CELLS[cell].layers))


def recurrent_layer(name: str, inputs: int, hidden: int, **options: Any) -> RecurrentWeights:
    """The network of this name with zero weights; raises ``ValueError`` for a name that no cell has."""
    if name not in CELL_OF_LAYER:
        raise ValueError(f"The recurrent network is {name!r}; allowed is one of {', '.join(CELL_OF_LAYER)}.")
    return CELLS[CELL_OF_LAYER[name]].layers[name].make(inputs, hidden, **options)
