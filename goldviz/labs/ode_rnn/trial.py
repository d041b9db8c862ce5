"""How this laboratory's advice is tried, with at most 80 steps."""

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import LoweredTo

TRIALS = Trials(
    losses=lambda readings: {n.name: n.worth for n in readings},
    unit="Error over zero's",
    drawn=(
        "task", "observations", "longest_gap", "noise", "hidden_share", "networks", "solver", "step_cap",
        "optimiser", "learning_rate",
    ),
    sizes={"steps": LoweredTo(80), "batch": LoweredTo(16)},
    instruments=("look_every",),
    draws=2,
)  # fmt: skip
