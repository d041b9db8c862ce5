"""Small runs of *Translation with a Transformer* for the contract of all laboratories."""

from collections.abc import Mapping
from typing import Any

SMALL = {
    "task": "reversal",
    "longest": 4,
    "shortest": 3,
    "symbols": 3,
    "width": 8,
    "layers": 1,
    "steps": 5,
    "batch": 3,
    "look_every": 2,
    "close_looks": 2,
}
RUNS = (
    SMALL,
    SMALL | {"task": "phrases", "norm": "all", "rates": "three", "optimiser": "sgd", "learning_rate": 1e-2},
    SMALL | {"task": "dates", "norm": "none", "place": "pre", "layers": 2, "label_smoothing": 0.0},
    SMALL | {"task": "sorting", "norm": "batch", "encoder_positions": False, "clip": 0.0},
)
BLIND = {"look_every": 1000, "close_looks": 0}
LARGE = (
    {"steps": 1, "close_looks": 0, "look_every": 1000, "longest": 30, "shortest": 30, "batch": 512},
    {
        "steps": 1,
        "close_looks": 0,
        "look_every": 1000,
        "width": 128,
        "heads": 8,
        "layers": 4,
        "longest": 20,
        "shortest": 20,
        "batch": 128,
    },
)
"""Near the upper limits of what takes memory."""

SECONDS = (2, 30)
MORE = ({"seeds": (0, 1)}, {"steps": 1200}, {"batch": 256}, {"width": 64}, {"longest": 20}, {"norm": "all"})
LESS = ({"steps": 200}, {"longest": 5}, {"layers": 1})


def absent(changes: Mapping[str, Any]) -> set[str]:
    """What is not recorded with these settings."""
    return set() if changes.get("rates") == "three" else {"rate_accuracy"}


OTHERWISE = {"task": ("reversal", "sorting"), "place": ("post", "pre")}
EXCLUDED: dict[str, tuple[str, ...]] = {"learned": ("some_wrong", "most_wrong"), "some_wrong": ("most_wrong",)}
