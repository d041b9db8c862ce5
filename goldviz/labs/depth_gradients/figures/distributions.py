"""How activations and gradients are distributed at one epoch, as maps of layer by bin.

Bins are drawn evenly, whatever their width: values on a stretched scale, magnitudes by half decades. Bins that no
entry of the run falls into are left out at both ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Heatmap
from goldviz.figures.elements import colour_bar_below, power
from goldviz.figures.frames import AtStep
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, single
from goldviz.labs.depth_gradients.figures.quantities import figure, layer_ticks


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


@figure("What do the layers put out?", needs=("activation_histogram",),
        shows="How each layer's activations are distributed.",
        cannot_show="A distribution over all units cannot tell whether samples are still told apart.")  # fmt: skip
def activation_distribution(plot: Plot) -> Figure:
    """Share of activations per bin of values in every layer: a cloud that narrows tells samples apart by less."""
    return _distribution(plot, "activation_histogram", "Activation")


@figure("How large is the signal going back?", needs=("gradient_histogram",),
        shows="How large the entries of dL/dh are in each layer, and how many are exactly zero.",
        cannot_show="Sizes have no sign: whether entries add up or cancel does not show.")  # fmt: skip
def hidden_gradient_distribution(plot: Plot) -> Figure:
    """Share of the entries of dL/dh per bin of magnitudes in every layer; a cloud that drifts to the left fades."""
    return _distribution(plot, "gradient_histogram", "Size of an entry of dL/dh")


@figure("How large are the weight gradients?", needs=("weight_gradient_histogram",),
        shows="How large the entries of dL/dW are in each layer, and how many are exactly zero.",
        cannot_show="Healthy weight gradients do not prove that the signal survives all the way to the "
        "input.")  # fmt: skip
def weight_gradient_distribution(plot: Plot) -> Figure:
    """Share of the entries of dL/dW per bin of magnitudes in every layer; a cloud that drifts to the left fades."""
    return _distribution(plot, "weight_gradient_histogram", "Size of an entry of dL/dW")


def _distribution(plot: Plot, name: str, axis: str) -> Figure:
    """Share of entries per bin (x) in every layer (y), one panel for each network, at the last measured epoch.

    The column at the left of a magnitude's figure holds what is exactly zero or nearly so.
    """
    shares = finite(plot.now[name]).transpose("network", "histogram_epoch", "layer", ...)
    columns = Columns.of(plot, shares)
    plot.panel_per_network()
    centres = np.broadcast_to(single(columns.centres), columns.shares.shape[2:])
    for row, network in enumerate(plot.networks, start=1):
        heat = Heatmap(
            x=np.arange(len(columns.centres)), y=shares["layer"].values,
            z=AtStep("histogram_epoch", single(columns.shares[row - 1])), coloraxis="coloraxis", hoverongaps=False,
            customdata=centres,
            hovertemplate="layer %{y}, near %{customdata:.2~g}<br>share %{z:.2%}"
            f"<extra>{plot.look_of(network).label}</extra>",
        )  # fmt: skip
        plot.add(heat, row=row)
    layers = plot.limit("layer")
    plot.figure.update_yaxes(title_text="Layer", range=layers, showgrid=False, **layer_ticks(plot.ds, layers))
    plot.link("y", "layer")
    plot.figure.update_xaxes(
        range=(-0.5, len(columns.centres) - 0.5), showgrid=False, tickangle=0, tickmode="array", **columns.ticks
    )
    plot.figure.update_xaxes(title_text=axis, row=len(plot.networks))
    plot.finish(plot.when("Measured at epoch {}.", "histogram_epoch"), height=580, legend=False, hover="closest")
    words = "Share of the layer's entries in a bin"
    colour_bar_below(plot.figure, plot.limit(name), look.SEQUENTIAL, words, tickformat=".0%", nticks=6)
    return plot.figure
