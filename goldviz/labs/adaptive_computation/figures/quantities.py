"""What the figures of *Adaptive computation time* have limits for."""

from __future__ import annotations

from functools import partial

from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.limits import SHARES, Quantity, padded, places, values_of, with_zero
from goldviz.labs.adaptive_computation.prices import STYLES
from goldviz.labs.adaptive_computation.settings import AdaptiveComputation

KINDS = AdaptiveComputation.variables_by_kind
QUANTITIES = {
    **quantities_by_kind(KINDS),
    "ponder": Quantity(with_zero("ponder"), padded),
    "ponder_by_difficulty": Quantity(with_zero("ponder_by_difficulty"), padded),
    "share": SHARES,
    "push": Quantity(with_zero("answer_push", "price_push"), padded),
    "ponder_cost": Quantity(values_of("ponder_cost"), padded),
    **places("difficulty", "ponder_step"),
}

figure = partial(plot.figure, QUANTITIES, look_of=STYLES.__getitem__)
shared_limits = partial(limits.shared_limits, QUANTITIES)
