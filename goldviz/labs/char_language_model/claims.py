"""What document 002 says of models of characters (sections 1.1 to 1.5), tried on first names.

Each measure is read off finished runs; the settings are small ones, so that a claim is tried in a minute.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from goldviz.data.texts.pair_counts import cross_entropy, probabilities
from goldviz.declare.claims import Claim, Part
from goldviz.labs.char_language_model import LAB

if TYPE_CHECKING:
    import xarray as xr

Tried = partial(Claim, LAB)
NEURAL = {"model": "neural_bigram", "batch": 0, "optimiser": "adam", "learning_rate": 0.1, "steps": 300,
          "close_looks": 4}  # fmt: skip
DEEP = {"model": "deep_mlp", "layers": 20, "hidden": 100, "output_gain": 0.1, "steps": 2, "close_looks": 1,
        "look_every": 0}  # fmt: skip
SHORT = {"steps": 300, "close_looks": 4}
MATCHED = {"context": 8, "embedding": 24, "normalisation": "batch", "gain": 1.0, "steps": 1500, "close_looks": 2}
VOWELS = frozenset("aeiou")


def divergence_at_the_end(run: xr.Dataset) -> float:
    """How far the network's table is from the counted one, in nats."""
    return float(run["divergence"][-1, 0])


def lowest_over_counts(run: xr.Dataset) -> float:
    """The least by which the loss on training text was above that of the counted table, at any look."""
    return float(run["divergence"].min())


def distance_of_tables(decayed: xr.Dataset) -> float:
    """How far the decayed table is from the counted one with as many fake counts as fit it best, in nats."""
    counts = decayed["count"].values
    held = decayed["table"].values[-1, 0].astype(np.float64)
    return min(_divergence(counts, held, smoothing) for smoothing in np.logspace(-2, 4, 61))


def distance_unsmoothed(decayed: xr.Dataset) -> float:
    """The same of the counted table without fake counts."""
    return _divergence(decayed["count"].values, decayed["table"].values[-1, 0].astype(np.float64), 0.0)


def _divergence(counts: np.ndarray, held: np.ndarray, smoothing: float) -> float:
    """KL of the held table from the smoothed one, its rows weighed by how often they occur."""
    smoothed = probabilities(counts, smoothing)
    weights = smoothed * counts.sum(axis=1, keepdims=True)
    return cross_entropy(weights, held) - cross_entropy(weights, smoothed)


def share_of_decay(decayed: xr.Dataset) -> float:
    """Fake counts leave this share of the way between the decayed and the counted table."""
    return distance_of_tables(decayed) / distance_unsmoothed(decayed)


def spread_of_last_layer(run: xr.Dataset) -> float:
    """The standard deviation of the 20th layer's outputs before the first step."""
    return float(run["activation_std"][0, 0, -1])


def first_gradient_behind(run: xr.Dataset) -> float:
    """The norm of the gradient of the hidden weights at the first step."""
    return float(run["gradient_norm"].sel(layer="hidden 1")[0, 0])


def later_gradient_behind(run: xr.Dataset) -> float:
    """The same at the second look."""
    return float(run["gradient_norm"].sel(layer="hidden 1")[1, 0])


def learned(run: xr.Dataset) -> float:
    """How far the dev loss is below that of single characters at the end, in nats."""
    return float(run["unigram_dev_loss"]) - float(run["dev_loss"][-1, 0])


def vowels_together(run: xr.Dataset) -> float:
    """Mean distance of two vowels in the trained embedding, over that of a vowel and a consonant."""
    numbers, signs = run["embedding_table"].values[-1, 0], run["symbol"].values
    vowel = np.array([sign in VOWELS for sign in signs])
    consonant = np.array([sign.isalpha() and sign not in VOWELS for sign in signs])
    between = np.linalg.norm(numbers[:, None] - numbers[None], axis=-1)
    own = between[np.ix_(vowel, vowel)]
    return float(own.sum() / (len(own) * (len(own) - 1)) / between[np.ix_(vowel, consonant)].mean())


def unseen_below_even(run: xr.Dataset) -> float:
    """By how much the loss after unseen contexts is below ln V, that of counting whole contexts, in nats."""
    return float(run["uniform_loss"]) - float(run["unseen_loss"][0])


def unseen_below_pairs(run: xr.Dataset) -> float:
    """By how much it is below that of counted pairs, which need one known symbol only, in nats."""
    return float(run["unseen_pairs_loss"]) - float(run["unseen_loss"][0])


def dev_of_flat_less_hierarchy(flat: xr.Dataset, hierarchy: xr.Dataset) -> float:
    """By how much the hierarchy's dev loss is below that of the flat network, in nats."""
    return float(flat["dev_loss"][-1, 0]) - float(hierarchy["dev_loss"][-1, 0])


def parameters_apart(flat: xr.Dataset, hierarchy: xr.Dataset) -> float:
    """By which share of the hierarchy's parameters the two counts differ."""
    counts = [float(run["parameter_count"][0]) for run in (flat, hierarchy)]
    return abs(counts[0] / counts[1] - 1)


CLAIMS = (
    Tried("C3", "Trained long enough, the one-matrix network ends exactly at the counted table.", "002, 1.2",
        lanes=(NEURAL,),
        parts=(
            Part("after 300 steps its table is {:.4f} nat from the counted one", divergence_at_the_end, below=0.01),
            Part("it comes from above: its loss is never below, but {:.5f} nat above at least", lowest_over_counts,
                above=0.0),
        )),
    Tried("C4", "Weight decay does what fake counts do.", "002, 1.2", lanes=({**NEURAL, "weight_decay": 0.001},),
        parts=(Part("the best number of fake counts leaves {:.0%} of the distance between the two tables",
            share_of_decay, below=0.5),)),
    Tried("C5", "The gain 5/3 keeps the variance of tanh's outputs at 1.", "002, 1.3.1",
        lanes=({**DEEP, "gain": 1.667}, {**DEEP, "gain": 1.0}),
        parts=(
            Part("the 20th layer's outputs spread by {:.3f}", spread_of_last_layer, above=0.95, below=1.05, lanes=(1,)),
            Part("with gain 1 they spread by {:.3f}", spread_of_last_layer, below=0.5, lanes=(2,)),
        )),
    Tried("C6", "With output weights of zero the gradient vanishes and nothing is learned.", "002, 1.3.2",
        lanes=({**SHORT, "output_gain": 0.0}, {**SHORT, "output_gain": 0.0, "gain": 0.0}),
        parts=(
            Part("at the first step the hidden weights' gradient is {:.1e}", first_gradient_behind, below=1e-12,
                lanes=(1,)),
            Part("ten steps later it is {:.1e}", later_gradient_behind, below=1e-12, lanes=(1,)),
            Part("the loss ends {:.2f} nat below that of single characters", learned, below=0.0, lanes=(1,)),
        )),
    Tried("C7", "Similar characters get similar vectors, so what is learned holds for contexts never seen, too.",
        "002, 1.3", lanes=({},),
        parts=(
            Part("two vowels are {} times as far apart as a vowel and a consonant", vowels_together, below=1.0,
                scale="ratio"),
            Part("after contexts that training text never has its loss is {:.2f} nat below that of counted contexts, "
                "which know nothing of them", unseen_below_even, above=0.0),
            Part("it is {:.2f} nat below that of counted pairs", unseen_below_pairs, above=0.0),
        )),
    Tried("C13", "A hierarchy beats the flat network of as many parameters.", "002, 1.5",
        lanes=(
            {**MATCHED, "hidden": 98},
            {**MATCHED, "model": "wavenet", "hidden": 64},
        ),
        parts=(
            Part("its dev loss is {:.3f} nat lower", dev_of_flat_less_hierarchy, above=0.0),
            Part("their parameters differ by {:.1%}", parameters_apart, below=0.05),
        )),
)  # fmt: skip
