"""Small runs of *Adaptive computation time* for the contract of all laboratories."""

SMALL = {"bits": 3, "most": 4, "hidden": 8, "steps": 5, "batch": 4, "look_every": 2}
RUNS = (
    SMALL,
    SMALL | {"task": "parity", "cell": "lstm", "networks": "all", "tau": 0.1},
    SMALL | {"task": "addition", "cell": "min_gru", "epsilon": 0.2, "optimiser": "sgd", "learning_rate": 1e-3},
    SMALL | {"cell": "rnn", "tau": 0.0, "most": 1},
)
LARGE = (
    {"steps": 1, "look_every": 1000, "hidden": 64, "most": 32, "batch": 512, "cell": "lstm"},
    {"steps": 1, "look_every": 1000, "networks": "all", "bits": 16, "most": 32, "batch": 512},
)
"""Near the upper limits of what takes memory, a step of each."""

SECONDS = (1, 20)
MORE = ({"seeds": (0, 1)}, {"steps": 1600}, {"networks": "all"}, {"hidden": 64})
LESS = ({"steps": 400}, {"cell": "rnn"})
OTHERWISE = {"task": ("stop", "parity"), "most": (1, 10)}
EXCLUDED: dict[str, tuple[str, ...]] = {
    "stops_at_once": ("cut_off", "longer_where_harder", "not_longer_where_harder"),
    "learned": ("some_wrong", "most_wrong"),
    "some_wrong": ("most_wrong",),
    "most_wrong": ("longer_where_harder", "not_longer_where_harder"),
    "longer_where_harder": ("not_longer_where_harder",),
}
