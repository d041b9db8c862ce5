"""How this laboratory's advice is tried, with 300 samples at most and a close look at every twentieth epoch."""

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import LoweredTo, RaisedTo

TRIALS = Trials(
    unit="Test loss over zero's",
    drawn=(
        "depth",
        "activation",
        "initialisation",
        "gain",
        "normalisation",
        "residual_scale",
        "dropout",
        "noise",
        "optimiser",
        "learning_rate",
        "clip",
        "epochs",
    ),
    sizes={"samples": LoweredTo(300), "histogram_every": RaisedTo(20)},
    instruments=("histogram_every",),
    longest=3.0,
)
