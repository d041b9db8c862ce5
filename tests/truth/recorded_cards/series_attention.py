"""Cards of *Transformer for series*, from errors of rolled forecasts at the last look."""

from tests.truth.recorded_cards.card import Card

LABELS = {"transformer": "Transformer", "pointwise": "Transformer, k = 1", "gru": "GRU", "ode_rnn": "ODE-RNN"}
IN_CLAUSE = {"Transformer, k = 1": "Transformer with k = 1"}
"""What a sentence calls a network whose label no list can hold."""
NAMES = tuple(IN_CLAUSE.get(label, label) for label in LABELS.values())


def shares(run):
    """Each network's mean error over the lowest one of a simple forecast, of one seed."""
    best = run.simple_error.isel(seed=0).mean("ahead").min().item()
    errors = run.horizon_error.isel(look=-1, seed=0).mean("ahead")
    return {LABELS[str(name)]: errors.sel(network=name).item() / best for name in run.network.values}


def over(line, true):
    """The networks for which the share is on this side of the line, and their numbers."""

    def card(run):
        own = {name: one for name, one in shares(run).items() if true(one)}
        # A name has a number of its own, which stands beside its share where there are several.
        named = {name: (1,) if "k = 1" in name else () for name in own}
        number = [part for name, one in own.items() for part in (*(named[name] if len(own) > 1 else ()), one)]
        return Card(
            bool(own),
            number=tuple(number),
            threshold=line,
            title=sum(named.values(), ()),
            named=tuple(IN_CLAUSE.get(name, name) for name in own),
        )

    return card


def beside(run):
    own = shares(run)
    return own["ODE-RNN"] / own["Transformer"]


def flow_ahead(run):
    return Card(beside(run) < 0.8, number=(beside(run),), threshold=(0.8,), named=("ODE-RNN", "Transformer"))


CARDS = {
    "about_as_simple": over((0.8, 1.05), lambda share: 0.8 <= share <= 1.05),
    "worse_than_simple": over((1.05,), lambda share: share > 1.05),
    "beats_simple": over((0.8,), lambda share: share < 0.8),
    "flow_ahead": flow_ahead,
}
