"""Small runs of *Forecast lab* for the contract of all laboratories."""

SMALL = {
    "scheme": "rolling",
    "train_years": 1,
    "test_years": 0.5,
    "refits": 2,
    "window": 4,
    "hidden": 3,
    "epochs": 3,
    "batch": 64,
    "look_every": 2,
}
RUNS = (
    SMALL | {"network": "gru_decay", "head": "student", "missing": "random", "optimiser": "sgd", "dropout": 0.5},
    SMALL | {"network": "mlp", "head": "quantiles", "target": "level"},
    SMALL | {"network": "transformer", "hidden": 4, "kernel": "3", "positions": "sinusoidal_days"},
)
BLIND = {"look_every": 3}

SHORT = {"epochs": 1, "refits": 1, "test_years": 1, "train_years": 2, "scheme": "rolling"}
LARGE = (
    SHORT | {"network": "gru", "hidden": 64, "window": 60},
    SHORT | {"network": "rnn", "hidden": 64, "window": 250},
    SHORT | {"network": "ode_rnn", "hidden": 64},
    SHORT | {"network": "transformer", "hidden": 64, "window": 60},
    SHORT | {"network": "mlp", "hidden": 256, "window": 250, "batch": 2048},
)
"""Near the upper limits of what takes memory, a few steps of each."""

SECONDS = (1, 120)
MORE = ({"window": 40}, {"hidden": 64}, {"epochs": 60}, {"refits": 12})
LESS = ({"epochs": 5}, {"network": "mlp"})
FIRST_STEPS = 1
OTHERWISE = {
    "target": ("return", "volatility"),
    "network": ("gru", "rnn", "mlp"),
    "shuffle_targets": (False, False, True),
    "documents": ("none", "generated", "shuffled"),
    "tone_response": (0.0, 0.3),
    "head": ("gaussian", "quantiles"),
}
