"""The figures of *Backpropagation, step by step*: the two halves of eq. 2, three ways to a gradient, one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import theme as look
from goldviz.figures.chart import at, axis, bars, bound, changed, colours, dots, figure, heat, lines, rule
from goldviz.figures.elements import power
from goldviz.figures.limits import log10
from goldviz.figures.maps import symmetric
from goldviz.figures.marks import Mark, given
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.backpropagation_steps import measures
from goldviz.labs.backpropagation_steps.drawing import diagram
from goldviz.labs.backpropagation_steps.settings import BackpropagationSteps

WAYS = {"autograd": ("autograd", "#0e7ac0", "circle"), "nudge": ("central difference", "#d55e00", "diamond-open")}
GRADIENTS = ("arriving", "delta", "weight_gradient", "bias_gradient")
EXACT = -17
"""The power of ten from which on differences are drawn; what is smaller is 0, which has no logarithm."""
POWERS = range(EXACT, 4, 5)
FROM_EXACT: Any = {"range": [EXACT - 0.5, 4.5], "tickvals": [*POWERS], "ticktext": [power(one) for one in POWERS]}
PASSES = {
    "forward": "phase A, forward",
    "backward_stored": "phase B, stored",
    "backward_anew": "phase B, nothing stored",
    "differences": "central differences",
}


def _half(name: str, words: str, colour: str, symbol: str, aside: float) -> Mark:
    """The size of one half of every neuron's error, a little aside of its layer."""
    hover = f"layer %{{x:.0f}}<br>10<sup>%{{y:.2f}}</sup><extra>{words}</extra>"
    return dots(
        changed(name, lambda errors: log10(abs(errors))),
        x=lambda plot: plot.ds["layer"].where(plot.ds[name].notnull()) + aside,
        name=words,
        colour=colour,
        symbol=symbol,
        size=9,
        hover=hover,
    )


def _dead_sentence(plot: Plot) -> str:
    count, dead = measures.dead_slopes(plot.ds)
    if dead:
        return f"{dead} of {count} slopes are exactly 0: nothing gets through, and nothing is drawn for δ there."
    return f"The smallest of the {count} slopes φ′(z) is {measures.smallest_slope(plot.ds):.2g}."


def _differences(plot: Plot) -> Sequence[Mark]:
    """How far each gradient is from autograd's and from the nudged one, over its size."""

    def all_of(way: str) -> NDArray[np.float64]:
        values: NDArray[np.float64] = np.concatenate([plot.ds[f"{name}{way}"].values.ravel() for name in GRADIENTS])
        return values[np.isfinite(values)]

    def exponents(values: NDArray[np.float64]) -> Callable[[Plot], Array]:
        return given(np.log10(np.maximum(np.abs(values), 10.0**EXACT)), number=None)

    hand = all_of("")
    return [
        dots(
            exponents(all_of(f"_{way}") - hand),
            x=exponents(hand),
            name=words,
            colour=colour,
            symbol=symbol,
            size=8,
            hover=f"gradient 10<sup>%{{x:.1f}}</sup><br>10<sup>%{{y:.1f}}</sup> from {words}<extra></extra>",
        )
        for way, (words, colour, symbol) in WAYS.items()
    ]


def _around(plot: Plot) -> dict[str, Sequence[float]]:
    low, high = symmetric(plot.ds["delta"], plot.ds["delta_nudge"])
    return {"range": [1.1 * low, 1.1 * high]}


def _nudges(plot: Plot) -> Sequence[Mark]:
    """ΔL over a nudge of z against δ by hand, layer by layer; on the line both are the same."""
    same, layers = given(_around(plot)["range"], end=None), plot.ds["layer"].values.tolist()
    return [
        lines(same, x=same, name="the same", colour="muted", dash="dash", more={"hoverinfo": "skip"}),
        *(
            dots(
                at("delta_nudge", layer=layer),
                x=at("delta", layer=layer),
                name=f"layer {layer}",
                colour=colour,
                size=10,
                hover=f"layer {layer}<br>δ %{{x:.6g}}<br>ΔL / nudge %{{y:.6g}}<extra></extra>",
            )
            for layer, colour in zip(layers, look.depth_colours(len(layers), plot.theme), strict=True)
        ),
    ]


def _yours(plot: Plot) -> Sequence[Mark]:
    """Where the update with the η that is set ends; an η of 0 has no place on the axis."""
    rate = plot.ds.attrs["learning_rate"]
    if not rate:
        return []
    loss, place = (given([one], rate=None) for one in (plot.ds.attrs["loss_after_update"], np.log10(rate)))
    hover = f"η {rate:g}: %{{y:.4g}}<extra></extra>"
    return [dots(loss, x=place, name="your η", colour="accent", symbol="diamond", size=14, hover=hover)]


def _up_to_three_times(plot: Plot) -> dict[str, Sequence[float]]:
    after = finite(plot.ds["loss_after"])
    most = min(float(after.max()), 3 * plot.ds.attrs["loss"] + 1e-9)
    return {"range": [min(0.0, float(after.min())), 1.1 * most]}


def _lowest(plot: Plot) -> str:
    after, rates = finite(plot.ds["loss_after"]).values, plot.ds["learning_rate"].values
    best = int(np.nanargmin(after))
    return f"Lowest after η = {rates[best]:.2g}: {after[best]:.4g}, from {plot.ds.attrs['loss']:.4g}."


def _collapse(plot: Plot) -> Sequence[Mark] | str:
    """The softmax's Jacobian as a map, with its collapse to g − y as one more row."""
    if "softmax_jacobian" not in plot.ds:
        return "The squared error has no softmax. Choose softmax and cross-entropy to see its matrix."
    first = plot.ds.isel(sample=0)
    classes = first["unit"].values[first["share"].notnull().values]
    jacobian = first["softmax_jacobian"].sel(unit=classes, before=classes).values
    left = (first["share"] - first["target"]).sel(unit=classes).values
    rows = ["g − y", *(f"dg of {i}" for i in classes[::-1])]
    values = given(np.vstack([left, jacobian[::-1]]), row=rows, column=[f"do of {j}" for j in classes])
    return [heat(values, "column", "row", hover="%{y}, %{x}: %{z:.4f}", more={"texttemplate": "%{z:.2f}"})]


def _passes(plot: Plot) -> Sequence[Mark]:
    counts = {words: int(plot.ds.attrs[f"cost_{name}"]) for name, words in PASSES.items()}
    return [
        bars(
            given(np.log10([*counts.values()]), kind=[*counts]),
            rows="kind",
            hover="%{y}: %{text}<extra></extra>",
            marker={"color": ["#838383", "#009e73", "#d55e00", "#d55e00"]},
            more={"text": [f"{count:,}" for count in counts.values()], "textposition": "auto"},
        )
    ]


over_rates = partial(lines, x=lambda plot: log10(plot.ds["learning_rate"]), width=2.5, hover="%{y:.4g}")
of_dots = partial(figure, legend="below", hover="closest")

FIGURES = bound(
    BackpropagationSteps,
    diagram,
    of_dots(
        "halves",
        "Where does the error get lost?",
        _half("arriving", "arrives: dL/dx", "#0e7ac0", "circle", aside=-0.12),
        _half("delta", "passes on: δ = dL/dx ⊙ φ′(z)", "#d55e00", "diamond", aside=0.12),
        shows="Each neuron's error before and after φ′(z), the two halves of eq. 1 and 2.",
        x=axis("Layer; the error comes from the right", scale="free", dtick=1, showgrid=False),
        y=axis("Size of the error", scale="exponents"),
        notes=(_dead_sentence,),
    ),
    of_dots(
        "agreement",
        "Do three ways agree?",
        _differences,
        shows="How far autograd and central differences are from the equations.",
        cannot_show="An error that all three share, such as a wrong loss.",
        x=axis("Size of the gradient (10⁻¹⁷: 0)", scale="exponents", **FROM_EXACT),
        y=axis("Difference (10⁻¹⁷: none)", scale="exponents", **FROM_EXACT),
        notes=(
            lambda plot: (
                f"Largest difference to autograd: {plot.ds.attrs['difference_to_autograd']:.0e}, to nudges: "
                f"{plot.ds.attrs['difference_to_nudges']:.0e}; shares of the largest number where that is above 1."
            ),
        ),
    ),
    of_dots(
        "nudges",
        "Does δ say what a nudge does?",
        _nudges,
        shows="The change of the loss over a nudge of z, beside δ.",
        x=axis("δ by equations 1 and 2", scale="free", told=_around),
        y=axis("Change of the loss / nudge of z", scale="free", told=_around),
    ),
    figure(
        "step",
        "How long may a step be?",
        over_rates("loss_after", name="the loss", colour="#d55e00", dash="solid"),
        over_rates("loss_foreseen", name="foreseen by the gradient", colour="#0e7ac0", dash="dash"),
        _yours,
        rule(y=lambda plot: plot.ds.attrs["loss"], words="loss before", end=0),
        shows="The loss after one update with each η, and what the gradient foresees.",
        x=axis("η", scale="exponents", showgrid=False),
        y=axis("Loss after one update", scale="free", told=_up_to_three_times),
        notes=(_lowest,),
        legend="below",
    ),
    figure(
        "softmax",
        "What is left of the softmax?",
        _collapse,
        shows="g_i(δ_ij − g_j) of the first sample, and what the loss leaves of it: g − y.",
        x=axis("", scale="free", showgrid=False),
        y=axis(""),
        colour=colours("Derivative", ends=lambda plot: symmetric(plot.figure.data[0].z), scale="signed"),
        notes=("Each row of the matrix adds up to 0, and so does g − y.",),
        height=470,
    ),
    figure(
        "costs",
        "What does storing save?",
        _passes,
        shows="Products with weights in one pass of each kind.",
        x=axis(
            "Multiplications",
            scale="exponents",
            read=lambda ds: np.zeros(1),
            told=lambda plot: {"range": [0, plot.figure.data[0].x.max() + 0.3]},
        ),
        notes=(
            lambda plot: (
                f"Stored: {int(plot.ds.attrs['cost_stored']):,} numbers, {int(plot.ds.attrs['stored_bytes']):,} bytes."
            ),
        ),
        legend="none",
        hover="closest",
    ),
)
# Reports leave the softmax out where there is none.
FIGURES["softmax"] = replace(FIGURES["softmax"], needs=("softmax_jacobian",))


def picture(ds: Run) -> str:
    """The home page's picture: mean size of both halves of the error over the layers, log scale."""
    arriving, delta = (log10(abs(ds[name]).mean(("sample", "unit"))).values for name in ("arriving", "delta"))
    return polyline_svg(
        [Curve("dL/dx", arriving, "#0e7ac0", "dash"), Curve("δ", delta, "#d55e00")],
        label="Mean size of the error in every layer, before and after the slope, on a log scale.",
        axes=("layer", "error, log scale"),
    )
