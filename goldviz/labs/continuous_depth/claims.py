"""What document 001 says of neural ODEs (section 3.2.1, eq. 28-30), of trained ones."""

from __future__ import annotations

from goldviz.declare.claims import Claim, Part
from goldviz.labs.continuous_depth import LAB

FLOW = {"task": "spirals", "networks": "ode", "look_every": 50}
BLOCKS = {"networks": "residual", "look_every": 50}


CLAIMS = (
    Claim(
        LAB,
        "C92",
        "The output of a neural ODE is the solution at depth T, whoever solves it.",
        "001, 3.2.1, eq. 30",
        lanes=({**FLOW, "method": "rk4"}, {**FLOW, "method": "euler", "solver_steps": 2}),
        kind="question",
        parts={
            "trained with 8 steps of RK4: followed exactly, {:.0%} of the networks answer as before": Part(
                "ode.consistent", above=0.5, scale="share", lanes=(1,)
            ),
            "trained with 2 Euler steps: {:.0%} of them do": Part(
                "ode.consistent", above=0.5, scale="share", lanes=(2,)
            ),
        },
    ),
    Claim(
        LAB,
        "C93",
        "A trained residual network is a finite-difference approximation of a continuous system.",
        "001, 3.2.1, eq. 28",
        lanes=({**BLOCKS, "blocks": 32}, {**BLOCKS, "blocks": 2}),
        parts={
            "32 blocks: {:.0%} of the networks answer as the flow behind them": Part(
                "residual.consistent", above=0.5, scale="share", lanes=(1,)
            ),
            "2 blocks: {:.0%} of them do": Part("residual.consistent", above=0.5, scale="share", lanes=(2,)),
        },
    ),
)
