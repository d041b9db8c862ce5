"""The forecast laboratory's picture for the map: gains over the simplest forecast, added up over time."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.gold_forecast.figures.gains import curve_values
from goldviz.labs.gold_forecast.figures.quantities import drawn_forecasts
from goldviz.labs.gold_forecast.scoring.series import Series

POINTS = 60


def skill_svg(ds: Run) -> str:
    """The cumulative gain of the network, with the simplest forecast at zero."""
    label = "What the network gains over the simplest forecast, added up over time; the simplest stays at zero."
    if "target" not in ds or not ds["target"].size:
        return polyline_svg([], label=label)
    series = Series.of(ds)
    if series.look is None:
        return polyline_svg([], label=label)
    rows, _ = drawn_forecasts(len(series.dates), most=POINTS)
    values = curve_values(series, series.gains("network"))[rows]
    if not np.isfinite(values).any():
        return polyline_svg([], label=label)
    own, simplest = style_of(series.network), style_of(series.reference)
    curves = [
        Curve(simplest.label, np.zeros(len(rows)), simplest.colour, simplest.dash),
        Curve(own.label.split()[0], values, own.colour),
    ]
    return polyline_svg(curves, label=label, axes=("time", "gain, added up"))
