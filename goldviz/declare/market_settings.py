"""The settings that say which market is used and what of it is seen, for every laboratory that uses one."""

from __future__ import annotations

from functools import partial
from typing import Literal

from goldviz.data.markets.missing_patterns import MISSING_PATTERNS
from goldviz.declare.settings import setting
from goldviz.declare.standard import kept, labels_of

MARKET_SETTINGS = ("data", "market_seed")
"""They are the visitor's, so presets leave them alone."""

Alignment = Literal["release", "date"]
ALIGNMENTS = {"release": "by release time", "date": "by calendar date (leaks)"}

market = partial(
    kept,
    "data",
    "simulated",
    group="Data",
    control="market",
    description="The market: simulated, or data kept on this server.",
)
market_seed = partial(
    setting,
    0,
    ge=0,
    le=999,
    group="Data",
    control="market seed",
    description="Seed of the simulated market; real data ignore it.",
)
alignment = partial(
    setting,
    "release",
    essential=True,
    labels=ALIGNMENTS,
    description="When a covariate counts as known: from its release on, or, as a spreadsheet joins, by its date.",
)
missing = partial(setting, "none", one_of=labels_of(MISSING_PATTERNS))
missing_share = partial(setting, ge=0, le=0.95, description="Share of the covariates' observations that is hidden.")
tone_response = partial(
    setting,
    0.0,
    ge=0,
    le=1,
    group="Data",
    description="Planted in the simulated market: how far one standard deviation of the statements' tone moves gold's "
    "mean move, in the moves' standard deviations. Readers there read as the shipped model does.",
)
