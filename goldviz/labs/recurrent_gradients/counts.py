"""How many weights a recurrent network has (document 001, eq. 5, 10-13 and 21-23; sections 2.2.3 and 2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from goldviz.models.recurrent.cells import CELLS

if TYPE_CHECKING:
    from goldviz.labs.recurrent_gradients.settings import RecurrentGradients

SIZES = {"adding": (2, 1), "recall": (10, 8), "copy": (10, 8), "sine": (1, 1), "reviews": (37, 2)}
"""Of each task, how many numbers come in at a step, and of how many an answer consists."""


def sizes_of(settings: RecurrentGradients) -> tuple[int, int]:
    """How many numbers come in at a step and of how many an answer consists."""
    return SIZES[settings.task]


class Count(NamedTuple):
    """A network's weights: of the recurrent layer in letters and as a number, and of the read-out."""

    formula: str
    layer: int
    read_out: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.layer + self.read_out


def weights_of(settings: RecurrentGradients, network: str) -> Count:
    """With d inputs and h units a part of a cell has h (d + h + 1) weights; a read-out of o numbers has o (h + 1).

    A part that does not read the state has h (d + 1). A GRU whose reset gate acts after the matrix has h more: a bias
    inside the gate's reach.

    >>> from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
    >>> weights_of(RecurrentGradients(), "lstm")
    Count(formula='4 h (d + h + 1)', layer=17152, read_out=65)
    """
    inputs, outputs = sizes_of(settings)
    cell, h = CELLS[network], settings.hidden
    blocks, from_state = len(cell.parts), h if cell.reads_state else 0
    inner = h if network == "gru" and settings.reset == "after" else 0
    read = "d + h + 1" if cell.reads_state else "d + 1"
    formula = f"{f'{blocks} ' if blocks > 1 else ''}h ({read}){' + h' if inner else ''}"
    return Count(formula, blocks * h * (inputs + from_state + 1) + inner, outputs * (h + 1))
