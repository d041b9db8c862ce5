"""Small runs of *Character language models* for the contract of all laboratories."""

SMALL = {"corpus": "cities", "items": 60, "hidden": 8, "steps": 6, "batch": 4, "look_every": 3, "close_looks": 2}
NORMED = SMALL | {
    "model": "wavenet",
    "context": 4,
    "normalisation": "batch",
    "optimiser": "adam",
    "weight_decay": 1e-3,
    "initialisation": "normal",
}
RUNS = (
    SMALL,
    NORMED,
    SMALL | {"model": "neural_bigram", "batch": 0},
    SMALL | {"model": "bigram"},
    SMALL | {"model": "lstm"},
)
BLIND = {"look_every": 0, "close_looks": 0}
ROUNDING = {"activation_histogram", "gradient_histogram", "weight_gradient_histogram", "sample_symbol"}

LARGE = ({"steps": 2, "model": "mlp", "hidden": 512, "embedding": 128, "context": 16, "batch": 4096},)
"""Near the upper limits of what takes memory, a few steps of each."""

SECONDS = (0.5, 10)
MORE = ({"seeds": (0, 1)}, {"steps": 6000}, {"batch": 1024}, {"model": "deep_mlp"}, {"model": "lstm"})
LESS = ({"steps": 1000}, {"model": "neural_bigram"})

RATIOS = {"gradient_norm", "update_to_data", "gradient_to_data", "weight_gradient_histogram"}
TABLE = {"table", "divergence"}
NORM = {"batch_statistics_loss", "running_gap"}
HIDDEN = {
    "activation_mean",
    "activation_std",
    "saturation",
    "dead_units",
    "hidden_gradient_norm",
    "activation_histogram",
    "gradient_histogram",
    "embedding_table",
    "unseen_loss",
    "unseen_pairs_loss",
}
STACKED = {"expected_std", "running_values"}


def absent(changes):
    """What is not recorded with these settings."""
    model = changes.get("model", "mlp")
    missing = set() if "bigram" in model else set(TABLE)
    missing |= RATIOS if model == "bigram" else set()
    missing |= HIDDEN if "bigram" in model else set()
    missing |= set() if model in ("mlp", "wavenet") else STACKED
    return missing | (set() if changes.get("normalisation", "none") != "none" else NORM)


OTHERWISE = {
    "optimiser": ("sgd", "adam"),
    "initialisation": ("kaiming", "normal"),
    "output_gain": (0.0, 0.01, 1.0),
    "weight_decay": (0.0, 0.01),
}
EXCLUDED: dict[str, tuple[str, ...]] = {
    "by_heart": (
        "beats_pairs",
        "no_better_than_pairs",
        "learning_rate_too_small",
        "learning_rate_too_large",
        "saturated",
    ),
    "impossible_pair": ("beats_letters", "by_heart"),
    "no_better_than_pairs": ("beats_pairs",),
    "beats_pairs": ("learning_rate_too_large", "learning_rate_too_small"),
    "learning_rate_too_large": ("learning_rate_too_small", "batch_too_small"),
}
