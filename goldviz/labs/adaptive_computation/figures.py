"""The figures of the laboratory *Adaptive computation time*, in the order in which a page shows them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures.chart import (
    Panel,
    at,
    axis,
    bars,
    colours,
    curves,
    dots,
    figure,
    heat,
    lines,
    mean,
    offered,
    panel,
    thinned,
)
from goldviz.figures.draft import Bar, Figure, Scatter
from goldviz.figures.elements import number_ticks, whole
from goldviz.figures.frames import AtStep, Words
from goldviz.figures.marks import Lines
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.figures.thumbnail import picture_svg
from goldviz.labs.adaptive_computation.settings import STYLES, AdaptiveComputation

TALLEST = 0.78
"""Height of a weight of 1 in a row of height 1."""
REMAINDER = "#e69f00"
FOLLOWED = "tau"
"""The network whose thought is followed."""


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
            name="budget left before the step",
            hovertemplate="budget before step %{x}: %{customdata:.3f}",
        )
    )
    ends = plot.limit("ponder_step")
    ticks = number_ticks(*whole(ends), {})
    plot.figure.update_xaxes(unifiedhovertitle_text="step %{x}", title_text="Step of thought", range=ends, **ticks)
    plot.link("x", "ponder_step")
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


def _taken(plot: Plot) -> Array:
    """Steps of thought N about each input at each look: those with a weight."""
    weight, remainder = (plot.now[name].sel(network=FOLLOWED) for name in ("weight", "remainder"))
    # What is no number is above nothing.
    thinking = (weight.values > 0) | (remainder.values > 0)
    return weight.copy(data=thinking.astype(np.float32)).sum("ponder_step")


def _longest(plot: Plot) -> Words:
    def said(taken: Array) -> str:
        names = [str(name) for name in taken["puzzle"].values]
        longest, shortest = (int(at(taken.values)) for at in (np.argmax, np.argmin))
        steps = [int(taken.values[place]) for place in (longest, shortest)]
        if steps[0] == steps[1]:
            return f"It takes {steps[0]} for every input."
        return f"It takes {steps[0]} for {names[longest]}, and {steps[1]} for {names[shortest]}."

    return plot.say(said, _taken(plot))


def _correlation(plot: Plot) -> Words:
    return plot.each(
        finite(plot.now["correlation"]).median("seed"),
        lambda value: f"{value:+.2f}".replace("-", "−"),
        between=": ",
        within="Correlation. {}.",
    )


def _ways(plot: Plot) -> Sequence[Lines]:
    """The way that training took to each price's point."""
    return [
        lines(
            at("accuracy", network=network),
            over="look",
            x=at("ponder", network=network),
            name=plot.look_of(network).label,
            colour=network,
            dash="dot",
            width=1,
            legend=False,
            mode="lines",
            more={"opacity": 0.6, "hoverinfo": "skip"},
        )
        for network in plot.networks
    ]


def _shares(plot: Plot) -> Sequence[Panel]:
    shares = mean(thinned("step_share"))
    steps = axis("Steps of thought")
    hover, gaps = "step %{x}: %{z:.0%} take %{y} steps", {"hoverongaps": False}
    return [
        panel(heat(at(shares, network=network), "look", "ponder_step", hover=hover, more=gaps), of=network, y=steps)
        for network in plot.networks
    ]


FIGURES, shared_limits = offered(
    AdaptiveComputation,
    figure(
        "steps_taken",
        "Which inputs does it think longest about?",
        bars(
            _taken,
            rows="puzzle",
            colour="tau",
            legend=False,
            hover="%{y}: %{x} steps<extra></extra>",
            more=lambda plot: {
                "text": plot.at_step(_taken(plot), lambda one: [f"{n:.0f}" for n in one]),
                "textposition": "outside",
                "textfont": {"size": 16},
                "cliponaxis": False,
            },
        ),
        title="Which inputs take longest?",
        needs=("weight", "remainder"),
        shows="The longer the bar, the more steps the network takes for the input, the hardest at the bottom.",
        cannot_show="Inputs that it was not asked here.",
        x=axis("Steps of thought", scale="free", told=lambda plot: {"range": (0, plot.ds.sizes["ponder_step"] + 1)}),
        notes=(_longest,),
        legend="none",
    ),
    # Rows of bars whose weights add up to 1, with the budget as a line that falls: no axis is of a variable.
    figure(
        "thoughts",
        "How long does it think about each input?",
        draw=thoughts,
        title="How long does it think?",
        needs=("weight", "remainder", "budget", "puzzle_right"),
        shows="A row is an input, a bar a step's weight. Line: the budget of 1 that is left.",
    ),
    figure(
        "by_difficulty",
        "Does it think longer about harder inputs?",
        curves("ponder_by_difficulty", hover="%{y:.2f} steps"),
        title="Harder inputs, longer thought?",
        needs=("ponder_by_difficulty", "correlation"),
        shows="Mean steps of thought by difficulty: bits before STOP, signs, or carries.",
        cannot_show="Whether the time is needed.",
        notes=(_correlation,),
    ),
    figure(
        "bought",
        "What does time buy?",
        _ways,
        dots("accuracy", x="ponder", by="network", size=12, hover="%{x:.2f} steps, %{y:.1%} right"),
        also="Dotted: the way there.",
        x=axis("Steps of thought", "ponder", scale="zero"),
        y=axis("Right answers", scale="share"),
        hover="closest",
    ),
    figure(
        "distribution",
        "How does its time change as it learns?",
        _shares,
        title="How does its time change?",
        needs=("step_share",),
        shows="How many unseen inputs take how many steps of thought.",
        colour=colours("Share of inputs", ends=(0.0, 1.0), tickformat=".0%"),
        height=lambda plot: 180 + 170 * max(len(plot.networks), 1),
    ),
    # Minus the gradient at the halting neuron's input, split into the answers' loss and the price.
    figure(
        "pushes",
        "What is the halting neuron told?",
        bars(at("answer_push", network=FOLLOWED), name="from the answers", colour="muted"),
        bars(at("price_push", network=FOLLOWED), name="from the price τ", colour=REMAINDER, pattern="/"),
        shows="How each part of the loss pushes the halting neuron. Above 0: stop sooner.",
        y=axis("− dL/dz, nat", zeroline=True),
    ),
    look_of=STYLES.__getitem__,
)


def picture(ds: Run) -> str:
    """The home page's picture: the weights of each step for the first inputs, as rows of bars."""
    last = ds.isel(look=-1).sel(network=FOLLOWED)
    rows, steps = ds.sizes["puzzle"], ds.sizes["ponder_step"]
    wide, high = 290 / steps, 136 / rows
    parts = []
    for name, colour in (("weight", STYLES[FOLLOWED].colour), ("remainder", REMAINDER)):
        values = last[name].values
        for row, step in np.argwhere(values > 0.01):
            tall = float(values[row, step]) * high * 0.8
            x, y = 16 + step * wide, 12 + (row + 1) * high - tall
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide * 0.8:.1f}" height="{tall:.1f}" fill="{colour}"/>'
            )
    return picture_svg(
        parts,
        label="Bars step by step: the longer the input, the later the last step of thought.",
        axes=("step of thought", "input"),
    )
