"""A story: seeing between observations."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.declare.settings import Settings
from goldviz.declare.stories import Guess, Step, Story, Task
from goldviz.diagnostics.findings import networks
from goldviz.labs.ode_rnn import measures

NAMES = {"ode_rnn": "the ODE-RNN", "gru": "the GRU", "gru_gap": "the GRU told the gap", "gru_decay": "the decaying GRU"}


def _best(run: Run) -> tuple[int, str]:
    errors = {name: measures.ERRORS[name].first(run) for name in NAMES}
    order = sorted(errors, key=errors.__getitem__)
    ranking = ", ".join(f"{NAMES[name]} {errors[name]:.3f}" for name in order)
    return list(NAMES).index(order[0]), f"Error: {ranking}."


def _beyond(run: Run) -> tuple[int, str]:
    zero = measures.ZERO_AFTER_LONG_GAPS.first(run)
    errors = {name: measures.LONG_GAP_ERRORS[name].first(run) for name in NAMES}
    below = [name for name, error in errors.items() if error < zero]
    place = 0 if not below else 1 if below == ["ode_rnn"] else 2
    list_of_errors = ", ".join(f"{NAMES[name]} {error:.2f}" for name, error in errors.items())
    return place, f"Predicting zero errs by {zero:.2f}: {list_of_errors}."


def _finer(coarse: Run, fine: Run) -> tuple[int, str]:
    whole, small = (measures.REFINED_RATIO.first(run) for run in (coarse, fine))
    return int(whole > 1.5), (
        f"With finer steps its error is {whole:.1f} times as large; the capped one's {small:.2f} times."
    )


def _bridges(settings: Settings, run: Run) -> bool:
    values = settings.model_dump()
    if values["task"] != "linear" or values["hidden_share"] < 0.5 or "ode_rnn" not in networks(run):
        return False
    return measures.WORTH.highest(run) < 0.02


STORIES = (
    Story(
        "gaps",
        "Seeing between observations",
        (
            Step(
                "A swing is seen at irregular times, the dots. What is it doing in between? Look at the lines "
                "where no dot is near.",
                ("as-in-the-document",),
            ),
            Step(
                "A GRU holds its state until the next dot. An ODE-RNN lets it flow, along a field that it learns.",
                ("as-in-the-document",),
                figure="error",
                guess=Guess(
                    "Who forecasts the next value best?",
                    tuple(name[:1].upper() + name[1:] for name in NAMES.values()),
                    _best,
                ),
            ),
            Step(
                "Now gaps longer than any of training. Whoever learned how the swing moves can go on.",
                ("as-in-the-document",),
                figure="error",
                guess=Guess(
                    "Who beats predicting zero after them?", ("Nobody", "Only the ODE-RNN", "Others too"), _beyond
                ),
            ),
            Step(
                "Where does the state go? Arrows show the learned field, the line its path: it flows between "
                "dots and jumps at them.",
                ("as-in-the-document",),
                figure="plane",
            ),
            Step(
                "A field is only as true as the steps it was learned with. To the left one step takes a whole gap.",
                ("break-it-one-step-a-gap", "fix-it-capped-steps"),
                figure="consistency",
                guess=Guess("Is the left one's error larger with finer steps?", ("No", "Yes"), _finer),
            ),
            Step(
                "Your turn: two channels, each missing half of the time.",
                ("partial-observations",),
                task=Task(
                    "Train an ODE-RNN on the linear system, half of it hidden, to 2 % of the error of predicting zero.",
                    _bridges,
                ),
            ),
        ),
    ),
)
