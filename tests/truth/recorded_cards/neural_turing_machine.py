"""Cards of *Neural Turing machine*, from shares of right sequences by length and from the spread of addresses."""

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import joined, of, settings_of

LABELS = {"ntm": "NTM", "lstm": "LSTM", "gru": "GRU"}
NAMES = tuple(LABELS.values())


def whole(run, network, times=1, of_what="sequences_right"):
    """The share at so many times the longest trained length, at the last look."""
    return float(of(run, network)[of_what].isel(look=-1).sel(length=times * settings_of(run).length))


def those(run, holds):
    return [str(name) for name in run.network.values if holds(str(name))]


def card(run, networks, numbers, threshold):
    confidence = (32,)
    return Card(
        bool(networks),
        number=joined(numbers(name) for name in networks),
        threshold=threshold,
        confidence=confidence,
        named=[LABELS[name] for name in networks],
    )


def of_right(least, most, *limits):
    def made(run):
        networks = those(run, lambda name: least <= whole(run, name) < most)
        return card(run, networks, lambda name: (whole(run, name), whole(run, name, of_what="bits_right")), limits)

    return made


def of_longer(enough):
    def made(run):
        networks = those(run, lambda name: whole(run, name) >= 0.5 and (whole(run, name, 2) >= 0.5) == enough)
        return card(run, networks, lambda name: (whole(run, name, 2),), (0.5, 2))

    return made


def one_cell(run):
    cells = float(run.cells_used.isel(look=-1, seed=0).sel(head="read"))
    return Card(cells <= 1.2, number=(cells,), threshold=(1.2,), confidence=(32,))


CARDS = {
    "learned": of_right(0.99, 2, 0.99),
    "most_wrong": of_right(0, 0.5, 0.5),
    "longer": of_longer(True),
    "only_trained_lengths": of_longer(False),
    "one_cell": one_cell,
}
