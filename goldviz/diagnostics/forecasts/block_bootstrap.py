"""How sure a mean of losses is, where losses of neighbouring days resemble one another, and tables of such scores.

Circular block bootstrap (Politis and Romano 1992): a replication is put together from blocks of consecutive losses,
drawn with replacement, the first loss following the last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from jaxtyping import Float

Table = Float[np.ndarray, "model metric"]
ScoreTable = tuple[Table, Table, Table]
"""A row for each model, a column for each score: the scores, and the ends of their 95 % intervals."""
ScoreWithEnds = tuple[float, float, float]
WITHOUT_SCORE: ScoreWithEnds = (np.nan, np.nan, np.nan)


def block_length(losses: Float[np.ndarray, "forecast loss"]) -> int:
    """Forecasts in a block: the longest that one of these losses asks for.

    Each asks for the length of Politis and White (2004; corrected by Patton, Politis and White 2009), which grows
    with its autocorrelation. No block is shorter than n^(1/3), the rate of Hall, Horowitz and Jing (1995), so that
    dependence which a short series does not show is not taken for none, nor longer than n / 3.
    """
    from arch.bootstrap import optimal_block_length  # Importing it takes longer than most scores.

    count = len(losses)
    # Losses that hardly move have no autocorrelation; what they ask for is NaN and counts for nothing.
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        moving = losses[:, np.ptp(losses, axis=0) > 0]
        lengths = optimal_block_length(moving)["circular"].to_numpy() if moving.size else np.empty(0)
    longest = float(max([count ** (1 / 3), *lengths[np.isfinite(lengths)]]))
    return max(1, min(math.ceil(longest), count // 3))


def replicated_means(
    losses: Float[np.ndarray, "forecast loss"], block: int, replications: int, generator: np.random.Generator
) -> Float[np.ndarray, "replication loss"]:
    """The mean of each column in every replication; the columns of a replication are drawn together.

    Differences of running sums give the sum of a block at once, so a replication costs n / block additions.
    """
    count, width = losses.shape
    blocks = math.ceil(count / block)
    starts = generator.integers(count, size=(replications, blocks))
    lengths = np.full(blocks, block)
    lengths[-1] = count - block * (blocks - 1)
    centre = losses.mean(axis=0)
    running = np.zeros((2 * count + 1, width))
    np.cumsum(np.concatenate([losses, losses]) - centre, axis=0, out=running[1:])
    means: np.ndarray = centre + (running[starts + lengths] - running[starts]).sum(axis=1) / count
    return means


def middle(replications: Float[np.ndarray, " replication"], share: float = 0.95) -> tuple[float, float]:
    """The ends of the middle ``share`` of these values; NaN where one of them is not finite."""
    if not np.isfinite(replications).all():
        return np.nan, np.nan
    low, high = np.quantile(replications, [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)


def score_table(
    models: Iterable[str],
    scores: Callable[[str, np.random.Generator], list[ScoreWithEnds]],
    generator: np.random.Generator,
) -> ScoreTable:
    """The ``scores`` of each model, all from the same random numbers: a row is the same in whatever company."""
    seed = generator.integers(2**63)
    values, low, high = np.moveaxis(np.array([scores(name, np.random.default_rng(seed)) for name in models]), -1, 0)
    return values, low, high
