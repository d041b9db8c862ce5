"""Small runs of *How a leaderboard fools* for the contract of all laboratories."""

SMALL = {
    "rows": 300,
    "channels": 2,
    "look_back": 12,
    "horizon": 6,
    "season": 4,
    "contenders": "nlinear",
    "epochs": 4,
    "test_batch": 16,
}
AWKWARD = SMALL | {
    "series": "load",
    "contenders": "all",
    "horizon": 1,
    "epochs": 3,
    "batch": 64,
    "scaled_by": "all",
    "last_batch": "drop",
    "seeds_told": "best",
    "stopped_by": "test",
    "longer_look_back": 30,
    "channel": 2,
    "window": 100.0,
}
RUNS = (SMALL, AWKWARD)

BATCHES = {"epochs": 1, "rows": 1600, "channels": 8, "look_back": 336, "horizon": 96, "batch": 512}
LARGE = (
    {"epochs": 1, "rows": 20_000, "channels": 8, "horizon": 336, "look_back": 336, "contenders": "nlinear"},
    BATCHES | {"contenders": "informer"},
    BATCHES | {"contenders": "transformers"},
)
"""Near the upper limits of what takes memory."""


def absent(changes: dict[str, object]) -> set[str]:
    """Scores are published of public sets alone, which these series are not."""
    return {"published"}


SECONDS = (0.5, 20)
MORE = ({"seeds": (0, 1)}, {"epochs": 10}, {"contenders": "transformers"})
LESS = ({"contenders": "nlinear"}, {"rows": 2000})
OTHERWISE = {
    "last_batch": ("keep", "drop"),
    "scaled_by": ("training", "all"),
    "seeds_told": ("mean", "best"),
    "stopped_by": ("validation", "test"),
    "longer_look_back": (0, 120),
}
EXCLUDED: dict[str, tuple[str, ...]] = {"undecided": ("ahead",)}
