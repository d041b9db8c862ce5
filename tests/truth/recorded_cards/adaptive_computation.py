"""Cards of *Adaptive computation time*, from means, shares of steps and correlations of the last look."""

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import joined, of, settings_of

LABELS = {"free": "τ = 0", "tenth": "τ / 10", "tau": "τ", "tenfold": "10 τ"}
NAMES = tuple(LABELS.values())
IN_NAMES = {"free": (0,), "tenth": (10,), "tau": (), "tenfold": (10,)}
"""Numbers that the networks' names have."""


def last(run, network, name):
    return of(run, network)[name].isel(look=-1)


def share_of_steps(run, network, place):
    return float(last(run, network, "step_share").isel(ponder_step=place))


def number(run, network, name):
    return float(last(run, network, name))


def at_once(run, network):
    return share_of_steps(run, network, 0)


def wrong(run, network):
    return number(run, network, "accuracy") < 0.5


def card(run, holds, numbers, threshold):
    networks, several = [str(name) for name in run.network.values if holds(run, str(name))], run.sizes["network"] > 1
    return Card(
        bool(networks),
        title=joined(IN_NAMES[name] for name in networks),
        number=joined((*(IN_NAMES[name] if several else ()), *numbers(run, name)) for name in networks),
        threshold=threshold,
        confidence=(512,),
        named=[LABELS[name] for name in networks],
    )


def right_in(run, name):
    return (number(run, name, "accuracy"), number(run, name, "ponder"))


def useful(run, name):
    return not wrong(run, name) and at_once(run, name) < 0.95


CARDS = {
    "stops_at_once": lambda run: card(
        run, lambda run, name: at_once(run, name) >= 0.95, lambda run, name: (at_once(run, name),), (0.95,)
    ),
    "cut_off": lambda run: card(
        run,
        lambda run, name: share_of_steps(run, name, -1) > 0.5,
        lambda run, name: (share_of_steps(run, name, -1), settings_of(run).most),
        (0.5,),
    ),
    "learned": lambda run: card(run, lambda run, name: number(run, name, "accuracy") >= 0.99, right_in, (0.99,)),
    "some_wrong": lambda run: card(
        run, lambda run, name: 0.5 <= number(run, name, "accuracy") < 0.99, right_in, (0.99, 0.5)
    ),
    "longer_where_harder": lambda run: card(
        run,
        lambda run, name: useful(run, name) and number(run, name, "correlation") >= 0.7,
        lambda run, name: (number(run, name, "correlation"),),
        (0.7,),
    ),
    "not_longer_where_harder": lambda run: card(
        run,
        lambda run, name: useful(run, name) and number(run, name, "correlation") < 0.3,
        lambda run, name: (number(run, name, "correlation"),),
        (0.3,),
    ),
}
