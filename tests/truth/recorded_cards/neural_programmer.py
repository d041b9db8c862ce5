"""Cards of *Neural programmer*, from the shares that the last look recorded."""

from tests.truth.recorded_cards.card import Card

NAMES = ("Programmer",)
UNSEEN = (256,)


def share(run, name):
    return float(run[name].values[-1, 0, 0])


def card(run, name, holds, *limits, confidence=UNSEEN):
    value = share(run, name)
    return Card(holds(value), number=(value,), threshold=limits, confidence=confidence)


CARDS = {
    "learned": lambda run: card(run, "right", lambda value: value >= 0.99, 0.99),
    "some_wrong": lambda run: card(run, "right", lambda value: 0.5 <= value < 0.99, 0.99, 0.5),
    "lucky_answers": lambda run: card(run, "lucky", lambda value: value > 0.02, 0.02, confidence=()),
    "undecided": lambda run: card(run, "gap", lambda value: value > 0.1, 0.1),
}
