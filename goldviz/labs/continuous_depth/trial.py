"""How this laboratory's advice is tried, with at most 60 steps."""

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import LoweredTo

TRIALS = Trials(
    losses=lambda readings: {n.name: n.loss for n in readings},
    unit="Test loss",
    drawn=(
        "task",
        "networks",
        "augmented",
        "width",
        "blocks",
        "method",
        "solver_steps",
        "optimiser",
        "learning_rate",
        "noise",
    ),
    sizes={"steps": LoweredTo(60), "samples": LoweredTo(100)},
    drawn_sizes={"steps": LoweredTo(30), "samples": LoweredTo(60)},
    longest=15.0,
    instruments=("look_every",),
)
