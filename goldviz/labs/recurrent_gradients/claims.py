"""What documents 001 (section 2), 003 and 004 say of trained recurrent networks."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.recurrent_gradients import LAB, measures
from goldviz.labs.recurrent_gradients.settings import LONG_STEPS

ADDING = "adding-50-steps"
REVIEWS = {"task": "reviews", "length": 40, "steps": 150}
FAR = {"networks": "lstm", "length": 200, "batch": 16, "steps": 1, "look_every": 1}
OF_A_BATCH = {"networks": "rnn", "length": 10, "steps": 200, "look_every": 0}


Tried = partial(Claim, LAB)

CLAIMS = (
    Tried(
        "C10",
        "A loss that jumps much from step to step may come from too small a batch.",
        "002, 1.3.3",
        lanes=tuple({**OF_A_BATCH, "batch": batch} for batch in measures.BATCHES),
        parts={
            "at batch 4 it scatters {:.1f} times as far as at 256": Part(
                "scatter_over_largest_batch", above=1, scale="ratio", lanes=(1, 2, 3)
            ),
            "it scatters by the batch to the power {:.2f}, where independent samples would give −0.50": Part(
                "scatter_by_batch", above=-0.6, below=-0.4, lanes=(1, 2, 3), control=True
            ),
        },
    ),
    Tried(
        "C68",
        "LSTMs are significantly more stable than standard RNNs when trained through time.",
        "001, 2.2.2",
        lanes=(ADDING,),
        parts={
            "fifty steps back log10 of what is left is {:.1f} higher in the LSTM": Part(
                "lstm_reaches_further", above=0
            ),
            "its test loss is {:.2g} of the RNN's": Part("lstm_over_rnn", below=1, scale="ratio"),
        },
    ),
    Tried(
        "C69",
        "With forget gates near 1 long-term dependencies are learned; near 0 they are not.",
        "001, 2.2.2, eq. 18",
        lanes=("fix-it-forget-bias-1", "break-it-forget-bias-2"),
        parts={
            "forget bias 1: test loss over the best without memory {:.2g}": Part(
                "lstm.worth", below=0.9, scale="ratio", lanes=(1,)
            ),
            "forget bias −2: {:.2g}": Part("lstm.worth", above=0.9, scale="ratio", lanes=(2,)),
        },
    ),
    Tried(
        "C70",
        "GRUs mitigate vanishing gradients with a simpler structure than LSTMs.",
        "001, 2.3.2, eq. 24",
        lanes=(ADDING, {**REVIEWS, "networks": "gru"}),
        parts={
            "the GRU's test loss is {:.2g} of the RNN's": Part("gru_over_rnn", below=1, scale="ratio", lanes=(1,)),
            "the GRU has {:.0%} of the LSTM's parameters": Part("gru_size", below=1, lanes=(1,)),
            "reviews with the cue 40 words back: its test loss over the best without memory {:.2g}": Part(
                "gru.worth", below=0.5, scale="ratio", lanes=(2,)
            ),
        },
    ),
    Tried(
        "C71",
        "Gates cost parameters: an LSTM has more than a plain RNN, and a GRU fewer than an LSTM.",
        "001, 2.2.3",
        lanes=({"steps": 1, "look_every": 0, "length": 8, "hidden": 16},),
        kind="identity",
        parts={
            "the LSTM has {:.2f} times the RNN's parameters": Part("lstm_size", above=1),
            "the GRU has {:.0%} of the LSTM's": Part("gru_size", below=1),
        },
    ),
    Tried(
        "C72",
        "A gradient that is clipped to a largest norm no longer explodes.",
        "003, clipping",
        lanes=({**LONG_STEPS, "clip": 0.0}, "fix-it-clip-at-1"),
        parts={
            "without clipping {:.0%} of the runs diverge": Part("diverges", above=0.5, scale="share", lanes=(1,)),
            "with the norm held at 1, {:.0%} do": Part("diverges", below=0.5, scale="share", lanes=(2,)),
        },
    ),
    Tried(
        "C73",
        "RNNs work well on short-term dependencies, but poorly on long-term ones.",
        "004, 2.1",
        lanes=(
            {"networks": "rnn", "length": 8},
            {"networks": "rnn"},
            {**REVIEWS, "networks": "rnn", "length": 8},
            {**REVIEWS, "networks": "rnn"},
        ),
        parts={
            "over 8 steps, test loss over the best without memory {:.2g}": Part(
                "rnn.worth", below=0.5, scale="ratio", lanes=(1,)
            ),
            "over 50 steps {:.2g}": Part("rnn.worth", above=0.5, scale="ratio", lanes=(2,)),
            "reviews with the cue 8 words back {:.2g}": Part("rnn.worth", below=0.5, scale="ratio", lanes=(3,)),
            "40 words back {:.2g}": Part("rnn.worth", above=0.5, scale="ratio", lanes=(4,)),
        },
    ),
    Tried(
        "C74",
        "LSTM saved us from the RNN's problem with long-term dependencies.",
        "004, 2.1",
        lanes=(ADDING, "reviews-cue-40-words-back"),
        parts={
            "adding over 50 steps: the LSTM's test loss over the best without memory {:.2g}": Part(
                "lstm.worth", below=0.5, scale="ratio", lanes=(1,)
            ),
            "reviews with the cue 40 words back: {:.2g}": Part("lstm.worth", below=0.5, scale="ratio", lanes=(2,)),
        },
    ),
    Tried(
        "C138",
        "LSTMs do not end gradient instability: very long ranges need a careful start.",
        "001, 2.2.3",
        lanes=(FAR, {**FAR, "forget_bias": 4.0}),
        parts={
            "forget bias 1: log10 of what is left 199 steps back is {:.1f} before training": Part(
                "lstm.farthest", below=-2, lanes=(1,)
            ),
            "forget bias 4: it is {:.1f}": Part("lstm.farthest", above=-2, lanes=(2,)),
        },
    ),
)
