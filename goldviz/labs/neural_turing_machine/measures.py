"""One network of a run of *Neural Turing machine* as plain arrays, and the numbers that claims and stories tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from goldviz.diagnostics.findings import Floats, Recorded
from goldviz.diagnostics.findings.by_kind import TrainingReading
from goldviz.diagnostics.findings.recorded import at_last, read
from goldviz.diagnostics.measure import of_each
from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine

LABELS = {"ntm": "NTM", "lstm": "LSTM", "gru": "GRU"}
READ, WRITE = 0, 1


def _at_length(name: str, length: Callable[[Any], int]) -> Callable[[Recorded], Floats]:
    """A share at the last look, at the length that the settings name; NaN where it was not tested."""

    def of(run: Recorded) -> Floats:
        target, lengths = length(run.settings), run.dataset["length"].values.tolist() if "length" in run.dataset else []
        if target not in lengths:
            return run.nothing
        return run.last(name, "look", "length", by=lambda shares: shares[lengths.index(target)])

    return of


def _trained(settings: Any) -> int:
    return int(settings.length)


def _twice(settings: Any) -> int:
    return 2 * int(settings.length)


def _beyond(settings: Any) -> int:
    return int(settings.slots) + 2


@dataclass(frozen=True)
class Reading(TrainingReading):
    """What was recorded of one network, for each seed; NaN where nothing was. All is as of the last look."""

    labels: ClassVar[Mapping[str, str]] = LABELS
    declared: ClassVar[Any] = NeuralTuringMachine
    units: ClassVar[Mapping[str, str]] = {"write_cells": "cells", "read_cells": "cells"}
    whole: Floats = read(_at_length("sequences_right", _trained))
    """The share of unseen sequences of the longest trained length without a wrong bit."""
    bits: Floats = read(_at_length("bits_right", _trained))
    """The share of right bits in them."""
    whole_twice: Floats = read(_at_length("sequences_right", _twice))
    """The share of sequences twice as long without a wrong bit."""
    bits_twice: Floats = read(_at_length("bits_right", _twice))
    """The share of right bits in sequences twice as long."""
    whole_beyond: Floats = read(_at_length("sequences_right", _beyond))
    """The share of sequences two rows longer than the memory without a wrong bit."""
    write_cells: Floats = at_last("cells_used", "look", "head", by=lambda cells: cells[WRITE], only="ntm")
    """Over how many cells the address of a row that is told is spread."""
    read_cells: Floats = at_last("cells_used", "look", "head", by=lambda cells: cells[READ], only="ntm")
    """Over how many cells the address that an answer is read from is spread."""


MEASURES = Reading.measures()
WHOLE, WHOLE_TWICE = of_each(MEASURES, "whole"), of_each(MEASURES, "whole_twice")
WHOLE_BEYOND = MEASURES["ntm.whole_beyond"]
WRITE_CELLS, READ_CELLS = MEASURES["ntm.write_cells"], MEASURES["ntm.read_cells"]
