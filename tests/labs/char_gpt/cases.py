"""Small runs of *Character GPT* for the contract of all laboratories."""

SMALL = {
    "corpus": "cities", "layers": 2, "heads": 2, "width": 16, "block": 8, "batch": 3, "steps": 6, "look_every": 3,
    "close_looks": 2,
}  # fmt: skip
PIECES = SMALL | {
    "tokens": "pieces", "vocabulary": 260, "tied": False, "dropout": 0.1, "residual_scale": "init",
    "activation": "relu", "decay_all": True,
}  # fmt: skip
RUNS = (SMALL, PIECES, SMALL | {"masked": False, "layer_norm": False, "residual": False, "scaled": False})
BLIND = {"look_every": 0, "close_looks": 0}
ROUNDING = {"activation_histogram", "gradient_histogram", "weight_gradient_histogram", "sample_token",
            "sample_probability", "attention"}  # fmt: skip

SECONDS = (5, 60)
MORE = ({"seeds": (0, 1)}, {"steps": 1000}, {"batch": 48}, {"width": 256}, {"block": 256})
LESS = ({"steps": 200}, {"layers": 2}, {"width": 64})
DOCUMENTED_IN = "docs/character-gpt.md"
