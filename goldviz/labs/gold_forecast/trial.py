"""How this laboratory's advice is tried: two years of forecasts, two refits."""

import numpy as np

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import LoweredTo

TRIALS = Trials(
    losses=lambda readings: {"forecast": np.array([1 - n.own.value for n in readings])},
    unit="Squared error over zero's",
    drawn=(
        "target", "inputs", "alignment", "missing", "network", "window", "head", "dropout", "scheme",
        "learning_rate", "shuffle_targets",
    ),
    sizes={"test_years": LoweredTo(2.0), "refits": LoweredTo(2), "epochs": LoweredTo(8), "hidden": LoweredTo(16)},
    instruments=("look_every",),
    draws=3,
    together=True,
)  # fmt: skip
