"""What document 002 says of its GPT (section 3), tried on Python's documentation with networks of a tenth of the size.

Each measure is read off finished runs; the settings are small ones, so that a claim is tried in a minute.
"""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.char_gpt import LAB
from goldviz.labs.char_gpt.settings import SMALL

Tried = partial(Claim, LAB)
Dev = partial(Part, "dev_over_twin")
Higher = partial(Part, "ends_higher", above=0.5, scale="share")
Growth = partial(Part, "growth", scale="ratio")
TINY = {"width": 32, "block": 32, "batch": 8, "steps": 300, "close_looks": 2, "look_every": 0}
AT_START = {**TINY, "layers": 12, "steps": 1, "close_looks": 1}
FAST = {**TINY, "learning_rate": 0.04}
COPYING = {**SMALL, "masked": False, "close_looks": 2, "look_every": 0}


CLAIMS = (
    Tried(
        "C19",
        "Without 1/√H scores are large and softmax saturates.",
        "002, 3.3",
        lanes=({**TINY, "scaled": False}, TINY),
        parts={
            "before the first step the largest weight of a row is {:.2f} without the scale": Part(
                "largest_weight_at_start", above=0.5, lanes=(1,)
            ),
            "after 300 steps it is {} times that with the scale": Part("peak_over_twin", above=1.0, scale="ratio"),
            "the dev loss ends {:+.3f} nat from that with the scale": Dev(above=0.0, control=True),
        },
    ),
    Tried(
        "C20",
        "The factor 1/√(2n) stops the variance from growing block by block.",
        "002, 3.6",
        lanes=({**AT_START, "residual_scale": "none"}, {**AT_START, "residual_scale": "branch"}),
        parts={
            "through 12 blocks it grows {} times without": Growth(above=2.0, lanes=(1,)),
            "with the factor on the branches it grows {} times": Growth(below=2.0, lanes=(2,)),
        },
    ),
    Tried(
        "C21",
        "With the factor on branches and on first weights the network trains better.",
        "002, 3.6 and 3.7",
        lanes=(
            TINY,
            {**TINY, "residual_scale": "none"},
            {**TINY, "residual_scale": "init"},
            {**TINY, "residual_scale": "branch"},
        ),
        kind="question",
        parts={
            "with both the dev loss ends {:+.3f} nat from that with neither": Dev(below=0.0, lanes=(1, 2)),
            "with the first weights alone {:+.3f} nat from that with neither": Dev(below=0.0, lanes=(3, 2)),
            "with the branches alone {:+.3f} nat from that with neither": Dev(below=0.0, lanes=(4, 2)),
        },
    ),
    Tried(
        "C22",
        "Tying the read-out to the token table saves V·C parameters and costs nothing.",
        "002, 3.2",
        lanes=({**TINY, "tied": False}, TINY),
        kind="question",
        parts={
            "untied there are {:.3f} V·C parameters more": Part("saved", above=0.999, below=1.001),
            "untied the dev loss ends {:+.3f} nat from that of the tied one": Dev(above=0.0),
        },
    ),
    Tried(
        "C24",
        "Without the mask the loss is close to zero, and the network cannot write.",
        "002, 3.3",
        lanes=(COPYING,),
        kind="question",
        parts={
            "where later tokens are seen the dev loss is {:.3f} nat": Part("loss_with_a_view", below=0.2),
            "at the last place, which sees none, it is {:+.2f} nat from that of counted pairs there": Part(
                "loss_without_a_view", above=0.0
            ),
        },
    ),
    Tried(
        "C25",
        "Leaving biases and layer norms out of decay lowers the loss.",
        "002, 3.7",
        lanes=({**TINY, "decay_all": True}, TINY),
        kind="question",
        parts={"with decay of all the dev loss ends {:+.4f} nat higher": Dev(above=0.0)},
    ),
    Tried(
        "C136",
        "The heads of a block come to look back by different distances.",
        "002, 3.4",
        kind="question",
        lanes=(TINY,),
        parts={
            "after 300 steps a block's farthest head looks {:.2f} times as far back as its nearest": Part(
                "heads_apart", above=1.5, scale="ratio"
            ),
            "before the first step {:.2f} times": Part("heads_apart_at_start", below=1.5, scale="ratio", control=True),
        },
    ),
    Tried(
        "C137",
        "Layer norm, warm-up and clipping keep training stable.",
        "002, 3.6 and 3.7",
        lanes=(FAST, {**FAST, "layer_norm": False}, {**FAST, "warm_up": 0.0}, {**FAST, "clip": 0.0}),
        cases=tuple(range(10)),
        parts={
            "at ten times the rate {:.0%} of networks end higher without layer norm": Higher(lanes=(2, 1)),
            "without warm-up {:.0%} do": Higher(lanes=(3, 1)),
            "without clipping {:.0%} do": Higher(lanes=(4, 1)),
        },
    ),
)
