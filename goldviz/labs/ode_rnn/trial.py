"""How this laboratory's advice is tried: on presets as they are; drawn ones learn for at most 40 steps."""

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import LoweredTo

TRIALS = Trials(
    unit="Error over zero's",
    drawn=(
        "task",
        "observations",
        "longest_gap",
        "noise",
        "hidden_share",
        "networks",
        "solver",
        "step_cap",
        "optimiser",
        "learning_rate",
    ),
    drawn_sizes={"steps": LoweredTo(40), "batch": LoweredTo(16)},
    longest=8.0,
    instruments=("look_every",),
)
