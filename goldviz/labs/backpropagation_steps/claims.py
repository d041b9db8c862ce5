"""What document 001 says of the four equations (section 1.2), tried on networks whose every number is in sight."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.backpropagation_steps import LAB

OverSeed = partial(Claim, LAB, over="seed", cases=tuple(range(10)))
DEEP_RELU = {"activation": "relu", "layers": 4, "width": 8}

CLAIMS = (
    OverSeed(
        "C1",
        "δ measures how sensitive the loss is to a neuron's weighted input z.",
        "001, 1.2, eq. 1 and 2",
        lanes=("as-in-the-document", "softmax-and-cross-entropy", "break-it-saturated"),
        parts={
            "nudging each z in turn moves the loss by δ a unit, up to {:.0e} of the largest δ": Part(
                "nudge_beside_delta", below=1e-6, scale="ratio"
            ),
        },
    ),
    OverSeed(
        "C2",
        "A weight's gradient is the product of two neurons' numbers. Where one of them is silent or dead, a sample "
        "gives it none.",
        "001, 1.2, eq. 4",
        lanes=(DEEP_RELU,),
        parts={
            "{:.0%} of a ReLU network's weights are such": Part("share_without_news", above=0.05),
            "the largest gradient of such a weight is {:.0e}": Part("largest_gradient_without_news", below=1e-12),
        },
    ),
)
