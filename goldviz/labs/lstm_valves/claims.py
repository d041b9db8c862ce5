"""What document 001 says of an LSTM's gates as valves in the gradient's flow (section 2.2.2, eq. 16-20)."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.lstm_valves import LAB

OverSeed = partial(Claim, LAB, over="seed")
FADED = 0.01
TEN_SEEDS = tuple(range(10))
ROUNDING = 1e-9


CLAIMS = (
    OverSeed(
        "C82",
        "The gradient of the cell is the sum of two ways, and each gate's follows from it.",
        "001, 2.2.2, eq. 16-20",
        kind="identity",
        lanes=({}, {"loss_at": "every"}),
        parts={
            "eq. 16 to 20 differ from autograd by {:.1e}": Part("off_autograd", below=ROUNDING),
        },
    ),
    OverSeed(
        "C83",
        "With forget gates near 1 gradients are preserved; near 0 the gradient flow is blocked.",
        "001, 2.2.2, eq. 18",
        lanes=("fix-it-forget-gate-open", {"forget_bias": -4.0}),
        cases=TEN_SEEDS,
        parts={
            "bias 4: ten steps back {:.2g} of the gradient is left, over all paths": Part(
                "left_after_ten", above=0.5, scale="ratio", lanes=(1,)
            ),
            "bias −4: {:.1g} of it is left": Part("left_after_ten", below=FADED, scale="ratio", lanes=(2,)),
        },
    ),
    OverSeed(
        "C84",
        "The output gate determines how much of the cell affects the hidden state's gradient.",
        "001, 2.2.2, eq. 17",
        lanes=("fix-it-forget-gate-open", "break-it-output-gate-shut"),
        parts={
            "with the output gate shut {:.1%} of the gradient enters the cell": Part(
                "entering", below=0.5, scale="ratio"
            ),
        },
    ),
)
