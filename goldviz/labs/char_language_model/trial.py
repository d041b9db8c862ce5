"""How this laboratory's advice is tried, with at most 800 steps and four close looks."""

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import LoweredTo

TRIALS = Trials(
    unit="Dev loss over that of single characters",
    drawn=(
        "model",
        "context",
        "hidden",
        "normalisation",
        "momentum",
        "initialisation",
        "gain",
        "output_gain",
        "learning_rate",
        "batch",
        "optimiser",
    ),
    sizes={"steps": LoweredTo(800), "close_looks": LoweredTo(4)},
    instruments=("close_looks", "look_every"),
    longest=3.0,
)
