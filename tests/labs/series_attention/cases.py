"""Small runs of *Transformer for series* for the contract of all laboratories."""

from collections.abc import Mapping
from typing import Any

SMALL = {
    "context": 24,
    "horizon": 4,
    "series": 20,
    "kernel": "3",
    "width": 8,
    "steps": 5,
    "batch": 3,
    "look_every": 2,
}
CYCLE = SMALL | {
    "task": "cycle",
    "context": 8,
    "period": 3,
    "longest": 16,
    "calendar": True,
    "attention": "prob_sparse_sampled",
    "positions": "learned",
    "output": "quantiles",
    "block": "post",
    "activation": "leaky_relu",
    "optimiser": "sgd",
    "learning_rate": 1e-3,
}
RUNS = (
    SMALL,
    CYCLE,
    SMALL | {"task": "surroundings", "positions": "none", "attention": "log_sparse", "window": 2, "block": "bare"},
    SMALL | {"task": "oscillator", "positions": "sinusoidal_days", "output": "student", "kernel": "1"},
    SMALL
    | {
        "task": "market",
        "positions": "rotary",
        "attention": "prob_sparse",
        "calendar": True,
        "networks": "transformer",
    },
)
BLIND = {"look_every": 1000}
ROUNDING = {
    "activation_histogram",
    "gradient_histogram",
    "weight_gradient_histogram",
    "active",
    "score",
    "attention",
}

LARGE = (
    {"steps": 1, "look_every": 1000, "context": 256, "horizon": 128, "networks": "transformer", "batch": 64},
    {"steps": 1, "look_every": 1000, "width": 128, "layers": 8, "heads": 8, "batch": 256, "networks": "transformer"},
)
"""Near the upper limits of what takes memory, a few steps of each."""

SECONDS = (5, 60)
MORE = ({"seeds": (0, 1)}, {"steps": 800}, {"batch": 48}, {"width": 64}, {"context": 128})
LESS = ({"steps": 200}, {"layers": 1}, {"networks": "gru"})


def absent(changes: Mapping[str, Any]) -> set[str]:
    """What is not recorded with these settings."""
    sparse = changes.get("attention", "full").startswith("prob_sparse")
    missing = {"heard"} if sparse else {"score", "active"}
    missing |= set() if changes.get("longest") else {"row_error"}
    missing |= set() if changes.get("task") == "market" else {"recovered", "dead_units"}
    missing |= set() if changes.get("task") == "surroundings" else {"bumps_apart"}
    return missing | ({"position_product", "position_spread"} if changes.get("positions") == "none" else set())


EXCLUDED: dict[str, tuple[str, ...]] = {
    "column_ahead": ("beats_simple", "flow_ahead"),
    "worse_than_simple": ("beats_simple", "about_as_simple"),
    "beats_simple": ("about_as_simple", "dead_units"),
    "flow_ahead": ("flow_behind",),
}
