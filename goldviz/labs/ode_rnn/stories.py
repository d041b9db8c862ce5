"""A story: seeing between observations."""

from __future__ import annotations

import xarray as xr

from goldviz.declare.settings import Settings
from goldviz.declare.stories import Guess, Step, Story, Task
from goldviz.labs.ode_rnn.readings import Reading

NAMES = {"ode_rnn": "the ODE-RNN", "gru": "the GRU", "gru_gap": "the GRU told the gap", "gru_decay": "the decaying GRU"}


def _best(run: xr.Dataset) -> tuple[int, str]:
    errors = {name: float(Reading.of(run, name).error[0]) for name in NAMES}
    order = sorted(errors, key=errors.__getitem__)
    return list(NAMES).index(order[0]), "Error: " + ", ".join(
        f"{NAMES[name]} {errors[name]:.3f}" for name in order
    ) + "."


def _beyond(run: xr.Dataset) -> tuple[int, str]:
    read = {name: Reading.of(run, name) for name in NAMES}
    zero = float(read["ode_rnn"].long_gap_zero[0])
    below = [name for name, one in read.items() if one.long_gap_error[0] < zero]
    place = 0 if not below else 1 if below == ["ode_rnn"] else 2
    errors = ", ".join(f"{NAMES[name]} {float(one.long_gap_error[0]):.2f}" for name, one in read.items())
    return place, f"Predicting zero errs by {zero:.2f}: {errors}."


def _finer(coarse: xr.Dataset, capped: xr.Dataset) -> tuple[int, str]:
    ratios = [float(Reading.of(run, "ode_rnn").refined_ratio[0]) for run in (coarse, capped)]
    return int(
        ratios[0] > 1.5
    ), f"With finer steps its error is {ratios[0]:.1f} times as large; the capped one's {ratios[1]:.2f} times."


def _bridges(settings: Settings, run: xr.Dataset) -> bool:
    if settings.model_dump()["task"] != "linear" or "ode_rnn" not in run.network.values:
        return False
    error = run.error.sel(network="ode_rnn").isel(look=-1).max()
    return bool(error < 0.02 * run.zero_error.isel(horizon=0)) and settings.model_dump()["hidden_share"] >= 0.5


STORIES = (
    Story("gaps", "Seeing between observations",
        (
            Step("A swing is seen at irregular times, the dots. What is it doing in between? Look at the lines "
                "where no dot is near.", ("as-in-the-document",)),
            Step("A GRU holds its state until the next dot. An ODE-RNN lets it flow, along a field that it learns.",
                ("as-in-the-document",), figure="error",
                guess=Guess("Who forecasts the next value best?",
                    tuple(name[:1].upper() + name[1:] for name in NAMES.values()), _best)),
            Step("Now gaps longer than any of training. Whoever learned how the swing moves can go on.",
                ("as-in-the-document",), figure="error",
                guess=Guess("Who beats predicting zero after them?", ("Nobody", "Only the ODE-RNN", "Others too"),
                    _beyond)),
            Step("Where does the state go? Arrows show the learned field, the line its path: it flows between "
                "dots and jumps at them.", ("as-in-the-document",), figure="plane"),
            Step("A field is only as true as the steps it was learned with. To the left one step takes a whole gap.",
                ("break-it-one-step-a-gap", "fix-it-capped-steps"), figure="consistency",
                guess=Guess("Is the left one's error larger with finer steps?", ("No", "Yes"), _finer)),
            Step("Your turn: two channels, each missing half of the time.", ("partial-observations",),
                task=Task(
                    "Train an ODE-RNN on the linear system, half of it hidden, to 2 % of the error of predicting zero.",
                    _bridges)),
        )),
)  # fmt: skip
