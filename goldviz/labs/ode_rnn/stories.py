"""A story: seeing between observations."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.declare.settings import Settings
from goldviz.declare.stories import Found, Guess, Step, Story, Task
from goldviz.diagnostics.findings import networks
from goldviz.labs.ode_rnn.measures import Reading

NAMES = {"ode_rnn": "the ODE-RNN", "gru": "the GRU", "gru_gap": "the GRU told the gap", "gru_decay": "the decaying GRU"}


def _below(zero: float, *errors: float) -> int:
    """Whether nobody errs less than predicting zero, the ODE-RNN alone, or others too."""
    below = [name for name, error in zip(NAMES, errors, strict=True) if error < zero]
    return 0 if not below else 1 if below == ["ode_rnn"] else 2


def _best(run: Run) -> tuple[int, str]:
    errors = {name: Reading.error[name].first(run) for name in NAMES}
    order = sorted(errors, key=errors.__getitem__)
    ranking = ", ".join(f"{NAMES[name]} {errors[name]:.3f}" for name in order)
    return list(NAMES).index(order[0]), f"Error: {ranking}."


BEYOND = Found(
    ("ode_rnn.long_gap_zero", *(f"{name}.long_gap_error" for name in NAMES)),
    _below,
    f"Predicting zero errs by {{:.2f}}: {', '.join(f'{name} {{:.2f}}' for name in NAMES.values())}.",
)
FINER = Found(
    ("ode_rnn.refined_ratio", "ode_rnn.refined_ratio 2"),
    (1.5,),
    "With finer steps its error is {:.1f} times as large; the capped one's {:.2f} times.",
)


def _bridges(settings: Settings, run: Run) -> bool:
    values = settings.model_dump()
    if values["task"] != "linear" or values["hidden_share"] < 0.5 or "ode_rnn" not in networks(run):
        return False
    return bool(Reading.worth["ode_rnn"].highest(run) < 0.02)


STORIES = (
    Story(
        "gaps",
        "Seeing between observations",
        "choose a network for irregular times, and test whether its flow is true between observations.",
        (
            Step(
                "A swing is seen at irregular times, the dots. What is it doing in between? Look at the lines "
                "where no dot is near.",
                ("as-in-the-document",),
                figure="path",
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
                    "Who beats predicting zero after them?", ("Nobody", "Only the ODE-RNN", "Others too"), BEYOND
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
                guess=Guess("Is the left one's error larger with finer steps?", ("No", "Yes"), FINER),
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
