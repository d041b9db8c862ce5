"""The scores of a run's models against the simplest forecast: as recorded at its end, or as its last look has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.forecasts.result import Result
from goldviz.diagnostics.forecasts.words import p_value, plain_number, signed_percent
from goldviz.labs.gold_forecast.scoring.series import Series, target_of
from goldviz.labs.gold_forecast.words import BASELINE_NAMES

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

METRICS = {"return": "r2", "level": "r2", "volatility": "qlike_gain"}
"""The score by which a model is judged, for each target."""


def value_in_words(target: str, value: float) -> str:
    """A score with its name.

    >>> value_in_words("return", -0.0003), value_in_words("volatility", 0.1442)
    ('R² −0.03 %', 'QLIKE gain 0.144')
    """
    return f"QLIKE gain {plain_number(value, 3)}" if target == "volatility" else f"R² {signed_percent(value)}"


def ends_in_words(target: str, result: Result) -> str:
    """A score with its interval, without its name.

    >>> ends_in_words("volatility", Result(0.144, 0.11, 0.18))
    '0.14 [0.11, 0.18]'
    """
    in_words = plain_number if target == "volatility" else signed_percent
    return (
        f"{in_words(result.value)} [{in_words(result.low)}, {in_words(result.high)}]"
        if result.sure
        else in_words(result.value)
    )


def result_in_words(target: str, result: Result) -> str:
    """A score with its name, its interval and, for mean forecasts and where it disagrees, its test.

    >>> result_in_words("return", Result(-0.0003, -0.009, 0.008, 0.97))
    'R² −0.03 % [−0.90 %, +0.80 %], Diebold-Mariano p = 0.97'
    """
    test = p_value(result.p) if target != "volatility" or result.disputed else ""
    name = "QLIKE gain" if target == "volatility" else "R²"
    return f"{name} {ends_in_words(target, result)}{f', Diebold-Mariano {test}' if test else ''}"


def recorded_score(ds: Run, model: str, metric: str, end: str = "") -> float:
    """One number of the table that a run records at its end; NaN where there is none.

    ``model`` is 'network' or a baseline; ``end`` is '', '_low' or '_high'. Whatever is no baseline is the network.
    """
    kind = "volatility_" if target_of(ds) == "volatility" else ""
    name = f"{kind}score{end}"
    if name not in ds or metric not in ds[f"{kind}metric"].values:
        return np.nan
    labels = [str(label) for label in ds[f"{kind}model"].values]
    rows = [row for row, label in enumerate(labels) if (label if label in BASELINE_NAMES else "network") == model]
    if not rows:
        return np.nan
    row = ds[name].transpose(f"{kind}model", f"{kind}metric").isel({f"{kind}model": rows[0]})
    return float(row.sel({f"{kind}metric": metric}))


def results(ds: Run, series: Series) -> dict[str, Result]:
    """Every model's result, the network's first.

    The recorded tables belong to the last look. For an earlier one, and while a run goes on, scores are worked out
    from the forecasts, and have no interval.
    """
    metric = METRICS[series.target]
    at_end = series.look is not None and series.look == int(ds["look"].values[-1])
    by_model = {}
    for model in series.models:
        value = recorded_score(ds, model, metric) if at_end else np.nan
        if np.isfinite(value):
            low, high = (recorded_score(ds, model, metric, end) for end in ("_low", "_high"))
            by_model[model] = Result(value, low, high, recorded_score(ds, model, "dm_p"))
        else:
            by_model[model] = Result(series.score(series.gains(model)))
    return by_model


def seed_scores(series: Series) -> list[float]:
    """The score of every seed alone; empty where there is one seed, or none."""
    return [series.score(gains) for gains in series.gains_by_seed().T] if series.seeds > 1 else []
