"""What the *Forecast lab* sets its networks beside, and how all of them are scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy import special

from goldviz.diagnostics.forecasts.scores import r2_out_of_sample
from goldviz.labs.gold_forecast.problem import ForecastProblem
from goldviz.labs.gold_forecast.scoring.distributions import (
    crps_from_quantiles,
    crps_gaussian,
    crps_student,
    inside,
    pit_from_quantiles,
    pit_gaussian,
    pit_student,
)
from goldviz.labs.gold_forecast.scoring.tables import DistributionLosses, mean_score_table, volatility_score_table
from goldviz.labs.gold_forecast.settings import LEVELS
from goldviz.models.baselines.mean_baselines import MEAN_FORECASTS
from goldviz.models.baselines.volatility_baselines import VOLATILITY_FORECASTS

NETWORK = "network"
BOOTSTRAP_SEED = 0
"""Intervals of the same forecasts are the same, whatever the networks' seeds."""

Parameters = Float[np.ndarray, "time parameters"]
Truth = Float[np.ndarray, " time"]


@dataclass(frozen=True)
class BaselineForecasts:
    """All baselines' forecasts by name, (time,) each, and sentences on those that another had to stand in for."""

    means: dict[str, Float[np.ndarray, " time"]]
    scales: dict[str, Float[np.ndarray, " time"]]
    notes: list[str]


def baseline_forecasts(problem: ForecastProblem) -> BaselineForecasts:
    """What every baseline forecasts in every fold's test block, from what was known then."""
    means = {
        name: np.concatenate(
            [forecast(problem.panel.values, problem.answers, fold, problem.unchanged) for fold in problem.folds]
        )
        for name, forecast in MEAN_FORECASTS.items()
    }
    by_name = {
        name: [say(problem.changes, fold) for fold in problem.folds] for name, say in VOLATILITY_FORECASTS.items()
    }
    scales = {name: np.concatenate([one.scale for one in each]) for name, each in by_name.items()}
    notes = [
        f"Refit {number}: {one.note}"
        for each in by_name.values()
        for number, one in enumerate(each, start=1)
        if one.note
    ]
    return BaselineForecasts(means, scales, notes)


@dataclass(frozen=True)
class ForecastFamily:
    """What a head's parameters (time, parameters) mean: quantiles at levels, and losses, given what came."""

    quantiles: Callable[[Parameters, Float[np.ndarray, " level"]], Float[np.ndarray, "time level"]]
    pit: Callable[[Truth, Parameters], Truth]
    crps: Callable[[Truth, Parameters], Truth]


FORECAST_FAMILIES: dict[str, ForecastFamily] = {
    "gaussian": ForecastFamily(
        lambda parameters, levels: parameters[:, :1] + parameters[:, 1:] * special.ndtri(levels),
        lambda truth, parameters: pit_gaussian(truth, *parameters.T),
        lambda truth, parameters: crps_gaussian(truth, *parameters.T),
    ),
    "student": ForecastFamily(
        lambda parameters, levels: parameters[:, :1] + parameters[:, 1:2] * special.stdtrit(parameters[:, 2:], levels),
        lambda truth, parameters: pit_student(truth, *parameters.T),
        lambda truth, parameters: crps_student(truth, *parameters.T),
    ),
    "quantiles": ForecastFamily(
        lambda parameters, levels: parameters,
        lambda truth, parameters: pit_from_quantiles(truth, parameters, np.array(LEVELS)),
        lambda truth, parameters: crps_from_quantiles(truth, parameters, np.array(LEVELS)),
    ),
}
"""By the head's name."""


def final_tables(
    problem: ForecastProblem,
    baselines: BaselineForecasts,
    head: str,
    means: Float[np.ndarray, "time seed"],
    scales: Float[np.ndarray, "time seed"],
    parameters: Float[np.ndarray, "seed time parameters"],
) -> dict[str, np.ndarray]:
    """All that is said once, when training has ended, by the name of the variable.

    Over seeds, means, scales and parameters are averaged. For Gaussians and for quantiles that is averaging the
    quantile functions; for Student's t it is, but for differences in the degrees of freedom.
    """
    truth, constant = problem.answers.values[problem.tested], problem.unchanged[problem.tested]
    family = FORECAST_FAMILIES[head]
    mean_parameters = parameters.mean(axis=0)
    quantiles = family.quantiles(mean_parameters, np.array(LEVELS))
    all_means = {NETWORK: means.mean(axis=1), **baselines.means}
    all_scales = {NETWORK: scales.mean(axis=1), **baselines.scales}
    tables = {"quantile": quantiles, "pit": family.pit(truth, mean_parameters)}
    tables |= _named("score", mean_score_table(truth, all_means, _generator()))
    losses = DistributionLosses(
        family.crps(truth, mean_parameters),
        *(inside(truth, quantiles[:, low], quantiles[:, -1 - low]) for low in map(LEVELS.index, (0.25, 0.05))),
    )
    tables |= _named(
        "volatility_score",
        volatility_score_table(truth - constant, all_scales, {NETWORK: losses}, _generator()),
    )
    tables["seed_r2"] = np.array([r2_out_of_sample(truth, own, constant) for own in means.T])
    return tables


def _generator() -> np.random.Generator:
    return np.random.default_rng(BOOTSTRAP_SEED)


def _named(name: str, table: tuple[np.ndarray, np.ndarray, np.ndarray]) -> dict[str, np.ndarray]:
    return dict(zip((name, f"{name}_low", f"{name}_high"), table, strict=True))
