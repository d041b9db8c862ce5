"""The figures of the laboratory *Gradient flow in depth*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.depth_gradients.settings.DepthGradients` declares it. A run that has
just begun, or lacks a variable, gets a figure that says so.
"""

from __future__ import annotations

from functools import partial

from goldviz.figures.limits import Limits
from goldviz.figures.spec import FigureSpec
from goldviz.figures.thumbnail import gradient_by_layer_svg as picture
from goldviz.labs.depth_gradients.figures.activations import activations
from goldviz.labs.depth_gradients.figures.distributions import distributions
from goldviz.labs.depth_gradients.figures.layers import (
    decay_rate,
    gradient_by_layer,
    gradient_factor_by_block,
    gradient_heat_map,
)
from goldviz.labs.depth_gradients.figures.quantities import shared_limits
from goldviz.labs.depth_gradients.figures.training import loss, update_to_data

__all__ = [
    "FIGURES",
    "Limits",
    "activations",
    "decay_rate",
    "distributions",
    "gradient_by_layer",
    "gradient_factor_by_block",
    "gradient_heat_map",
    "loss",
    "picture",
    "shared_limits",
    "update_to_data",
]

FIGURES: dict[str, FigureSpec] = {
    "gradient_by_layer": FigureSpec(
        gradient_by_layer,
        "Does the gradient reach the first layer?",
        "How long the gradient of each weight matrix is, at one epoch and on average so far.",
        "Norms say how long gradients are, not whether they point the right way.",
    ),
    "gradient_heat_map": FigureSpec(
        gradient_heat_map,
        "When does the gradient fade, and where?",
        "The same norms for every epoch of the run, in the same colours for both networks.",
        "Colours tell orders of magnitude apart; changes of a few per cent do not show.",
    ),
    "loss": FigureSpec(
        loss,
        "Do the networks learn?",
        "The training loss over the epochs, and the test loss at the end beside that of predicting zero.",
        "Equal settings are not a fair contest: each network may want a learning rate of its own.",
    ),
    "decay_rate": FigureSpec(
        decay_rate,
        "Where does the gradient shrink?",
        "By how much the gradient shrinks, or grows, from each hidden layer's weight matrix to the one below it.",
        "The input matrix and the read-out have another shape, so they are left out; norms of theirs do not compare.",
    ),
    "gradient_factor": FigureSpec(
        gradient_factor_by_block,
        "What does each block do to the gradient on its way back?",
        "The measured factor of each block, beside the average gain of its Jacobian (document 001, eq. 27, 48).",
        "The average gain is taken without dropout, for a gradient of random direction; a real one prefers some.",
    ),
    "update_to_data": FigureSpec(
        update_to_data,
        "Are the steps the right size?",
        "How large each step is beside the weights that it changes, layer by layer.",
        "The line at 10⁻³ is a rule of thumb: a good ratio does not prove that the steps go the right way.",
    ),
    "activations": FigureSpec(
        activations,
        "Do the units still respond?",
        "The share of saturated activations and of dead units, and the mean and spread of each layer's output.",
        "Shares are averages over units and samples: a few lost units can hide in a healthy layer.",
    ),
    "activation_distribution": FigureSpec(
        partial(distributions, which="activations"),
        "What do the layers put out?",
        "How each layer's activations are distributed.",
        "A distribution over all units cannot tell whether samples are still told apart.",
    ),
    "hidden_gradient_distribution": FigureSpec(
        partial(distributions, which="hidden_gradients"),
        "How large is the signal going back?",
        "How large the entries of dL/dh are in each layer, and how many are exactly zero.",
        "Sizes have no sign: whether entries add up or cancel does not show.",
    ),
    "weight_gradient_distribution": FigureSpec(
        partial(distributions, which="weight_gradients"),
        "How large are the weight gradients?",
        "How large the entries of dL/dW are in each layer, and how many are exactly zero.",
        "Healthy weight gradients do not prove that the signal survives all the way to the input.",
    ),
}
