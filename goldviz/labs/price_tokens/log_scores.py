"""Forecast densities judged in nats a day, with intervals: whole, for the size of a move, and for its sign."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from goldviz.diagnostics.forecasts.block_bootstrap import (
    WITHOUT_SCORE,
    ScoreTable,
    ScoreWithEnds,
    block_length,
    middle,
    replicated_means,
    score_table,
)
from goldviz.diagnostics.forecasts.significance import diebold_mariano

LOG_SCORES = ("nats", "gain", "size_gain", "sign_gain", "dm_p")
"""The columns of a table: nats a day; nats gained over the reference in all, by size and by sign; a test's p."""

Days = Float[np.ndarray, " forecast"]


def log_score_table(
    nats: Mapping[str, Days],
    sign: Mapping[str, Days],
    reference: str,
    generator: np.random.Generator,
    replications: int = 1000,
) -> ScoreTable:
    """Scores by model, and the lower and upper ends of their 95 % intervals by a bootstrap of blocks.

    ``nats`` are -log p(x) of each day and ``sign`` the part of it that is for the sign; gains are positive where a
    model is better than the ``reference``. The p-value is Diebold and Mariano's. Models stand in their order.
    """
    base = _parts(nats[reference], sign[reference])
    return score_table(
        nats, lambda model, own: _scores(_parts(nats[model], sign[model]), base, own, replications), generator
    )


def _parts(nats: Days, sign: Days) -> Float[np.ndarray, "forecast part"]:
    """In all, of the size, of the sign."""
    return np.stack([nats, nats - sign, sign], axis=1)


def _scores(
    own: Float[np.ndarray, "forecast part"],
    base: Float[np.ndarray, "forecast part"],
    generator: np.random.Generator,
    replications: int,
) -> list[ScoreWithEnds]:
    if not (np.isfinite(own).all() and np.isfinite(base).all()):
        return [WITHOUT_SCORE] * len(LOG_SCORES)
    losses = np.concatenate([own[:, :1], base - own], axis=1)
    means = replicated_means(losses, block_length(losses), replications, generator)
    scores = [(float(losses[:, part].mean()), *middle(means[:, part])) for part in range(losses.shape[1])]
    return [*scores, (diebold_mariano(own[:, 0], base[:, 0]).p_value, np.nan, np.nan)]
