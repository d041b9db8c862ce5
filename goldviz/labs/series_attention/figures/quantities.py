"""What the figures of *Transformer for series* have limits for."""

from __future__ import annotations

from functools import partial

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.draft import Figure
from goldviz.figures.limits import Quantity, Values, decades, log_of, padded, places, values_of, with_zero
from goldviz.figures.market import legend_under
from goldviz.labs.series_attention.settings import SeriesAttention

KINDS = SeriesAttention.variables_by_kind
FARTHEST = 0.5
"""Heights of a series' own range that its axis follows a forecast up and down, at most."""


def _of_probe(ds: Run) -> Values:
    """The probe's values and what is forecast of them, as far as half its range beyond it."""
    values = values_of("probe")(ds)
    if not np.isfinite(values).any():
        return np.array([])
    room = FARTHEST * (float(np.ptp(values[np.isfinite(values)])) or 1.0)
    forecasts = values_of("forecast", "fan")(ds)
    near = np.clip(forecasts[np.isfinite(forecasts)], np.nanmin(values) - room, np.nanmax(values) + room)
    return np.concatenate([values, near])


QUANTITIES = {
    **quantities_by_kind(KINDS),
    "horizon_error": Quantity(log_of("horizon_error", "simple_error", "floor"), decades),
    "weighted_error": Quantity(log_of("weighted_error", "simple_weighted"), decades),
    "row_error": Quantity(log_of("row_error", "floor"), decades),
    "value": Quantity(_of_probe, padded),
    "attention_by_lag": Quantity(with_zero("attention_by_lag"), padded),
    "similarity": Quantity(values_of("similarity"), padded),
    "kernel_norm": Quantity(with_zero("kernel_norm"), padded),
    "score": Quantity(with_zero("score"), padded),
    "position_product": Quantity(with_zero("position_product"), padded),
    **places("ahead", "row", "lag", "place", "kernel_lag", "depth"),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)


def legend_below(figure: Figure, lines: int, *, below_headings: bool = False) -> Figure:
    """The figure with its legend under the axis, with room for so many lines on a phone, and for panels' names."""
    legend_under(figure, lines=lines, axis=50)
    return figure.update_layout(margin_t=figure.layout.margin.t + (16 if below_headings else 0))
