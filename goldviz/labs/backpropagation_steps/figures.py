"""The figures of *Backpropagation, step by step*: the two halves of eq. 2, three ways to a gradient, one step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import drawn_ends, power, power_axis, reference_line, worded
from goldviz.figures.limits import log10
from goldviz.figures.maps import SIGNED, cells, colour_bar, legend_below, symmetric
from goldviz.figures.spec import by_name, drawn
from goldviz.figures.theme import INKS, Theme
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.backpropagation_steps import measures
from goldviz.labs.backpropagation_steps.drawing import diagram

HALVES = {
    "arriving": ("arrives: dL/dx", "#0e7ac0", "circle"),
    "delta": ("passes on: δ = dL/dx ⊙ φ′(z)", "#d55e00", "diamond"),
}
WAYS = {"autograd": ("autograd", "#0e7ac0", "circle"), "nudge": ("central difference", "#d55e00", "diamond-open")}
GRADIENTS = ("arriving", "delta", "weight_gradient", "bias_gradient")
POWERS = [-17, -12, -7, -2, 3]
EXACT = 1e-17
"""Differences are drawn from here on; what is smaller is 0, which has no logarithm."""
PASSES = {
    "forward": "phase A, forward",
    "backward_stored": "phase B, stored",
    "backward_anew": "phase B, nothing stored",
    "differences": "central differences",
}


@drawn(
    "Where does the error get lost?",
    name="halves",
    shows="Each neuron's error before and after φ′(z), the two halves of eq. 1 and 2.",
)
def halves(ds: Run, *, theme: Theme = "light") -> Figure:
    """dL/dx and δ of every neuron and sample, layer by layer, on a logarithmic axis."""
    figure = Figure()
    for side, (name, (words, colour, symbol)) in enumerate(HALVES.items()):
        sizes = log10(abs(ds[name])).transpose("layer", "sample", "unit")
        for layer in ds["layer"].values:
            values = sizes.sel(layer=layer).values.ravel()
            values = values[np.isfinite(values)]
            figure.scatter(
                x=np.full(values.shape, layer + (side - 0.5) * 0.24),
                y=values,
                mode="markers",
                name=words,
                legendgroup=name,
                showlegend=bool(layer == 1),
                marker={"color": colour, "symbol": symbol, "size": 9},
                hovertemplate=f"layer {layer}<br>10<sup>%{{y:.2f}}</sup><extra>{words}</extra>",
            )
    look.apply(figure, theme, title="Where does the error get lost?", notes=[_dead_sentence(ds)], hover="closest")
    legend_below(figure)
    low, high = _range(figure)
    figure.update_xaxes(title_text="Layer; the error comes from the right", dtick=1, showgrid=False)
    return power_axis(figure, "y", "Size of the error", low, high)


def _dead_sentence(ds: Run) -> str:
    count, dead = measures.dead_slopes(ds)
    if dead:
        return f"{dead} of {count} slopes are exactly 0: nothing gets through, and nothing is drawn for δ there."
    return f"The smallest of the {count} slopes φ′(z) is {measures.smallest_slope(ds):.2g}."


def _range(figure: Figure) -> tuple[float, float]:
    low, high = drawn_ends(figure)
    return low - 0.4, high + 0.4


@drawn(
    "Do three ways agree?",
    name="agreement",
    shows="How far autograd and central differences are from the equations.",
    cannot_show="An error that all three share, such as a wrong loss.",
)
def agreement(ds: Run, *, theme: Theme = "light") -> Figure:
    """The difference of each gradient to autograd's and to the nudged one, over its size."""
    figure = Figure()
    hand = _all(ds, "")
    for way, (words, colour, symbol) in WAYS.items():
        differences = np.maximum(np.abs(_all(ds, f"_{way}") - hand), EXACT)
        figure.scatter(
            x=np.log10(np.maximum(np.abs(hand), EXACT)),
            y=np.log10(differences),
            mode="markers",
            name=words,
            marker={"color": colour, "symbol": symbol, "size": 8},
            hovertemplate=f"gradient 10<sup>%{{x:.1f}}</sup><br>10<sup>%{{y:.1f}}</sup> from {words}<extra></extra>",
        )
    notes = [
        f"Largest difference to autograd: {ds.attrs['difference_to_autograd']:.0e}, to nudges: "
        f"{ds.attrs['difference_to_nudges']:.0e}; shares of the largest number where that is above 1."
    ]
    look.apply(figure, theme, title="Do three ways agree?", notes=notes, hover="closest")
    legend_below(figure)
    ticks = {"tickvals": POWERS, "ticktext": [power(exponent) for exponent in POWERS]}
    power_axis(figure, "x", "Size of the gradient (10⁻¹⁷: 0)", -17.5, 4.5, **ticks)
    return power_axis(figure, "y", "Difference (10⁻¹⁷: none)", -17.5, 4.5, **ticks)


def _all(ds: Run, way: str) -> NDArray[np.float64]:
    parts = [ds[f"{name}{way}"].values.ravel() for name in GRADIENTS]
    values: NDArray[np.float64] = np.concatenate(parts)
    return values[np.isfinite(values)]


@drawn(
    "Does δ say what a nudge does?",
    name="nudges",
    shows="The change of the loss over a nudge of z, beside δ.",
)
def nudges(ds: Run, *, theme: Theme = "light") -> Figure:
    """ΔL over a nudge of z, against δ by hand; on the line both are the same."""
    delta, nudge = (ds[name].values.ravel() for name in ("delta", "delta_nudge"))
    layers = np.broadcast_to(ds["layer"].values[:, None, None], ds["delta"].shape).ravel()
    there = np.isfinite(delta)
    low, high = symmetric(delta, nudge)
    ends = [1.1 * low, 1.1 * high]
    figure = Figure().scatter(
        x=ends,
        y=ends,
        mode="lines",
        name="the same",
        line={"color": INKS[theme].muted, "dash": "dash"},
        hoverinfo="skip",
    )
    for layer in ds["layer"].values:
        here = there & (layers == layer)
        colour = look.depth_colours(ds.sizes["layer"], theme)[int(layer) - 1]
        figure.scatter(
            x=delta[here],
            y=nudge[here],
            mode="markers",
            name=f"layer {layer}",
            marker={"size": 10, "color": colour},
            hovertemplate=f"layer {layer}<br>δ %{{x:.6g}}<br>ΔL / nudge %{{y:.6g}}<extra></extra>",
        )
    look.apply(figure, theme, title="Does δ say what a nudge does?", hover="closest")
    legend_below(figure)
    figure.update_xaxes(title_text="δ by equations 1 and 2", range=ends)
    return figure.update_yaxes(title_text="Change of the loss / nudge of z", range=ends)


@drawn(
    "How long may a step be?",
    name="step",
    shows="The loss after one update with each η, and what the gradient foresees.",
)
def step(ds: Run, *, theme: Theme = "light") -> Figure:
    """The loss after one update over the size of the step."""
    rates, before, after = ds["learning_rate"].values, ds.attrs["loss"], ds["loss_after"].values
    figure = Figure()
    most = min(float(np.nanmax(np.where(np.isfinite(after), after, np.nan))), 3 * before + 1e-9)
    positive = rates > 0
    for name, words, colour, dash in (
        ("loss_after", "the loss", "#d55e00", "solid"),
        ("loss_foreseen", "foreseen by the gradient", "#0e7ac0", "dash"),
    ):
        figure.scatter(
            x=np.log10(rates[positive]),
            y=ds[name].values[positive],
            mode="lines",
            name=words,
            line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate="%{y:.4g}",
        )
    rate = ds.attrs["learning_rate"]
    if rate > 0:
        figure.scatter(
            x=[np.log10(rate)],
            y=[ds.attrs["loss_after_update"]],
            mode="markers",
            name="your η",
            marker={"size": 14, "symbol": "diamond", "color": INKS[theme].accent},
            hovertemplate=f"η {rate:g}: %{{y:.4g}}<extra></extra>",
        )
    best = int(np.nanargmin(np.where(np.isfinite(after), after, np.nan)))
    notes = [f"Lowest after η = {rates[best]:.2g}: {after[best]:.4g}, from {before:.4g}."]
    look.apply(figure, theme, title="How long may a step be?", notes=notes)
    legend_below(figure)
    reference_line(figure, before, "loss before", theme, x=0)
    power_axis(figure, "x", "η", -2, 1, range=None, showgrid=False)
    return figure.update_yaxes(title_text="Loss after one update", range=[min(0.0, float(after[best])), 1.1 * most])


@drawn(
    "What is left of the softmax?",
    name="softmax",
    needs=("softmax_jacobian",),
    shows="g_i(δ_ij − g_j) of the first sample, and what the loss leaves of it: g − y.",
)
def softmax(ds: Run, *, theme: Theme = "light") -> Figure:
    """The softmax's Jacobian as a map, with its collapse to g − y as one more row."""
    title = "What is left of the softmax?"
    if "softmax_jacobian" not in ds:
        return worded(
            "The squared error has no softmax. Choose softmax and cross-entropy to see its matrix.",
            title=title,
            theme=theme,
        )
    first = ds.isel(sample=0)
    classes = first["unit"].values[first["share"].notnull().values]
    jacobian = first["softmax_jacobian"].sel(unit=classes, before=classes).values
    left = (first["share"] - first["target"]).sel(unit=classes).values
    rows = ["g − y", *(f"dg of {i}" for i in classes[::-1])]
    values = np.vstack([left, jacobian[::-1]])
    figure = Figure(
        cells(
            values,
            x=[f"do of {j}" for j in classes],
            y=rows,
            hover="%{y}, %{x}: %{z:.4f}",
            text=[[f"{value:.2f}" for value in row] for row in values],
            texttemplate="%{text}",
        )
    )
    look.apply(
        figure,
        theme,
        title=title,
        notes=["Each row of the matrix adds up to 0, and so does g − y."],
        legend=False,
        height=470,
        hover="closest",
    )
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(showgrid=False)
    return colour_bar(figure, symmetric(values), SIGNED, "Derivative")


@drawn(
    "What does storing save?",
    name="costs",
    shows="Products with weights in one pass of each kind.",
)
def costs(ds: Run, *, theme: Theme = "light") -> Figure:
    """Multiplications of phase A, of phase B with and without stored numbers, and of central differences."""
    counts = [int(ds.attrs[f"cost_{name}"]) for name in PASSES]
    figure = Figure().bar(
        x=np.log10(counts),
        y=list(PASSES.values()),
        orientation="h",
        marker={"color": ["#838383", "#009e73", "#d55e00", "#d55e00"]},
        text=[f"{count:,}" for count in counts],
        textposition="auto",
        hovertemplate="%{y}: %{text}<extra></extra>",
    )
    numbers = int(ds.attrs["cost_stored"])
    notes = [f"Stored: {numbers:,} numbers, {int(ds.attrs['stored_bytes']):,} bytes."]
    look.apply(figure, theme, title="What does storing save?", notes=notes, legend=False, hover="closest")
    most = float(np.log10(counts[-1]))
    power_axis(figure, "x", "Multiplications", 0, most + 0.3)
    return figure.update_yaxes(autorange="reversed", showgrid=False)


def picture(ds: Run) -> str:
    """The home page's picture: mean size of both halves of the error over the layers, log scale."""
    curves = {name: log10(abs(ds[name]).mean(("sample", "unit"))).values for name in HALVES}
    return polyline_svg(
        [Curve("dL/dx", curves["arriving"], "#0e7ac0", "dash"), Curve("δ", curves["delta"], "#d55e00")],
        label="Mean size of the error in every layer, before and after the slope, on a log scale.",
        axes=("layer", "error, log scale"),
    )


FIGURES = by_name(diagram, halves, agreement, nudges, step, softmax, costs)
