"""A model of characters as plain arrays, one value for each seed, ready for the rules that conclude from them."""

from __future__ import annotations

import json
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.data.texts.pair_counts import cross_entropy, probabilities
from goldviz.diagnostics.findings import Floats, NetworkReading
from goldviz.diagnostics.findings.language_model import Guesses
from goldviz.diagnostics.findings.measures import mean, noise
from goldviz.diagnostics.findings.recorded import at_last, of_kind, recorded
from goldviz.diagnostics.measure import measure
from goldviz.labs.char_language_model.settings import CharLanguageModel
from goldviz.models.recurrent.cells import CELL_LABELS

LABELS = {
    "bigram": "counted bigram",
    "neural_bigram": "neural bigram",
    "mlp": "MLP",
    "direct_mlp": "MLP with direct connections",
    "deep_mlp": "deep MLP",
    "wavenet": "hierarchy",
    **CELL_LABELS,
}
VOWELS = frozenset("aeiou")
Count = TypeVar("Count", int, NDArray[np.float64])


def _scatter(losses: Floats) -> Floats:
    """The standard deviation around a slow change in the second half, from the median size of a step's change."""
    half = losses[len(losses) // 2 :]
    with np.errstate(invalid="ignore"):
        return noise(half) if len(half) > 2 else np.full(losses.shape[1:], np.nan)


def _fewest_means(n: NetworkReading) -> Floats:
    counts = [count for count in running_means(n.dataset) if count] if "running_values" in n.dataset else []
    return np.full(n.nothing.shape, min(counts), dtype=np.float64) if counts else n.nothing


def running_means(run: Run) -> list[int]:
    """How many running means each hidden layer keeps."""
    return [int(count) for count in run["running_values"].values.ravel()]


class Reading(Guesses):
    """What was recorded of the model, for each seed; NaN where nothing was."""

    labels = LABELS
    declared = CharLanguageModel
    began = measure(of_kind("training_loss", lambda losses: losses[0]), "nat")
    """The first training loss."""
    by_batch = measure(at_last("batch_statistics_loss", "close_look"), "nat")
    """The dev loss with the dev text's own statistics."""
    saturation_at_first = measure(recorded("saturation", "close_look", "hidden", by=lambda now: mean(now[0])))
    """The share of saturated hidden values at the first close look, mean over the hidden layers."""
    noise = measure(recorded("loss", "step", by=_scatter), "nat")
    """How far step losses scatter around a slow change in the second half."""
    means = measure(_fewest_means)
    """The smallest number of running means that a layer keeps."""
    kept = measure(lambda n: _fewest_means(n) / n.settings.hidden)
    """The smallest number of running means that a layer keeps, as a share of its channels."""
    excess = measure(lambda n: n.began - n.uniform, "nat")
    """How far the first loss is above that of guessing all alike, in nats."""
    lag = measure(lambda n: n.dev - n.by_batch, "nat")
    """What running statistics cost, in nats: the dev loss with them less that with the text's own."""
    over_letters = measure(lambda n: n.letters - n.dev, "nat")
    """How far the dev loss is below that of single characters, in nats."""
    impossible = measure(lambda n: np.isposinf(n.dev))
    """Whether dev text holds what the model takes for impossible."""


learned = measure(lambda run: Reading.letters["mlp"](run) - Reading.dev["mlp"](run), "nat")
"""How far the MLP's dev loss is below that of single characters at the end."""
dev_of_flat_less_hierarchy = measure(
    lambda flat, hierarchy: Reading.dev["mlp"](flat) - Reading.dev["wavenet"](hierarchy), "nat"
)
"""By how much the hierarchy's dev loss is below that of the flat network."""
divergence_at_the_end = measure(lambda run: run["divergence"][-1, 0], "nat")
"""How far the network's table is from the counted one, in nats."""
lowest_over_counts = measure(lambda run: run["divergence"].min(), "nat")
"""The least by which the loss on training text was above that of the counted table, at any look."""


@partial(measure, unit="nat")
def distance_of_tables(run: Run) -> float:
    """How far the decayed table is from the counted one with as many fake counts as fit it best, in nats."""
    counts = run["count"].values
    table = run["table"].values[-1, 0].astype(np.float64)
    return min(_divergence(counts, table, smoothing) for smoothing in np.logspace(-2, 4, 61))


distance_unsmoothed = measure(
    lambda run: _divergence(run["count"].values, run["table"].values[-1, 0].astype(np.float64), 0.0), "nat"
)
"""How far the decayed table is from the counted one without fake counts, in nats."""


def _divergence(counts: np.ndarray, dev: np.ndarray, smoothing: float) -> float:
    """KL of the held table from the smoothed one, its rows weighed by how often they occur."""
    table = probabilities(counts, smoothing)
    weights = table * counts.sum(axis=1, keepdims=True)
    return cross_entropy(weights, dev) - cross_entropy(weights, table)


share_of_decay = measure(lambda run: distance_of_tables(run) / distance_unsmoothed(run))
"""Fake counts leave this share of the way between the decayed and the counted table."""
spread_of_last_layer = measure(lambda run: run["activation_std"][0, 0, -1])
"""The standard deviation of the 20th layer's outputs before the first step."""
first_gradient_behind = measure(lambda run: run["gradient_norm"].sel(layer="hidden 1")[0, 0])
"""The norm of the gradient of the hidden weights at the first step."""
later_gradient_behind = measure(lambda run: run["gradient_norm"].sel(layer="hidden 1")[1, 0])
"""The norm of the gradient of the hidden weights at the second look."""


@measure
def vowels_together(run: Run) -> float:
    """Mean distance of two vowels in the trained embedding, over that of a vowel and a consonant."""
    numbers, signs = run["embedding_table"].values[-1, 0], run["symbol"].values
    vowel = np.array([sign in VOWELS for sign in signs])
    consonant = np.array([sign.isalpha() and sign not in VOWELS for sign in signs])
    between = np.linalg.norm(numbers[:, None] - numbers[None], axis=-1)
    own = between[np.ix_(vowel, vowel)]
    return float(own.sum() / (len(own) * (len(own) - 1)) / between[np.ix_(vowel, consonant)].mean())


def parameters(context: Count, symbols: Count, embedding: int, hidden: int, *, direct: bool) -> Count:
    """Parameters of Bengio's network without batch norm: V (1 + m + h) + h (1 + n m), linear in n and in V.

    It reads n characters of m numbers each, has h units and V symbols, and with ``direct`` connections n m V more
    (Bengio et al. 2003, section 2, where n counts the next word, too; document 002, 1.3.1). ``context`` n and
    ``symbols`` V are whole numbers or arrays of them.

    >>> parameters(3, 27, 10, 200, direct=False), parameters(3, 27, 10, 200, direct=True)
    (11897, 12707)
    """
    read = context * embedding
    return symbols * (1 + embedding + hidden + read * direct) + hidden * (1 + read)


def cells(context: Count, symbols: Count) -> Count:
    """Cells of a table that counts what follows every context of n of V symbols: V^(n + 1) (document 002, 1.3.1)."""
    total: Count = symbols ** (context + 1)
    return total


class Growth(NamedTuple):
    """What a network grows by, with one character more to read and with one symbol more, and the cells of a table of
    counts of the same context."""

    by_character: int
    by_symbol: int
    cells: int


def growth(settings: CharLanguageModel, symbols: int) -> Growth:
    """Of Bengio's network as it is set, with so many symbols (document 002, 1.3.1)."""
    of = partial(
        parameters, embedding=settings.embedding, hidden=settings.hidden, direct=settings.model == "direct_mlp"
    )
    now = of(settings.context, symbols)
    by_character, by_symbol = of(settings.context + 1, symbols) - now, of(settings.context, symbols + 1) - now
    return Growth(by_character, by_symbol, cells(settings.context, symbols))


unseen_below_even = measure(lambda run: float(run["uniform_loss"]) - float(run["unseen_loss"][0]), "nat")
"""By how much the loss after unseen contexts is below ln V, that of counting whole contexts, in nats."""
unseen_below_pairs = measure(lambda run: float(run["unseen_pairs_loss"]) - float(run["unseen_loss"][0]), "nat")
"""By how much the loss after unseen contexts is below that of counted pairs, which need one known symbol only."""
parameters_apart = measure(lambda flat, hierarchy: abs(_parameters(flat) / _parameters(hierarchy) - 1))
"""By which share of the hierarchy's parameters the two counts differ."""


def _parameters(run: Run) -> float:
    return float(run["parameter_count"][0])


growth_by_context = measure(
    lambda short, middle, long: (_parameters(long) - _parameters(middle)) / (_parameters(middle) - _parameters(short))
)
"""How many times as many parameters the longest context adds to the middle one as that adds to the shortest."""


@measure
def growth_by_symbol(small: Run, large: Run) -> float:
    """Parameters that a symbol adds, over its numbers in the embedding and in the output with its bias."""
    settings = json.loads(small.attrs["settings"])
    added = (_parameters(large) - _parameters(small)) / (large.sizes["symbol"] - small.sizes["symbol"])
    return float(added / (settings["embedding"] + settings["hidden"] + 1))
