"""Small runs of *Neural Turing machine* for the contract of all laboratories."""

from collections.abc import Mapping
from typing import Any

SMALL = {"length": 3, "bits": 2, "slots": 4, "width": 3, "hidden": 6, "steps": 5, "batch": 3, "look_every": 2}
RECALL = SMALL | {
    "task": "recall",
    "controller": "lstm",
    "memory": "random",
    "flag": False,
    "optimiser": "sgd",
    "learning_rate": 1e-2,
    "networks": "ntm",
}
RUNS = (
    SMALL,
    RECALL,
    SMALL | {"task": "repeat", "repeats": 2, "content": False, "clip": 0.0},
    SMALL | {"task": "priority", "shift": False, "networks": "gru"},
)
BLIND = {"look_every": 1000}

LARGE = (
    {"steps": 1, "look_every": 1000, "task": "repeat", "repeats": 5, "length": 20, "slots": 64, "networks": "ntm"},
    {"steps": 1, "look_every": 1000, "batch": 512, "slots": 64, "width": 32, "hidden": 128, "networks": "ntm"},
)
"""Near the upper limits of what takes memory, a step of each."""

SECONDS = (3, 20)
MORE = ({"seeds": (0, 1)}, {"steps": 600}, {"length": 12}, {"task": "repeat", "repeats": 5})
LESS = ({"steps": 100}, {"networks": "gru"}, {"length": 3})


def absent(changes: Mapping[str, Any]) -> set[str]:
    """What is not recorded with these settings."""
    of_machine = {"memory", "cell_size", "address", "controls", "cells_used"}
    return of_machine if changes.get("networks") in ("lstm", "gru") else set()


OTHERWISE = {"task": ("copy", "priority"), "content": (True, False)}
EXCLUDED: dict[str, tuple[str, ...]] = {
    "learned": ("some_wrong", "most_wrong"),
    "some_wrong": ("most_wrong",),
    "most_wrong": ("longer", "one_cell"),
    "longer": ("only_trained_lengths",),
}
