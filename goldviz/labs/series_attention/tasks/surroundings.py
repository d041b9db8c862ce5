"""Equal values in different surroundings: a bump after a rise leads to one level, the same after a fall to another.

Document 002, section 4.1, says that points of equal value are confused where queries and keys see one row each. Every
series here has bumps of both kinds, equal in height, and two levels of its own. At the end a bump comes once more: who
knows of which kind it is knows the level that follows.
"""

from __future__ import annotations

import torch
from torch import Generator

from goldviz.labs.series_attention.tasks.windows import SeriesProblem, SeriesWindows, evenly_spaced

BUMP, RISE = 2.0, 1.0
LEVEL_ROWS = 2
"""Rows of the level behind a bump."""
MOTIF = 2 + LEVEL_ROWS
MOTIFS = 6
CONTEXT = MOTIF * MOTIFS - LEVEL_ROWS
NOISE = 0.05


def equal_values(series: int, generator: Generator) -> SeriesWindows:
    """So many series of 24 rows: a rise or a fall, a bump, and two rows of its level, six times.

    The last level is to be forecast; the first two motifs are of both kinds.
    """
    levels = 2 * torch.rand(series, 2, generator=generator) - 1
    kinds = torch.randint(2, (series, MOTIFS), generator=generator)
    kinds[:, 1] = 1 - kinds[:, 0]
    level = levels.gather(1, kinds)
    motifs = [RISE * (2 * kinds - 1), torch.full_like(level, BUMP), *[level] * LEVEL_ROWS]
    values = torch.stack(motifs, 2).flatten(1)
    noise = NOISE * torch.randn(values.shape, generator=generator)
    # Bumps stay equal to the last digit.
    return evenly_spaced(torch.where(values == BUMP, values, values + noise))


def surroundings_problem(series: int, tests: int, train: Generator, test: Generator) -> SeriesProblem:
    """Series to learn from and to test on, from generators of their own."""
    train_windows, test_windows = equal_values(series, train), equal_values(tests, test)
    return SeriesProblem(train_windows, test_windows, CONTEXT, 2 * MOTIF, 0.0, 1.0, NOISE**2)
