"""What document 001 says of deep plain and residual networks (sections 3.1, 5.2 and 5.3)."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.depth_gradients import LAB

DEEPER = "32-layers-the-residual-network-learns"
PRINTED_PARAMETERS = 38_810
TEN_SEEDS = tuple(range(10))
SMALL = {
    "depth": 4,
    "width": 32,
    "samples": 300,
    "dropout": 0.0,
    "noise": 0.0,
    "initialisation": "orthogonal",
    "gain": 1.35,
    "residual_scale": 0.5,
    "histogram_every": 0,
}
"""A network on which rates can be tried."""
EDGE = "at-the-edge-of-stability"
AT_THE_EDGE = LAB.declared.preset(EDGE).differences()
RATES = (2.5, 0.3125, 5.0, 10.0)
"""Up to the largest that is allowed; the first tells the sharpness before training."""
OPTIMISERS = {"adam": "Adam", "sgd": "SGD"}
BEST_RATES = {("adam", 60): 0.0316, ("adam", 600): 0.00316, ("sgd", 60): 0.316, ("sgd", 600): 0.1}
"""Of half decades from 1e-4 to 1, the one with the plain network's lowest test loss, by optimiser and epochs."""


Tried = partial(Claim, LAB)

CLAIMS = (
    Tried(
        "C11",
        "A good step changes the weights by about a thousandth of their size.",
        "002, 1.3.3",
        lanes=tuple(
            {**SMALL, "optimiser": optimiser, "epochs": epochs, "learning_rate": rate}
            for (optimiser, epochs), rate in BEST_RATES.items()
        ),
        parts={
            f"{OPTIMISERS[optimiser]}, {epochs} steps at the best of nine rates: {{:.1e}} of them": Part(
                "plain.typical_step", above=10**-3.5, below=10**-2.5, scale="ratio", lanes=(lane,)
            )
            for lane, (optimiser, epochs) in enumerate(BEST_RATES, start=1)
        },
    ),
    Tried(
        "C61",
        "With skip connections gradients cross many layers without being excessively attenuated.",
        "001, 3.1.2, eq. 27",
        lanes=({}, "break-it-sigmoid"),
        parts={
            "15 LeakyReLU layers: the residual network's error arrives {:.2g} times as long as it set out": Part(
                "residual.amplification", above=0.1, scale="ratio", lanes=(1,)
            ),
            "30 sigmoid layers: it arrives {:.2g} times as long": Part(
                "residual.amplification", above=0.1, scale="ratio", lanes=(2,)
            ),
        },
    ),
    Tried(
        "C62",
        "Without skip connections a deep network's gradient vanishes.",
        "001, 3.1.2, figure 1",
        lanes=({}, "break-it-sigmoid"),
        parts={
            "15 LeakyReLU layers: the plain network's error arrives {:.2g} times as long as it set out": Part(
                "plain.amplification", below=0.1, scale="ratio", lanes=(1,)
            ),
            "30 sigmoid layers: it arrives {:.2g} times as long": Part(
                "plain.amplification", below=0.1, scale="ratio", lanes=(2,)
            ),
        },
    ),
    Tried(
        "C63",
        "A residual function is easier to optimise than the mapping itself.",
        "001, 3.1.1, eq. 26",
        lanes=({}, DEEPER),
        cases=TEN_SEEDS,
        parts={
            "as in the document, 20 epochs: the residual network's test loss is {:.2g} of the plain one's": Part(
                "residual_over_plain", below=1, scale="ratio", lanes=(1,)
            ),
            "32 layers from an orthogonal start: its training loss is {:.2g} of the plain one's": Part(
                "residual_over_plain_in_training", below=1, scale="ratio", lanes=(2,)
            ),
        },
    ),
    Tried(
        "C64",
        "Deeper networks may train worse than shallower ones, even where gradients do not vanish.",
        "001, 3.1",
        lanes=(DEEPER,),
        parts={
            "32 plain layers train {:.2g} times as badly as the best of 2 to 16": Part(
                "plain.degradation", above=1, scale="ratio"
            ),
            "their first layer's gradient is {:.2g} of the last one's": Part(
                "plain.growth", above=0.1, below=10, scale="ratio"
            ),
        },
    ),
    Tried(
        "C65",
        "Residual architectures are robust to increasing depth.",
        "001, 3.1.1",
        lanes=(DEEPER,),
        parts={
            "32 residual layers train {:.2g} times as badly as the best of 2 to 16": Part(
                "residual.degradation", below=1.5, scale="ratio"
            ),
        },
    ),
    Tried(
        "C135",
        "Skip connections refine a representation step by step: a block with a small branch keeps what it was given.",
        "001, 3.1.1",
        lanes=({}, {"depth": 30}),
        parts={
            "15 layers: a residual block moves its state by {:.0%} of its length": Part(
                "residual.state_change", below=0.5, scale="ratio", lanes=(1,)
            ),
            "a plain block by {:.0%}": Part("plain.state_change", above=0.5, scale="ratio", lanes=(1,)),
            "30 layers: a residual block by {:.0%}": Part(
                "residual.state_change", below=0.5, scale="ratio", lanes=(2,)
            ),
        },
    ),
    Tried(
        "C146",
        "Gradient descent sharpens the loss until its rate is at the edge of stability.",
        "002, 1.3.3",
        kind="question",
        lanes=(EDGE,),
        parts={
            "plain: at the first step the rate could be {:.2g} times larger": Part(
                "plain.headroom_at_first", above=4, scale="ratio"
            ),
            "in the last half of 200 steps {:.2g} times": Part(
                "plain.headroom_later", above=0.5, below=2, scale="ratio"
            ),
            "residual: in the last half {:.2g} times": Part(
                "residual.headroom_later", above=0.5, below=2, scale="ratio"
            ),
        },
    ),
    Tried(
        "C147",
        "A step below 2 over the sharpness along it lowers its batch's loss, and a longer one raises it.",
        "002, 1.3.3",
        kind="identity",
        lanes=(EDGE,),
        parts={
            "plain: so it is at {:.0%} of the looks": Part("plain.told_right", above=0.99),
            "residual: at {:.0%}": Part("residual.told_right", above=0.99),
        },
    ),
    Tried(
        "C148",
        "The sharpness before training tells the largest rate that works.",
        "002, 1.3.3",
        kind="question",
        lanes=tuple({**AT_THE_EDGE, "learning_rate": rate, "histogram_every": 1000} for rate in RATES),
        parts={
            "the largest of four rates whose loss falls in five steps is {:.2g} times 2/sharpness": Part(
                "first_steps_over_critical", above=0.5, below=2
            ),
            "the largest whose loss has fallen after 200 is {:.2g} times that": Part(
                "training_over_critical", above=0.5, below=2
            ),
        },
    ),
    Tried(
        "C66",
        "Both networks of the experiment have 38,810 parameters.",
        "001, 5.3.2, table 1",
        kind="identity",
        lanes=({"epochs": 1, "histogram_every": 0},),
        parts={
            "the plain network has {:,.0f}": Part("plain.parameters", PRINTED_PARAMETERS - 1, PRINTED_PARAMETERS + 1),
            "the residual network has {:,.0f}": Part(
                "residual.parameters", PRINTED_PARAMETERS - 1, PRINTED_PARAMETERS + 1
            ),
        },
    ),
)
