"""Cards of *Character language models*, from losses in nats a character and values of hidden layers."""

import numpy as np

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import of, settings_of

LABELS = {
    "bigram": "counted bigram",
    "neural_bigram": "neural bigram",
    "mlp": "MLP",
    "direct_mlp": "MLP with direct connections",
    "deep_mlp": "deep MLP",
    "wavenet": "hierarchy",
}
NAMES = tuple(LABELS.values())


def model(run):
    """The one model of the run."""
    return of(run, str(run.network.values[0]))


def named(run):
    return [LABELS[str(run.network.values[0])]]


def dev_loss(run):
    return float(model(run).dev_loss.isel(close_look=-1))


def guessing(run, tokens):
    """The dev loss of guessing by how often single characters, or pairs of them, were counted, on the same contexts."""
    return float(run[f"{tokens}_dev_loss"].isel(seed=0))


def beats_pairs(run):
    dev, pairs = dev_loss(run), guessing(run, "bigram")
    return Card(dev < pairs - 0.05, number=(dev, pairs), threshold=(0.05,), named=named(run))


def no_better_than_pairs(run):
    dev, pairs = dev_loss(run), guessing(run, "bigram")
    says = ("hardly", "clearly") if dev < pairs else ("no better",)
    return Card(dev > pairs - 0.05, number=(dev, pairs), threshold=(0.05,), named=named(run), says=says)


def beats_letters(run):
    dev, letters = dev_loss(run), guessing(run, "unigram")
    return Card(dev < letters - 0.05, number=(dev, letters), threshold=(0.05,), named=named(run))


def by_heart(run):
    losses = model(run).dev_loss.values
    gap = float((model(run).dev_loss - model(run).train_loss).isel(close_look=-1))
    return Card(
        gap > 0.3,
        number=(gap,),
        threshold=(0.3,),
        explanation=(float(losses[-1] - losses.min()),),
        named=named(run),
    )


def first_loss(run):
    """Guessing V symbols alike costs ln V."""
    first, alike = float(model(run).loss[0]), float(np.log(run.sizes["symbol"]))
    return Card(first > alike + 0.5, number=(first,), threshold=(0.5,), explanation=(alike,), named=named(run))


def saturated(run):
    """The share on a flat part of tanh at the first and at the last look, means over the hidden layers."""
    shares = model(run).saturation.mean("hidden").values
    return Card(
        shares[-1] > 0.3,
        number=(float(shares[-1]),),
        threshold=(0.3,),
        explanation=(float(shares[0]),),
        named=named(run),
    )


def wrong_axis(run):
    """Running means that a normalised layer keeps, beside its channels; the layer that keeps the fewest."""
    kept, channels = run.running_values.values, settings_of(run).hidden
    fewest = int(kept[kept > 0].min())
    return Card(fewest < channels, number=(fewest, channels), named=named(run))


CARDS = {
    card.__name__: card
    for card in (beats_pairs, no_better_than_pairs, beats_letters, by_heart, first_loss, saturated, wrong_axis)
}
