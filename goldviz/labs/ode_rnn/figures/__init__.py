"""The figures of the laboratory *ODE-RNN*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.ode_rnn.settings.ODERNNLaboratory` declares it. The argument ``epoch`` is
the scrubber's step; what is measured at looks is shown as of the last look before it. ``path``, ``latent``, ``plane``,
``jumps`` and ``solver`` draw in the same way what ``goldviz.labs.ode_rnn.path.path`` gives for
observations that were edited, which has no looks.
"""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.reading import absence, networks
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.ode_rnn.figures.by_gap import jumps, solver
from goldviz.labs.ode_rnn.figures.path import path
from goldviz.labs.ode_rnn.figures.quantities import KINDS, figure, shared_limits
from goldviz.labs.ode_rnn.figures.states import latent, plane
from goldviz.labs.ode_rnn.figures.steps_taken import consistency, evaluations
from goldviz.labs.ode_rnn.figures.training import coverage, error, gradient_by_observation

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(
    figure,
    KINDS,
    path,
    error,
    latent,
    plane,
    jumps,
    solver,
    consistency,
    coverage,
    evaluations,
    gradient_by_observation,
    "loss",
    # It goes under another name here.
    without=("state_gradient",),
)

PICTURE_POINTS = 240
"""Places in time at which the home page's picture is drawn: close enough for a jump to look upright."""


def picture(ds: Run) -> str:
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
    return polyline_svg(curves, label=label, axes=("time", "value"))
