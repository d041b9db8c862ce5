"""How this laboratory's advice is tried, with at most 150 steps."""

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import LoweredTo

TRIALS = Trials(
    losses=lambda readings: {n.name: n.worth for n in readings},
    unit="Error over zero's",
    drawn=(
        "task", "observations", "longest_gap", "noise", "hidden_share", "networks", "solver", "step_cap",
        "optimiser", "learning_rate",
    ),
    sizes={"steps": LoweredTo(150), "batch": LoweredTo(32)},
    instruments=("look_every",),
    draws=4,
)  # fmt: skip
