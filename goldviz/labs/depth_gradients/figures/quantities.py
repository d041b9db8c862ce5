"""What the figures of *Gradient flow in depth* have limits for, their layer axis, and readings beyond a variable."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.diagram import Colour, colour_quantities, of_layers
from goldviz.figures.elements import number_ticks, whole
from goldviz.figures.layers import LayerAxis
from goldviz.figures.limits import (
    Quantity,
    Values,
    decades,
    ends_of,
    log10,
    magnitudes,
    padded,
    places,
)
from goldviz.figures.reading import depth_of, positive
from goldviz.labs.depth_gradients.settings import DepthGradients


def gradient_factor(hidden_gradient_norm: Array) -> Array:
    """Measured factor ||dL/dh_(l-1)|| / ||dL/dh_l|| of each block l (document 001, eq. 45), from the hidden states.

    Dimensions of ``hidden_gradient_norm`` with ``block`` (1 to depth) in place of ``hidden``; NaN where a norm
    is zero or not finite.
    """
    norms = positive(hidden_gradient_norm.astype(np.float64))
    below = norms.isel(hidden=slice(0, -1)).rename(hidden="block")
    above = norms.isel(hidden=slice(1, None)).rename(hidden="block")
    return below.assign_coords(block=above["block"]) / above


def decay_between_hidden(ds: Run, rates: Array) -> Array:
    """A run's decay rates between hidden layers: the input matrix and the read-out have another shape and stay out.

    The input matrix of a tied read-out even gets the gradients of both of its uses.
    """
    return rates.sel(layer=slice(1, depth_of(ds) - 1))


def layer_ticks(ds: Run, ends: tuple[float, float]) -> dict[str, Any]:
    """Ticks of the layer axis: 'input' for layer 0, numbers, and 'read-out' for a matrix of its own.

    Where lanes of different depth share the axis, only their common names are words.
    """
    names = {0: "input"}
    if int(ds["layer"].max()) > depth_of(ds):
        names[int(ds["layer"].max())] = "read-out"
    return number_ticks(*whole(ends), names)


def _of_factor(ds: Run) -> Values:
    parts = [gradient_factor(ds["hidden_gradient_norm"])] if "hidden_gradient_norm" in ds else []
    parts += [ds["jacobian_gain"]] if "jacobian_gain" in ds else []
    return np.concatenate([np.array([0.0]), *(log10(part).values.ravel() for part in parts)])


def _of_decay(ds: Run) -> Values:
    if "decay_rate" not in ds:
        return np.array([0.0])
    return np.append(decay_between_hidden(ds, ds["decay_rate"]).values, 0.0)


COLOURS = (
    *of_layers("gradient_norm"),
    Colour("hidden_gradient_norm", "Gradient norm of the hidden state"),
    *of_layers("activation_std", "update_to_data", "gradient_to_data"),
    Colour("weight_norm", "Norm of the weights"),
    Colour("jacobian_gain", "Gain of the layer's Jacobian"),
    *of_layers("saturation", "dead_units"),
)
"""What may colour the networks' diagram."""

KINDS = DepthGradients.variables_by_kind

QUANTITIES = {
    **quantities_by_kind(KINDS),
    **magnitudes("loss_by_depth", "state_change"),
    "gradient_factor": Quantity(_of_factor, decades),
    "decay_rate": Quantity(_of_decay, padded),
    **places("trained_depth", "block"),
    "layer": LayerAxis(ends_of("layer"), ticks=layer_ticks),
    "hidden": LayerAxis(
        ends_of("hidden"), title="Hidden state h(l), from input to read-out", noun="hidden state", linked="layer"
    ),
    **colour_quantities(COLOURS),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)
