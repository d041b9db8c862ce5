"""The diagnostic plots of a network's layers (document 002, section 1.3.3), for every run that records their kinds.

:mod:`goldviz.figures.by_kind` offers them. Layers may be numbers or names, networks and seeds may be there or not. The
loss, the first of the five plots, is drawn by :mod:`goldviz.figures.smoothed`. The words on the axis of layers are
those of the laboratory's coordinate, where it declares one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.by_kind import ByKind
from goldviz.figures import theme as look
from goldviz.figures.draft import Heatmap
from goldviz.figures.elements import number_ticks, power, whole
from goldviz.figures.figure_value import Chart, Colours, Panel, axis, colours, marked, names_of, panel
from goldviz.figures.frames import AtStep
from goldviz.figures.kind_figure import growing_of, of_kinds
from goldviz.figures.limits import (
    Quantity,
    Reading,
    Values,
    are_names,
    log_of,
    occupied_bins,
    with_zero,
)
from goldviz.figures.marks import (
    Canvas,
    Channel,
    Curves,
    Heat,
    add_curve,
    at,
    between,
    changed,
    curves,
    median,
    rule,
    thinned,
)
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, growing, growing_dim, single
from goldviz.models.style import NetworkStyle

SIZES = "How large the entries of {} are, and how many are zero or nearly so."
MOST_LINES = 20
LIFT = 2
"""Pixels over the heading of lines of layers that have names."""
NAMES_IN_A_LINE = 2
"""Of layers, in a legend on a phone."""
OF_LAYERS = (
    "update_to_data_by_layer",
    "gradient_to_data_by_layer",
    "activation_histogram",
    "gradient_histogram",
    "weight_gradient_histogram",
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
SHARE = axis("Share", scale="free", range=(-0.04, 1.04), tickformat=".0%", nticks=4)


def by_network(name: str, mark: Callable[[Channel, str], Any], channel: Channel) -> Callable[[Plot], Sequence[Panel]]:
    """A panel for each network of a variable, with the mark that is made of its values and its label.

    One panel without a heading, where the variable has no networks.
    """
    return lambda plot: [
        panel(mark(at(channel, **where), style.label), of=where.get("network", ""), heading=None if where else "")
        for style, where in plot.looks(name)
    ]


def tall(plot: Plot, name: str) -> int:
    """How tall a figure is with a panel for each network of a variable."""
    panels = plot.ds[name].sizes.get("network", 1)
    return 430 if panels == 1 else 180 + 200 * panels


# -- lines of layers over training -------------------------------------------------------------------------------------


@of_kinds(
    "Does every layer get a gradient?",
    "gradient_norm_by_layer",
    shows="How long the gradient of each layer's weights is, over training.",
    cannot_show="Whether gradients point the right way.",
)
def gradient_by_layer(kinds: ByKind) -> Chart:
    """Norm of the gradient of each layer's weights over training, on a log axis.

    A layer whose line lies orders of magnitude below the others is hardly told what to change.
    """
    return lines_of_layers(kinds, "gradient_norm_by_layer", "Gradient norm")


@of_kinds(
    "Are the steps the right size?",
    "update_to_data_by_layer",
    shows="How large each step is beside the weights that it changes.",
)
def update_to_data(kinds: ByKind) -> Chart:
    """Spread of each step over the spread of the weights it changes, by layer, over training, on a log axis.

    Near 10^-3 is the usual advice; far below, a layer hardly moves; far above, each step overwrites the weights.
    """
    return lines_of_layers(kinds, "update_to_data_by_layer", advice=-3.0)


@of_kinds(
    "How large are the gradients beside the weights?",
    "gradient_to_data_by_layer",
    title="Gradients beside the weights",
    shows="How large each layer's gradient is beside its weights.",
)
def gradient_to_data(kinds: ByKind) -> Chart:
    """Spread of each layer's gradient over the spread of its weights, over training, on a log axis.

    The document calls the plot of updates by this name. The two differ by what the optimiser makes of the gradient:
    plain SGD multiplies it by the learning rate, Adam also divides by its usual size, so layers may change places.
    """
    return lines_of_layers(kinds, "gradient_to_data_by_layer")


def lines_of_layers(kinds: ByKind, kind: str, title: str = "Ratio", advice: float | None = None) -> Chart:
    """Numbers of each layer over training, at most 20 of them, in a panel for each network, on a log axis.

    Names of layers stand in a legend, numbers on a colour bar. ``advice`` is the power of ten that is usual.
    """
    name, dim = kinds[kind], kinds.along(kind)
    usual = [] if advice is None else [advice]

    def some(count: int) -> NDArray[Any]:
        return np.unique(np.linspace(0, count - 1, MOST_LINES).round().astype(int))

    def named(plot: Plot) -> bool:
        return are_names(plot.ds[dim].values)

    def scale(plot: Plot) -> Colours | None:
        if named(plot):
            return None
        told, layers = plot.readings.coordinate(dim), plot.ds[dim].values
        ends = (int(layers.min()), int(layers.max()))
        ticks = number_ticks(*whole(ends), names_of(told, plot.ds))
        return colours(told.label, ends=ends, scale=look.depth_colourscale(plot.theme), below=True, **ticks)

    def left_out(plot: Plot) -> str:
        count = plot.ds.sizes[dim]
        few = [f"{MOST_LINES} of {count} layers are drawn."] if count > MOST_LINES else []
        return " ".join([*few, *([_never_moved(plot.ds[name], dim)] if named(plot) else [])]).strip()

    chosen = changed(thinned(name), lambda values: values.isel({dim: some(values.sizes[dim])}))
    return marked(
        by_network(name, lambda values, _: ByLayer(values, dim=dim), chosen),
        lambda plot: [] if named(plot) else [Carrier()],
        *(rule(y=10.0**power, words="10⁻³: usual advice") for power in usual),
        over=growing_of(kinds, name),
        x=axis(showgrid=False, unifiedhovertitle=None),
        y=axis(title, read=lambda ds: np.append(log_of(name)(ds), usual), scale="log"),
        colour=scale,
        lead=left_out,
        seeds=True,
        height=lambda plot: tall(plot, name),
        hover="closest",
        legend=lambda plot: "under" if named(plot) else "none",
        legend_lines=lambda plot: -(-some(plot.ds.sizes[dim]).size // NAMES_IN_A_LINE),
        layout=lambda plot: {"margin_t": plot.figure.layout.margin.t + LIFT} if named(plot) else {},
    )


def _never_moved(values: Array, dim: str) -> str:
    """The layers whose number is exactly 0 at every step, of every network: a log axis has no place for it."""
    zero = (values == 0).all([one for one in values.dims if one != dim]).values
    return f"Exactly 0 throughout: {', '.join(map(str, values[dim].values[zero]))}." if zero.any() else ""


@dataclass(frozen=True)
class ByLayer(Curves):
    """A line for each layer over the steps, with the place ``dim`` by which pages mark it elsewhere.

    Colour, dash and marker tell layers apart that have names, with the range of their seeds; those that are numbered
    are coloured from the first to the last, and drawn as the median of their seeds.
    """

    dim: str = ""

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        plot, values = canvas.plot, canvas.values(self.of, whole=True)
        layers, steps = values[self.dim].values, str(growing(values))
        depths = look.depth_colours(len(layers), plot.theme)
        place = plot.readings.coordinate(self.dim).linked or self.dim
        middles = single(values.median("seed").transpose(self.dim, steps).values)
        for number, (layer, colour, dash, symbol) in enumerate(
            zip(layers, depths, cycle(DASHES), cycle(SYMBOLS), strict=False)
        ):
            named = isinstance(layer, str)
            name = str(layer) if named else f"{plot.readings.noun(self.dim)} {layer}"
            said = f"{growing_dim(plot.ds)} %{{x}}, {name}<br>%{{y:.2e}}<extra></extra>"
            if named:
                style, own = NetworkStyle(name, colour, dash, symbol), values.isel({self.dim: number})
                add_curve(canvas, own, name, style, hover=said, legend=canvas.row in (None, 1), width=1.8)
            else:
                plot.figure.scatter(
                    x=values[steps].values,
                    y=middles[number],
                    mode="lines" if values.sizes[steps] > 1 else "markers",
                    line={"color": colour, "width": 1.8},
                    name=name,
                    hovertemplate=said,
                    showlegend=False,
                    row=canvas.row,
                )
            plot.figure.data[-1].update(meta={place: name if named else layer.item()})


@dataclass(frozen=True)
class Carrier:
    """What has the figure's colour scale where no mark has."""

    def draw(self, canvas: Canvas) -> None:
        """Draw it, out of sight."""
        marker = {"color": [0], "coloraxis": "coloraxis"}
        out_of_sight: dict[str, Any] = {"x": [None], "y": [None], "showlegend": False, "hoverinfo": "skip"}
        canvas.plot.figure.scatter(1, mode="markers", marker=marker, **out_of_sight)


# -- maps of layers, or of places along a sequence, over training ------------------------------------------------------


# -- what the units do at one step -------------------------------------------------------------------------------------


@of_kinds(
    "Do the units still respond?",
    "activation_mean",
    "activation_std",
    shows="Shares of saturated and dead units, and each layer's mean and spread.",
)
def activations(kinds: ByKind) -> Chart:
    """Saturated activations, dead units, and mean ± spread of the activations, by layer at one step.

    A saturated or dead unit passes no gradient; a spread that runs to zero leaves the last layers nothing to tell
    samples apart by.
    """
    headings = {"saturation": "Saturated activations", "dead_units": "Dead units"}
    shares = {kinds[kind]: heading for kind, heading in headings.items() if kind in kinds}
    mean, spread = kinds["activation_mean"], kinds["activation_std"]

    def share(name: str, first: bool, plot: Plot) -> Sequence[Curves]:
        return [
            curves(at(name, **where), style=style, hover="%{y:.1%}", legend=first and bool(style.label))
            for style, where in ([] if plot.lacks(name) else plot.looks(name))
        ]

    def middle(plot: Plot) -> Sequence[Any]:
        return [
            one for style, where in plot.looks(mean) for one in _mean_and_spread(mean, spread, style, where, not shares)
        ]

    return marked(
        *(panel(partial(share, name, row == 0), heading=shares[name], y=SHARE) for row, name in enumerate(shares)),
        panel(middle, heading="Activations: mean ± spread", y=axis("Value", read=_of_spread(mean, spread), nticks=5)),
        over=kinds.along("activation_mean"),
        notes=tuple(lambda plot, name=name: plot.lacks(name) for name in shares),
        seeds=True,
        probes=False,
        height=160 + 160 * (len(shares) + 1),
    )


def _mean_and_spread(mean: str, spread: str, style: NetworkStyle, where: dict[str, str], legend: bool) -> Sequence[Any]:
    middle, half = median(at(mean, **where)), median(at(spread, **where))

    def low(plot: Plot) -> Array:
        return plot.once(middle.read) - plot.once(half.read)

    def high(plot: Plot) -> Array:
        return plot.once(middle.read) + plot.once(half.read)

    return [
        between(low, high, colour=style.colour, alpha=0.22, more={"group": style.label}),
        curves(middle, style=style, hover="mean %{y:.3g}", legend=legend),
    ]


def _of_spread(mean: str, spread: str) -> Reading:
    def values(ds: Run) -> Values:
        if mean not in ds or spread not in ds:
            return np.array([])
        middle, room = finite(ds[mean]).values, finite(ds[spread]).values
        return np.concatenate([(middle - room).ravel(), (middle + room).ravel()])

    return values


# -- distributions at one step -----------------------------------------------------------------------------------------


@of_kinds("What do the layers put out?", "activation_histogram", shows="How the activations are distributed.")
def activation_distribution(kinds: ByKind) -> Chart:
    """Share of activations per bin of values in every layer: a cloud that narrows tells samples apart by less."""
    return _distribution(kinds, "activation_histogram", "Activation")


@of_kinds("How large is the signal going back?", "gradient_histogram", shows=SIZES.format("dL/dh"))
def hidden_gradient_distribution(kinds: ByKind) -> Chart:
    """Share of the entries of dL/dh per bin of magnitudes in every layer; a cloud that drifts to the left fades."""
    return _distribution(kinds, "gradient_histogram", "Size of an entry of dL/dh")


@of_kinds("How large are the weight gradients?", "weight_gradient_histogram", shows=SIZES.format("dL/dW"))
def weight_gradient_distribution(kinds: ByKind) -> Chart:
    """Share of the entries of dL/dW per bin of magnitudes in every layer; a cloud that drifts to the left fades."""
    return _distribution(kinds, "weight_gradient_histogram", "Size of an entry of dL/dW")


def _distribution(kinds: ByKind, kind: str, entries: str) -> Chart:
    """Share of entries per bin (x) in every layer (y), one panel for each network, at the last measured step.

    The column at the left of a magnitude's figure holds what is exactly zero or nearly so. Bins are drawn evenly,
    whatever their width; those that no entry of the run falls into are left out at both ends.
    """
    name, dim, bins = kinds[kind], kinds.along(kind), kinds.dims[kinds[kind]][-1]
    occupied = occupied_bins(name, bins, start=int(bins == "magnitude_bin"))
    whole = changed(name, lambda values: values.transpose(..., dim, bins))
    return marked(
        by_network(name, lambda values, label: Distribution(values, "", dim, label=label), whole),
        x=axis(entries, scale="free", told=lambda plot: Columns.of(plot, name).axis),
        colour=colours(
            "Share of the layer's entries in a bin",
            ends=lambda plot: plot.limit(name),
            scale="share",
            below=True,
            tickformat=".0%",
            nticks=6,
        ),
        limits={name: Quantity(with_zero(name)), f"{name}_bins": Quantity(occupied)},
        seeds=False,
        probes=False,
        height=lambda plot: tall(plot, name),
    )


@dataclass(frozen=True)
class Distribution(Heat):
    """Shares (step, layer, bin) as colours, its bins as :class:`Columns` has them; ``label`` is its network's."""

    label: str = ""

    def draw(self, canvas: Canvas) -> None:
        """Draw it."""
        shares = canvas.values(self.of)
        columns = canvas.plot.once(partial(Columns.of, name=str(shares.name)), f"columns {shares.name}")
        z, layers = single(columns.shares(shares.values)), shares[self.y].values
        noun = canvas.readings.noun(self.y)
        heat = Heatmap(
            x=np.arange(len(columns.centres)),
            y=layers,
            z=AtStep(str(growing(shares)), z),
            coloraxis="coloraxis",
            hoverongaps=False,
            customdata=np.broadcast_to(single(columns.centres), z.shape[1:]),
            hovertemplate=f"{noun} %{{y}}, near %{{customdata:.2~g}}<br>share %{{z:.2%}}<extra>{self.label}</extra>",
        )
        canvas.plot.add(heat, row=canvas.row)


@dataclass(frozen=True)
class Columns:
    """What is drawn from left to right: bins ``first`` to ``last``, the centre of each column's bin, and ticks.

    Of magnitudes, bin 0 (zero, or nearly so) stands ``apart`` at the left.
    """

    first: int
    last: int
    apart: bool
    centres: NDArray[Any]
    ticks: dict[str, Any]

    @classmethod
    def of(cls, plot: Plot, name: str) -> Columns:
        """The bins of a variable that limits keep, of values or of magnitudes."""
        bins = str(plot.ds[name].dims[-1])
        centres = plot.ds[bins].values
        # Limits of one bin alone are widened by one, and bins that several runs share may be more than this run has.
        first, last = (min(round(end), len(centres) - 1) for end in plot.limit(f"{name}_bins"))
        if bins == "value_bin":
            marks = [mark for mark in (-100, -10, -1, 0, 1, 10, 100) if centres[first] <= mark <= centres[last]]
            places = np.interp(marks, centres, np.arange(len(centres))) - first
            ticks = {"tickvals": places, "ticktext": [str(mark).replace("-", "−") for mark in marks]}
            return cls(first, last, False, centres[first : last + 1], ticks)
        exponents = np.log10(centres)
        low, high = int(np.ceil(exponents[first] - 0.3)), int(np.floor(exponents[last] + 0.3))
        powers = range(low, high + 1, max(1, -(-(high - low + 1) // 5)))
        places = np.interp(powers, exponents, np.arange(len(exponents))) - first + 2
        room = (last - first + 3) / 9
        clear = [(place, power(mark)) for place, mark in zip(places, powers, strict=True) if place > room]
        ticks = {"tickvals": [0, *(place for place, _ in clear)], "ticktext": ["0", *(words for _, words in clear)]}
        return cls(first, last, True, np.concatenate([[0, np.nan], centres[first : last + 1]]), ticks)

    def shares(self, values: NDArray[Any]) -> NDArray[Any]:
        """The columns of shares (..., bin)."""
        kept = values[..., self.first : self.last + 1]
        if not self.apart:
            return kept
        return np.concatenate([values[..., :1], np.full((*values.shape[:-1], 1), np.nan), kept], axis=-1)

    @property
    def axis(self) -> dict[str, Any]:
        """What the axis of columns is given."""
        ends = (-0.5, len(self.centres) - 0.5)
        return {"range": ends, "showgrid": False, "tickangle": 0, "tickmode": "array", **self.ticks}


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
