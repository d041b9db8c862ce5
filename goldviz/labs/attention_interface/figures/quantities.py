"""What the figures of *Attention between networks* have limits for."""

from __future__ import annotations

from functools import partial

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.limits import Quantity, Values, places
from goldviz.labs.attention_interface.settings import AttentionInterface

KINDS = AttentionInterface.variables_by_kind


def _shares(ds: Run) -> Values:
    return np.array([0.0, 1.0])


def _with_room(low: float, high: float) -> tuple[float, float]:
    return low - 0.02, high + 0.05


QUANTITIES = {
    **quantities_by_kind(KINDS),
    "share": Quantity(_shares, _with_room),
    **places("length", "offset"),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)
