"""Cards of *ODE-RNN*, from errors in range and after long gaps, with the steps of training and finer ones."""

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import joined, of, settings_of

LABELS = {"ode_rnn": "ODE-RNN", "gru": "GRU", "gru_gap": "GRU with gaps", "gru_decay": "GRU with decay"}
NAMES = tuple(LABELS.values())


def trained(run):
    """The identifiers of the run's networks, in its order."""
    return [str(name) for name in run.network.values]


def labels(networks):
    return [LABELS[name] for name in networks]


def error(run, network, variable="error"):
    """A mean squared error at the last look."""
    return float(of(run, network)[variable].isel(look=-1))


def of_zero(run, horizon):
    """What predicting zero scores on the seed's own sequences."""
    return float(run.zero_error_by_seed.isel(seed=0).sel(horizon=horizon))


def worth(run, network):
    return error(run, network) / of_zero(run, "in range")


def worth_after_long_gaps(run, network):
    return error(run, network, "long_gap_error") / of_zero(run, "long gap")


def refined_ratio(run):
    """The ODE-RNN's error with steps four times as fine, over that with the steps of training."""
    return float(run.refined_error.isel(look=-1, seed=0)) / error(run, "ode_rnn")


def coarse(run):
    return not 1 / 1.1 <= refined_ratio(run) <= 1.1


def beside_the_rival(run, network):
    """The error as a share of the plain GRU's; of predicting zero's where no GRU was trained beside it."""
    return error(run, network) / error(run, "gru") if "gru" in trained(run) else worth(run, network)


def learned(run):
    named = [
        name for name in trained(run) if name != "gru" and beside_the_rival(run, name) < 0.1 and worth(run, name) < 0.9
    ]
    return Card(
        not coarse(run),
        number=joined((error(run, name), beside_the_rival(run, name)) for name in named),
        threshold=(0.1, 0.9) if "gru" in trained(run) else (0.1,),
        named=labels(named),
    )


def holds_in_long_gaps(run):
    share = worth_after_long_gaps(run, "ode_rnn")
    return Card(share < 0.5 and not coarse(run), number=(share,), threshold=(0.5, 2.0))


def extrapolation_poor(run):
    named = [name for name in trained(run) if worth_after_long_gaps(run, name) > 1.05]
    return Card(
        True,
        number=tuple(worth_after_long_gaps(run, name) for name in named),
        threshold=(1.05, settings_of(run).longest_gap),
        named=labels(named),
    )


def solver_consistent(run):
    """What finer steps change; the forecast has to move with the gaps, or steps could not matter."""
    sensitivity = error(run, "ode_rnn", "gap_sensitivity")
    return Card(
        not coarse(run) and sensitivity >= 0.05 and worth(run, "ode_rnn") < 0.5,
        number=(abs(refined_ratio(run) - 1),),
        threshold=(0.1, 4, 0.05, 0.5),
        named=["ODE-RNN"],
    )


def solver_too_coarse(run):
    return Card(coarse(run), number=(refined_ratio(run),), threshold=(0.1, 4))


def no_skill(run):
    named = [name for name in trained(run) if worth(run, name) >= 0.9]
    return Card(
        settings_of(run).task == "market" and all(worth(run, name) < 1 for name in named),
        number=tuple(worth(run, name) for name in named),
        threshold=(0.9,),
        named=labels(named),
    )


CARDS = {
    card.__name__: card
    for card in (learned, holds_in_long_gaps, extrapolation_poor, solver_consistent, solver_too_coarse, no_skill)
}
