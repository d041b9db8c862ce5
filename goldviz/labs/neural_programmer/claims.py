"""What document 004 says of neural programmers (section 3.4), and what their authors say of noise, tried on tables."""

from __future__ import annotations

from goldviz.declare.claims import Claim, Part
from goldviz.labs.neural_programmer import LAB
from goldviz.labs.neural_programmer.settings import THREE

ONE_COLUMN = {"look_every": 1000}
"""A look at the first step and at the last."""
STUCK = {**THREE, "look_every": 1000}

CLAIMS = (
    Claim(
        LAB,
        "C53",
        "The network finds the best order and combination of operations to solve a problem.",
        "004, 3.4",
        lanes=(ONE_COLUMN, STUCK),
        parts={
            "one column: hardened programs answer {:.1%} of unseen questions rightly": Part(
                "programmer.right", above=0.99, lanes=(1,)
            ),
            "{:.1%} of the programs are the question's own": Part("programmer.as_asked", above=0.99, lanes=(1,)),
            "{:.1%} are right on their table and wrong on another": Part("programmer.lucky", below=0.02, lanes=(1,)),
            "soft and hard answers are {:.2f} apart": Part("programmer.gap", below=0.2, lanes=(1,)),
            "three columns: {:.1%} of the answers are right": Part("programmer.right", above=0.99, lanes=(2,)),
        },
    ),
    Claim(
        LAB,
        "C54",
        "Gradient noise helps where training with three columns is stuck.",
        "004, 3.4",
        kind="question",
        lanes=(STUCK, {**STUCK, "noise": 1e-4}, {**STUCK, "noise": 0.01}),
        parts={
            "with a little noise, η = 0.0001, {:+.1%} more answers are right": Part(
                "more_right", above=0.02, lanes=(1, 2)
            ),
            "with the least that its authors take, η = 0.01, {:+.1%} more are": Part(
                "more_right", above=0.02, lanes=(1, 3)
            ),
        },
    ),
)
