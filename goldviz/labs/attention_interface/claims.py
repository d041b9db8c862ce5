"""What document 004 says of attention between networks (section 3.2), tried on pairs with a known alignment."""

from __future__ import annotations

from goldviz.declare.claims import Claim, Part
from goldviz.labs.attention_interface import LAB

LETTERS = {"close_looks": 1, "look_every": 1000}
PHRASES = {**LETTERS, "task": "phrases", "networks": "attention", "steps": 300}

CLAIMS = (
    Claim(
        LAB,
        "C49",
        "The darker the line between two words, the more they correspond.",
        "004, 3.2",
        lanes=(LETTERS, PHRASES),
        parts={
            "letters turned round: the largest weight is on the word itself for {:.0%} of the words": Part(
                "attention.on_word", above=0.5, lanes=(1,)
            ),
            "it is on that word or one beside it for {:.0%}": Part("attention.near_word", above=0.9, lanes=(1,)),
            "noun phrases: it is on the word itself for {:.0%}": Part("attention.on_word", above=0.5, lanes=(2,)),
        },
    ),
    Claim(
        LAB,
        "C50",
        "A writer that may look at each word that was read is better off than one with a single vector of all.",
        "004, 3.2",
        kind="question",
        lanes=(LETTERS,),
        parts={
            "with attention {:.0%} of unseen sequences of 8 letters are turned round without a fault": Part(
                "attention.longest_right", above=0.8
            ),
            "without it {:.0%} are": Part("fixed_vector.longest_right", below=0.5),
        },
    ),
)
