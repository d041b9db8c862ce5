"""Observations taken away on purpose, to study what missing data cost.

The draws depend on the rows' numbers alone, in their order: neither the values nor what comes later change them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from goldviz.data.markets.alignment import Panel
from goldviz.data.markets.market import MarketError

MissingPattern = Literal["none", "random", "blocks", "channel"]

BLOCK_ROWS = 10
"""Mean length of a hidden run: two weeks of weekdays, ten days where some channel has weekends."""
LEAST_GAP_ROWS = 2
"""Mean length that is left between hidden runs, however large the share."""


def masked(panel: Panel, pattern: MissingPattern, share: float, generator: np.random.Generator) -> Panel:
    """The panel with a share of the covariates' observations hidden; the target's are never touched.

    * ``none``: nothing is hidden.
    * ``random``: each observation is hidden by itself with probability ``share``.
    * ``blocks``: runs of rows are hidden for all covariates at once, as when a feed is down. Runs and the gaps
      between them have geometric lengths, runs of :data:`BLOCK_ROWS` rows on average (longer for shares above 5/6);
      each row is hidden with probability ``share``.
    * ``channel``: round(share * covariates) whole channels, drawn without replacement.

    Raises :class:`goldviz.data.markets.market.MarketError` for a share outside 0 to 1, 1 not included.

    >>> import pandas as pd
    >>> days = pd.DatetimeIndex(["2024-07-01", "2024-07-02"])
    >>> panel = Panel(days, days, ("gold", "silver", "euro"), np.ones((2, 3)), np.ones(2))
    >>> masked(panel, "channel", 0.5, np.random.default_rng(1)).values.tolist()
    [[1.0, nan, 1.0], [1.0, nan, 1.0]]
    """
    if not 0 <= share < 1:
        raise MarketError(f"The share of observations to hide is {share:g}; allowed is a number from 0 to below 1.")
    rows, channels = panel.values.shape
    mask = np.zeros((rows, channels), dtype=bool)
    mask[:, 1:] = MISSING_PATTERNS[pattern](rows, channels - 1, share, generator)
    return replace(panel, values=np.where(mask, np.nan, panel.values))


def _hide_nothing(rows: int, covariates: int, share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    return np.zeros((rows, covariates), dtype=bool)


def _hide_single(rows: int, covariates: int, share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    return generator.random((rows, covariates)) < share


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


MISSING_PATTERNS: dict[MissingPattern, Callable[[int, int, float, np.random.Generator], NDArray[np.bool_]]] = {
    "none": _hide_nothing,
    "random": _hide_single,
    "blocks": _hide_blocks,
    "channel": _hide_channels,
}
"""Pattern -> which of (rows, covariates) it hides."""
