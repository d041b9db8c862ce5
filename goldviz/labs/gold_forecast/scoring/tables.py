"""All scores of all forecasts as tables, each score with its 95 % interval.

Intervals of mean losses, and of what is computed from them, come from a block bootstrap; those of hit rates and
coverages are Wilson's. A score that does not apply is NaN; so are all scores of a forecast that is not finite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from goldviz.diagnostics.forecasts.block_bootstrap import (
    WITHOUT_SCORE,
    ScoreTable,
    ScoreWithEnds,
    block_length,
    middle,
    replicated_means,
    score_table,
)
from goldviz.diagnostics.forecasts.scores import absolute_errors, hits, scorable, squared_errors
from goldviz.diagnostics.forecasts.significance import diebold_mariano
from goldviz.diagnostics.noise import wilson_interval
from goldviz.labs.gold_forecast.scoring.distributions import crps_gaussian, inside_gaussian, qlike_losses

Means = Float[np.ndarray, "loss replication"]


@dataclass(frozen=True)
class DistributionLosses:
    """Of each forecast distribution its CRPS, and whether what came lay in its middle 50 % and 90 %."""

    crps: Float[np.ndarray, " forecast"]
    inside_50: Bool[np.ndarray, " forecast"]
    inside_90: Bool[np.ndarray, " forecast"]

    @classmethod
    def of_gaussian(
        cls, truth: Float[np.ndarray, " forecast"], scale: Float[np.ndarray, " forecast"]
    ) -> DistributionLosses:
        """Those of N(0, scale^2)."""
        middles = [inside_gaussian(truth, 0.0, scale, share) for share in (0.5, 0.9)]
        return cls(crps_gaussian(truth, 0.0, scale), *middles)


def mean_score_table(
    truth: Float[np.ndarray, " forecast"],
    forecasts: Mapping[str, Float[np.ndarray, " forecast"]],
    generator: np.random.Generator,
    replications: int = 1000,
) -> ScoreTable:
    """MSE, MAE, RMSE, R2, R2 against the mean, hit rate, Diebold and Mariano's statistic and its p of each forecast.

    The reference of R2, hit rate and test is the forecast named ``zero``: 0 for returns, the last level for levels.
    Models stand in the order of ``forecasts``. A model's row is the same in whatever company.
    """
    reference = forecasts["zero"]

    def scores(model: str, own: np.random.Generator) -> list[ScoreWithEnds]:
        if not scorable(truth, forecasts[model], reference):
            return [WITHOUT_SCORE] * 8
        return _mean_scores(truth, forecasts[model], reference, own, replications)

    return score_table(forecasts, scores, generator)


def volatility_score_table(
    truth: Float[np.ndarray, " forecast"],
    scales: Mapping[str, Float[np.ndarray, " forecast"]],
    distributions: Mapping[str, DistributionLosses],
    generator: np.random.Generator,
    replications: int = 1000,
) -> ScoreTable:
    """QLIKE, its gain, the test of that gain with its p, CRPS, and coverage of the middle 50 % and 90 %.

    ``truth`` are returns, or changes of a level, whose mean counts as zero; ``scales`` are forecast standard
    deviations. The reference is the one named ``constant``. A model that ``distributions`` lacks counts as Gaussian
    with mean zero. Models stand in the order of ``scales``. A model's row is the same in whatever company.
    """
    reference = scales["constant"]

    def scores(model: str, own: np.random.Generator) -> list[ScoreWithEnds]:
        scale = scales[model]
        if not (scorable(truth, scale, reference) and min(scale.min(), reference.min()) > 0):
            return [WITHOUT_SCORE] * 7
        distribution = distributions.get(model) or DistributionLosses.of_gaussian(truth, scale)
        return _volatility_scores(truth, scale, reference, distribution, own, replications)

    return score_table(scales, scores, generator)


def _mean_scores(
    truth: Float[np.ndarray, " forecast"],
    forecast: Float[np.ndarray, " forecast"],
    reference: Float[np.ndarray, " forecast"],
    generator: np.random.Generator,
    replications: int,
) -> list[ScoreWithEnds]:
    errors, reference_squared = squared_errors(truth, forecast), squared_errors(truth, reference)
    around = truth - truth.mean()
    losses = np.stack([errors, absolute_errors(truth, forecast), reference_squared, around, np.square(around)], axis=1)
    mse, mae, rmse, r2, r2_mean = _bootstrapped(
        [
            lambda means: means[0],
            lambda means: means[1],
            lambda means: np.sqrt(means[0]),
            lambda means: 1 - means[0] / means[2],
            # The mean that is this score's reference is that of each replication.
            lambda means: 1 - means[0] / (means[4] - np.square(means[3])),
        ],
        losses,
        generator,
        replications,
    )
    directions = hits(truth, forecast, reference)
    hit_rate = (directions.rate, *wilson_interval(*directions))
    return [mse, mae, rmse, r2, r2_mean, hit_rate, *_tested_losses(errors, reference_squared)]


def _volatility_scores(
    truth: Float[np.ndarray, " forecast"],
    scale: Float[np.ndarray, " forecast"],
    reference: Float[np.ndarray, " forecast"],
    distribution: DistributionLosses,
    generator: np.random.Generator,
    replications: int,
) -> list[ScoreWithEnds]:
    losses, reference_losses = qlike_losses(truth, scale), qlike_losses(truth, reference)
    qlike, gain, crps = _bootstrapped(
        [lambda means: means[0], lambda means: means[1] - means[0], lambda means: means[2]],
        np.stack([losses, reference_losses, distribution.crps], axis=1),
        generator,
        replications,
    )
    coverages = []
    for middle_share in (distribution.inside_50, distribution.inside_90):
        right, count = int(middle_share.sum()), len(middle_share)
        coverages.append((right / count, *wilson_interval(right, count)))
    return [qlike, gain, *_tested_losses(losses, reference_losses), crps, *coverages]


def _bootstrapped(
    statistics: list[Callable[[Means], Float[np.ndarray, " replication"]]],
    losses: Float[np.ndarray, "forecast loss"],
    generator: np.random.Generator,
    replications: int,
) -> list[ScoreWithEnds]:
    """Statistics of the mean losses, all with the same replications."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        block = block_length(losses)
        replicates = replicated_means(losses, block, replications, generator).T
        whole = losses.mean(axis=0)[:, None]
        scores = [(float(statistic(whole)[0]), *middle(statistic(replicates))) for statistic in statistics]
    return [score if np.isfinite(score[0]) else WITHOUT_SCORE for score in scores]


def _tested_losses(
    losses: Float[np.ndarray, " forecast"], reference_losses: Float[np.ndarray, " forecast"]
) -> list[ScoreWithEnds]:
    return [(number, np.nan, np.nan) for number in diebold_mariano(losses, reference_losses)]
