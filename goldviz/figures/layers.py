"""The diagnostic plots of a network's layers (document 002, section 1.3.3), for every run that records their kinds.

:mod:`goldviz.figures.by_kind` offers them. Along which dimension the layers stand is read off each variable. They may
be numbers or names, networks and seeds may be there or not. The loss, the first of the five plots, is drawn by
:mod:`goldviz.figures.smoothed`. The words on the axis of layers are those of the laboratory's coordinate, where it
declares one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.by_kind import ByKind
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
from goldviz.figures.kind_figure import of_kinds
from goldviz.figures.limits import (
    Quantity,
    Reading,
    Values,
    decades,
    ends_of,
    log_of,
    magnitudes,
    occupied_bins,
    padded,
    with_zero,
)
from goldviz.figures.market import legend_under
from goldviz.figures.plot import NAMELESS, Plot
from goldviz.figures.reading import GROWING, finite, growing, growing_dim, positive, single
from goldviz.models.style import NetworkStyle

SIZES = "How large the entries of {} are, and how many are zero or nearly so."
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
RATIOS = ("update_to_data_by_layer", "gradient_to_data_by_layer")
OF_LAYERS = (
    *RATIOS,
    *BINS,
    "activation_mean",
    "activation_std",
    "saturation",
    "dead_units",
    "gradient_norm_by_layer",
    "hidden_gradient_norm_by_layer",
)
"""Kinds with a dimension of layers."""
DASHES = ("solid", "dash", "dot", "longdash", "dashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x")
"""Of layers that have names, which recur where there are more."""

Ends = tuple[float, float]


def numbered(_ds: Run, ends: Ends) -> dict[str, Any]:
    """Ticks at whole numbers."""
    return number_ticks(*whole(ends), {})


def named(_ds: Run, _ends: Ends) -> dict[str, Any]:
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
    ticks: Callable[[Run, Ends], dict[str, Any]] = numbered
    linked: str = ""

    @classmethod
    def of(cls, dim: str) -> LayerAxis:
        """The axis of layers that have names in one run and numbers in another."""
        names, numbers = ends_of_names(dim), ends_of(dim)

        def ends(ds: Run) -> Values:
            return names(ds) if dim in ds.coords and _are_names(ds[dim].values) else numbers(ds)

        def ticks(ds: Run, ends: Ends) -> dict[str, Any]:
            return named(ds, ends) if _are_names(ds[dim].values) else numbered(ds, ends)

        return cls(ends, title=dim.replace("_", " ").capitalize(), noun=dim.replace("_", " "), ticks=ticks)

    def laid(self, plot: Plot, dim: str) -> dict[str, Any]:
        """What every panel's axis is given: its ends and its ticks."""
        ends = plot.limit(dim)
        return {"range": ends, **self.ticks(plot.ds, ends)}

    def link(self, plot: Plot, letter: Literal["x", "y"], dim: str) -> None:
        """Let pages mark the same place in other figures."""
        plot.link(letter, self.linked or dim)


def layer_quantities(kinds: ByKind) -> dict[str, Quantity]:
    """What the figures here have limits for, and an axis for each dimension of layers."""
    quantities: dict[str, Quantity] = {dim: LayerAxis.of(dim) for dim in kinds.dimensions(*OF_LAYERS)}
    for kind, bins in BINS.items():
        for name in kinds.every(kind):
            quantities[name] = Quantity(with_zero(name))
            quantities[f"{name}_bins"] = Quantity(occupied_bins(name, bins, start=int(bins == MAGNITUDE_BIN)))
    for kind in RATIOS:
        usual = [-3.0] if kind == "update_to_data_by_layer" else []
        quantities.update({name: Quantity(_with_advice(name, usual), decades) for name in kinds.every(kind)})
    quantities.update(magnitudes(*kinds.every("gradient_norm_by_layer", "hidden_gradient_norm_by_layer")))
    if "activation_mean" in kinds and "activation_std" in kinds:
        mean, spread = kinds["activation_mean"], kinds["activation_std"]
        quantities[mean] = Quantity(_of_spread(mean, spread), padded)
    return quantities


def _with_advice(name: str, usual: list[float]) -> Reading:
    """Logarithms of a ratio; the usual advice for updates stands among them."""
    return lambda ds: np.append(log_of(name)(ds), usual)


def _of_spread(mean: str, spread: str) -> Reading:
    def values(ds: Run) -> Values:
        if mean not in ds or spread not in ds:
            return np.array([])
        middle, room = finite(ds[mean]).values, finite(ds[spread]).values
        return np.concatenate([(middle - room).ravel(), (middle + room).ravel()])

    return values


@of_kinds(
    "Does every layer get a gradient?",
    "gradient_norm_by_layer",
    shows="How long the gradient of each layer's weights is, over training.",
    cannot_show="Whether gradients point the right way.",
)
def gradient_by_layer(plot: Plot) -> Figure:
    """Norm of the gradient of each layer's weights over training, on a log axis.

    A layer whose line lies orders of magnitude below the others is hardly told what to change.
    """
    return lines_of_layers(plot, "gradient_norm_by_layer", "Gradient norm")


@of_kinds(
    "Do the units still respond?",
    "activation_mean",
    "activation_std",
    shows="Shares of saturated and dead units, and each layer's mean and spread.",
)
def activations(plot: Plot) -> Figure:
    """Saturated activations, dead units, and mean ± spread of the activations, by layer at one step.

    A saturated or dead unit passes no gradient; a spread that runs to zero leaves the last layers nothing to tell
    samples apart by.
    """
    now, kinds = plot.now, plot.kinds
    shares_of = {
        heading: kinds[kind]
        for kind, heading in (("saturation", "Saturated activations"), ("dead_units", "Dead units"))
        if kind in kinds
    }
    plot.panels([*shares_of, "Activations: mean ± spread"])
    missing = []
    for row, name in enumerate(shares_of.values(), start=1):
        plot.figure.update_yaxes(title_text="Share", range=(-0.04, 1.04), tickformat=".0%", nticks=4, row=row)
        if words := plot.lacks(name):
            missing.append(words)
            continue
        for style, shares in plot.by_network(finite(now[name])):
            plot.curve(
                shares, style.label, style=style, hover="%{y:.1%}", row=row, legend=row == 1 and bool(style.label)
            )
    means, last = now[kinds["activation_mean"]], len(shares_of) + 1
    spreads = plot.by_network(finite(now[kinds["activation_std"]]))
    for (style, mean), (_, spread) in zip(plot.by_network(finite(means)), spreads, strict=True):
        _add_mean_and_spread(plot, style, mean, spread.median("seed"), last)
    plot.linear_axis(kinds["activation_mean"], "Value", row=last, nticks=5)
    dim = _layers_of(means)
    axis = axis_of(plot, dim)
    plot.figure.update_xaxes(unifiedhovertitle_text=f"{axis.noun} %{{x}}", **axis.laid(plot, dim))
    title_below(plot.figure, axis.title)
    axis.link(plot, "x", dim)
    step = plot.step_in_words(growing(means))
    return legend_above_headings(plot.finish(plot.drawn(step), *missing, height=160 + 160 * last))


def _add_mean_and_spread(plot: Plot, style: NetworkStyle, means: Array, spread: Array, row: int) -> None:
    mean = means.median("seed")
    low, high = plot.at_step(mean - spread), plot.at_step(mean + spread)
    places = mean[_layers_of(mean)].values
    add_range(plot.figure, style.label, places, low, high, style=style, row=row)
    plot.curve(mean.expand_dims("seed"), style.label, style=style, hover="mean %{y:.3g}", row=row)


@of_kinds(
    "What do the layers put out?",
    "activation_histogram",
    shows="How the activations are distributed.",
)
def activation_distribution(plot: Plot) -> Figure:
    """Share of activations per bin of values in every layer: a cloud that narrows tells samples apart by less."""
    return _distribution(plot, "activation_histogram", "Activation")


@of_kinds(
    "How large is the signal going back?",
    "gradient_histogram",
    shows=SIZES.format("dL/dh"),
)
def hidden_gradient_distribution(plot: Plot) -> Figure:
    """Share of the entries of dL/dh per bin of magnitudes in every layer; a cloud that drifts to the left fades."""
    return _distribution(plot, "gradient_histogram", "Size of an entry of dL/dh")


@of_kinds(
    "How large are the weight gradients?",
    "weight_gradient_histogram",
    shows=SIZES.format("dL/dW"),
)
def weight_gradient_distribution(plot: Plot) -> Figure:
    """Share of the entries of dL/dW per bin of magnitudes in every layer; a cloud that drifts to the left fades."""
    return _distribution(plot, "weight_gradient_histogram", "Size of an entry of dL/dW")


def _distribution(plot: Plot, kind: str, entries: str) -> Figure:
    """Share of entries per bin (x) in every layer (y), one panel for each network, at the last measured step.

    The column at the left of a magnitude's figure holds what is exactly zero or nearly so. Bins are drawn evenly,
    whatever their width; those that no entry of the run falls into are left out at both ends.
    """
    name = plot.kinds[kind]
    shares = finite(plot.now[name])
    step = str(growing(shares))
    parts = [(style, own.transpose(step, _layers_of(own), ...)) for style, own in plot.by_network(shares)]
    dim = _layers_of(shares)
    axis = axis_of(plot, dim)
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
    plot.finish(plot.step_in_words(step), height=_height(len(parts)), legend=False, hover="closest")
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
        bars = np.concatenate([shares[..., :1], apart, shares[..., first : last + 1]], axis=-1)
        low, high = int(np.ceil(exponents[first] - 0.3)), int(np.floor(exponents[last] + 0.3))
        marks = range(low, high + 1, max(1, -(-(high - low + 1) // 5)))
        places = np.interp(marks, exponents, np.arange(len(exponents))) - first + 2
        clear = [(place, power(mark)) for place, mark in zip(places, marks, strict=True) if place > bars.shape[-1] / 9]
        ticks = {"tickvals": [0, *(place for place, _ in clear)], "ticktext": ["0", *(words for _, words in clear)]}
        return cls(bars, np.concatenate([[0, np.nan], centres[first : last + 1]]), ticks)

    @classmethod
    def of(cls, plot: Plot, shares: Array) -> Columns:
        """The bins that limits keep, of values or of magnitudes; the last dimension of ``shares`` is the bins'."""
        bins = str(shares.dims[-1])
        # Limits of one bin alone are widened by one, and bins that several runs share may be more than this run has.
        first, last = (min(round(end), shares.sizes[bins] - 1) for end in plot.limit(f"{shares.name}_bins"))
        arrange = cls.of_values if bins == "value_bin" else cls.of_magnitudes
        return arrange(shares.values, shares[bins].values, first, last)


@of_kinds(
    "Are the steps the right size?",
    "update_to_data_by_layer",
    shows="How large each step is beside the weights that it changes.",
)
def update_to_data(plot: Plot) -> Figure:
    """Spread of each step over the spread of the weights it changes, by layer, over training, on a log axis.

    Near 10^-3 is the usual advice; far below, a layer hardly moves; far above, each step overwrites the weights.
    """
    return lines_of_layers(plot, "update_to_data_by_layer")


@of_kinds(
    "How large are the gradients beside the weights?",
    "gradient_to_data_by_layer",
    title="Gradients beside the weights",
    shows="How large each layer's gradient is beside its weights.",
)
def gradient_to_data(plot: Plot) -> Figure:
    """Spread of each layer's gradient over the spread of its weights, over training, on a log axis.

    The document calls the plot of updates by this name. The two differ by what the optimiser makes of the gradient:
    plain SGD multiplies it by the learning rate, Adam also divides by its usual size, so layers may change places.
    """
    return lines_of_layers(plot, "gradient_to_data_by_layer")


def lines_of_layers(plot: Plot, kind: str, title: str = "Ratio") -> Figure:
    """Numbers of each layer over training, at most 20 of them, in a panel for each network, on a log axis."""
    name = plot.kinds[kind]
    values = plot.thinned(name)
    dim = _layers_of(values)
    indices = np.unique(np.linspace(0, values.sizes[dim] - 1, MOST_LINES).round().astype(int))
    ratios = positive(values.isel({dim: indices}))
    parts = plot.by_network(ratios)
    _panels(plot, [style for style, _ in parts])
    add = _add_curves if _are_names(ratios[dim].values) else _add_lines
    for row, (_, own) in enumerate(parts, start=1):
        add(plot, own, row=row)
    plot.log_axis(name, title)
    plot.step_axis()
    if kind == "update_to_data_by_layer":
        plot.reference(1e-3, "10⁻³: usual advice")
    count = plot.ds.sizes[dim]
    some = f"{len(indices)} of {count} layers are drawn." if len(indices) < count else ""
    note = plot.drawn(some, _never_moved(plot, name))
    return _explained(plot, ratios[dim].values, dim, note, _height(len(parts)))


def _add_curves(plot: Plot, ratios: Array, row: int) -> None:
    """A curve for each named layer with the range of its seeds; colour, dash and marker tell layers apart."""
    dim = _layers_of(ratios)
    layers = ratios[dim].values
    looks = zip(layers, look.depth_colours(len(layers), plot.theme), cycle(DASHES), cycle(SYMBOLS), strict=False)
    for layer, colour, dash, symbol in looks:
        style = NetworkStyle(str(layer), colour, dash, symbol)
        hover = f"{growing_dim(plot.ds)} %{{x}}, {layer}<br>%{{y:.2e}}<extra></extra>"
        plot.curve(ratios.sel({dim: layer}), str(layer), style=style, hover=hover, row=row, width=1.8)
        plot.figure.data[-1].update(meta={axis_of(plot, dim).linked or dim: str(layer)})


def _add_lines(plot: Plot, ratios: Array, row: int) -> None:
    """One line for each numbered layer, coloured from the first to the last: the median of its seeds."""
    steps, dim = str(growing(ratios)), _layers_of(ratios)
    curves = single(ratios.median("seed").transpose(dim, steps).values)
    layers, axis = ratios[dim].values, axis_of(plot, dim)
    for colour, layer, curve in zip(look.depth_colours(len(layers), plot.theme), layers, curves, strict=True):
        name = f"{axis.noun} {layer}"
        line = Scatter(
            x=ratios[steps].values,
            y=curve,
            mode="lines" if len(curve) > 1 else "markers",
            line={"color": colour, "width": 1.8},
            name=name,
            meta={axis.linked or dim: layer.item()},
            hovertemplate=f"{growing_dim(plot.ds)} %{{x}}, {name}<br>%{{y:.2e}}<extra></extra>",
            showlegend=False,
        )
        plot.add(line, row=row)


def _never_moved(plot: Plot, name: str) -> str:
    """The named layers whose number is exactly 0 at every step, of every network: a log axis has no place for it."""
    values = plot.ds[name]
    dim = _layers_of(values)
    layers = values[dim].values
    if not _are_names(layers):
        return ""
    zero = (values == 0).all([one for one in values.dims if one != dim]).values
    return f"Exactly 0 throughout: {', '.join(map(str, layers[zero]))}." if zero.any() else ""


def _explained(plot: Plot, layers: NDArray[Any], dim: str, note: Words, height: int) -> Figure:
    """Finish lines of layers: names stand in a legend, numbers on a colour bar."""
    if _are_names(layers):
        figure = plot.finish(note, height=height, hover="closest")
        legend_under(figure, lines=-(-len(layers) // NAMES_IN_A_LINE), axis=50)
        return figure.update_layout(margin_t=figure.layout.margin.t + HEADING)
    carrier = Scatter(x=[None], y=[None], mode="markers", marker={"color": [0], "coloraxis": "coloraxis"})
    plot.add(carrier.update(showlegend=False, hoverinfo="skip"), row=1)
    plot.finish(note, height=height, legend=False, hover="closest")
    whole_range = plot.ds[dim].values
    ends = (int(whole_range.min()), int(whole_range.max()))
    axis = axis_of(plot, dim)
    colours = look.depth_colourscale(plot.theme)
    return colour_bar_below(plot.figure, ends, colours, axis.title, **axis.ticks(plot.ds, ends))


def _layers_of(values: Array) -> str:
    """The dimension along which the layers of a variable stand."""
    others = (*GROWING, "network", "seed", VALUE_BIN, MAGNITUDE_BIN)
    return next(str(dim) for dim in values.dims if dim not in others)


def _panels(plot: Plot, styles: list[NetworkStyle]) -> None:
    """A panel for each network, headed by its name where it has one."""
    if styles == [NAMELESS]:
        plot.figure = make_subplots()
    else:
        plot.panel_per_network()


def axis_of(plot: Plot, dim: str) -> LayerAxis:
    """The axis along which layers, or places of a sequence, stand."""
    axis = plot.quantities[dim]
    assert isinstance(axis, LayerAxis)
    return axis


def _are_names(layers: NDArray[Any]) -> bool:
    return layers.dtype.kind in "OUT"


def _height(panels: int) -> int:
    return 430 if panels == 1 else 180 + 200 * panels


FIGURES = (
    gradient_by_layer,
    activations,
    activation_distribution,
    hidden_gradient_distribution,
    weight_gradient_distribution,
    update_to_data,
    gradient_to_data,
)
"""In the order in which a page shows them."""
