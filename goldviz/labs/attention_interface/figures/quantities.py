"""What the figures of *Attention between networks* have limits for."""

from __future__ import annotations

from functools import partial

from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.limits import SHARES_WITH_LITTLE_BELOW, places
from goldviz.labs.attention_interface.settings import AttentionInterface

KINDS = AttentionInterface.variables_by_kind


QUANTITIES = {
    **quantities_by_kind(KINDS),
    "share": SHARES_WITH_LITTLE_BELOW,
    **places("length", "offset"),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)
