"""One network of a run of *Neural Turing machine* as plain arrays, and the numbers that claims and stories tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goldviz.diagnostics.findings import Floats, NetworkReading
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.recorded import at_last
from goldviz.diagnostics.measure import measure
from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine

LABELS = {"ntm": "NTM", "lstm": "LSTM", "gru": "GRU"}
READ, WRITE = 0, 1


def _at_length(name: str, length: Callable[[Any], int]) -> Callable[[NetworkReading], Floats]:
    """A share at the last look, at the length that the settings name; NaN where it was not tested."""

    def of(n: NetworkReading) -> Floats:
        target, lengths = length(n.settings), n.dataset["length"].values.tolist() if "length" in n.dataset else []
        if target not in lengths:
            return n.nothing
        return n.at_last(name, "look", "length", by=lambda shares: shares[lengths.index(target)])

    return of


class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was. All is as of the last look."""

    labels = LABELS
    declared = NeuralTuringMachine
    whole = measure(_at_length("sequences_right", lambda settings: settings.length))
    """The share of unseen sequences of the longest trained length without a wrong bit."""
    bits = measure(_at_length("bits_right", lambda settings: settings.length))
    """The share of right bits in them."""
    whole_twice = measure(_at_length("sequences_right", lambda settings: 2 * settings.length))
    """The share of sequences twice as long without a wrong bit."""
    bits_twice = measure(_at_length("bits_right", lambda settings: 2 * settings.length))
    """The share of right bits in sequences twice as long."""
    whole_beyond = measure(_at_length("sequences_right", lambda settings: settings.slots + 2))
    """The share of sequences two rows longer than the memory without a wrong bit."""
    write_cells = measure(at_last("cells_used", "look", "head", by=lambda cells: cells[WRITE], only="ntm"), "cells")
    """Over how many cells the address of a row that is told is spread."""
    read_cells = measure(at_last("cells_used", "look", "head", by=lambda cells: cells[READ], only="ntm"), "cells")
    """Over how many cells the address that an answer is read from is spread."""
