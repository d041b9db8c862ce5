"""What the figures of *Neural Turing machine* have limits for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from goldviz.arrays.labelled import Run
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.limits import Quantity, padded, places, values_of, with_zero
from goldviz.figures.maps import symmetric
from goldviz.figures.reading import absence
from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine

KINDS = NeuralTuringMachine.variables_by_kind

QUANTITIES = {
    **quantities_by_kind(KINDS),
    "cells_used": Quantity(with_zero("cells_used"), padded),
    "memory": Quantity(values_of("memory"), lambda *ends: symmetric(ends)),
    **places("time", "slot", "length"),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)
WITHOUT_MACHINE = "No NTM was trained in this run: choose it under Networks."


def of_machine(*names: str) -> Callable[[Run], str]:
    """For ``instead``: why a run has nothing of a machine to draw."""

    def words(ds: Run) -> str:
        without = "network" in ds.coords and "ntm" not in ds["network"].values
        return WITHOUT_MACHINE if without else absence(ds, *names)

    return words
