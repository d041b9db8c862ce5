"""Cards of *Attention against recurrence*, from right answers by distance and the gradient at the farthest input."""

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import joined, of, settings_of

LABELS = {"rnn": "RNN", "lstm": "LSTM", "gru": "GRU", "transformer": "Transformer"}
NAMES = tuple(LABELS.values())


def answers(run, network, place):
    return float(of(run, network)["accuracy_by_distance"].values[-1, place])


def near(run, network):
    return answers(run, network, 0)


def far(run, network):
    return answers(run, network, -1)


def right(run, network):
    return float(of(run, network)["accuracy"].values[-1])


def faded(run, network):
    return 1 / float(of(run, network)["input_gradient"].values[0, -1])


def card(run, holds, numbers, threshold):
    networks = [str(name) for name in run.network.values if holds(run, str(name))]
    return Card(
        bool(networks),
        number=joined(numbers(run, name) for name in networks),
        threshold=threshold,
        confidence=(32,),
        named=[LABELS[name] for name in networks],
    )


def worst(run, network):
    return float(of(run, network).accuracy_by_distance.isel(look=-1).min())


def distance(run):
    return settings_of(run).distance


CARDS = {
    "finds_it_anywhere": lambda run: card(
        run, lambda run, name: worst(run, name) >= 0.9, lambda run, name: (worst(run, name),), (0.9,)
    ),
    "guesses": lambda run: card(
        run,
        lambda run, name: right(run, name) < 0.3 and near(run, name) < 0.5,
        lambda run, name: (right(run, name),),
        (0.3, 0.5),
    ),
    "told_little_at_first": lambda run: card(
        run,
        lambda run, name: far(run, name) < 0.9 and faded(run, name) > 100,
        lambda run, name: (faded(run, name), distance(run)),
        (100,),
    ),
}
