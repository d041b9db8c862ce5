"""Cards of *How a leaderboard fools*, from the table's scores and intervals after the last epoch."""

import math

from tests.truth.recorded_cards.card import Card

NAMES = ()
LABELS = {"seasonal_repeat": "seasonal repeat", "least_squares": "least squares", "linear": "Linear"} | {
    "dlinear": "DLinear",
    "nlinear": "NLinear",
    "informer": "Informer",
}


def label(name):
    return LABELS.get(name, name)


def table(run):
    """Every row's score, the leader, and the rows whose difference from it may be zero."""
    last = run.isel(epoch=-1)
    scores = {str(name): float(last.told.sel(forecaster=name)) for name in run.forecaster.values}
    first = sorted(scores, key=scores.get)[0]
    beside = []
    for name in scores:
        ends = (last[f"difference_{end}"].sel(forecaster=name, rival=first) for end in ("low", "high"))
        low, high = map(float, ends)
        if name != first and not (low > 0 or high < 0):
            beside.append(label(name))
    return label(first), beside


def undecided(run):
    first, beside = table(run)
    says = (f"{first} leads; not told apart: {', '.join(beside)}",)
    return Card(bool(beside), threshold=(0,), confidence=(0.95,), says=says)


def ahead(run):
    first, beside = table(run)
    return Card(not beside, threshold=(0,), confidence=(0.95,), says=(f"{first} leads",))


def follows(run):
    last = run.isel(epoch=-1)
    levels = float(last.level_r2.sel(forecaster="repeat"))
    gains = [float(last.move_r2.sel(forecaster=name)) for name in run.forecaster.values if name != "repeat"]
    return Card(levels > 0.9 and not any(gain > 0 for gain in gains), number=(levels,), threshold=(0.9,))


def of_trap(trap):
    def card(run):
        last = run.isel(epoch=-1).sel(trap=trap)
        changes = {}
        for name in run.forecaster.values:
            fair, trapped = (float(last[kind].sel(forecaster=name)) for kind in ("trap_honest", "trap_score"))
            if math.isfinite(fair) and math.isfinite(trapped):
                changes[label(str(name))] = (trapped - fair) / fair
        most = max(changes, key=lambda name: abs(changes[name]))
        return Card(True, number=(changes[most],), says=(f"{most}: ",))

    return card


TRAPS = ("dropped_batch", "longer_look_back", "whole_scaling", "best_seed", "test_stopping")
CARDS = {card.__name__: card for card in (undecided, ahead, follows)} | {trap: of_trap(trap) for trap in TRAPS}
