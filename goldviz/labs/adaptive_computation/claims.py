"""What document 004 says of adaptive computation time (section 3.3), tried on tasks of known difficulty."""

from __future__ import annotations

from functools import partial
from typing import Any

from goldviz.declare.claims import Claim, Part
from goldviz.labs.adaptive_computation import LAB

Tried = partial(Claim, LAB)
SMALL: dict[str, Any] = {"bits": 4, "most": 6, "steps": 400, "look_every": 1000}
"""A look at the first step and at the last."""
PARITY = {**SMALL, "task": "parity", "tau": 0.003, "halting_bias": 1.0, "steps": 600}

CLAIMS = (
    Tried(
        "C51",
        "The network spends more steps where a task is hard.",
        "004, 3.3",
        lanes=(SMALL, PARITY),
        parts={
            "reading until STOP: steps and bits correlate at {:+.2f}": Part("tau.correlation", chance=0, lanes=(1,)),
            "parity of four signs: steps and signs correlate at {:+.2f}": Part("tau.correlation", chance=0, lanes=(2,)),
        },
    ),
    Tried(
        "C52",
        "A price of time saves steps, and costs no right answers.",
        "004, 3.3",
        kind="question",
        lanes=({**SMALL, "networks": "all"},),
        parts={
            "without a price it thinks {:.1f} steps longer than with τ = 0.01": Part("steps_saved", above=0.5),
            "with τ = 0.01 it is right as often, {:+.1%} apart": Part("accuracy_kept", above=-0.01),
        },
    ),
)
