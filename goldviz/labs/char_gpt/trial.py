"""How this laboratory's advice is tried: on presets as they are; drawn ones are small, with at most 200 steps."""

from goldviz.declare.trials import Trials
from goldviz.diagnostics.findings import LoweredTo

TRIALS = Trials(
    unit="Dev loss over that of single tokens",
    drawn=("layers", "heads", "learning_rate", "warm_up", "clip", "masked", "residual", "layer_norm", "scaled"),
    drawn_sizes={
        "steps": LoweredTo(200),
        "width": LoweredTo(32),
        "block": LoweredTo(32),
        "batch": LoweredTo(8),
        "close_looks": LoweredTo(2),
        "layers": LoweredTo(3),
    },
    longest=8.0,
    more={"no_better_than_pairs": 24},
    instruments=("close_looks", "look_every"),
)
