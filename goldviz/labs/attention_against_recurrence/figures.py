"""The figures of the laboratory *Attention against recurrence*, in the order in which a page shows them."""

from __future__ import annotations

from functools import partial

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import axis, bound, curves, doubling, figure, lines, offered, rule
from goldviz.figures.draft import Figure
from goldviz.figures.plot import Plot
from goldviz.figures.thumbnail import by_network, networks_svg
from goldviz.labs.attention_against_recurrence.settings import AttentionAgainstRecurrence

by_length = partial(lines, over="series_length", by="network", mode="lines+markers", width=2.5)
LENGTHS = axis("Length of the sequence", scale="free", told=doubling("series_length"))

SYMBOLS = "abcdefgh"
"""The eight symbols, as letters."""


def task(plot: Plot) -> Figure:
    """The task itself: a row of symbols with one of them marked, and the question behind the last."""
    longest = int(plot.ds["lag"].values[-1])
    backs = np.arange(longest, 0, -1)
    letters = np.random.default_rng(longest).integers(len(SYMBOLS), size=longest)
    marked, ink = int(longest * MARKED), plot.ink
    size = max(9, min(18, 640 // longest))
    plot.figure.scatter(
        x=[*backs, 0],
        y=[0] * (longest + 1),
        mode="text",
        text=[*(SYMBOLS[letter] for letter in letters), "?"],
        textfont={"size": size, "color": ink.text},
        hoverinfo="skip",
        showlegend=False,
    )
    plot.figure.scatter(
        x=[backs[marked]],
        y=[0],
        mode="markers",
        marker={"size": size + 12, "symbol": "circle-open", "color": ink.accent, "line": {"width": 3}},
        hoverinfo="skip",
        showlegend=False,
    )
    back = int(backs[marked])
    for x, words in ((back, "marked"), (0, f"asked {back} steps later: “{SYMBOLS[letters[marked]]}”")):
        plot.figure.add_annotation(
            x=x,
            y=0.7,
            text=words,
            showarrow=False,
            xanchor="right" if x == 0 else "center",
            font={"color": ink.text},
        )
    plot.figure.update_xaxes(
        title_text="Steps before the question", range=(longest + 1, -1.5), showgrid=False, zeroline=False
    )
    plot.figure.update_yaxes(visible=False, range=(-0.7, 1.1))
    return plot.finish(height=210, hover="closest")


MARKED = 0.1
"""Where in the row the symbol is that this example marks, as a share of it."""

FIGURES, shared_limits = offered(
    AttentionAgainstRecurrence,
    figure(
        "task",
        "Which symbol was marked?",
        draw=task,
        needs=("input_gradient",),
        shows="One sequence of the task: symbols, one of them marked, and the question at the end.",
        cannot_show="Sequences whose mark stands elsewhere.",
        legend="none",
    ),
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
