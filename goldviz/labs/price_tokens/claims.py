"""What document 002 hopes of prices as tokens (sections 1.3.4 and 2.4), tried on simulated markets."""

from __future__ import annotations

from functools import partial

from goldviz.declare.claims import Claim, Part
from goldviz.labs.price_tokens import LAB

OverMarket = partial(Claim, LAB, over="market_seed", called="simulated markets")
KNOWN_SIGN = 0.005
"""Nats a day: a regime's mean return gives 0.001 to 0.002."""
COUNTED = {"network": "bigram", "epochs": 3, "merges": 0}
HIDDEN_MARKOV = {**COUNTED, "tokeniser": "hmm", "tokens": 3}
CLUSTERS = {**COUNTED, "tokeniser": "kmeans", "tokens": 3, "window": 20}
LEARNED = {**COUNTED, "tokeniser": "vqvae", "tokens": 16, "window": 5}


CLAIMS = (
    OverMarket(
        "C41",
        "Clusters of returns are regimes of the market.",
        "002, 1.3.4",
        lanes=(HIDDEN_MARKOV, CLUSTERS, {**HIDDEN_MARKOV, "returns": "regimes"}),
        parts={
            "a hidden Markov model agrees with the planted regimes by {:.2f} (adjusted Rand)": Part(
                "rand", chance=0, lanes=(1,)
            ),
            "k-means of 20 days by {:.2f}": Part("rand", chance=0, lanes=(2,)),
            "where the market is nothing but regimes its stays are off by {:.3f}": Part(
                "stay_error", below=0.02, lanes=(3,)
            ),
        },
    ),
    OverMarket(
        "C42",
        "Tokens carry value for a forecast.",
        "002, 1.3.4",
        lanes=({"merges": 0},),
        parts={
            "an MLP gains {:+.3f} nats a day over token frequency by the size of the next move": Part(
                "size_gain", above=0
            ),
            "and {:+.4f} by its sign": Part("sign_gain", above=KNOWN_SIGN),
        },
    ),
    OverMarket(
        "C43",
        "Byte-pair encoding finds motifs in prices.",
        "002, 2.4",
        lanes=({**COUNTED, "merges": 20}, {**HIDDEN_MARKOV, "merges": 20}),
        kind="question",
        parts={
            "20 merges of bins save {:+.2f} bits a later day": Part("saved_by_merges", above=0, lanes=(1,)),
            "they save {:+.2f} more than with the days shuffled": Part("saved_by_order", above=0, lanes=(1,)),
            "of states that last 20 merges save {:+.2f} bits": Part("saved_by_merges", above=0, lanes=(2,)),
        },
    ),
    OverMarket(
        "C44",
        "More bins make a better forecast.",
        "002, 2.4",
        lanes=tuple({**COUNTED, "tokens": count} for count in (4, 16, 64)),
        kind="question",
        parts={
            "16 bins in place of 4 gain {:+.3f} nats a day of the return itself": Part(
                "better_than_before", above=0, lanes=(1, 2)
            ),
            "64 in place of 16 gain {:+.3f}": Part("better_than_before", above=0, lanes=(2, 3)),
        },
    ),
    OverMarket(
        "C45",
        "Learned codes are all used.",
        "002, 1.3.4",
        lanes=({**LEARNED}, {**LEARNED, "codes": "far"}),
        kind="question",
        parts={
            "codes that begin among the data: a perplexity of {:.0%} of 16": Part("used", above=0.5, lanes=(1,)),
            "codes that begin far away: {:.0%}": Part("used", above=0.5, lanes=(2,)),
        },
    ),
)
