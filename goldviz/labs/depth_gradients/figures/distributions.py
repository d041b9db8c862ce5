"""How activations and gradients are distributed at one epoch, as maps of layer by bin.

Bins are drawn evenly, whatever their width: values on a stretched scale, magnitudes by half decades. Bins that no
entry of the run falls into are left out at both ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
import xarray as xr
from numpy.typing import NDArray

from goldviz.figures import theme as look
from goldviz.figures.elements import colour_bar_below, panel_per_network, power, worded
from goldviz.figures.limits import Limits
from goldviz.figures.reading import absence, finite, networks, recorded, run_label, single
from goldviz.figures.theme import Theme, style_of
from goldviz.labs.depth_gradients.figures.layers import layer_ticks
from goldviz.labs.depth_gradients.figures.quantities import limit_of

Which = Literal["activations", "hidden_gradients", "weight_gradients"]


@dataclass(frozen=True)
class Distribution:
    """One kind of histogram: its variable, its bins, its title and the words of its x axis."""

    variable: str
    bins: Literal["value_bin", "magnitude_bin"]
    title: str
    axis: str


DISTRIBUTIONS: dict[Which, Distribution] = {
    "activations": Distribution("activation_histogram", "value_bin", "What do the layers put out?", "Activation"),
    "hidden_gradients": Distribution(
        "gradient_histogram", "magnitude_bin", "How large is the signal going back?", "Size of an entry of dL/dh"
    ),
    "weight_gradients": Distribution(
        "weight_gradient_histogram", "magnitude_bin", "How large are the weight gradients?", "Size of an entry of dL/dW"
    ),
}


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


def distributions(
    ds: xr.Dataset, *, which: Which = "activations", epoch: int | None = None, limits: Limits | None = None,
    theme: Theme = "light",
) -> go.Figure:  # fmt: skip
    """Share of entries per bin (x) in every layer (y), one panel for each network, at the last measured epoch.

    A cloud that drifts to the left from layer to layer is a gradient that fades; the column at the left of a
    magnitude's figure holds what is exactly zero or nearly so.
    """
    kind = DISTRIBUTIONS[which]
    if words := absence(ds, kind.variable):
        return worded(words, title=kind.title, theme=theme)
    at = recorded(ds, epoch, "histogram_epoch")
    shares = finite(ds[kind.variable].sel(histogram_epoch=at)).transpose("network", "layer", kind.bins)
    first, last = (round(end) for end in limit_of(f"{kind.variable}_bins", ds, limits))
    arrange = Columns.of_values if kind.bins == "value_bin" else Columns.of_magnitudes
    columns = arrange(shares.values, shares[kind.bins].values, first, last)
    names = networks(ds)
    figure = panel_per_network(names, theme)
    centres = np.broadcast_to(single(columns.centres), columns.shares.shape[1:])
    for row, network in enumerate(names, start=1):
        heat = go.Heatmap(
            x=np.arange(len(columns.centres)), y=shares["layer"].values, z=single(columns.shares[row - 1]),
            coloraxis="coloraxis", hoverongaps=False, customdata=centres,
            hovertemplate="layer %{y}, near %{customdata:.2~g}<br>share %{z:.2%}"
            f"<extra>{style_of(network).label}</extra>",
        )  # fmt: skip
        figure.add_trace(heat, row=row, col=1)
    figure.update_yaxes(
        title_text="Layer", range=limit_of("layer", ds, limits), showgrid=False, **layer_ticks(ds, limits)
    )
    figure.update_xaxes(
        range=(-0.5, len(columns.centres) - 0.5), showgrid=False, tickangle=0, tickmode="array", **columns.ticks
    )
    figure.update_xaxes(title_text=kind.axis, row=len(names), col=1)
    look.apply(
        figure, theme, title=kind.title, notes=[run_label(ds), f"Measured at epoch {at}."], height=580, legend=False,
        hover="closest",
    )  # fmt: skip
    colour_bar_below(
        figure, limit_of(kind.variable, ds, limits), look.SEQUENTIAL, "Share of the layer's entries in a bin",
        tickformat=".0%", nticks=6,
    )  # fmt: skip
    return figure
