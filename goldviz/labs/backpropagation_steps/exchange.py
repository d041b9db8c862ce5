"""What goes to the browser: the drawn network with its numbers, and autograd's gradients to hold beside them.

The browser computes both passes itself after an edit (``goldviz/ui/assets/network_numbers.js``), because a person who
changes a number sees at once what follows. Autograd's numbers come with the next answer of the server.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import xarray as xr

from goldviz.labs.backpropagation_steps.network import drawn, sizes
from goldviz.labs.backpropagation_steps.settings import BackpropagationSteps
from goldviz.models.feedforward.activations import ACTIVATIONS


def network_data(settings: BackpropagationSteps) -> dict[str, Any]:
    """The network before anybody changed a number, and what it is held to."""
    network = drawn(settings)
    linear = settings.loss == "cross_entropy" or settings.last == "identity"
    return {
        "weights": [weight.tolist() for weight in network.weights],
        "biases": [bias.tolist() for bias in network.biases],
        "inputs": network.inputs.tolist(),
        "targets": network.targets.tolist(),
        "activation": settings.activation,
        "last": "identity" if linear else settings.activation,
        "words": ACTIVATIONS[settings.activation].words,
        "slope": settings.slope,
        "loss": settings.loss,
        "penalty": settings.penalty,
        "rate": settings.learning_rate,
    }


def autograd_data(settings: BackpropagationSteps, ds: xr.Dataset) -> dict[str, Any]:
    """Autograd's gradients of the network with these edits, as nested lists without what is beyond a layer."""
    names = ("arriving", "delta", "weight_gradient", "bias_gradient")
    arriving, delta, weights, biases = (ds[f"{name}_autograd"].values for name in names)
    sides = list(enumerate(pairwise(sizes(settings))))
    return {
        "edits": settings.edits,
        "arriving": [arriving[layer, :, :after].tolist() for layer, (_, after) in sides],
        "delta": [delta[layer, :, :after].tolist() for layer, (_, after) in sides],
        "weights": [weights[layer, :after, :before].tolist() for layer, (before, after) in sides],
        "biases": [biases[layer, :after].tolist() for layer, (_, after) in sides],
    }
