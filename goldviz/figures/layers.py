"""The diagnostic plots of a network's layers (document 002, section 1.3.3), for every laboratory that records them.

A laboratory declares variables of :mod:`goldviz.declare.layers`, takes the limits of their figures into its
``QUANTITIES``, and makes the figures of its own ``figure``::

    QUANTITIES = {..., **layer_quantities(layer=LayerAxis(ends_of("layer"), "Layer", "layer"))}
    figure = partial(plot.figure, QUANTITIES)
    FIGURES = by_name(loss, *layer_figures(figure))

Along which dimension the layers stand is read off each variable. They may be numbers or names, networks and seeds may
be there or not. The loss, the first of the five plots, is drawn by :mod:`goldviz.figures.smoothed`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from goldviz.diagnostics.findings import times
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Heatmap, Scatter, make_subplots
from goldviz.figures.elements import (
    add_range,
    colour_bar_below,
    legend_above_headings,
    number_ticks,
    power,
    title_below,
    whole,
)
from goldviz.figures.frames import AtStep, Words
from goldviz.figures.limits import Quantity, Reading, Values, decades, log_of, occupied_bins, padded, with_zero
from goldviz.figures.market import legend_under
from goldviz.figures.plot import Plot
from goldviz.figures.reading import GROWING, finite, growing, growing_dim, positive, single
from goldviz.figures.spec import FigureSpec, by_name
from goldviz.models.style import NetworkStyle

RULE_OF_THUMB = "The line at 10⁻³ is a rule of thumb: a good ratio does not prove that the steps go the right way."
"""What a figure of steps beside weights cannot show."""
MOST_LINES = 20
HEADING = 16
"""Pixels of a panel's name over the first one."""
NAMES_IN_A_LINE = 2
"""Of layers, in a legend on a phone."""
VALUE_BIN, MAGNITUDE_BIN = "value_bin", "magnitude_bin"
BINS = {
    "activation_histogram": VALUE_BIN,
    "gradient_histogram": MAGNITUDE_BIN,
    "weight_gradient_histogram": MAGNITUDE_BIN,
}
RATIOS = ("update_to_data", "update_to_data_by_layer", "gradient_to_data")
NAMELESS = NetworkStyle("", "#8a6a00", "solid", "circle")
"""The look of what is of no network."""

Ends = tuple[float, float]
Figures = Callable[..., Callable[[Callable[..., Figure]], FigureSpec]]


def numbered(_ds: xr.Dataset, ends: Ends) -> dict[str, Any]:
    """Ticks at whole numbers."""
    return number_ticks(*whole(ends), {})


def named(_ds: xr.Dataset, _ends: Ends) -> dict[str, Any]:
    """A place for each name."""
    return {"type": "category"}


def ends_of_names(dim: str) -> Reading:
    """Half a place beyond the first and the last of the names along a dimension."""
    return lambda ds: np.array([-0.5, ds.sizes[dim] - 0.5]) if ds.sizes.get(dim) else np.array([])


@dataclass(frozen=True)
class LayerAxis(Quantity):
    """The axis along which layers stand: its ends, its title, what one of them is called, and its ticks.

    ``linked`` is the coordinate by which pages mark one place in several figures, where that is not its own.
    """

    title: str = "Layer"
    noun: str = "layer"
    ticks: Callable[[xr.Dataset, Ends], dict[str, Any]] = numbered
    linked: str = ""

    @classmethod
    def of_names(cls, dim: str, title: str = "Layer", noun: str = "layer") -> LayerAxis:
        """The axis of layers that have names in place of numbers."""
        return cls(ends_of_names(dim), title=title, noun=noun, ticks=named)

    def laid(self, plot: Plot, dim: str) -> dict[str, Any]:
        """What every panel's axis is given: its ends and its ticks."""
        ends = plot.limit(dim)
        return {"range": ends, **self.ticks(plot.ds, ends)}

    def link(self, plot: Plot, letter: Literal["x", "y"], dim: str) -> None:
        """Let pages mark the same place in other figures."""
        plot.link(letter, self.linked or dim)


def layer_quantities(**axes: LayerAxis) -> dict[str, Quantity]:
    """What the figures here have limits for; ``axes`` by the dimensions that layers stand along."""
    shares = {name: Quantity(with_zero(name)) for name in BINS}
    occupied = {
        f"{name}_bins": Quantity(occupied_bins(name, bins, start=int(bins == MAGNITUDE_BIN)))
        for name, bins in BINS.items()
    }
    ratios = {name: Quantity(_with_advice(name), decades) for name in RATIOS}
    return {**axes, **shares, **occupied, **ratios, "activation_mean": Quantity(_of_spread, padded)}


def _with_advice(name: str) -> Reading:
    """Logarithms of a ratio; the usual advice for updates stands among them."""
    return lambda ds: np.append(log_of(name)(ds), [-3.0] if name.startswith("update_to_data") else [])


def _of_spread(ds: xr.Dataset) -> Values:
    if "activation_mean" not in ds or "activation_std" not in ds:
        return np.array([])
    mean, spread = finite(ds["activation_mean"]).values, finite(ds["activation_std"]).values
    return np.concatenate([(mean - spread).ravel(), (mean + spread).ravel()])


def layer_figures(figure: Figures) -> dict[str, FigureSpec]:
    """The figures of a laboratory's layers by name, made by its own ``figure``."""

    def of_sizes(question: str, name: str, entries: str, hides: str) -> Callable[[Callable[..., Figure]], FigureSpec]:
        shows = f"How large the entries of {entries} are in each layer, and how many are exactly zero."
        return figure(question, needs=(name,), shows=shows, cannot_show=hides)

    return by_name(
        figure(
            "Do the units still respond?",
            needs=("activation_mean", "activation_std"),
            shows="The share of saturated activations and of dead units, and the mean and spread of each layer's "
            "output.",
            cannot_show="Shares are averages over units and samples: a few lost units can hide in a healthy layer.",
        )(activations),
        figure(
            "What do the layers put out?",
            needs=("activation_histogram",),
            shows="How each layer's activations are distributed.",
            cannot_show="A distribution over all units cannot tell whether samples are still told apart.",
        )(activation_distribution),
        of_sizes(
            "How large is the signal going back?",
            "gradient_histogram",
            "dL/dh",
            "Sizes have no sign: whether entries add up or cancel does not show.",
        )(hidden_gradient_distribution),
        of_sizes(
            "How large are the weight gradients?",
            "weight_gradient_histogram",
            "dL/dW",
            "Good weight gradients do not guarantee that the signal reaches the input.",
        )(weight_gradient_distribution),
        figure(
            "Are the steps the right size?",
            needs=("update_to_data",),
            shows="How large each step is beside the weights that it changes, layer by layer.",
            cannot_show="The line at 10⁻³ is a rule of thumb: a good ratio does not guarantee the right direction.",
        )(update_to_data),
        figure(
            "How large are the gradients beside the weights?",
            title="Gradients beside the weights",
            needs=("gradient_to_data",),
            shows="How large each layer's gradient is beside its weights, before the optimiser makes a step of it.",
            cannot_show="How far the weights move: Adam divides by the gradient's usual size, so its steps suit "
            "any height.",
        )(gradient_to_data),
    )


def activations(plot: Plot) -> Figure:
    """Saturated activations, dead units, and mean ± spread of the activations, by layer at one step.

    A saturated or dead unit passes no gradient; a spread that runs to zero leaves the last layers nothing to tell
    samples apart by.
    """
    now = plot.now
    plot.panels(["Saturated activations", "Dead units", "Activations: mean ± spread"])
    missing = []
    for row, name in enumerate(("saturation", "dead_units"), start=1):
        if words := plot.lacks(name):
            missing.append(words)
            continue
        for style, shares in _by_network(plot, finite(now[name])):
            plot.curve(
                shares, style.label, style=style, hover="%{y:.1%}", row=row, legend=row == 1 and bool(style.label)
            )
    spreads = _by_network(plot, finite(now["activation_std"]))
    for (style, mean), (_, spread) in zip(_by_network(plot, finite(now["activation_mean"])), spreads, strict=True):
        _add_mean_and_spread(plot, style, mean, spread.median("seed"))
    for row in (1, 2):
        plot.figure.update_yaxes(title_text="Share", range=(-0.04, 1.04), tickformat=".0%", nticks=4, row=row)
    plot.linear_axis("activation_mean", "Value", row=3, nticks=5)
    dim = _layers_of(now["activation_mean"])
    axis = _axis_of(plot, dim)
    plot.figure.update_xaxes(unifiedhovertitle_text=f"{axis.noun} %{{x}}", **axis.laid(plot, dim))
    title_below(plot.figure, axis.title)
    axis.link(plot, "x", dim)
    step = plot.when(f"{growing_dim(plot.ds).capitalize()} {{}}.", growing(now["activation_mean"]))
    return legend_above_headings(plot.finish(plot.drawn(step), *missing, height=640))


def _add_mean_and_spread(plot: Plot, style: NetworkStyle, means: xr.DataArray, spread: xr.DataArray) -> None:
    mean = means.median("seed")
    low, high = plot.at_step(mean - spread), plot.at_step(mean + spread)
    places = mean[_layers_of(mean)].values
    add_range(plot.figure, style.label, places, low, high, style=style, row=3)
    plot.curve(mean.expand_dims("seed"), style.label, style=style, hover="mean %{y:.3g}", row=3)


def activation_distribution(plot: Plot) -> Figure:
    """Share of activations per bin of values in every layer: a cloud that narrows tells samples apart by less."""
    return _distribution(plot, "activation_histogram", "Activation")


def hidden_gradient_distribution(plot: Plot) -> Figure:
    """Share of the entries of dL/dh per bin of magnitudes in every layer; a cloud that drifts to the left fades."""
    return _distribution(plot, "gradient_histogram", "Size of an entry of dL/dh")


def weight_gradient_distribution(plot: Plot) -> Figure:
    """Share of the entries of dL/dW per bin of magnitudes in every layer; a cloud that drifts to the left fades."""
    return _distribution(plot, "weight_gradient_histogram", "Size of an entry of dL/dW")


def _distribution(plot: Plot, name: str, entries: str) -> Figure:
    """Share of entries per bin (x) in every layer (y), one panel for each network, at the last measured step.

    The column at the left of a magnitude's figure holds what is exactly zero or nearly so. Bins are drawn evenly,
    whatever their width; those that no entry of the run falls into are left out at both ends.
    """
    shares = finite(plot.now[name])
    step = str(growing(shares))
    parts = [(style, own.transpose(step, _layers_of(own), ...)) for style, own in _by_network(plot, shares)]
    dim = _layers_of(shares)
    axis = _axis_of(plot, dim)
    _panels(plot, [style for style, _ in parts])
    for row, (style, own) in enumerate(parts, start=1):
        columns = Columns.of(plot, own)
        heat = Heatmap(
            x=np.arange(len(columns.centres)),
            y=own[_layers_of(own)].values,
            z=AtStep(step, single(columns.shares)),
            coloraxis="coloraxis",
            hoverongaps=False,
            customdata=np.broadcast_to(single(columns.centres), columns.shares.shape[1:]),
            hovertemplate=f"{axis.noun} %{{y}}, near %{{customdata:.2~g}}<br>share %{{z:.2%}}"
            f"<extra>{style.label}</extra>",
        )
        plot.add(heat, row=row)
    plot.figure.update_yaxes(title_text=axis.title, showgrid=False, **axis.laid(plot, dim))
    axis.link(plot, "y", dim)
    ends = (-0.5, len(columns.centres) - 0.5)
    plot.figure.update_xaxes(range=ends, showgrid=False, tickangle=0, tickmode="array", **columns.ticks)
    title_below(plot.figure, entries)
    measured = plot.when(f"Measured at {growing_dim(plot.ds)} {{}}.", step)
    plot.finish(measured, height=_height(len(parts)), legend=False, hover="closest")
    words = "Share of the layer's entries in a bin"
    return colour_bar_below(plot.figure, plot.limit(name), look.SEQUENTIAL, words, tickformat=".0%", nticks=6)


@dataclass(frozen=True)
class Columns:
    """What is drawn from left to right: shares (..., column), the centre of each column's bin, and the axis' ticks."""

    shares: NDArray[Any]
    centres: NDArray[Any]
    ticks: dict[str, Any]

    @classmethod
    def of_values(cls, shares: NDArray[Any], centres: NDArray[Any], first: int, last: int) -> Columns:
        """Columns of signed values, bins ``first`` to ``last``."""
        marks = [mark for mark in (-100, -10, -1, 0, 1, 10, 100) if centres[first] <= mark <= centres[last]]
        places = np.interp(marks, centres, np.arange(len(centres))) - first
        ticks = {"tickvals": places, "ticktext": [str(mark).replace("-", "−") for mark in marks]}
        return cls(shares[..., first : last + 1], centres[first : last + 1], ticks)

    @classmethod
    def of_magnitudes(cls, shares: NDArray[Any], centres: NDArray[Any], first: int, last: int) -> Columns:
        """Columns of magnitudes, bins ``first`` to ``last``; bin 0 (zero, or nearly so) stands apart at the left."""
        exponents = np.log10(centres)
        apart = np.full((*shares.shape[:-1], 1), np.nan)
        drawn = np.concatenate([shares[..., :1], apart, shares[..., first : last + 1]], axis=-1)
        low, high = int(np.ceil(exponents[first] - 0.3)), int(np.floor(exponents[last] + 0.3))
        marks = range(low, high + 1, max(1, -(-(high - low + 1) // 5)))
        places = np.interp(marks, exponents, np.arange(len(exponents))) - first + 2
        clear = [(place, power(mark)) for place, mark in zip(places, marks, strict=True) if place > drawn.shape[-1] / 9]
        ticks = {"tickvals": [0, *(place for place, _ in clear)], "ticktext": ["0", *(words for _, words in clear)]}
        return cls(drawn, np.concatenate([[0, np.nan], centres[first : last + 1]]), ticks)

    @classmethod
    def of(cls, plot: Plot, shares: xr.DataArray) -> Columns:
        """The bins that limits keep, of values or of magnitudes; the last dimension of ``shares`` is the bins'."""
        bins = str(shares.dims[-1])
        # Limits of one bin alone are widened by one, and bins that several runs share may be more than this run has.
        first, last = (min(round(end), shares.sizes[bins] - 1) for end in plot.limit(f"{shares.name}_bins"))
        arrange = cls.of_values if bins == "value_bin" else cls.of_magnitudes
        return arrange(shares.values, shares[bins].values, first, last)


def update_to_data(plot: Plot) -> Figure:
    """Spread of each step over the spread of the weights it changes, by layer, over training, on a log axis.

    Near 10^-3 is the usual advice; far below, a layer hardly moves; far above, each step overwrites the weights.
    """
    return lines_of_layers(plot, "update_to_data")


def gradient_to_data(plot: Plot) -> Figure:
    """Spread of each layer's gradient over the spread of its weights, over training, on a log axis.

    The document calls the plot of updates by this name. The two differ by what the optimiser makes of the gradient:
    plain SGD multiplies it by the learning rate, Adam also divides by its usual size, so layers may change places.
    """
    return lines_of_layers(plot, "gradient_to_data")


def lines_of_layers(plot: Plot, name: str) -> Figure:
    """A ratio of each layer over training, at most 20 of them, in a panel for each network, on a log axis."""
    values = plot.thinned(name)
    dim = _layers_of(values)
    kept = np.unique(np.linspace(0, values.sizes[dim] - 1, MOST_LINES).round().astype(int))
    ratios = positive(values.isel({dim: kept})).median("seed")
    parts = _by_network(plot, ratios)
    _panels(plot, [style for style, _ in parts])
    for row, (_, own) in enumerate(parts, start=1):
        _add_lines(plot, own, row=row)
    plot.log_axis(name, "Ratio")
    plot.step_axis()
    if name != "gradient_to_data":
        plot.reference(1e-3, "10⁻³: usual advice")
    count = plot.ds.sizes[dim]
    some = f"{len(kept)} of {count} layers are drawn." if len(kept) < count else ""
    return _explained(plot, ratios[dim].values, dim, [_typical(plot, name), plot.drawn(some)], _height(len(parts)))


def _add_lines(plot: Plot, ratios: xr.DataArray, row: int) -> None:
    """One line for each layer, coloured from the first to the last."""
    steps, dim = str(growing(ratios)), _layers_of(ratios)
    curves = single(ratios.transpose(dim, steps).values)
    layers = ratios[dim].values
    place = _axis_of(plot, dim).linked or dim
    for colour, layer, curve in zip(look.depth_colours(len(layers), plot.theme), layers, curves, strict=True):
        name = str(layer) if _are_names(layers) else f"{_axis_of(plot, dim).noun} {layer}"
        legend = {"legendgroup": name, "showlegend": row == 1} if _are_names(layers) else {"showlegend": False}
        line = Scatter(
            x=ratios[steps].values,
            y=curve,
            mode="lines" if len(curve) > 1 else "markers",
            line={"color": colour, "width": 1.8},
            name=name,
            meta={place: layer.item()},
            hovertemplate=f"{growing_dim(plot.ds)} %{{x}}, {name}<br>%{{y:.2e}}<extra></extra>",
            **legend,
        )
        plot.add(line, row=row)


def _explained(plot: Plot, layers: NDArray[Any], dim: str, notes: list[Words], height: int) -> Figure:
    """Finish lines of layers: names stand in a legend, numbers on a colour bar."""
    if _are_names(layers):
        figure = plot.finish(*notes, height=height, hover="closest")
        legend_under(figure, lines=-(-len(layers) // NAMES_IN_A_LINE), axis=50)
        return figure.update_layout(margin_t=figure.layout.margin.t + HEADING)
    carrier = Scatter(x=[None], y=[None], mode="markers", marker={"color": [0], "coloraxis": "coloraxis"})
    plot.add(carrier.update(showlegend=False, hoverinfo="skip"), row=1)
    plot.finish(*notes, height=height, legend=False, hover="closest")
    whole_range = plot.ds[dim].values
    ends = (int(whole_range.min()), int(whole_range.max()))
    axis = _axis_of(plot, dim)
    colours = look.depth_colourscale(plot.theme)
    return colour_bar_below(plot.figure, ends, colours, axis.title, **axis.ticks(plot.ds, ends))


def _typical(plot: Plot, name: str) -> Words:
    """The middle of a ratio's layers at every step, for each network."""
    values = positive(plot.now[name])
    middle = values.median(["seed", _layers_of(values)])
    within = f"Median of the layers at {growing_dim(plot.ds)} {{step}}, {{}}."
    if "network" in middle.dims:
        return plot.each(middle, times, between=": ", after="; ", within=within)
    dim = str(growing(middle))
    return plot.say(lambda now: within.format(times(float(now)), step=int(now[dim])), middle)


def _layers_of(values: xr.DataArray) -> str:
    """The dimension along which the layers of a variable stand."""
    others = (*GROWING, "network", "seed", VALUE_BIN, MAGNITUDE_BIN)
    return next(str(dim) for dim in values.dims if dim not in others)


def _by_network(plot: Plot, values: xr.DataArray) -> list[tuple[NetworkStyle, xr.DataArray]]:
    """Each network's look and values; one look without a name where there is no such dimension."""
    if "network" not in values.dims:
        return [(NAMELESS, values)]
    return [(plot.look_of(name), values.sel(network=name)) for name in plot.networks]


def _panels(plot: Plot, styles: list[NetworkStyle]) -> None:
    """A panel for each network, headed by its name where it has one."""
    if styles == [NAMELESS]:
        plot.figure = make_subplots()
    else:
        plot.panel_per_network()


def _axis_of(plot: Plot, dim: str) -> LayerAxis:
    axis = plot.quantities[dim]
    if not isinstance(axis, LayerAxis):
        raise TypeError(f"Layers stand along {dim!r}, which is no LayerAxis among the laboratory's quantities.")
    return axis


def _are_names(layers: NDArray[Any]) -> bool:
    return layers.dtype.kind in "OUT"


def _height(panels: int) -> int:
    return 430 if panels == 1 else 180 + 200 * panels
