"""How this laboratory's advice is tried: set-ups keep their size, for a run takes about a second."""

from goldviz.declare.trials import Trials

TRIALS = Trials(
    losses=lambda readings: {n.name: n.worth for n in readings},
    unit="Test loss over zero's",
    drawn=(
        "depth", "activation", "initialisation", "gain", "normalisation", "residual_scale", "dropout", "noise",
        "optimiser", "learning_rate", "clip", "epochs",
    ),
    instruments=("histogram_every",),
)  # fmt: skip
