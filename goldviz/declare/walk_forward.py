"""Settings of walking forward: a model is fitted on the past again and again, and forecasts the years after it."""

from __future__ import annotations

from functools import partial

from goldviz.data.markets.window_schemes import SCHEMES
from goldviz.declare.settings import setting
from goldviz.declare.standard import labels_of

BY_FOLD = ("epoch", "fold", "seed")
"""Dimensions of what every refit records at every epoch."""
TYPICAL_YEARS = 20
"""Years of data that an estimate assumes."""

scheme = partial(setting, "expanding", group="Walk-forward", one_of=labels_of(SCHEMES))
train_years = partial(setting, 8.0, ge=0.5, le=60, group="Walk-forward", unit="years")
test_years = partial(setting, 6.0, ge=0.25, le=60, group="Walk-forward", essential=True, unit="years")
refits = partial(setting, ge=1, group="Walk-forward", essential=True, unit="refits")
