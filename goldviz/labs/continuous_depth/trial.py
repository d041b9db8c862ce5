"""How this laboratory's advice is tried, with at most 100 steps."""

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import LoweredTo

TRIALS = Trials(
    losses=lambda readings: {n.name: n.loss for n in readings},
    unit="Test loss",
    drawn=(
        "task", "networks", "augmented", "width", "blocks", "method", "solver_steps", "optimiser",
        "learning_rate", "noise",
    ),
    sizes={"steps": LoweredTo(100), "samples": LoweredTo(200)},
    instruments=("look_every",),
    draws=8,
)  # fmt: skip
