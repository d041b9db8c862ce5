"""The figures of the laboratory *Continuous depth*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.continuous_depth.settings.ContinuousDepth` declares it. The argument
``epoch`` is the scrubber's step; what is measured at looks is shown as of the last look before it.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from goldviz.figures.limits import Limits, log10
from goldviz.figures.reading import absence, networks
from goldviz.figures.spec import FigureSpec
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.continuous_depth.figures.paths import carried, decision
from goldviz.labs.continuous_depth.figures.quantities import DEPTH_NETWORKS, shared_limits
from goldviz.labs.continuous_depth.figures.solver import adjoint, euler_steps, tolerance
from goldviz.labs.continuous_depth.figures.training import evaluations, field, gradient_norm, loss

__all__ = [
    "FIGURES",
    "Limits",
    "adjoint",
    "carried",
    "decision",
    "euler_steps",
    "evaluations",
    "field",
    "gradient_norm",
    "loss",
    "picture",
    "shared_limits",
    "tolerance",
]

FIGURES: dict[str, FigureSpec] = {
    "carried": FigureSpec(
        carried,
        "Where does depth carry the points?",
        "Paths of unseen points from depth 0 to depth 1, and the line where the read-out is undecided.",
        "More than two directions at once: with added dimensions it is a view from the side, where paths may seem to "
        "cross.",
    ),
    "loss": FigureSpec(
        loss,
        "Is it learned, and is it a flow?",
        "The loss over the steps, and the loss of the same weights with the field followed exactly.",
        "Equal steps are not equal work: the neural ODE may ask for the field ten times as often.",
    ),
    "decision": FigureSpec(
        decision,
        "What is said of every place?",
        "The probability of class 1 for each place of the plane where a point may start.",
        "How sure one may be: far from all training points the colours are a guess.",
    ),
    "evaluations": FigureSpec(
        evaluations,
        "What does the solver pay?",
        "How often a step asks for the field, forward and back.",
        "The time on a clock; and a batch takes as many steps as its hardest point needs.",
    ),
    "euler_steps": FigureSpec(
        euler_steps,
        "Do more blocks become the flow?",
        "The distance between a residual network's end points and the flow's, by the number of its blocks.",
        "What networks trained with that many blocks would do: each field here was trained once.",
    ),
    "field": FigureSpec(
        field,
        "Does the field grow stiff?",
        "How much the field stretches along the paths, and how many of its tanh units are saturated.",
        "Whether that is bad: a field has to be steep somewhere to part what is close.",
    ),
    "adjoint": FigureSpec(
        adjoint,
        "Is the adjoint right?",
        "The distance between the adjoint's gradient and the one through the solver's steps, and its cost.",
        "Memory: the adjoint keeps no steps, which is its reason to be for networks much larger than these.",
    ),
    "tolerance": FigureSpec(
        tolerance,
        "What does accuracy cost?",
        "Evaluations of the trained field, and the error at the end, by the solver's tolerance.",
        "How training would have gone at another tolerance.",
    ),
    "gradient_norm": FigureSpec(
        gradient_norm,
        "How long is the gradient?",
        "The norm of the whole gradient before clipping.",
        "Whether the gradient points the right way; and a learned task has a short one.",
    ),
}


def picture(ds: xr.Dataset) -> str:
    """The home page's picture: the distance from the flow over the number of Euler steps, on log scales."""
    label = "Distance between a residual network and the flow, which shrinks as its blocks grow in number."
    if absence(ds, "error_by_blocks"):
        return polyline_svg([], label=label)
    errors = log10(ds["error_by_blocks"])
    curves = []
    for name in networks(ds):
        style = DEPTH_NETWORKS[name]
        curves.append(Curve(style.label, np.asarray(errors.sel(network=name)), style.colour, style.dash))
    return polyline_svg(curves, label=label)
