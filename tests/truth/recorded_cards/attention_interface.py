"""Cards of *Attention between networks*, from shares of right answers by length and from where the peaks stand."""

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import joined, of

LABELS = {"attention": "GRU with attention", "fixed_vector": "GRU without attention"}
NAMES = tuple(LABELS.values())


def right(run, network):
    return float(of(run, network).sequence_accuracy.isel(close_look=-1))


def of_length(run, network, length):
    return float(of(run, network).length_accuracy.isel(close_look=-1).sel(length=length))


def shortest(run, network):
    return of_length(run, network, int(run.length.values[0]))


def longest(run, network):
    return of_length(run, network, int(run.attrs["longest_trained"]))


def peaks(run, *offsets):
    return float(run.peak_offset.isel(close_look=-1, seed=0).sel(offset=list(offsets)).sum())


def card(run, holds, numbers, threshold):
    networks = [str(name) for name in run.network.values if holds(str(name))]
    return Card(
        bool(networks),
        number=joined(numbers(name) for name in networks),
        threshold=threshold,
        named=[LABELS[name] for name in networks],
    )


CARDS = {
    "learned": lambda run: card(run, lambda name: right(run, name) >= 0.99, lambda name: (right(run, name),), (0.99,)),
    "some_wrong": lambda run: card(
        run, lambda name: 0.5 <= right(run, name) < 0.99, lambda name: (right(run, name),), (0.99, 0.5)
    ),
    "most_wrong": lambda run: card(run, lambda name: right(run, name) < 0.5, lambda name: (right(run, name),), (0.5,)),
    "loses_long_ones": lambda run: card(
        run,
        lambda name: longest(run, name) < 0.5 <= shortest(run, name),
        lambda name: (longest(run, name), shortest(run, name)),
        (0.5, 0.5),
    ),
    "beside_the_word": lambda run: Card(
        peaks(run, -1, 1) > 0.5, number=(peaks(run, -1, 1), peaks(run, 0)), threshold=(0.5,)
    ),
    "on_the_word": lambda run: Card(peaks(run, 0) >= 0.9, number=(peaks(run, 0),), threshold=(0.9,)),
}
