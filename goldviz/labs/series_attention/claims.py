"""What document 002 says of Transformers for series (sections 4 and 5.1), tried on series with a known answer."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.series_attention import LAB
from goldviz.labs.series_attention.settings import POINTWISE_WEEK

Tried = partial(Claim, LAB)
AT_THE_END = 1000
"""A look at the first step and at the last."""
BUMPS = {
    "task": "surroundings",
    "positions": "none",
    "steps": 400,
    "batch": 32,
    "networks": "transformer",
    "look_every": AT_THE_END,
}
SHORT = {**POINTWISE_WEEK, "look_every": AT_THE_END}
KERNEL = {**SHORT, "kernel": "5"}
MONTH = {**SHORT, "period": 20, "context": 40}
RETURNS = {
    "task": "market",
    "networks": "transformer",
    "kernel": "1",
    "output": "student",
    "horizon": 10,
    "steps": 200,
    "look_every": AT_THE_END,
}
FEW = {**KERNEL, "series": 60}


CLAIMS = (
    Tried(
        "C26",
        "Pointwise queries and keys do not see what stands around a value; a convolution does.",
        "002, 4.1",
        lanes=({**BUMPS, "kernel": "5"}, {**BUMPS, "kernel": "1"}),
        parts={
            "with k = 1 the scores of two equal bumps are {:.2g} of the spread of scores apart": Part(
                "transformer.apart", below=1e-06, lanes=(2,)
            ),
            "with k = 5 they are {:.2g} apart": Part("transformer.apart", above=0.1, lanes=(1,)),
            "the error with k = 5 is {:.2g} of that with k = 1": Part(
                "beside_other", below=1.0, scale="ratio", control=True
            ),
        },
    ),
    Tried(
        "C34",
        "The product of two sinusoidal positions depends on their distance alone.",
        "002, 5.1",
        kind="identity",
        lanes=({"steps": 1, "series": 2, "batch": 2, "networks": "transformer", "context": 96, "width": 64},),
        parts={
            "120 rows, 64 channels: at one distance products differ by at most {:.2g} of one's with itself": Part(
                "product_spread", below=1e-06
            ),
        },
    ),
    Tried(
        "C35",
        "Sinusoidal positions generalise past the trained length; learned ones do not.",
        "002, 5.1",
        lanes=(
            {**KERNEL, "longest": 120, "positions": "sinusoidal"},
            {**KERNEL, "longest": 120, "positions": "learned"},
        ),
        parts={
            "30 rows learned, k = 5: with sinusoids the error behind row 90 is {:.3g} times that before": Part(
                "beyond_training", below=1.5, scale="ratio", lanes=(1,)
            ),
            "with learned positions, of which rows behind 30 take the last, it is {:.3g} times": Part(
                "beyond_training", above=1.5, scale="ratio", lanes=(2,)
            ),
        },
    ),
    Tried(
        "C36",
        "Sinusoids capture periodic behaviour naturally; learned positions have to memorise it.",
        "002, 5.1",
        lanes=(
            {**SHORT, "positions": "sinusoidal"},
            {**SHORT, "positions": "learned"},
            {**MONTH, "positions": "sinusoidal"},
            {**MONTH, "positions": "learned"},
        ),
        parts={
            "period 5, k = 1, 300 steps: the error with sinusoids is {:.2g} times that with learned ones": Part(
                "beside_other", below=1.0, scale="ratio", lanes=(1, 2)
            ),
            "a period of 20 rows: it is {:.2g} times": Part("beside_other", below=1.0, scale="ratio", lanes=(3, 4)),
        },
    ),
    Tried(
        "C37",
        "A learned position is an arbitrary vector with no relation to elapsed time.",
        "002, 5.1",
        lanes=({**SHORT, "positions": "learned"},),
        parts={
            "after 300 steps on a period of 5 rows, neighbours' product is {:.2g} of one's with itself": Part(
                "nearest_product", above=-0.1, below=0.1
            ),
            "products at 5, 10, 15 and 20 rows are {:+.2g} more than at other distances": Part(
                "at_the_period", above=-0.1, below=0.1
            ),
        },
    ),
    Tried(
        "C38",
        "Sinusoids add no parameters, which reduces the risk of overfitting.",
        "002, 5.1",
        lanes=({**FEW, "positions": "sinusoidal"}, {**FEW, "positions": "learned"}),
        parts={
            "60 series, k = 5: the loss on others less that on these is {:+.2g} nat from that with learned ones": Part(
                "gap_beside_other", below=0.0
            ),
        },
    ),
    Tried(
        "C39",
        "ReLU loses negative returns, which it sets to zero.",
        "002, 5.2",
        lanes=({**RETURNS, "activation": "relu"}, {**RETURNS, "activation": "gelu"}),
        parts={
            "a linear map of ReLU units gives back {:.1%} of the variance of negative returns": Part(
                "transformer.recovered", below=0.5, lanes=(1,)
            ),
            "the error with ReLU is {:.4g} of that with GELU": Part("beside_other", above=1.01, scale="ratio"),
        },
    ),
    Tried(
        "C40",
        "GELU trains more stably than ReLU.",
        "002, 5.2",
        lanes=({**RETURNS, "activation": "gelu"}, {**RETURNS, "activation": "relu"}),
        parts={
            "the longest gradient over the typical one with GELU is {:.2g} of that with ReLU": Part(
                "peak_beside_other", below=1.0, scale="ratio"
            ),
            "the share of dead units with GELU less that with ReLU is {:+.2%}": Part("dead_beside_other", below=0.0),
        },
    ),
)
