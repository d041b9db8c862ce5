"""What is drawn of gains and scores: units, curves, which baselines fit beside the others, the axis of the scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from goldviz.diagnostics.forecasts.result import Result
from goldviz.figures.limits import Values
from goldviz.labs.gold_forecast.scoring.series import Series

FLATTENING, LEAST_REACH = 25.0, 0.05
"""A baseline's curve that reaches so many times as far as the network's, or as a score of 0.05, is not drawn."""

ROOM = 3.0
"""How many times the network's own distance from zero the axis of scores reaches down to a much worse baseline."""


def score_unit(series: Series) -> float:
    """What scores are multiplied by to be drawn: R2 is drawn in percent, a gain in QLIKE as it is."""
    return 1.0 if series.target == "volatility" else 100.0


def curve_values(series: Series, gains: Values) -> Values:
    """Gains added up over time: in percent of the simplest forecast's loss, or in QLIKE."""
    return np.asarray(score_unit(series) * series.cumulative(gains))


def score_axis(
    results: Mapping[str, Result], seeds: Iterable[float] = (), final: Iterable[float] = ()
) -> tuple[float, float]:
    """Limits that hold zero, the network with its interval and its seeds, and what is not much farther below."""
    own = results.get("network", Result(np.nan))
    network = [own.value, own.low, own.high, *seeds]
    everything = [end for result in results.values() for end in (result.value, result.low, result.high)]
    ends = [0.0, *(end for end in (*everything, *network, *final) if np.isfinite(end))]
    near = max((abs(end) for end in network if np.isfinite(end)), default=0.0)
    low = max(min(ends), -ROOM * near) if near > 0 else min(ends)
    pad = 0.08 * (max(ends) - low) or 1.0
    return low - pad, max(ends) + pad


def drawable(series: Series) -> tuple[dict[str, Values], list[str]]:
    """The curves of cumulative gains by model, and the baselines whose curves would flatten all others.

    The mean of all prices so far is thousands of times worse than the last price; drawn, it would leave a straight
    line of everything else.
    """
    curves = {model: curve_values(series, series.gains(model)) for model in series.models}
    reaches = {model: float(np.nanmax(np.abs(curve), initial=0.0)) for model, curve in curves.items()}
    most = FLATTENING * max(reaches.get("network", 0.0), LEAST_REACH * score_unit(series))
    far = [model for model, reach in reaches.items() if model != "network" and reach > most]
    return {model: curve for model, curve in curves.items() if model not in far}, far
