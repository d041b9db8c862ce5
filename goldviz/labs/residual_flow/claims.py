"""What document 001 says of residual networks as steps of a flow (section 3.2.1)."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.residual_flow import LAB

OverSeed = partial(Claim, LAB, over="seed")


CLAIMS = (
    OverSeed(
        "C89",
        "As Δt → 0 residual steps become the flow dh/dt = f(h, t).",
        "001, 3.2.1, eq. 28-29",
        lanes=({}, {"sharing": "separate"}),
        parts={
            "blocks that share f: the error falls with the power {:.2f} of Δt": Part(
                "euler_order", above=0.9, below=1.1, lanes=(1,)
            ),
            "blocks whose f turns with depth: with the power {:.2f}": Part(
                "euler_order", above=0.9, below=1.1, lanes=(2,)
            ),
        },
    ),
    OverSeed(
        "C90",
        "What ODESolve returns does not depend on how it steps, once its steps are small.",
        "001, 3.2.1, eq. 30",
        parts={
            "midpoint's error falls with the power {:.2f} of the step": Part("midpoint_order", above=1.8, below=2.2),
            "RK4's falls with the power {:.2f}": Part("rk4_order", above=3.6, below=4.4),
        },
    ),
    OverSeed(
        "C91",
        "A residual network can be read as a discrete-time dynamical system with a flow behind it.",
        "001, 3.2",
        lanes=({"field": "moons", "blocks": 8}, "fix-it-steps-that-jump"),
        parts={
            "8 small steps on two moons: the share of right points is {:+.1%} from the flow's": Part(
                "answers_changed", above=-0.05, below=0.05, lanes=(1,)
            ),
            "2 big steps that part two rings: it is {:+.1%} from their flow's": Part(
                "answers_changed", above=-0.05, below=0.05, lanes=(2,)
            ),
        },
    ),
)
