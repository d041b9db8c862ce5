"""What document 001 says of recurrent networks and Transformers (section 4.1), tried on one task."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.attention_against_recurrence import LAB

Tried = partial(Claim, LAB)
LAST = {"look_every": 1000, "steps": 600}
"""Twice as long as the examples, with a look at the first step and at the last."""
FORTY = tuple({**LAST, "networks": name} for name in ("rnn", "lstm", "transformer"))
HUNDRED = {**LAST, "networks": "lstm", "distance": 100}
UNTRAINED = {"steps": 1, "distance": 100}

CLAIMS = (
    Tried(
        "C130",
        "Step after step, RNNs and LSTMs find it difficult to capture long-range dependencies.",
        "001, 4.1",
        lanes=(*FORTY, HUNDRED),
        parts={
            "forty steps back the RNN is right on {:.0%}": Part("rnn.far", below=0.5, lanes=(1,)),
            "forty steps back the LSTM is right on {:.0%}": Part("lstm.far", below=0.5, lanes=(2,)),
            "forty steps back the Transformer is right on {:.0%}": Part("transformer.far", above=0.9, lanes=(3,)),
            "a hundred steps back the LSTM is right on {:.0%}": Part("lstm.far", below=0.5, lanes=(4,)),
        },
    ),
    Tried(
        "C131",
        "A recurrent network's steps wait for one another; a Transformer processes the whole sequence at once.",
        "001, 4.1",
        lanes=({"steps": 1},),
        kind="identity",
        parts={
            "at 1,024 symbols {:,.0f} steps of the LSTM wait for one another": Part("lstm_steps_in_a_row", above=1000),
            "of the Transformer {:,.0f}": Part("encoder_steps_in_a_row", below=10),
        },
    ),
    Tried(
        "C132",
        "In a Transformer each element interacts directly with all others, however far they are.",
        "001, 4.1",
        lanes=(UNTRAINED,),
        parts={
            "untrained, a hundred steps back, its gradient is {:.2g} of that at the nearest input": Part(
                "transformer.reach_at_first", above=0.1, scale="ratio"
            ),
            "the RNN's is {:.2g}": Part("rnn.reach_at_first", below=0.1, scale="ratio"),
            "the LSTM's is {:.2g}": Part("lstm.reach_at_first", below=0.1, scale="ratio"),
        },
    ),
    Tried(
        "C133",
        "A Transformer also takes fewer multiplications than an LSTM of its width.",
        "001, 4.1",
        lanes=({"steps": 1},),
        kind="question",
        parts={
            "at 64 symbols it takes {:.1f} times as many": Part("encoder_work_at_64", below=1, scale="ratio"),
            "at 1,024 symbols {:.1f} times": Part("encoder_work_at_1024", below=1, scale="ratio"),
        },
    ),
)
