"""The figures of *The unrolled network*: a text, one step's vectors, and the five matrices."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading, link, power_ticks, worded
from goldviz.figures.frames import AtStep, each
from goldviz.figures.maps import SIGNED, cells, colour_bar, cursor, legend_below, symmetric
from goldviz.figures.spec import FigureSpec, by_name, drawn
from goldviz.figures.theme import INKS, NETWORKS, SEQUENTIAL, Theme
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.backpropagation_by_hand.measures import PARTS
from goldviz.labs.backpropagation_by_hand.unrolled import place, shown, unrolled

NAMES = {
    "W_ax": "W<sub>ax</sub>",
    "W_aa": "W<sub>aa</sub>",
    "b_a": "b<sub>a</sub>",
    "W_ya": "W<sub>ya</sub>",
    "b_y": "b<sub>y</sub>",
}
FORWARD = {
    "x": "x<sub>t</sub>, the character read",
    "h_previous": "h<sub>t−1</sub>, what is remembered",
    "u": "u<sub>t</sub> = W<sub>aa</sub> h<sub>t−1</sub> + W<sub>ax</sub> x<sub>t</sub> + b<sub>a</sub>",
    "h": "h<sub>t</sub> = tanh(u<sub>t</sub>)",
    "o": "o<sub>t</sub> = W<sub>ya</sub> h<sub>t</sub> + b<sub>y</sub>",
    "y_hat": "ŷ<sub>t</sub> = softmax(o<sub>t</sub>)",
    "y": "y<sub>t</sub>, the character that follows",
}
BACKWARD = {
    "delta_y": "δ<sup>y</sup><sub>t</sub> = ŷ<sub>t</sub> − y<sub>t</sub>",
    "from_output": "W<sub>ya</sub><sup>T</sup> δ<sup>y</sup><sub>t</sub>, from this step's answer",
    "from_later": "W<sub>aa</sub><sup>T</sup> δ<sup>u</sup><sub>t+1</sub>, from the step after",
    "delta_h": "δ<sup>h</sup><sub>t</sub>, the sum of the two",
    "delta_u": "δ<sup>u</sup><sub>t</sub> = (1 − h<sub>t</sub>²) ⊙ δ<sup>h</sup><sub>t</sub>",
}
TRIANGLE = "Which loss teaches which use of W?"
WRITTEN_UP_TO = 8
"""Cells in a row up to which each shows its number."""


def _text_below(figure: Figure, ds: Run, title: str, **more: Any) -> list[str]:
    """The steps along the axis, each by the character that it reads; returns these labels."""
    read = [shown(symbol) for symbol in ds.attrs["text"][:-1]]
    figure.update_xaxes(
        title_text=title, tickvals=ds["step"].values, ticktext=read, showgrid=False, tickangle=0, **more
    )
    link(figure, "x", "step")
    return read


@drawn(
    "Which character does it expect?",
    shows="Probability of every character after each one read.",
    at="number",
    at_once=True,
)
def predictions(ds: Run, *, number: int | AtStep, theme: Theme = "light") -> Figure:
    """What the network expects after each character, what came, and where the recursion is."""
    at, ink = each(number, lambda one: place(ds, one)), INKS[theme]
    symbols = [shown(str(symbol)) for symbol in ds["symbol"].values]
    steps = ds["step"].values
    targets = ds["y"].values.argmax(1)
    figure = Figure(
        cells(
            ds["y_hat"].values.T,
            x=steps,
            y=list(range(len(symbols))),
            customdata=np.array([symbols] * len(steps)).T,
            hover="step %{x}: %{customdata} with %{z:.1%}",
        )
    )
    figure.scatter(
        x=steps,
        y=targets,
        mode="markers",
        customdata=ds["loss"].values,
        name="what follows",
        marker={"symbol": "circle-open", "size": 12, "color": "#ffffff", "line_width": 2.5},
        hovertemplate="step %{x}: what follows, loss %{customdata:.3f}<extra></extra>",
    )
    figure.scatter(
        x=steps,
        y=targets,
        mode="markers",
        hoverinfo="skip",
        marker={"symbol": "circle-open", "size": 15, "color": "#1e1e1c", "line_width": 1},
    )
    look.apply(
        figure,
        theme,
        title="What does the network expect next?",
        notes=[
            each(
                at,
                lambda one: (
                    f"You are at step {one.step} of {len(steps)}, going {one.arrow}. "
                    "A ring marks the character that follows."
                ),
            )
        ],
        legend=False,
        height=max(330, 230 + 15 * len(symbols)),
        hover="closest",
    )
    _text_below(figure, ds, "Character read", range=[0.5, len(steps) + 0.5])
    figure.update_yaxes(
        title_text="Expected",
        tickvals=list(range(len(symbols))),
        ticktext=symbols,
        showgrid=False,
        autorange="reversed",
    )
    figure.add_shape(
        type="rect",
        x0=each(at, lambda one: one.step - 0.5),
        x1=each(at, lambda one: one.step + 0.5),
        y0=0,
        y1=1,
        yref="paper",
        line={"color": ink.accent, "width": 3},
        layer="above",
    )
    return colour_bar(figure, (0, 1), SEQUENTIAL, "Probability", tickformat=".0%")


@drawn("What does this step compute?", name="vectors", shows="Every vector of this step, as heat maps.", at="number")
def step_vectors(ds: Run, *, number: int, theme: Theme = "light") -> Figure:
    """Every vector that this step computes, going forward or back."""
    at = place(ds, number)
    rows = BACKWARD if at.backward else FORWARD
    now = ds.sel(step=at.step)
    labels = {
        "unit": [str(unit) for unit in ds["unit"].values],
        "symbol": [shown(str(symbol)) for symbol in ds["symbol"].values],
    }
    strips = [(words, now[name].values[None, :], labels[str(now[name].dims[0])], None) for name, words in rows.items()]
    direction = "backward" if at.backward else "forward"
    letter = shown(ds.attrs["text"][at.step - 1])
    return _stack(strips, f"Step {at.step}, “{letter}”, {direction}", theme, 54)


def matrices(ds: Run, stage: str, title: str, *, theme: Theme = "light") -> Figure:
    """The five parts at one stage: "" the weights, or "_gradient", "_autograd", "_clipped", "_updated"."""
    return _five({part: ds[part + stage] for part in PARTS}, ds, title, theme)


def _matrices(name: str, stage: str, title: str, question: str, shows: str) -> FigureSpec:
    return FigureSpec(partial(matrices, stage=stage, title=title), question, shows, name=name)


weights = _matrices(
    "weights",
    "",
    "The weights it computes with",
    "Which weights does it compute with?",
    "The five weight matrices, as heat maps.",
)
clipped = _matrices(
    "gradient",
    "_clipped",
    "The gradient after clipping",
    "What does clipping leave?",
    "The clipped gradient's five parts.",
)
updated = _matrices(
    "updated",
    "_updated",
    "The weights after the step",
    "What are the weights then?",
    "The five weight matrices after one SGD step.",
)


@drawn("What does this step add?", shows="What this step adds to each of the five sums.", at="number")
def terms(ds: Run, *, number: int, theme: Theme = "light") -> Figure:
    """What the step in view adds to each of the five sums."""
    at = place(ds, number)
    addends = {part: ds[f"{part}_term"].sel(step=at.step) for part in PARTS}
    return _five(addends, ds, f"What step {at.step} adds to the sums", theme)


@drawn("What has come together so far?", name="sums", shows="The five sums so far, as heat maps.", at="number")
def sums_so_far(ds: Run, *, number: int, theme: Theme = "light") -> Figure:
    """The five sums from the end of the text back to the step in view."""
    at = place(ds, number)
    addends = {part: ds[f"{part}_term"].sel(step=slice(at.step, None)).sum("step") for part in PARTS}
    return _five(addends, ds, f"The sums from step {ds.sizes['step']} back to {at.step}", theme)


@drawn(
    "Which loss teaches which use of the weights?",
    name="triangle",
    at="number",
    at_once=True,
    shows="What step t's loss owes to the weights at step k (document 001, eq. 6).",
    cannot_show="Which terms cancel each other.",
)
def triangle(ds: Run, *, number: int | AtStep, theme: Theme = "light") -> Figure:
    """Norms of all terms (t, k) as a triangle, with the row of the step in view framed: one loss on its way back."""
    norms, steps = ds["pair"].values, ds["step"].values
    with np.errstate(divide="ignore"):
        powers = np.log10(norms)
    finite = powers[np.isfinite(powers)]
    if not finite.size:
        return worded("Every term is exactly zero: the first step starts from h = 0.", title=TRIANGLE, theme=theme)
    at, ink = each(number, lambda one: place(ds, one).step), INKS[theme]
    figure = Figure(
        cells(
            powers,
            x=steps,
            y=steps,
            customdata=norms,
            hover="loss of step %{y}, weights of step %{x}: %{customdata:.3~g}",
            xgap=1,
            ygap=1,
            texttemplate="%{customdata:.2~g}" if len(steps) <= WRITTEN_UP_TO else "",
            textfont={"size": 12},
        )
    )
    notes = [each(at, lambda step: f"Framed: the loss of step {step}. White: a later use, or exactly zero.")]
    look.apply(figure, theme, title=TRIANGLE, notes=notes, legend=False, height=450, hover="closest")
    read = _text_below(figure, ds, "Step k that uses the weights", range=[0.5, len(steps) + 0.5])
    figure.update_yaxes(
        title_text="Step t of the loss", tickvals=steps, ticktext=read, showgrid=False, range=[len(steps) + 0.5, 0.5]
    )
    figure.add_shape(
        type="rect",
        x0=0.5,
        x1=each(at, lambda step: step + 0.5),
        y0=each(at, lambda step: step - 0.5),
        y1=each(at, lambda step: step + 0.5),
        line={"color": ink.accent, "width": 3},
        layer="above",
    )
    low, high = float(finite.min()), float(finite.max())
    limits = (low - 0.5, high + 0.5) if high - low < 1 else (low, high)
    return colour_bar(figure, limits, SEQUENTIAL, "Norm of the term", **power_ticks(*limits, most=5))


@drawn(
    "How does one loss reach back?",
    name="one_loss",
    at="number",
    shows="The deltas of this step's loss alone, at every step before it (document 003).",
)
def one_loss(ds: Run, *, number: int, theme: Theme = "light") -> Figure:
    """delta^u at every unit and step for the loss of the step in view."""
    at = place(ds, number).step
    deltas = ds["delta_of_loss"].sel(loss_step=at)
    figure = Figure(
        cells(
            deltas.values.T,
            x=ds["step"].values,
            y=ds["unit"].values,
            hover="unit %{y}, step %{x}<br>%{z:.4~g}",
            xgap=1,
            ygap=1,
        )
    )
    first, last = (float(np.linalg.norm(deltas.sel(step=step))) for step in (1, at))
    notes = [f"Length at step {at}: {last:.3g}, at step 1: {first:.3g}."]
    look.apply(
        figure, theme, title=f"How does loss {at} reach back?", notes=notes, legend=False, height=450, hover="closest"
    )
    _text_below(figure, ds, "Step k")
    figure.update_yaxes(title_text="Unit", tickvals=ds["unit"].values, showgrid=False, autorange="reversed")
    link(figure, "y", "unit")
    return colour_bar(figure, symmetric(deltas.values), SIGNED, "δᵘ of this loss alone", nticks=5)


@drawn(
    "How much comes from the step's own answer?",
    name="direct_and_total",
    at="number",
    at_once=True,
    shows="The loss's derivative by h. Direct: this step's answer. Total: later steps, too.",
)
def direct_and_total(ds: Run, *, number: int | AtStep, theme: Theme = "light") -> Figure:
    """Lengths of the direct and of the total derivative at every step."""
    figure = Figure()
    for name, words, colour, dash in (
        ("delta_h", "total: dL/dh, over all paths", NETWORKS["rnn"].colour, "solid"),
        ("from_output", "direct: through its own answer", "#d55e00", "dash"),
    ):
        lengths = np.linalg.norm(ds[name].values, axis=1)
        figure.scatter(
            x=ds["step"].values,
            y=lengths,
            name=words,
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate="%{y:.3~g}",
        )
    look.apply(figure, theme, title="Direct or total?", height=450)
    legend_below(figure)
    _text_below(figure, ds, "Step t")
    figure.update_yaxes(title_text="Length", rangemode="tozero")
    cursor(figure, each(number, lambda one: place(ds, one).step), theme)
    return figure


def _five(parts: dict[str, Array], ds: Run, title: str, theme: Theme) -> Figure:
    labels = {name: [shown(str(entry)) for entry in ds[name].values] for name in ("unit", "earlier_unit", "symbol")}
    strips = []
    for part, array in parts.items():
        *row_dim, column_dim = (str(dim) for dim in array.dims)
        rows = labels[row_dim[0]] if row_dim else None
        to = "unit" if column_dim == "earlier_unit" else column_dim
        words = f"{NAMES[part]}: {row_dim[0]} by {to}" if row_dim else f"{NAMES[part]}: {to}"
        strips.append((words, np.atleast_2d(array.values), labels[column_dim], rows))
    return _stack(strips, html.unescape(title), theme, 22)


Strip = tuple[str, np.ndarray, Sequence[str], Sequence[str] | None]


def _stack(strips: Sequence[Strip], title: str, theme: Theme, row_height: int) -> Figure:
    """Matrices one below the other in one colour scale, each with its name above and its numbers where they fit."""
    heights = [max(24, row_height * len(values)) if len(values) > 1 else 26 for _, values, _, _ in strips]
    gap = 46
    inner = sum(heights) + gap * (len(strips) - 1)
    figure = make_subplots(rows=len(strips), cols=1, vertical_spacing=gap / inner, row_heights=heights)
    limits = symmetric(*(values for _, values, _, _ in strips))
    for row, (words, values, columns, rows) in enumerate(strips, start=1):
        with_numbers = values.shape[1] <= WRITTEN_UP_TO
        x = list(range(values.shape[1]))
        figure.add_trace(
            cells(
                values,
                x=x,
                y=list(range(values.shape[0])),
                hover="%{z:.4~g}",
                xgap=1,
                ygap=1,
                texttemplate="%{z:.2~g}" if with_numbers else "",
                textfont={"size": 12},
            ),
            row=row,
            col=1,
        )
        add_heading(figure, row, words, font_size=14)
        figure.update_xaxes(
            tickvals=x, ticktext=list(columns), ticklen=0, tickfont_size=12, showgrid=False, tickangle=0, row=row, col=1
        )
        if rows is None:
            figure.update_yaxes(visible=False, row=row, col=1)
        else:
            figure.update_yaxes(
                tickvals=list(range(len(rows))),
                ticktext=list(rows),
                ticklen=0,
                tickfont_size=12,
                autorange="reversed",
                showgrid=False,
                row=row,
                col=1,
            )
    look.apply(figure, theme, title=html.unescape(title), legend=False, hover="closest")
    colour_bar(figure, limits, SIGNED, "Value", nticks=5)
    top = figure.layout.margin.t + 18
    return figure.update_layout(margin_t=top, height=inner + top + figure.layout.margin.b)


FIGURES = by_name(
    unrolled,
    predictions,
    step_vectors,
    weights,
    terms,
    sums_so_far,
    triangle,
    one_loss,
    direct_and_total,
    clipped,
    updated,
)


def picture(ds: Run) -> str:
    """The home page's picture: how long what comes from later steps is beside what comes from each answer."""
    return polyline_svg(
        [
            Curve("answer", np.linalg.norm(ds["from_output"].values, axis=1), "#d55e00", "dash"),
            Curve("later", np.linalg.norm(ds["from_later"].values, axis=1), NETWORKS["lstm"].colour),
        ],
        label="The two parts of the hidden state's gradient at every step: from its own answer, and from later steps.",
        axes=("step", "length of the gradient"),
    )
