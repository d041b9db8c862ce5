"""Cards of *Memory through time*, from Jacobian products by lag (document 001, eq. 6-9) and from gates."""

import numpy as np

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import joined, of, settings_of

LABELS = {"rnn": "RNN", "lstm": "LSTM", "gru": "GRU"}
NAMES = tuple(LABELS.values())


def trained(run):
    """The identifiers of the run's networks, in its order."""
    return [str(name) for name in run.network.values]


def labels(networks):
    return [LABELS[name] for name in networks]


def farthest(run):
    """The largest lag that was measured."""
    return int(run.lag.max())


def signal(run, network):
    """log10 of the norm of dh_T/dh_(T-lag) by lag, at the last look."""
    return of(run, network).log_jacobian_norm.isel(look=-1)


def gone_from(run, network):
    """The first lag at which the signal is below a hundredth; None where it never is."""
    below = signal(run, network) < np.log10(1 / 100)
    return int(below.lag[below].min()) if below.any() else None


def left(run, network):
    """What is left of the signal at the largest lag."""
    return float(10 ** signal(run, network).sel(lag=farthest(run)))


def worth(run, network):
    """The loss on fresh sequences over that of the best answer without memory."""
    return float(of(run, network).test_loss / run.memoryless_loss[0])


def opening(run, network, gate):
    """The mean opening of a gate over the time steps, at the last look."""
    return float(of(run, network).gate_opening.isel(look=-1).sel(gate=gate).mean())


def vanishing(run):
    """Whose signal fades, of those that have not learned the task all the same."""
    named = [name for name in trained(run) if gone_from(run, name) is not None and worth(run, name) >= 0.2]
    lags = [gone_from(run, name) for name in named]
    return Card(
        True,
        title=(max(lags),),
        number=joined((0.01, lag, farthest(run)) for lag in lags),
        threshold=(0.01,),
        named=labels(named),
    )


def learned_nothing(run):
    named = [name for name in trained(run) if worth(run, name) >= 0.98]
    return Card(
        True,
        number=tuple(worth(run, name) for name in named),
        threshold=(0.98,),
        named=labels(named),
    )


def task_solved(run):
    named = [name for name in trained(run) if worth(run, name) < 0.2]
    return Card(
        True,
        number=joined((float(of(run, name).test_loss), worth(run, name)) for name in named),
        threshold=(0.2,),
        named=labels(named),
    )


def told_of_gates(run, network):
    """What the LSTM's forget gates leave along its cell path (eq. 18), or what the GRU keeps a step, 1 - z (eq. 24)."""
    if network == "lstm":
        return (float(10 ** of(run, network).log_cell_path.isel(look=-1).sel(lag=farthest(run))),)
    return (1 - opening(run, network, "update"),) if network == "gru" else ()


def gradient_kept(run):
    named = [name for name in trained(run) if 0.1 <= left(run, name) <= 10]
    gone = [gone_from(run, name) for name in trained(run) if name not in named]
    gates = [told for name in named if (told := told_of_gates(run, name))]
    by_other_ways = all(told_of_gates(run, name)[0] < left(run, name) for name in named if name == "lstm")
    return Card(
        not any(gone_from(run, name) for name in named) and by_other_ways,
        title=(farthest(run),),
        number=joined((left(run, name), farthest(run)) for name in named),
        threshold=(0.1, 10),
        explanation=next(iter([*((0.01, lag) for lag in gone if lag), *gates]), ()),
        named=labels(named),
    )


def forget_bias_too_small(run):
    """At a mean opening f the cell path halves in k steps, f^k = 1/2 (eq. 18)."""
    forget = opening(run, "lstm", "forget")
    halved = -1 / float(np.log2(forget))
    return Card(
        halved < 0.1 * farthest(run) and left(run, "lstm") < 0.1,
        number=(forget, halved),
        threshold=(0.1, farthest(run)),
    )


def clipping_every_step(run):
    shares = {name: float((of(run, name).gradient_norm > settings_of(run).clip).mean()) for name in trained(run)}
    named = [name for name in shares if shares[name] > 0.9]
    return Card(
        settings_of(run).optimiser == "sgd" and min(worth(run, name) for name in named) >= 0.2,
        number=tuple(shares[name] for name in named),
        threshold=(0.9,),
        named=labels(named),
    )


def diverged(run):
    named = [name for name in trained(run) if not np.isfinite(of(run, name).loss).all()]
    return Card(
        run.attrs["status"] == "diverged",
        confidence=(run.sizes["step"], settings_of(run).steps),
        named=labels(named),
    )


CARDS = {
    card.__name__: card
    for card in (
        vanishing,
        learned_nothing,
        task_solved,
        gradient_kept,
        forget_bias_too_small,
        clipping_every_step,
        diverged,
    )
}
