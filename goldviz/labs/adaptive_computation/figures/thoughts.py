"""How long single inputs are thought about, and what tells the halting neuron to stop."""

from __future__ import annotations

import numpy as np

from goldviz.figures.draft import Bar, Figure, Scatter
from goldviz.figures.frames import AtStep
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.labs.adaptive_computation.figures.quantities import figure
from goldviz.labs.adaptive_computation.prices import STYLES

TALLEST = 0.78
"""Height of a weight of 1 in a row of height 1."""
REMAINDER = "#e69f00"
FOLLOWED = "tau"
"""The network whose thought is followed."""


@figure(
    "How long does it think about each input?",
    needs=("weight", "remainder", "budget", "puzzle_right"),
    shows="A row is an input, a bar a step's weight. The line: the budget left.",
    title="How long does it think?",
)
def thoughts(plot: Plot) -> Figure:
    """Halting weights by step and input, with the budget as a line that falls; bars of a row add up to 1."""
    rows, steps = plot.ds["puzzle"].values, plot.ds["ponder_step"].values
    floors = np.arange(len(rows))[::-1]
    now = {
        name: finite(plot.now[name].sel(network=FOLLOWED)).transpose("look", "puzzle", "ponder_step").values
        for name in ("weight", "remainder", "budget")
    }
    for name, words, colour, pattern in (
        ("weight", "weight of a step", STYLES[FOLLOWED].colour, ""),
        ("remainder", "last step: what is left", REMAINDER, "/"),
    ):
        plot.add(
            Bar(
                x=np.tile(steps, len(rows)),
                y=_in_a_row(TALLEST * now[name]),
                base=np.repeat(floors, len(steps)),
                customdata=_in_a_row(now[name]),
                name=words,
                marker={"color": colour, "pattern": {"shape": pattern}},
                hovertemplate="step %{x}: %{customdata:.3f}",
            )
        )
    plot.add(
        Scatter(
            x=np.tile(np.append(steps, steps[-1]), len(rows)),
            y=_in_a_row(floors[:, None] + TALLEST * now["budget"], 1),
            customdata=_in_a_row(now["budget"], 1),
            mode="lines",
            line={"color": plot.ink.text, "width": 1.5, "shape": "hvh"},
            name="budget left before it",
            hovertemplate="budget before step %{x}: %{customdata:.3f}",
        )
    )
    plot.number_axis("ponder_step", "Step of thought", "step %{x}")
    plot.figure.update_yaxes(range=[-0.15, len(rows)], tickvals=floors + TALLEST / 2, ticktext=[*rows], showgrid=False)
    plot.figure.update_layout(barmode="overlay", bargap=0.2)
    for floor in floors:
        plot.figure.add_hline(y=floor, line={"color": plot.ink.grid, "width": 1})
    right = plot.now["puzzle_right"].sel(network=FOLLOWED)
    sentence = plot.say(lambda answers: _wrong(rows, answers.values), right)
    return plot.finish(sentence, plot.step_in_words("look", one_seed=True), height=480, hover="closest")


def _in_a_row(looks: np.ndarray, behind: int = 0) -> AtStep:
    """Values (look, puzzle, step) as one row a look, with so many gaps behind each puzzle."""
    wide = np.pad(looks, ((0, 0), (0, 0), (0, behind)), constant_values=np.nan)
    return AtStep("look", wide.reshape(len(wide), wide.shape[1] * wide.shape[2]))


def _wrong(rows: np.ndarray, right: np.ndarray) -> str:
    wrong = ", ".join(str(row) for row, answer in zip(rows, right, strict=True) if answer < 1)
    return f"Wrong: {wrong}." if wrong else "All answers are right."


@figure(
    "What is the halting neuron told?",
    needs=("answer_push", "price_push"),
    shows="How each part of the loss pushes the halting neuron. Above 0: stop sooner.",
)
def pushes(plot: Plot) -> Figure:
    """Minus the gradient at the halting neuron's input by step, split into the answers' loss and the price."""
    answers, price = (
        finite(plot.now[name].sel(network=FOLLOWED)).median("seed") for name in ("answer_push", "price_push")
    )
    for values, words, colour, pattern in (
        (answers, "from the answers", plot.ink.muted, ""),
        (price, "from the price τ", REMAINDER, "/"),
    ):
        plot.add(
            Bar(
                x=plot.ds["ponder_step"].values,
                y=plot.at_step(values),
                name=words,
                marker={"color": colour, "pattern": {"shape": pattern}},
                hovertemplate="%{y:.2e}",
            )
        )
    plot.number_axis("ponder_step", "Step of thought", "step %{x}")
    plot.linear_axis("push", "− dL/dz, nat", zeroline=True)
    return plot.finish(plot.drawn(plot.step_in_words("look")))
