"""How this laboratory's advice is tried: each seed forecasts a market of its own."""

from collections.abc import Mapping, Sequence

import numpy as np

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import Floats, LoweredTo
from goldviz.labs.price_tokens.measures import Reading


def _losses(readings: Sequence[Reading]) -> Mapping[str, Floats]:
    """How much less likely the network makes a day than token frequency does, as a factor."""
    [reading] = readings
    return {"network": np.array([np.exp(-reading.own.value)])}


TRIALS = Trials(
    losses=_losses,
    unit="Token frequency's density of a day over the network's",
    drawn=(
        "returns",
        "tokeniser",
        "tokens",
        "codes",
        "merges",
        "network",
        "context",
        "hidden",
        "dropout",
        "optimiser",
        "learning_rate",
        "epochs",
    ),
    drawn_sizes={"test_years": LoweredTo(3.0), "refits": LoweredTo(2)},
    longest=6.0,
    together=True,
    with_seed=("market_seed",),
)
