"""How this laboratory's advice is tried, with at most 100 steps."""

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import LoweredTo

TRIALS = Trials(
    unit="Loss over that without memory",
    drawn=(
        "task",
        "length",
        "networks",
        "activation",
        "initialisation",
        "gain",
        "forget_bias",
        "optimiser",
        "learning_rate",
        "clip",
    ),
    sizes={"steps": LoweredTo(100), "hidden": LoweredTo(32)},
    instruments=("look_every",),
    longest=3.0,
    more={"diverged": 82, "exploding": 60},
)
