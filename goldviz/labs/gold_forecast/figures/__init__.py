"""The figures of the *Forecast lab*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.gold_forecast.settings.GoldForecast` declares it. The argument ``epoch`` is
the scrubber's epoch; forecasts are shown as of the last look before it. A run that has just begun, or lacks a
variable, gets a figure that says so.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import fits, layers
from goldviz.figures.chart import offered
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.gold_forecast.figures import distribution, memory, skill
from goldviz.labs.gold_forecast.figures.days import AT_FIRST_EPOCH, missing
from goldviz.labs.gold_forecast.scoring.series import Series
from goldviz.labs.gold_forecast.settings import GoldForecast

__all__ = ["FIGURES", "picture", "shared_limits"]

POINTS = 60
"""Points of the picture's curves."""

FIGURES, shared_limits = offered(
    GoldForecast,
    *skill.FIGURES,
    *distribution.FIGURES,
    partial(
        fits.loss_by_fit.of,
        name="loss",
        needs=(),
        instead=missing("loss", waiting=AT_FIRST_EPOCH),
        shows="Training and validation loss of every refit, and the epochs that forecast.",
    ),
    *memory.FIGURES,
    partial(
        layers.gradient_by_layer.of,
        needs=(),
        instead=missing("gradient_norm", waiting=AT_FIRST_EPOCH),
        shows="The gradient's length by layer before clipping, in the last refit.",
    ),
    partial(
        layers.update_to_data.of,
        needs=(),
        instead=missing("update_to_data", waiting=AT_FIRST_EPOCH),
        shows="How large the steps are beside the weights, in the last refit.",
    ),
    # It is called loss here.
    without=("loss_by_fit",),
)


def picture(ds: Run) -> str:
    """The home page's picture: what the network gains over the simplest forecast, which stays at zero."""
    label = "What the network gains over the simplest forecast, added up over time; the simplest stays at zero."
    series = Series.of(ds)
    if "target" not in ds or not ds["target"].size or series.look is None:
        return polyline_svg([], label=label)
    rows, _ = skill.drawn_rows(series, POINTS)
    values = skill.curve_values(series, series.gains("network"))[rows]
    if not np.isfinite(values).any():
        return polyline_svg([], label=label)
    own, simplest = style_of(series.network), style_of(series.reference)
    curves = [
        Curve(simplest.label, np.zeros(len(rows)), simplest.colour, simplest.dash),
        Curve(own.label.split()[0], values, own.colour),
    ]
    return polyline_svg(curves, label=label, axes=("time", "gain, added up"), is_revealed=True)
