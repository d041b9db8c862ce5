"""What the figures of *Neural programmer* have limits for."""

from __future__ import annotations

from functools import partial

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.limits import SHARES_WITH_LITTLE_BELOW, Quantity, Values, padded, with_zero
from goldviz.labs.neural_programmer.settings import NeuralProgrammer

KINDS = NeuralProgrammer.variables_by_kind


def _choices(ds: Run) -> Values:
    """The ends of the rows of operations, a gap, and columns."""
    return np.array([-0.5, ds.sizes.get("operation", 0) + ds.sizes.get("column", 0) + 0.5])


QUANTITIES = {
    **quantities_by_kind(KINDS),
    "share": SHARES_WITH_LITTLE_BELOW,
    "choice": Quantity(_choices),
    "gap": Quantity(with_zero("gap"), padded),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)
