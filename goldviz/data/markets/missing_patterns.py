"""Patterns of missing observations. A new one is an entry of the table: settings and masking read it.

The draws depend on the rows' numbers alone, in their order: neither the values nor what comes later change them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BLOCK_ROWS = 10
"""Mean length of a hidden run: two weeks of weekdays, ten days where some channel has weekends."""
LEAST_GAP_ROWS = 2
"""Mean length that is left between hidden runs, however large the share."""


@dataclass(frozen=True)
class MissingPattern:
    """What is hidden, in words, and which of (rows, covariates) that is, for a share and a generator."""

    words: str
    hidden: Callable[[int, int, float, np.random.Generator], NDArray[np.bool_]]


def _hide_blocks(rows: int, covariates: int, share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    """A two-state Markov chain that starts, and so stays, with probability ``share`` of being hidden."""
    run = max(BLOCK_ROWS, LEAST_GAP_ROWS * share / (1 - share))
    begins, goes_on = share / ((1 - share) * run), 1 - 1 / run
    mask = np.zeros(rows, dtype=bool)
    chance = share
    for row, number in enumerate(generator.random(rows)):
        mask[row] = number < chance
        chance = goes_on if mask[row] else begins
    return np.repeat(mask[:, None], covariates, axis=1)


def _hide_channels(rows: int, covariates: int, share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    columns = generator.permutation(covariates)[: round(share * covariates)]
    return np.repeat(np.isin(np.arange(covariates), columns)[None], rows, axis=0)


MISSING_PATTERNS = {
    "none": MissingPattern("nothing", lambda rows, covariates, *_: np.zeros((rows, covariates), dtype=bool)),
    "random": MissingPattern(
        "single observations", lambda rows, covariates, share, drawn: drawn.random((rows, covariates)) < share
    ),
    "blocks": MissingPattern("blocks of weeks", _hide_blocks),
    "channel": MissingPattern("whole channels", _hide_channels),
}
"""By name; a new one is an entry, which settings read, too."""
