"""Small runs of *Memory through time* for the contract of all laboratories."""

SMALL = {"length": 6, "hidden": 5, "steps": 7, "batch": 4, "look_every": 3}
AWKWARD = SMALL | {"task": "copy", "activation": "relu", "reset": "after", "optimiser": "sgd", "clip": 0.05}
RUNS = (SMALL, AWKWARD, SMALL | {"task": "reviews", "reset": "after", "activation": "relu"})
ROUNDING = {"activation_histogram", "gradient_histogram", "weight_gradient_histogram"}
BLIND = {"look_every": 0}

LARGE = (
    {"steps": 2, "hidden": 256, "batch": 2, "length": 200, "networks": "lstm"},
    {"steps": 2, "hidden": 64, "batch": 512, "length": 200, "networks": "gru"},
    {"steps": 2, "hidden": 64, "batch": 512, "length": 200, "networks": "rnn"},
    {"steps": 2, "hidden": 256, "batch": 128, "task": "reviews"},
)
"""Near the upper limits of what takes memory, a few steps of each."""

SECONDS = (3, 40)
MORE = ({"seeds": (0, 1)}, {"steps": 800}, {"length": 100}, {"hidden": 256}, {"batch": 256})
LESS = ({"networks": "rnn"}, {"look_every": 0})


def absent(changes):
    """Weights are kept of the reviews alone, where somebody may type one."""
    return set() if changes.get("task") == "reviews" else {"weights"}


OTHERWISE = {
    "activation": ("tanh", "relu"),
    "clip": (0.0, 1.0),
    "initialisation": ("orthogonal", "gaussian"),
    "gain": (1.0, 3.0),
    "forget_bias": (0.0, 3.0),
}
EXCLUDED: dict[str, tuple[str, ...]] = {
    "diverged": (
        "exploding",
        "task_solved",
        "learning_rate_too_large",
        "vanishing",
        "learned_nothing",
        "forget_bias_too_small",
        "saturated_gates",
        "saturated_states",
        "clipping_every_step",
        "learning_rate_too_small",
        "gradient_kept",
    ),
    "exploding": ("vanishing", "gradient_kept", "learning_rate_too_small"),
    "vanishing": ("gradient_kept", "task_solved"),
    "task_solved": (
        "learned_nothing",
        "forget_bias_too_small",
        "learning_rate_too_small",
        "saturated_gates",
        "saturated_states",
        "clipping_every_step",
        "exploding",
        "learning_rate_too_large",
    ),
    "learning_rate_too_large": ("learning_rate_too_small", "learned_nothing"),
}
