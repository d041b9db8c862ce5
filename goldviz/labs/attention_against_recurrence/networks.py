"""Which networks a run of *Attention against recurrence* trains beside one another, and what each costs by length."""

from __future__ import annotations

from typing import NamedTuple

from goldviz.models.recurrent.cells import CELL_LABELS, CELLS

SYMBOLS = 8
"""Different symbols that a sequence is drawn from."""
FEATURES = SYMBOLS + 2
"""Numbers that come in at a step: the symbol, the mark, and the question."""
ENCODER = "transformer"
LABELS = {**CELL_LABELS, ENCODER: "Transformer"}
"""All networks that there are."""
SIDE_BY_SIDE = ("rnn", "lstm", "gru", ENCODER)
LENGTHS = tuple(2**power for power in range(3, 13))
"""Lengths at which costs are told."""


class Cost(NamedTuple):
    """What one answer costs: multiplications of matrix products, and steps that have to wait for one another."""

    multiplications: int
    steps: int


def cost(network: str, length: int, width: int, layers: int) -> Cost:
    """What reading a sequence and answering once costs; heads change nothing.

    A cell with g parts takes g h (d + h) multiplications a step, and each step waits for the one before. A layer of the
    encoder takes 12 h^2 for a symbol, and 2 h for each pair of symbols; only layers wait for one another. Products of
    single numbers, such as those of gates, are left out.

    >>> cost("rnn", 100, 32, 1), cost("transformer", 100, 32, 1)
    (Cost(multiplications=134656, steps=100), Cost(multiplications=1901056, steps=1))
    """
    read_out = width * SYMBOLS
    if network == ENCODER:
        layer = 12 * length * width**2 + 2 * length**2 * width
        return Cost(length * FEATURES * width + layers * layer + read_out, layers)
    cell = CELLS[network]
    from_state = width if cell.reads_state else 0
    return Cost(length * len(cell.parts) * width * (FEATURES + from_state) + read_out, length)
