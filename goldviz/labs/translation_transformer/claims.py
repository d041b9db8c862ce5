"""What document 004 says of the Transformer (section 4), tried on pairs with a known answer."""

from __future__ import annotations

from functools import partial
from typing import Any

from goldviz.declare.claims import Claim, Part
from goldviz.labs.translation_transformer import LAB

Tried = partial(Claim, LAB)
LETTERS: dict[str, Any] = {
    "task": "reversal",
    "longest": 5,
    "shortest": 3,
    "symbols": 6,
    "layers": 1,
    "batch": 32,
    "steps": 300,
    "look_every": 1000,
    "close_looks": 1,
}
"""Short letters and one block on each side; a look at the first step and at the last."""
RACE = {**LETTERS, "norm": "all", "longest": 3, "symbols": 4, "steps": 160, "look_every": 10, "close_looks": 0}
HALF_TRAINED = {**LETTERS, "task": "phrases", "steps": 60}
UNPLACED = {**LETTERS, "encoder_positions": False, "steps": 600}

THREE_RATES = {**LETTERS, "layers": 2, "steps": 400, "look_every": 20, "close_looks": 0, "rates": "three"}

CLAIMS = (
    Tried(
        "C55",
        "Layer norm shortens training.",
        "004, 4.2",
        lanes=(
            {**THREE_RATES, "norm": "layer"},
            {**THREE_RATES, "norm": "none"},
            {**THREE_RATES, "norm": "layer", "place": "pre"},
            {**THREE_RATES, "norm": "none", "place": "pre"},
        ),
        parts={
            "behind each part, at the best of three rates: {:.2f} times the steps to 99 % without a norm": Part(
                "steps_against_no_norm", below=1, scale="ratio", lanes=(1, 2)
            ),
            "before each part: {:.2f} times": Part("steps_against_no_norm", below=1, scale="ratio", lanes=(3, 4)),
        },
    ),
    Tried(
        "C56",
        "Layer norm does not depend on the batch, as batch norm does.",
        "004, 4.2",
        lanes=({**RACE, "steps": 50, "close_looks": 1},),
        parts={
            "batch norm: with other pairs in the batch a logit moves by up to {:.3f}": Part(
                "batch.neighbour_effect", above=0.1
            ),
            "layer norm: by up to {:.3f}": Part("layer.neighbour_effect", below=0.001, control=True),
        },
    ),
    Tried(
        "C57",
        "The word itself has the highest score of its own attention.",
        "004, 4.1",
        lanes=(LETTERS,),
        parts={
            "of all heads in the encoder, {:.0%} of the words look most at themselves": Part(
                "self_attention_share", above=0.9
            ),
            "of the head that does so most, {:.0%}": Part("most_selfish_head", above=0.9),
        },
    ),
    Tried(
        "C58",
        "To take the likeliest word at each step gives the likeliest sentence.",
        "004, 4.3",
        kind="question",
        lanes=(HALF_TRAINED,),
        parts={
            "half trained, a beam of 4 finds a likelier answer to one of four phrases with {:.0%} of the seeds": Part(
                "greedy_misses", below=0.2, scale="share"
            ),
        },
    ),
    Tried(
        "C59",
        "Without positions the encoder is enough for sorting, and not for turning round.",
        "004, 4.1",
        kind="question",
        lanes=({**UNPLACED, "task": "sorting"}, UNPLACED),
        parts={
            "without positions {:.0%} are sorted without a fault": Part("layer.right", above=0.9, lanes=(1,)),
            "{:.0%} are turned round, about as many as read alike both ways": Part(
                "layer.right", below=0.1, lanes=(2,)
            ),
        },
    ),
)
