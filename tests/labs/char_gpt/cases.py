"""Small runs of *Character GPT* for the contract of all laboratories."""

SMALL = {
    "corpus": "cities",
    "layers": 2,
    "heads": 2,
    "width": 16,
    "block": 8,
    "batch": 3,
    "steps": 6,
    "look_every": 3,
    "close_looks": 2,
}
PIECES = SMALL | {
    "tokens": "pieces",
    "vocabulary": 260,
    "tied": False,
    "dropout": 0.1,
    "residual_scale": "init",
    "activation": "relu",
    "decay_all": True,
}
RUNS = (SMALL, PIECES, SMALL | {"masked": False, "layer_norm": False, "residual": False, "scaled": False})
BLIND = {"look_every": 0, "close_looks": 0}
ROUNDING = {
    "activation_histogram",
    "gradient_histogram",
    "weight_gradient_histogram",
    "sample_token",
    "sample_probability",
    "attention",
}

LARGE = (
    {"steps": 2, "close_looks": 1, "look_every": 0, "batch": 128},
    {
        "steps": 2,
        "close_looks": 1,
        "look_every": 0,
        "layers": 1,
        "heads": 1,
        "width": 8,
        "batch": 128,
        "tokens": "pieces",
        "vocabulary": 2048,
        "corpus": "names",
    },
    {"steps": 2, "close_looks": 1, "look_every": 0, "layers": 12, "width": 512, "heads": 8, "block": 16, "batch": 2},
)
"""Near the upper limits of what takes memory, a few steps of each."""

SECONDS = (5, 60)
MORE = ({"seeds": (0, 1)}, {"steps": 1000}, {"batch": 48}, {"width": 256}, {"block": 256})
LESS = ({"steps": 200}, {"layers": 2}, {"width": 64})
OTHERWISE = {
    "masked": (True, False),
    "residual": (True, False),
    "layer_norm": (True, False),
    "clip": (0.0, 1.0),
}
EXCLUDED: dict[str, tuple[str, ...]] = {
    "by_heart": (
        "beats_pairs",
        "beats_gzip",
        "no_better_than_pairs",
        "learning_rate_too_small",
        "learning_rate_too_large",
    ),
    "no_better_than_pairs": ("beats_pairs",),
    "beats_pairs": ("learning_rate_too_large", "learning_rate_too_small", "even_attention"),
    "learning_rate_too_large": ("learning_rate_too_small", "even_attention"),
    "sees_ahead": (
        "by_heart",
        "beats_pairs",
        "beats_gzip",
        "no_better_than_pairs",
        "even_attention",
        "learning_rate_too_small",
        "learning_rate_too_large",
    ),
}
