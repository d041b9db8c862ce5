"""Small runs of *Pre-training and fine-tuning* for the contract of all laboratories."""

SMALL = {
    "texts": 60,
    "labelled": 30,
    "vocabulary": 300,
    "longest": 24,
    "layers": 2,
    "heads": 2,
    "width": 8,
    "inner": 12,
    "pretraining_steps": 4,
    "fine_tuning_steps": 3,
    "batch": 4,
    "look_every": 3,
}
REHEARSED = SMALL | {"rehearsal": 0.5, "dropout": 0.2}
AWKWARD = SMALL | {"document_share": 0.5, "optimiser": "sgd", "frozen": True, "dropout": 0.0, "warm_up": 0.0, "clip": 0}
NEXT = SMALL | {"objective": "next_sentence", "rehearsal": 0.5, "dropout": 0.2}
PERMUTED = SMALL | {"objective": "permutation", "compare_start": True}
RUNS = (SMALL, AWKWARD, REHEARSED, NEXT, PERMUTED)
PAUSES = (2, 4, 5)
ROUNDING = {"activation_histogram", "gradient_histogram", "weight_gradient_histogram"}
BLIND = {"look_every": 1}

LARGE = (
    {
        "pretraining_steps": 1,
        "fine_tuning_steps": 1,
        "texts": 200,
        "labelled": 30,
        "layers": 1,
        "heads": 8,
        "longest": 512,
        "document_share": 1.0,
        "batch": 2,
    },
    {
        "pretraining_steps": 1,
        "fine_tuning_steps": 1,
        "texts": 50,
        "labelled": 30,
        "layers": 3,
        "heads": 8,
        "width": 256,
        "inner": 1024,
        "batch": 16,
    },
)
"""Near the upper limits of what takes memory, a few steps of each."""

SECONDS = (30, 180)
MORE = ({"seeds": (0, 1)}, {"pretraining_steps": 6000}, {"layers": 4}, {"width": 128}, {"batch": 64})
OF_OBJECTIVE = {
    "next_sentence_loss": "next_sentence",
    "unseen_next_sentence_accuracy": "next_sentence",
    "factorisation_order": "permutation",
}


def absent(changes):
    """What one objective alone records, and what is of a start beside the run."""
    own = {name for name, objective in OF_OBJECTIVE.items() if changes.get("objective") != objective}
    return own if changes.get("compare_start") else own | {"start_tone_accuracy"}


LESS = ({"pretraining_steps": 0}, {"layers": 1, "heads": 1}, {"width": 32})
MOST_FINDINGS = 6
OTHERWISE = {
    "optimiser": ("adamw", "sgd"),
    "clip": (0.0, 0.1, 5.0),
    "warm_up": (0.0, 0.15, 0.6),
    "frozen": (False, True),
    "masked_share": (0.05, 0.15, 0.8),
    "rehearsal": (0.0, 2.0),
    "learning_rate": (1e-5, 1e-3, 0.09),
    "compare_start": (True, False),
}
