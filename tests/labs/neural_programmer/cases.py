"""Small runs of *Neural programmer* for the contract of all laboratories."""

SMALL = {"rows": 3, "hidden": 6, "steps": 5, "batch": 4, "look_every": 2}
RUNS = (
    SMALL,
    SMALL | {"columns": 3, "noise": 0.01, "optimiser": "sgd", "learning_rate": 1e-2},
    SMALL | {"columns": 2, "conditions": 2, "iterations": 4, "clip": 0.0},
    SMALL | {"rows": 1, "iterations": 3},
)
LARGE = (
    {"steps": 1, "look_every": 1000, "rows": 20, "columns": 5, "batch": 512, "iterations": 6},
    {"steps": 1, "look_every": 1000, "hidden": 256, "batch": 512, "iterations": 6, "conditions": 2},
)
"""Near the upper limits of what takes memory, a step of each."""

SECONDS = (1, 15)
MORE = ({"seeds": (0, 1)}, {"steps": 1000}, {"iterations": 6}, {"hidden": 256, "batch": 512})
LESS = ({"steps": 100},)
EXCLUDED: dict[str, tuple[str, ...]] = {"learned": ("some_wrong", "most_wrong"), "some_wrong": ("most_wrong",)}
