"""Small runs of *Attention against recurrence* for the contract of all laboratories."""

SMALL = {"distance": 5, "width": 8, "steps": 5, "batch": 4, "look_every": 2}
RUNS = (
    SMALL,
    SMALL | {"networks": "transformer", "layers": 2, "heads": 4, "positions": "none", "optimiser": "sgd"},
    SMALL | {"networks": "min_gru", "distance": 2, "clip": 0.0},
)
LARGE = (
    {
        "steps": 1,
        "look_every": 1000,
        "networks": "transformer",
        "distance": 128,
        "width": 128,
        "batch": 512,
        "layers": 4,
    },
    {"steps": 1, "look_every": 1000, "networks": "lstm", "distance": 128, "width": 64, "batch": 512},
)
"""Near the upper limits of what takes memory, a step of each."""

SECONDS = (2, 20)
MORE = ({"seeds": (0, 1)}, {"steps": 700}, {"distance": 90}, {"width": 64})
LESS = ({"steps": 150}, {"networks": "rnn"}, {"networks": "transformer"})
OTHERWISE = {"distance": (5, 40)}
EXCLUDED: dict[str, tuple[str, ...]] = {
    "finds_it_anywhere": ("loses_far_ones", "told_little_at_first"),
    "guesses": ("loses_far_ones",),
}
