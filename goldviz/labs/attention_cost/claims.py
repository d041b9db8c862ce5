"""What document 002 says of sparse attention (section 4)."""

from __future__ import annotations

import math
from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.attention_cost import LAB

OverSeed = partial(Claim, LAB, over="seed")
DATA = tuple({"data": data, "lazy_rows": "running"} for data in ("peaked", "random", "periodic", "trained"))
NAMES = ("one row in ten matches", "random", "periodic", "a head that learned a pattern of 16 rows")


def on_all_data(words: str, measure: str, *, below: float = math.inf, chance: float | None = None) -> dict[str, Part]:
    """A part for each kind of data, in the order of the lanes."""
    return {
        f"{name}: {words}": Part(measure, below=below, lanes=(lane,), chance=chance)
        for lane, name in enumerate(NAMES, start=1)
    }


MOVED = partial(Part, "prob_sparse_earlier_moved", below=1e-3)


CLAIMS = (
    OverSeed(
        "C27",
        "The memory of attention grows with the square of the length, and that is the bottleneck.",
        "002, 4",
        parts={
            "with the map kept, bytes grow with the power {:.2f} of t": Part("map_held_growth", above=1.9, below=2.1),
            "with PyTorch's kernel, which works in blocks: {:.2f}": Part("kernel_held_growth", above=1.9, below=2.1),
        },
    ),
    OverSeed(
        "C28",
        "The score s is the relative entropy between the attention distribution and the uniform one.",
        "002, 4.2, step 1",
        parts={
            "s − ln t is off KL(uniform ‖ attention) by {:.2g} nat at most": Part("off_from_even", below=1e-9),
            "s − ln t is off KL(attention ‖ uniform) by {:.2g} nat at most": Part("off_to_even", below=1e-9),
        },
    ),
    OverSeed(
        "C29",
        "The maximum minus the mean may stand in for s.",
        "002, 4.2, step 1",
        lanes=DATA,
        parts=on_all_data("it chooses {:.0%} of the 25 rows", "rows_that_agree", chance=25 / 96),
    ),
    OverSeed(
        "C30",
        "ProbSparse attention takes near-linear time, O(t ln t d).",
        "002, 4.2, complexity",
        parts={
            "as printed, s of all products: multiplications grow with the power {:.2f} of t": Part(
                "prob_sparse_growth", below=1.3
            ),
            "s of c ln t sampled products: with the power {:.2f}": Part("prob_sparse_sampled_growth", below=1.3),
        },
    ),
    OverSeed(
        "C31",
        "A query with a large s attends strongly to a few keys.",
        "002, 4.2, step 1",
        lanes=DATA,
        parts=on_all_data("rank correlation of s and the largest weight {:.2f}", "order_by_top_weight", chance=0),
    ),
    OverSeed(
        "C32",
        "Lazy queries may be pooled by the mean while the causal mask keeps the temporal order.",
        "002, 4.2, steps 2-3",
        lanes=({}, {"chosen_among": "so_far"}, "fix-it-nothing-from-the-future"),
        parts={
            "as printed, {:.1%} of earlier rows move when a row changes": MOVED(lanes=(1,)),
            "with rows chosen among those so far, {:.1%}": MOVED(lanes=(2,)),
            "with the mean so far as well, {:.1%}": MOVED(lanes=(3,)),
        },
    ),
    OverSeed(
        "C33",
        "A few active queries preserve the dominant attention patterns.",
        "002, 4.2, steps 2-3",
        lanes=DATA,
        parts=on_all_data("25 of 96 rows lose {:.0%} of the output", "lost_by_score", below=0.2),
    ),
)
