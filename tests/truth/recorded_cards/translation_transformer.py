"""Cards of *Translation with a Transformer*, from right answers, right words, and what a batch does to a pair."""

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import joined, of

IN_CLAUSE = {
    "layer": "with layer norm",
    "rms": "with RMS norm",
    "batch": "with batch norm",
    "none": "without norm",
}
NAMES = tuple(IN_CLAUSE.values())


def right(run, network):
    return float(of(run, network).sequence_accuracy.isel(look=-1))


def closely(run, network, name):
    return float(of(run, network)[name].isel(close_look=-1))


def told(run, network):
    return closely(run, network, "told_right")


def free(run, network):
    return closely(run, network, "free_right")


def effect(run, network):
    return closely(run, network, "neighbour_effect")


def card(run, holds, numbers, threshold, confidence=()):
    networks = [str(name) for name in run.network.values if holds(str(name))]
    return Card(
        bool(networks),
        number=joined(numbers(name) for name in networks),
        threshold=threshold,
        confidence=confidence,
        named=[IN_CLAUSE[name] for name in networks],
    )


CARDS = {
    "learned": lambda run: card(run, lambda name: right(run, name) >= 0.99, lambda name: (right(run, name),), (0.99,)),
    "some_wrong": lambda run: card(
        run, lambda name: 0.5 <= right(run, name) < 0.99, lambda name: (right(run, name),), (0.99, 0.5)
    ),
    "most_wrong": lambda run: card(run, lambda name: right(run, name) < 0.5, lambda name: (right(run, name),), (0.5,)),
    "worse_alone": lambda run: card(
        run,
        lambda name: told(run, name) - free(run, name) > 0.1,
        lambda name: (free(run, name), told(run, name)),
        (0.1,),
    ),
    "batch_takes_part": lambda run: card(
        run, lambda name: effect(run, name) > 0.01, lambda name: (effect(run, name),), (0.01,)
    ),
}
