"""A review that somebody typed, word by word: verdict so far, gradient, states and gates of the trained networks.

Each draws what :func:`goldviz.labs.recurrent_gradients.word_by_word.read_words` gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from goldviz.arrays.labelled import Run
from goldviz.arrays.readings import Coordinate
from goldviz.figures.chart import at, axis, bound, colours, curves, figure, heat, lines, rule, series
from goldviz.figures.maps import symmetric
from goldviz.figures.marks import Mark
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.theme import style_of
from goldviz.labs.recurrent_gradients.figures import GATES

GATE_COLOURS = {"input": "#009e73", "forget": "#0e7ac0", "output": "#d55e00", "update": "#0e7ac0", "reset": "#d55e00"}


class Review:
    """How what was read of a review is shown."""

    coordinates: ClassVar[Mapping[str, Coordinate]] = {"time": Coordinate("", "word %{x}", linked="word")}


def _words_below(plot: Plot) -> dict[str, Any]:
    """The words along the axis; those that the networks never saw in brackets."""
    words = zip(plot.ds.attrs["words"], plot.ds.attrs["known"], strict=True)
    return {
        "tickvals": plot.ds["time"].values,
        "ticktext": [as_label(word if is_known else f"({word})") for word, is_known in words],
        "tickangle": -90,
        "tickfont_size": 13,
        "showgrid": False,
    }


WORDS = axis(told=_words_below)


def _openings(plot: Plot, network: str) -> Sequence[Mark]:
    looks = tuple(series(gate, f"{gate} gate", GATE_COLOURS[gate]) for gate in GATES[network])
    opening = at("gate_opening", network=network)
    return [lines(opening, by="gate", looks=looks, mode="lines+markers", width=2.5, hover="%{y:.1%}")]


def _bar_below_words(plot: Plot) -> dict[str, Any]:
    plot.figure.layout.annotations[-1].yshift -= 30
    return {"margin_b": plot.figure.layout.margin.b + 40}


OF_WORDS = bound(
    Review,
    figure(
        "verdict",
        "What would each network say after each word?",
        curves("praise", hover="%{y:.1%}"),
        rule(y=0.5, words="undecided"),
        title="Praise or blame, word by word?",
        shows="The probability of praise, were the review to end at this word.",
        x=WORDS,
        y=axis("Probability of praise", scale="share"),
        notes=(
            lambda plot: plot.each(plot.ds["praise"].isel(time=-1), "{:.0%}".format, within="At the end, praise: {}."),
        ),
        height=420,
    ),
    figure(
        "heard",
        "Which words can the verdict still hear?",
        curves("state_gradient"),
        title="Which words can still be heard?",
        shows="How much the last verdict moves with the state at each word.",
        x=WORDS,
        y=axis("Norm of dm/dh(t)", scale="powers"),
        notes=(
            lambda plot: (
                "" if (plot.ds["state_gradient"] > 0).all() else "A line ends where the derivative is exactly zero."
            ),
        ),
        height=420,
    ),
    figure(
        "states",
        "What does it keep in mind?",
        lambda plot, network: [
            heat(at("state", network=network), "time", "unit", hover="unit %{y}, word %{x}<br>h = %{z:.3f}")
        ],
        title=lambda plot, network: f"What does the {style_of(network).label} keep in mind?",
        shows="Every unit of the chosen network's state after each word.",
        x=WORDS,
        colour=colours("h", ends=lambda plot: symmetric(plot.ds["state"], least=1.0), scale="signed", nticks=5),
        height=460,
        layout=_bar_below_words,
    ),
    figure(
        "word_gates",
        "How far is each gate open?",
        _openings,
        title=lambda plot, network: f"How far open are the {style_of(network).label}'s gates?",
        shows="The mean opening of the chosen network's gates at each word.",
        x=WORDS,
        y=axis("Mean opening", scale="share"),
        height=460,
    ),
)


def word_table(read: Run, network: str) -> pd.DataFrame:
    """Everything of one network as a table, a row a word."""
    own = read.sel(network=network)
    table = {
        "Word": list(read.attrs["words"]),
        "Praise so far": [f"{value:.1%}" for value in own["praise"].values],
        "‖h‖": [f"{value:.3g}" for value in np.linalg.norm(own["state"].values, axis=1)],
        "‖dm/dh‖": [f"{value:.3g}" for value in own["state_gradient"].values],
        "dm/dx": [f"{value:+.3g}" for value in own["word_gradient"].values],
    }
    gates = {
        f"{gate.capitalize()} gate": [f"{value:.0%}" for value in own["gate_opening"].sel(gate=gate).values]
        for gate in GATES.get(network, ())
    }
    return pd.DataFrame(table | gates)
