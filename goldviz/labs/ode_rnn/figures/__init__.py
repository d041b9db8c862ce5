"""The figures of the laboratory *ODE-RNN*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.ode_rnn.settings.ODERNNLaboratory` declares it. The argument ``epoch`` is
the scrubber's step; what is measured at looks is shown as of the last look before it. ``path``, ``latent``, ``plane``,
``jumps`` and ``solver`` draw in the same way what ``goldviz.labs.ode_rnn.path.path`` gives for
observations that were edited, which has no looks.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from goldviz.figures.limits import Limits
from goldviz.figures.reading import absence, networks
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.ode_rnn.figures.by_gap import jumps, solver
from goldviz.labs.ode_rnn.figures.path import path
from goldviz.labs.ode_rnn.figures.quantities import shared_limits
from goldviz.labs.ode_rnn.figures.states import latent, plane
from goldviz.labs.ode_rnn.figures.steps_taken import consistency, evaluations
from goldviz.labs.ode_rnn.figures.training import (
    coverage,
    error,
    gradient_by_observation,
    gradient_norm,
    loss,
)

__all__ = [
    "FIGURES",
    "Limits",
    "consistency",
    "coverage",
    "error",
    "evaluations",
    "gradient_by_observation",
    "gradient_norm",
    "jumps",
    "latent",
    "loss",
    "path",
    "picture",
    "plane",
    "shared_limits",
    "solver",
]

FIGURES: dict[str, FigureSpec] = {
    "path": FigureSpec(
        path,
        "What does each network know between two observations?",
        "The forecast for every moment with its 90 % band, and its jump at each observation.",
        "How good a network is: this is one sequence. And the band tells what the network believes, not what is true.",
    ),
    "error": FigureSpec(
        error,
        "Does it know how things go on?",
        "The squared error of the next value on unseen sequences, after gaps as in training and after longer ones.",
        "A fair contest: networks of one size and as many steps do not cost the same, and none was tuned.",
    ),
    "latent": FigureSpec(
        latent,
        "How does the state flow and jump?",
        "The hidden units that move most, between the observations and at them.",
        "What a unit means: units have no order and no sign of their own, and the others move as well.",
    ),
    "plane": FigureSpec(
        plane,
        "Where does the field take the state?",
        "The ODE-RNN's path in the plane of its two principal axes, and the field in that plane at its last state.",
        "The other axes: paths that cross here may be far apart, and the arrows hold near the star alone.",
    ),
    "jumps": FigureSpec(
        jumps,
        "How much news is an observation?",
        "The size of the jump at each observation, by the gap before it.",
        "Whether a jump was right; and sizes of two networks' states have no common scale.",
    ),
    "solver": FigureSpec(
        solver,
        "What does a long gap cost?",
        "Evaluations of the field in each gap, and the distance from a refined solution at its end.",
        "Whether that distance matters for the forecast: see the error with refined steps.",
    ),
    "consistency": FigureSpec(
        consistency,
        "Is it an ODE that was learned, or the solver's map?",
        "The error with the steps of training and with steps four times as fine.",
        "Which of the two is nearer to the truth: a wrong field can be followed exactly.",
    ),
    "coverage": FigureSpec(
        coverage,
        "Are the bands honest?",
        "The share of unseen values inside the 90 % band.",
        "Where they fail: a band can hold 90 % in all and far less after long gaps.",
    ),
    "evaluations": FigureSpec(
        evaluations,
        "Does the field grow stiff?",
        "Evaluations in each step, how much the field stretches along the paths, and its saturated units.",
        "Whether that is bad: a signal that turns fast needs a steep field.",
    ),
    "gradient_by_observation": FigureSpec(
        gradient_by_observation,
        "How far back does the error reach?",
        "How long dL/dh is after each observation, as the error travels back through jumps and flows.",
        "A long gradient early on can come from a loss term close by: every next value is forecast.",
    ),
    "loss": FigureSpec(
        loss,
        "Do the networks learn?",
        "The loss on each step's new sequences.",
        "How far off the forecasts are: the loss also pays for bands that are honest.",
    ),
    "gradient_norm": FigureSpec(
        gradient_norm,
        "How long is the gradient?",
        "The norm of the whole gradient before clipping.",
        "Whether the gradient points the right way; and what is learned has a short one.",
    ),
}

PICTURE_POINTS = 240
"""Places in time at which the home page's picture is drawn: close enough for a jump to look upright."""


def picture(ds: xr.Dataset) -> str:
    """The home page's picture: what the ODE-RNN says of the probe sequence over time, its jumps, and the signal."""
    label = "What the ODE-RNN expects over time: it bends between observations and jumps at each of them."
    if absence(ds, "decoded_mean") or "ode_rnn" not in networks(ds):
        return polyline_svg([], label=label)
    now = ds.isel(look=-1) if "look" in ds.dims else ds
    times, last = ds["moment"].values.astype(np.float64), float(ds["probe_time"].values[-1])
    places = np.linspace(times[0], last, PICTURE_POINTS)
    style = style_of("ode_rnn")
    mean = now["decoded_mean"].sel(network="ode_rnn").isel(channel=0).values
    curves = [Curve(style.label, np.interp(places, times, mean), style.colour)]
    if not absence(ds, "probe_truth"):
        truth = ds["probe_truth"].isel(channel=0).values
        curves.insert(0, Curve("signal", np.interp(places, times, truth), "#76808c", "dot"))
    return polyline_svg(curves, label=label)
