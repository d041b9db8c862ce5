"""Observations taken away on purpose, to study what missing data cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from goldviz.data.markets.alignment import Panel
from goldviz.data.markets.market import MarketError
from goldviz.data.markets.missing_patterns import MISSING_PATTERNS


def masked(panel: Panel, pattern: str, share: float, generator: np.random.Generator) -> Panel:
    """The panel with a share of the covariates' observations hidden; the target's are never touched.

    * ``none``: nothing is hidden.
    * ``random``: each observation is hidden by itself with probability ``share``.
    * ``blocks``: runs of rows are hidden for all covariates at once, as when a feed is down. Runs and the gaps
      between them have geometric lengths, runs of ten rows on average (longer for shares above 5/6); each row is hidden
      with probability ``share``.
    * ``channel``: round(share * covariates) whole channels, drawn without replacement.

    Raises :class:`goldviz.data.markets.market.MarketError` for a share outside 0 to 1, 1 not included.

    >>> import pandas as pd
    >>> days = pd.DatetimeIndex(["2024-07-01", "2024-07-02"])
    >>> panel = Panel(days, days, ("gold", "silver", "euro"), np.ones((2, 3)), np.ones(2))
    >>> masked(panel, "channel", 0.5, np.random.default_rng(1)).values.tolist()
    [[1.0, nan, 1.0], [1.0, nan, 1.0]]
    """
    if not 0 <= share < 1:
        raise MarketError(
            f"The share of observations to hide is {share:g}; allowed is a number from 0 to below 1.", "not_allowed"
        )
    rows, channels = panel.values.shape
    mask = np.zeros((rows, channels), dtype=bool)
    mask[:, 1:] = MISSING_PATTERNS[pattern].hidden(rows, channels - 1, share, generator)
    return replace(panel, values=np.where(mask, np.nan, panel.values))
