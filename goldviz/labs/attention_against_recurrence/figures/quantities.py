"""What the figures of *Attention against recurrence* have limits for."""

from __future__ import annotations

from functools import partial

from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.limits import SHARES, magnitudes, places
from goldviz.labs.attention_against_recurrence.settings import AttentionAgainstRecurrence

KINDS = AttentionAgainstRecurrence.variables_by_kind
QUANTITIES = {
    **quantities_by_kind(KINDS),
    "share": SHARES,
    **magnitudes("input_gradient", "multiplications", "steps_in_a_row", "series_length"),
    **places("distance", "lag"),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)
