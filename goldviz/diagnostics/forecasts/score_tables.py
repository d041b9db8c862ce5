"""Tables of scores: a row for each model, a column for each score, and the ends of its 95 % interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from jaxtyping import Float

Table = Float[np.ndarray, "model metric"]
ScoreTable = tuple[Table, Table, Table]
"""Scores, and the lower and the upper ends of their intervals."""
ScoreWithEnds = tuple[float, float, float]
WITHOUT_SCORE: ScoreWithEnds = (np.nan, np.nan, np.nan)


def score_table(
    models: Iterable[str],
    scores: Callable[[str, np.random.Generator], list[ScoreWithEnds]],
    generator: np.random.Generator,
) -> ScoreTable:
    """The ``scores`` of each model, all from the same random numbers: a row is the same in whatever company."""
    seed = generator.integers(2**63)
    values, low, high = np.moveaxis(np.array([scores(name, np.random.default_rng(seed)) for name in models]), -1, 0)
    return values, low, high
