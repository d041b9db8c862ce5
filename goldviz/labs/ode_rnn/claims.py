"""What document 001 says of ODE-RNNs (section 3.2.2)."""

from __future__ import annotations

from goldviz.declare.claims import Claim, Part
from goldviz.labs.ode_rnn import LAB

SHORT = {"observations": 12, "steps": 300}


CLAIMS = (
    Claim(
        LAB,
        "C97",
        "ODE-RNNs naturally handle irregularly sampled data.",
        "001, 3.2.2, eq. 31-33",
        lanes=(SHORT,),
        parts={
            "12 observations, 300 steps (600 is usual), gaps as in training: the error is {:.2g} of that of a GRU "
            "without times": Part("ode_rnn.beside_plain", below=1, scale="ratio"),
            "it is {:.2g} of that of a GRU that is told the gaps": Part(
                "beside_a_gru_with_gaps", below=1, scale="ratio"
            ),
            "after gaps longer than any in training it is {:.2g} of that GRU's": Part(
                "beside_a_gru_with_gaps_after_long_ones", below=1, scale="ratio"
            ),
        },
    ),
    Claim(
        LAB,
        "C98",
        "The state before an observation is the ODE's solution, ODESolve(f, h, t, t').",
        "001, 3.2.2, eq. 32",
        lanes=({**SHORT, "networks": "ode_rnn"}, {**SHORT, "networks": "ode_rnn", "step_cap": 10.0}),
        parts={
            "after 300 training steps (600 is usual), solver steps of at most 0.1: refined, the error is {:.3g} "
            "times what it was": Part("ode_rnn.refined_ratio", above=0.9, below=1.1, scale="ratio", lanes=(1,)),
            "one step a gap: refined, it is {:.3g} times what it was": Part(
                "ode_rnn.refined_ratio", above=0.9, below=1.1, scale="ratio", lanes=(2,)
            ),
        },
    ),
)
