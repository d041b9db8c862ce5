"""The figures of *LSTM valves*: dL/dc_t split as eq. 17 splits it, and the openings of the three valves."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Node, Scatter, make_subplots
from goldviz.figures.elements import add_heading, drawn_ends, link, power_axis, reference_line
from goldviz.figures.frames import AtStep
from goldviz.figures.limits import log10
from goldviz.figures.maps import cells, colour_bar, cursor, legend_below
from goldviz.figures.spec import by_name, drawn
from goldviz.figures.theme import INKS, NETWORKS, SEQUENTIAL, Theme
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.lstm_valves.diagram import cell_diagram
from goldviz.plurals import how_many

THROUGH_HIDDEN, THROUGH_CELL = "#d55e00", "#0e7ac0"
VALVES = {"forget": "Forget gate f", "input": "Input gate i", "output": "Output valve o (1 − tanh² c)"}
GATES = {
    "candidate": ("candidate, dL/dc̃ (eq. 19)", "#009e73", "solid"),
    "output_gate": ("output gate, dL/do (eq. 20)", "#d55e00", "dash"),
    "forget_gate": ("forget gate, dL/df", "#0e7ac0", "dot"),
    "input_gate": ("input gate, dL/di", "#c46a9c", "dashdot"),
}


@drawn(
    "How far back does the gradient reach?",
    at="step",
    at_once=True,
    shows="The length of dL/dc_t and of its two parts (document 001, eq. 17).",
)
def split(ds: Run, *, step: int | AtStep | None = None, theme: Theme = "light") -> Figure:
    """The length of dL/dc_t over time, and of its two parts, with a line at ``step`` (None: the step in view)."""
    figure = Figure()
    for name, words, colour, dash, width in (
        ("cell", "dL/dc, both together", NETWORKS["lstm"].colour, "solid", 4),
        ("through_next_cell", "through the next cell", THROUGH_CELL, "dash", 2),
        ("through_hidden", "through the hidden state", THROUGH_HIDDEN, "dot", 2),
    ):
        figure.add_trace(_line(ds, name, words, colour, dash, width))
    steps, reach = ds.sizes["step"], int(ds.attrs["reach"])
    look.apply(figure, theme, title="How far back does the gradient reach?", notes=[reach_sentence(ds)], height=460)
    legend_below(figure)
    low, high = _log_axis(figure, "Length of the gradient")
    last = float(log10(ds["cell"])[-1])
    if np.isfinite(last) and low < last - 2 < high:
        reference_line(figure, last - 2, "1/100 of the last step's", theme, x=0)
    figure.update_xaxes(title_text="Step t", showgrid=False, range=[0.5, steps + 0.5])
    link(figure, "x", "step")
    if reach < steps:
        figure.add_vline(x=steps - reach, line={"color": INKS[theme].muted, "width": 1.5, "dash": "dot"})
    cursor(figure, int(ds.attrs["step_in_view"]) if step is None else step, theme)
    return figure


def reach_sentence(ds: Run) -> str:
    """How far the gradient reaches, in words."""
    steps, reach = ds.sizes["step"], int(ds.attrs["reach"])
    if reach == steps:
        return f"It stays above 1/100 of its last value over all {steps} steps."
    return f"{how_many(reach, 'step')} back it falls below 1/100 of its last value."


def _line(ds: Run, name: str, words: str, colour: str, dash: str, width: float) -> Node:
    return Scatter(
        x=ds["step"].values,
        y=log10(ds[name]).values,
        name=words,
        mode="lines",
        line={"color": colour, "dash": dash, "width": width},
        hovertemplate="10<sup>%{y:.2f}</sup>",
    )


def _log_axis(figure: Figure, words: str) -> tuple[float, float]:
    low, high = drawn_ends(figure)
    room = max(0.05 * (high - low), 0.3)
    power_axis(figure, "y", words, low - room, high + room)
    return low - room, high + room


@drawn(
    "How far is each valve open?",
    name="valves",
    shows="The factors of eq. 17-19 for every unit and step.",
)
def valve_strips(ds: Run, *, theme: Theme = "light") -> Figure:
    """Each valve's opening over time, one row a unit."""
    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.1)
    for row, (name, words) in enumerate(VALVES.items(), start=1):
        opening = ds["opening"].sel(valve=name)
        figure.add_trace(
            cells(
                opening.values.T,
                x=ds["step"].values,
                y=ds["unit"].values,
                hover="unit %{y}, step %{x}<br>open %{z:.0%}",
            ),
            row=row,
            col=1,
        )
        add_heading(figure, row, f"<b>{words}</b>: {float(opening.mean()):.0%} open on average", font_size=14)
    look.apply(figure, theme, title="How far is each valve open?", legend=False, height=520, hover="closest")
    figure.update_layout(margin_t=figure.layout.margin.t + 14)
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(title_text="Unit", showgrid=False, nticks=4)
    figure.update_layout(xaxis3_title_text="Step t")
    link(figure, "x", "step")
    link(figure, "y", "unit")
    return colour_bar(figure, (0, 1), SEQUENTIAL, "Share of the gradient that is let through", tickformat=".0%")


@drawn(
    "What do the gates themselves get to learn from?",
    name="gates",
    shows="The gradient's length at the candidate and at each gate (eq. 19, 20).",
)
def gate_gradients(ds: Run, *, theme: Theme = "light") -> Figure:
    """What reaches the gates and the candidate themselves."""
    figure = Figure([_line(ds, name, *style, 2.2) for name, style in GATES.items()])
    look.apply(figure, theme, title="What do the gates themselves get to learn from?", height=460)
    legend_below(figure)
    _log_axis(figure, "Length of the gradient")
    link(figure, "x", "step")
    return figure.update_xaxes(title_text="Step t", showgrid=False)


@drawn(
    "What would another forget bias do?",
    name="reach",
    shows="Steps back until dL/dc_t falls below 1/100, by bias.",
    cannot_show="That a trained network keeps its gates there.",
)
def reach_by_bias(ds: Run, *, theme: Theme = "light") -> Figure:
    """How many steps back the gradient reaches with other forget biases, everything else the same."""
    figure = Figure().scatter(
        x=ds["bias"].values,
        y=ds["reach_by_bias"].values,
        mode="lines+markers",
        name="other biases",
        line={"color": NETWORKS["lstm"].colour, "width": 2.5},
        marker={"size": 8},
        hovertemplate="bias %{x}: %{y} steps<extra></extra>",
    )
    figure.scatter(
        x=[ds.attrs["forget_bias"]],
        y=[ds.attrs["reach"]],
        mode="markers",
        name="your bias",
        marker={"size": 15, "symbol": "diamond", "color": INKS[theme].accent},
        hovertemplate="your bias %{x}: %{y} steps<extra></extra>",
    )
    steps = ds.sizes["step"]
    look.apply(figure, theme, title="What would another forget bias do?", hover="closest")
    figure.update_xaxes(title_text="Forget bias", showgrid=False)
    figure.update_yaxes(title_text="Steps back to 1/100", range=[0, steps * 1.12], rangemode="tozero")
    reference_line(figure, steps, f"all {steps} steps", theme, x=0)
    return figure


@drawn(
    "What do gates alone leave?",
    name="paths",
    shows="The product of an LSTM's forget gates, and of a minGRU's 1 − z, to the end.",
)
def gate_paths(ds: Run, *, theme: Theme = "light") -> Figure:
    """The LSTM's cell path (eq. 18) beside the product of gates that is all of a minGRU's dh_T/dh_t."""
    figure = Figure()
    for path, words in (("lstm", "LSTM, cell path"), ("min_gru", "minGRU, all there is")):
        style = NETWORKS[path]
        left = ds["gates_left"].sel(path=path).values
        figure.scatter(
            x=ds["step"].values,
            y=np.where(np.isfinite(left), left, np.nan),
            mode="lines",
            name=words,
            line={"color": style.colour, "dash": style.dash, "width": 2.5},
            hovertemplate="10<sup>%{y:.2f}</sup>",
        )
    look.apply(figure, theme, title="What do gates alone leave?")
    legend_below(figure)
    _log_axis(figure, "Left of a change at step t")
    link(figure, "x", "step")
    return figure.update_xaxes(title_text="Step t", showgrid=False)


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


FIGURES = by_name(split, cell_diagram, reach_by_bias, gate_paths, valve_strips, gate_gradients)
