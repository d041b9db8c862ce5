"""The figures of *LSTM valves*: dL/dc_t split as eq. 17 splits it, and the openings of the three valves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import (
    Panel,
    at,
    axis,
    bound,
    colours,
    dots,
    figure,
    heat,
    here,
    lines,
    panel,
    rule,
    series,
    size,
)
from goldviz.figures.limits import log10
from goldviz.figures.plot import Plot
from goldviz.figures.theme import NETWORKS
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.lstm_valves.diagram import cell_diagram
from goldviz.labs.lstm_valves.settings import LSTMValves
from goldviz.plurals import how_many

THROUGH_HIDDEN, THROUGH_CELL = "#d55e00", "#0e7ac0"
VALVES = {"forget": "Forget gate f", "input": "Input gate i", "output": "Output valve o (1 − tanh² c)"}
GATES = {
    "candidate": ("candidate, dL/dc̃ (eq. 19)", "#009e73", "solid"),
    "output_gate": ("output gate, dL/do (eq. 20)", "#d55e00", "dash"),
    "forget_gate": ("forget gate, dL/df", "#0e7ac0", "dot"),
    "input_gate": ("input gate, dL/di", "#c46a9c", "dashdot"),
}
POWERS = axis("Length of the gradient", scale="powers")
FREE = axis("Step t", scale="free", showgrid=False)
"""Where curves end in one bunch, they are told apart by a legend and not at their ends."""


def reach_sentence(ds: Run) -> str:
    """How far the gradient reaches, in words."""
    steps, reach = ds.sizes["step"], int(ds.attrs["reach"])
    if reach == steps:
        return f"It stays above 1/100 of its last value over all {steps} steps."
    return f"{how_many(reach, 'step')} back it falls below 1/100 of its last value."


def _faint(plot: Plot) -> float | None:
    """A hundredth of the last step's gradient; nowhere where that is no number."""
    last = float(log10(plot.ds["cell"])[-1]) - 2
    return last if np.isfinite(last) else None


def _reached(plot: Plot) -> float | None:
    steps, reach = plot.ds.sizes["step"], int(plot.ds.attrs["reach"])
    return steps - reach if reach < steps else None


def _valves(plot: Plot) -> Sequence[Panel]:
    return [
        panel(
            heat(at("opening", valve=name), "step", "unit", hover="unit %{y}, step %{x}<br>open %{z:.0%}"),
            heading=f"{words}: {float(plot.ds['opening'].sel(valve=name).mean()):.0%} open on average",
        )
        for name, words in VALVES.items()
    ]


FIGURES = bound(
    LSTMValves,
    figure(
        "split",
        "How far back does the gradient reach?",
        lines("cell", name="dL/dc, both together", colour="lstm", dash="solid", width=4),
        lines("through_next_cell", name="through the next cell", colour=THROUGH_CELL, dash="dash"),
        lines("through_hidden", name="through the hidden state", colour=THROUGH_HIDDEN, dash="dot"),
        rule(y=_faint, words="1/100 of the last step's", end=0),
        rule(x=_reached),
        here("step", "step_in_view"),
        y=POWERS,
        notes=(lambda plot, step: reach_sentence(plot.ds),),
        legend="below",
        height=460,
        looks_at={"step": None},
        position="step",
        at_once=True,
    ),
    cell_diagram,
    figure(
        "reach",
        "What would another forget bias do?",
        lines(
            "reach_by_bias",
            name="other biases",
            dash="solid",
            colour="lstm",
            width=2.5,
            mode="lines+markers",
            symbol="circle",
            hover="bias %{x}: %{y} steps<extra></extra>",
        ),
        dots(
            lambda plot: plot.ds["reach_by_bias"][:1].copy(data=[plot.ds.attrs["reach"]]),
            x=lambda plot: plot.ds["bias"][:1].copy(data=[plot.ds.attrs["forget_bias"]]),
            name="your bias",
            colour="accent",
            symbol="diamond",
            size=15,
            hover="your bias %{x}: %{y} steps<extra></extra>",
        ),
        rule(y=size("step"), words=lambda plot: f"all {plot.ds.sizes['step']} steps", end=0),
        shows="Steps back until dL/dc_t falls below 1/100, by bias.",
        cannot_show="That a trained network keeps its gates there.",
        over="bias",
        y=axis(
            "Steps back to 1/100",
            scale="free",
            told=lambda plot: {"range": [0, plot.ds.sizes["step"] * 1.12], "rangemode": "tozero"},
        ),
        hover="closest",
    ),
    figure(
        "paths",
        "What do gates alone leave?",
        lines(
            "gates_left",
            over="step",
            by="path",
            looks=(
                series("lstm", "LSTM, cell path", "lstm"),
                series("min_gru", "minGRU, all there is", "min_gru"),
            ),
            width=2.5,
            hover="10<sup>%{y:.2f}</sup>",
        ),
        shows="The product of an LSTM's forget gates, and of a minGRU's 1 − z, to the end.",
        x=FREE,
        y=axis("Left of a change at step t", scale="exponents"),
        legend="below",
    ),
    figure(
        "valves",
        "How far is each valve open?",
        _valves,
        colour=colours("Share of the gradient that is let through", ends=(0, 1), tickformat=".0%"),
        height=520,
    ),
    figure(
        "gates",
        "What do the gates themselves get to learn from?",
        *(
            lines(name, name=words, colour=colour, dash=dash, width=2.2)
            for name, (words, colour, dash) in GATES.items()
        ),
        x=FREE,
        y=POWERS,
        legend="below",
        height=460,
    ),
)
split, reach_by_bias, gate_paths, valve_strips, gate_gradients = (
    FIGURES[name] for name in ("split", "reach", "paths", "valves", "gates")
)


def picture(ds: Run) -> str:
    """The home page's picture: the gradient of the cell and of its part through the hidden state, log scale."""
    return polyline_svg(
        [
            Curve("dL/dc", log10(ds["cell"]).values, NETWORKS["lstm"].colour),
            Curve("dL/df", log10(ds["forget_gate"]).values, THROUGH_CELL, "dash"),
        ],
        label="Length of the gradient of an LSTM's cells and forget gates over time, on a log scale.",
        axes=("step", "gradient, log scale"),
    )
