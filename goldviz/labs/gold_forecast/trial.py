"""How this laboratory's advice is tried: on presets as they are; one year of forecasts where settings are drawn."""

import numpy as np

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import LoweredTo

TRIALS = Trials(
    losses=lambda readings: {"forecast": np.array([1 - n.own.value for n in readings])},
    unit="1 − R², for volatility 1 − QLIKE gain",
    drawn=(
        "target",
        "inputs",
        "alignment",
        "missing",
        "network",
        "window",
        "head",
        "dropout",
        "scheme",
        "learning_rate",
        "shuffle_targets",
    ),
    drawn_sizes={
        "test_years": LoweredTo(1.0),
        "refits": LoweredTo(1),
        "epochs": LoweredTo(6),
        "hidden": LoweredTo(16),
    },
    longest=8.0,
    instruments=("look_every",),
    together=True,
    with_seed=("market_seed",),
)
