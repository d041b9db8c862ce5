"""The figures of the laboratory *Attention against recurrence*, in the order in which a page shows them."""

from __future__ import annotations

from functools import partial

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import axis, bound, curves, doubling, figure, lines, offered, rule
from goldviz.figures.thumbnail import by_network, networks_svg
from goldviz.labs.attention_against_recurrence.settings import AttentionAgainstRecurrence

by_length = partial(lines, over="series_length", by="network", mode="lines+markers", width=2.5)
LENGTHS = axis("Length of the sequence", scale="free", told=doubling("series_length"))

FIGURES, shared_limits = offered(
    AttentionAgainstRecurrence,
    figure(
        "by_distance",
        "From how far is it found?",
        curves("accuracy_by_distance"),
        rule(y=0.125, words="guessing"),
    ),
    figure(
        "gradient_by_distance",
        "How much does the loss tell an input far back?",
        curves("input_gradient"),
        title="What reaches an input far back?",
        also="Level: distance costs nothing.",
        cannot_show="Whether it is of use.",
    ),
    # n steps of a recurrent network, as many as there are layers of the Transformer.
    figure(
        "steps_in_a_row",
        "How many steps wait for one another?",
        by_length("steps_in_a_row"),
        title="How many steps in a row?",
        x=LENGTHS,
        notes=("Recurrent networks share a line.",),
    ),
    figure(
        "multiplications",
        "What does an answer cost?",
        by_length("multiplications"),
        cannot_show="The time that it takes.",
        x=LENGTHS,
        notes=("By formula.",),
    ),
    "accuracy",
    "loss",
)
measured_time = bound(
    AttentionAgainstRecurrence,
    figure(
        "time",
        "How long does a step of training take here?",
        by_length("seconds", hover="%{y:.3s}s"),
        title="How long does it take here?",
        shows="Seconds for four sequences, both ways, on one thread.",
        cannot_show="Seconds on a GPU.",
        x=LENGTHS,
        y=axis("Seconds", scale="log"),
        notes=("Untrained networks.",),
        legend="below",
    ),
)["time"]


def picture(ds: Run) -> str:
    """The home page's picture: right answers by distance at the last look."""
    label = "Right answers by distance: the Transformer finds all, the RNN guesses."
    return networks_svg(
        by_network(ds["accuracy_by_distance"].isel(look=-1).median("seed")),
        label=label,
        axes=("distance", "share right"),
    )
