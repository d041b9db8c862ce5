"""Cards of *Neural programmer*, from the shares that the last look recorded."""

from tests.truth.recorded_cards.card import Card


def share(run, name):
    return float(run[name].values[-1, 0, 0])


CARDS = {
    "right": lambda run: Card(share(run, "right") >= 0.99, number=(share(run, "right"),), threshold=(0.99,)),
    "stuck": lambda run: Card(share(run, "right") < 0.95, number=(share(run, "right"),), threshold=(0.95,)),
    "lucky_answers": lambda run: Card(share(run, "lucky") > 0.02, number=(share(run, "lucky"),), threshold=(0.02,)),
    "undecided": lambda run: Card(share(run, "gap") > 0.2, number=(share(run, "gap"),), threshold=(0.2,)),
}
