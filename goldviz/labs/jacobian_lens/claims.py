"""What document 001 says of gradients through time (sections 2.1.3 to 2.3.2), tried on untrained networks."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.jacobian_lens import LAB

OverSeed = partial(Claim, LAB, over="seed")
ROUNDING = 1e-9


CLAIMS = (
    OverSeed(
        "C76",
        "The norm of a product of Jacobians is at most (γ‖W‖) to the number of steps.",
        "001, 2.1.3, eq. 9",
        lanes=({}, "break-it-exploding"),
        parts={
            "log10 of the norm is above log10 of the bound by {:.2f} at most": Part("over_the_bound", below=ROUNDING),
        },
    ),
    OverSeed(
        "C77",
        "With γρ(W) below 1 the gradient decays exponentially.",
        "001, 2.1.3, below eq. 9",
        lanes=({}, "break-it-non-normal-growth"),
        parts={
            "after 60 steps log10 of the norm is {:.1f}": Part("left_at_the_end", below=-2, lanes=(1,)),
            "from a matrix far from normal log10 of the norm first rises to {:.2f}": Part(
                "highest", below=0.1, lanes=(2,)
            ),
        },
    ),
    OverSeed(
        "C78",
        "With γρ(W) above 1 the gradient may explode.",
        "001, 2.1.3, below eq. 9",
        lanes=("break-it-exploding", {"size": 2.0, "input_scale": 3.0}),
        parts={
            "ReLU, radius 2: after 60 steps log10 of the norm is {:.1f}": Part("left_at_the_end", above=1, lanes=(1,)),
            "tanh under strong inputs, radius 2: it is {:.1f}": Part("left_at_the_end", above=1, lanes=(2,)),
        },
    ),
    OverSeed(
        "C79",
        "A forget gate near 1 hands the gradient on nearly unchanged; near 0 it blocks it.",
        "001, 2.2.2, eq. 18",
        lanes=("fix-it-forget-gate-open", "break-it-forget-gate-shut"),
        parts={
            "open gates keep {:.0%} of the cell path a step": Part("cell_path_kept", above=0.9, lanes=(1,)),
            "shut gates keep {:.0%} of it a step": Part("cell_path_kept", below=0.2, lanes=(2,)),
        },
    ),
    OverSeed(
        "C80",
        "A GRU with a small update gate keeps its state and its gradient; a large one renews both.",
        "001, 2.3.2, eq. 24",
        lanes=("fix-it-keep-the-state", {"cell": "gru", "update_bias": 4.0}),
        parts={
            "with z near 0.02 a step keeps {:.0%} of a change": Part("state_kept", above=0.9, lanes=(1,)),
            "with z near 0.98 it keeps {:.0%}": Part("state_kept", below=0.9, lanes=(2,)),
        },
    ),
)
