"""What document 002 says of batch norm and of softmax (sections 1.3.2 and 1.4), tried on this network."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from goldviz.declare.claims import Claim, Part
from goldviz.labs.backward_by_hand import LAB

OverSeed = partial(Claim, LAB, over="seed")
ROUNDING = 1e-12
LANES: tuple[str | Mapping[str, Any], ...] = ({}, "as-in-1-3-2-divide-by-n", "break-it-saturated-tanh")


CLAIMS = (
    OverSeed(
        "C8",
        "A bias before batch norm is redundant.",
        "002, 1.3.2",
        kind="identity",
        lanes=LANES,
        parts={
            "the largest entry of its gradient is {:.0e}": Part("bias_gradient", below=ROUNDING),
            "without it the logits change by {:.0e} at most": Part("bias_in_logits", below=ROUNDING),
        },
    ),
    OverSeed(
        "C9",
        "Batch norm's scale and shift can give its input back.",
        "002, 1.3.2",
        lanes=LANES,
        parts={
            "with γ = √(σ² + ε) and β = μ it differs by {:.0e} at most": Part("identity_error", below=ROUNDING),
            "another batch, with the same γ and β, differs by {:.2f} of its spread": Part(
                "identity_elsewhere", below=0.01
            ),
        },
    ),
    OverSeed(
        "C12",
        "Subtracting a row's maximum changes neither the loss nor its gradient.",
        "002, 1.4.2 and 1.4.3",
        kind="identity",
        lanes=(*LANES, "break-it-sure-and-wrong"),
        parts={
            "with nothing or another number subtracted the loss changes by {:.0e}": Part(
                "shift_in_loss", below=ROUNDING
            ),
            "and the gradient of the logits by {:.0e}": Part("shift_in_gradient", below=ROUNDING),
            "with the other sign before the maximum's gradient it changes by {:.0e}": Part(
                "sign_in_gradient", below=ROUNDING
            ),
        },
    ),
)
