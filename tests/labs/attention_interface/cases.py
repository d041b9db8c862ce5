"""Small runs of *Attention between networks* for the contract of all laboratories."""

from collections.abc import Mapping
from typing import Any

SMALL = {
    "longest": 4,
    "shortest": 3,
    "symbols": 3,
    "width": 6,
    "steps": 5,
    "batch": 3,
    "look_every": 2,
    "close_looks": 2,
}
RUNS = (
    SMALL,
    SMALL | {"task": "phrases", "score": "dot", "networks": "attention", "optimiser": "sgd", "learning_rate": 1e-2},
    SMALL | {"task": "dates", "score": "general", "both_ways": False},
    SMALL | {"task": "sorting", "networks": "fixed_vector", "clip": 0.0},
)
BLIND = {"look_every": 1000, "close_looks": 0}
LARGE = (
    {
        "steps": 1,
        "close_looks": 0,
        "look_every": 1000,
        "longest": 30,
        "shortest": 30,
        "batch": 512,
        "networks": "attention",
    },
    {
        "steps": 1,
        "close_looks": 0,
        "look_every": 1000,
        "width": 256,
        "longest": 20,
        "shortest": 20,
        "batch": 256,
        "networks": "attention",
    },
)
"""Near the upper limits of what takes memory."""

SECONDS = (5, 60)
MORE = ({"seeds": (0, 1)}, {"steps": 1200}, {"batch": 256}, {"width": 128}, {"longest": 20})
LESS = ({"steps": 200}, {"networks": "fixed_vector"}, {"longest": 6})


def absent(changes: Mapping[str, Any]) -> set[str]:
    """What is not recorded with these settings."""
    if changes.get("networks") == "fixed_vector":
        return {"attention", "attention_score", "encoded", "state", "peak_offset"}
    return set()


OTHERWISE = {"task": ("reversal", "phrases")}
EXCLUDED: dict[str, tuple[str, ...]] = {
    "learned": ("some_wrong", "most_wrong"),
    "some_wrong": ("most_wrong",),
    "most_wrong": ("beside_the_word", "on_the_word"),
    "beside_the_word": ("on_the_word",),
}
