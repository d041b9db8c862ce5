"""What document 002 says of Transformers for series (sections 4 and 5.1), tried on series with a known answer."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.series_attention import LAB, measures
from goldviz.labs.series_attention.settings import WEEK

Tried = partial(Claim, LAB)
AT_THE_END = 1000
"""A look at the first step and at the last."""
SHORT = {**WEEK, "look_every": AT_THE_END}
KERNEL = {**SHORT, "kernel": "5"}


CLAIMS = (
    Tried(
        "C34",
        "The product of two sinusoidal positions depends on their distance alone.",
        "002, 5.1",
        lanes=({"steps": 1, "series": 2, "batch": 2, "networks": "transformer", "context": 96, "width": 64},),
        parts={
            "120 rows, 64 channels: at one distance products differ by at most {:.2g} of one's with itself": Part(
                measures.product_spread, below=1e-06
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
                measures.beyond_training, below=1.5, scale="ratio", lanes=(1,)
            ),
            "with learned positions, of which rows behind 30 take the last, it is {:.3g} times": Part(
                measures.beyond_training, above=1.5, scale="ratio", lanes=(2,)
            ),
        },
    ),
    Tried(
        "C37",
        "A learned position is an arbitrary vector with no relation to elapsed time.",
        "002, 5.1",
        lanes=({**SHORT, "positions": "learned"},),
        parts={
            "after 300 steps on a period of 5 rows, neighbours' product is {:.2g} of one's with itself": Part(
                measures.nearest_product, above=-0.1, below=0.1
            ),
            "products at 5, 10, 15 and 20 rows are {:+.2g} more than at other distances": Part(
                measures.at_the_period, above=-0.1, below=0.1
            ),
        },
    ),
)
