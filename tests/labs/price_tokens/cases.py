"""Small runs of *Price tokens* for the contract of all laboratories."""

from typing import Any

SMALL = {
    "train_years": 1,
    "test_years": 0.5,
    "refits": 2,
    "tokens": 4,
    "context": 4,
    "hidden": 8,
    "epochs": 3,
    "batch": 1024,
    "look_every": 2,
    "merges": 3,
    "code_steps": 10,
}
RUNS = (
    SMALL | {"tokeniser": "hmm", "tokens": 2, "network": "gpt", "layers": 1, "dropout": 0.5, "optimiser": "sgd"},
    SMALL | {"tokeniser": "vqvae", "window": 3, "codes": "far"},
    SMALL | {"tokeniser": "kmeans", "window": 5, "network": "bigram", "shuffle_days": True, "merges": 0},
)
BLIND = {"look_every": 3}

ONE_FIT = {"epochs": 1, "refits": 1, "test_years": 1}
LARGE = (
    ONE_FIT | {"network": "gpt", "hidden": 32, "layers": 2, "context": 64, "batch": 512},
    ONE_FIT | {"network": "mlp", "hidden": 128, "context": 64, "batch": 2048},
)
"""Near the upper limits of what takes memory, a few steps of each."""

SECONDS = (0.3, 120)
MORE = ({"hidden": 128, "context": 64}, {"epochs": 60}, {"network": "gpt", "epochs": 30})
LESS = ({"epochs": 1}, {"network": "bigram"})


def absent(changes: Any) -> Any:
    """What is not recorded with these settings."""
    missing = set() if changes.get("tokeniser") == "hmm" else {"fitted_transition"}
    missing |= set() if changes.get("tokeniser") == "vqvae" else {"codes_in_use"}
    missing |= {"regime", "planted_transition", "rand_index"} if changes.get("shuffle_days") else set()
    return missing | (set() if changes.get("merges", 20) else {"bits", "motif_count"})


OTHERWISE = {
    "tokeniser": ("hmm", "vqvae", "quantile"),
    "network": ("bigram", "mlp", "gpt"),
    "shuffle_days": (False, True),
    "fitted_on": ("past", "all"),
    "returns": ("market", "regimes"),
}
OF_DAYS_IN_ORDER = ("not_regimes", "sign_skill", "worse", "worse_than_garch", "no_skill", "size_skill")
TOKEN_SCORES = ("shuffled_skill", "shuffled_check_passed", *OF_DAYS_IN_ORDER[1:])
EXCLUDED: dict[str, tuple[str, ...]] = {
    "knows_future": (*TOKEN_SCORES, "not_regimes"),
    "labels_switch": (*TOKEN_SCORES, "not_regimes"),
    "shuffled_skill": ("shuffled_check_passed", *OF_DAYS_IN_ORDER),
    "shuffled_check_passed": OF_DAYS_IN_ORDER,
    "codes_unused": ("not_regimes", "no_skill", "size_skill"),
    "sign_skill": ("no_skill", "size_skill", "worse"),
    "worse": ("no_skill", "size_skill"),
    "no_skill": ("size_skill",),
}
