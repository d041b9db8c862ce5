"""What document 002 hopes of prices as tokens (sections 1.3.4 and 2.4), tried on simulated markets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from goldviz.declare.claims import Claim, Part
from goldviz.labs.price_tokens import LAB

if TYPE_CHECKING:
    import xarray as xr

OverMarket = partial(Claim, LAB, over="market_seed", called="simulated markets")
KNOWN_SIGN = 0.005
"""Nats a day: a regime's mean return gives 0.001 to 0.002."""
COUNTED = {"network": "bigram", "epochs": 3, "merges": 0}
HIDDEN_MARKOV = {**COUNTED, "tokeniser": "hmm", "tokens": 3}
CLUSTERS = {**COUNTED, "tokeniser": "kmeans", "tokens": 3, "window": 20}
LEARNED = {**COUNTED, "tokeniser": "vqvae", "tokens": 16, "window": 5}


def agreement(run: xr.Dataset) -> float:
    """Adjusted Rand index of tokens and planted regimes."""
    return float(run["rand_index"])


def stay_error(run: xr.Dataset) -> float:
    """How far the mean stay of the fitted chain is from that of the planted one."""
    fitted, planted = (np.diag(run[name].values).mean() for name in ("fitted_transition", "planted_transition"))
    return float(abs(fitted - planted))


def of_size(run: xr.Dataset) -> float:
    """Nats a day gained over token frequency by the size of the next return."""
    return float(run["score"].sel(model="network", metric="size_gain"))


def of_sign(run: xr.Dataset) -> float:
    """Nats a day gained by its sign."""
    return float(run["score"].sel(model="network", metric="sign_gain"))


def saved_by_merges(run: xr.Dataset) -> float:
    """Bits a day that merges save on later days."""
    bits = run["bits"].sel(order="as it came").values
    return float(bits[0] - bits[-1])


def saved_by_order(run: xr.Dataset) -> float:
    """Bits a day that merges save in the days' order, more than with the days shuffled."""
    return float(run["bits"].sel(order="shuffled").values[-1] - run["bits"].sel(order="as it came").values[-1])


def better_than_before(coarse: xr.Dataset, fine: xr.Dataset) -> float:
    """Nats a day of the return that finer bins save."""
    before, after = (float(run["score"].sel(model="network", metric="nats")) for run in (coarse, fine))
    return before - after


def share_in_use(run: xr.Dataset) -> float:
    """The perplexity of the tokens' use over how many there are."""
    return float(run["code_perplexity"].mean()) / run.sizes["token_name"]


CLAIMS = (
    OverMarket("C41", "Clusters of returns are regimes of the market.", "002, 1.3.4",
        lanes=(HIDDEN_MARKOV, CLUSTERS, {**HIDDEN_MARKOV, "returns": "regimes"}),
        parts=(
            Part("a hidden Markov model agrees with the planted regimes by {:.2f} (adjusted Rand)", agreement,
                above=0.2, lanes=(1,)),
            Part("k-means of 20 days by {:.2f}", agreement, above=0.2, lanes=(2,)),
            Part("where the market is nothing but regimes its stays are off by {:.3f}", stay_error, below=0.02,
                lanes=(3,)),
        )),
    OverMarket("C42", "Tokens carry value for a forecast.", "002, 1.3.4",
        lanes=({"merges": 0},),
        parts=(
            Part("an MLP gains {:+.3f} nats a day over token frequency by the size of the next move", of_size, above=0),
            Part("and {:+.4f} by its sign", of_sign, above=KNOWN_SIGN),
        )),
    OverMarket("C43", "Byte-pair encoding finds motifs in prices.", "002, 2.4",
        lanes=({**COUNTED, "merges": 20}, {**HIDDEN_MARKOV, "merges": 20}),
        parts=(
            Part("20 merges of bins save {:+.2f} bits a later day", saved_by_merges, above=0, lanes=(1,)),
            Part("they save {:+.2f} more than with the days shuffled", saved_by_order, above=0, lanes=(1,)),
            Part("of states that last 20 merges save {:+.2f} bits", saved_by_merges, above=0, lanes=(2,)),
        )),
    OverMarket("C44", "More bins make a better forecast.", "002, 2.4",
        lanes=tuple({**COUNTED, "tokens": count} for count in (4, 16, 64)),
        parts=(
            Part("16 bins in place of 4 gain {:+.3f} nats a day of the return itself", better_than_before, above=0,
                lanes=(1, 2)),
            Part("64 in place of 16 gain {:+.3f}", better_than_before, above=0, lanes=(2, 3)),
        )),
    OverMarket("C45", "Learned codes are all used.", "002, 1.3.4",
        lanes=({**LEARNED}, {**LEARNED, "codes": "far"}),
        parts=(
            Part("codes that begin among the data: a perplexity of {:.0%} of 16", share_in_use, above=0.5,
                lanes=(1,)),
            Part("codes that begin far away: {:.0%}", share_in_use, above=0.5, lanes=(2,)),
        )),
)  # fmt: skip
