"""What documents 003 and 001 (eq. 6) say of backpropagation through time, held to autograd."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.backpropagation_by_hand import LAB

OverSeed = partial(Claim, LAB, over="seed")
LONGER = {"text": "hello world", "hidden": 5}
ROUNDING = 1e-9


CLAIMS = (
    OverSeed(
        "C85",
        "The recursion of deltas gives the gradient of every weight.",
        "003, recursion",
        lanes=({}, LONGER),
        kind="identity",
        parts={
            "its five gradients differ from autograd's by {:.1e} at most": Part("off_autograd", below=ROUNDING),
        },
    ),
    OverSeed(
        "C86",
        "The recurrent gradient is the double sum over losses t and earlier steps k.",
        "001, 2.1.2, eq. 6",
        lanes=(LONGER,),
        parts={
            "with the direct derivative of each loss the sum is off by {:.1e} of the gradient": Part(
                "off_with_direct", below=ROUNDING
            ),
            "with the total derivative, as eq. 16 uses the symbol, by {:.0%} of it": Part("off_with_total", below=0.01),
        },
    ),
    OverSeed(
        "C87",
        "Clipping shortens a gradient to the norm C and keeps its direction.",
        "003, clipping",
        kind="identity",
        lanes=("fix-it-clip",),
        parts={
            "the norm afterwards differs from C = 1 by {:.1e}": Part("off_the_norm", below=ROUNDING),
            "1 − cosine to the gradient before is {:.1e}": Part("turned", below=ROUNDING),
        },
    ),
    OverSeed(
        "C88",
        "Clipping the gradient keeps a step from making things worse.",
        "003, clipping",
        lanes=("break-it-exploding", "fix-it-clip"),
        cases=tuple(range(10)),
        kind="question",
        parts={
            "without clipping one step makes the loss worse in {:.0%} of the networks": Part(
                "made_worse", above=0.5, scale="share", lanes=(1,)
            ),
            "clipped to 1 it does in {:.0%}": Part("made_worse", below=0.5, scale="share", lanes=(2,)),
        },
    ),
)
