"""Small runs of *Gradient flow in depth* for the contract of all laboratories."""

SMALL = {"depth": 3, "width": 8, "samples": 60, "features": 4, "epochs": 4, "histogram_every": 2}
AWKWARD = SMALL | {
    "batch": 16,
    "normalisation": "batch",
    "clip": 0.5,
    "read_out": "untied",
    "optimiser": "adamw",
    "headroom": True,
}
RUNS = (SMALL, AWKWARD, SMALL | {"normalisation": "layer", "activation": "gelu", "shallower": 2})
# What a state changes by is 0 or no number where its norm overflows, by processor.
ROUNDING = {"activation_histogram", "gradient_histogram", "weight_gradient_histogram", "state_change"}
BLIND = {"histogram_every": 0}

LARGE = (
    {"epochs": 1, "width": 512, "depth": 15},
    {"epochs": 1, "width": 64, "depth": 100, "samples": 5000},
    {"epochs": 1, "width": 32, "samples": 20_000, "features": 200},
    {"epochs": 1, "width": 512, "depth": 30, "samples": 500, "normalisation": "batch"},
)
"""Near the upper limits of what takes memory, a few steps of each."""

SECONDS = (0.1, 2)
MORE = ({"seeds": (0, 1)}, {"epochs": 40}, {"depth": 30}, {"width": 100}, {"samples": 2000}, {"batch": 10})
LESS = ({"epochs": 10}, {"depth": 5})


def absent(changes):
    """What is not recorded with these settings."""
    never = {"loss_by_depth"} if not changes.get("shallower") else set()
    return never if changes.get("headroom") else never | {"headroom"}


OTHERWISE = {
    "activation": ("leaky_relu", "relu", "tanh"),
    "normalisation": ("none", "batch"),
    "clip": (0.0, 1.0),
    "initialisation": ("default", "orthogonal", "zero"),
    "dropout": (0.0, 0.3),
    "slope": (0.0, 0.3),
}
EXCLUDED: dict[str, tuple[str, ...]] = {
    "diverged": (
        "no_gradient",
        "learning_rate_too_large",
        "exploding",
        "large_error",
        "vanishing",
        "no_better_than_zero",
        "degradation",
        "saturated",
        "dead_units",
        "learning_rate_too_small",
        "gradient_kept",
    ),
    "no_gradient": (
        "learning_rate_too_large",
        "learning_rate_too_small",
        "vanishing",
        "exploding",
        "no_better_than_zero",
        "gradient_kept",
    ),
    "exploding": ("vanishing", "gradient_kept", "learning_rate_too_small"),
    "vanishing": ("gradient_kept", "learning_rate_too_small"),
    "learning_rate_too_large": ("learning_rate_too_small",),
}
