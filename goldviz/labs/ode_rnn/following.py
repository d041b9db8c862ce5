"""A path along observations that somebody has moved on the page *ODE-RNN*, as a worker process follows it."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.labs.ode_rnn.dense import INSIDE, REFERENCE_STEPS, TAIL
from goldviz.labs.ode_rnn.path import path
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.models.continuous.methods import FIXED, runge_kutta_method
from goldviz.models.continuous.ode_solvers import steps_for
from goldviz.runs.jobs.jobs import Report

UNKNOWN_SECONDS = 0.1
"""For solvers that choose their own steps."""
START_SECONDS, CALL_SECONDS, PRODUCT_SECONDS = 4e-3, 6e-5, 2.5e-10
"""Making the network and the dataset; a call of the field; a product of it. Fitted to one core, on the safe side."""


def follow_seconds(settings: ODERNNLaboratory, times: np.ndarray) -> float:
    """About how long :func:`follow` takes: the calls of the field one after another, and their products.

    The way itself has one state; the moments between have all observations' at once; so has the finer reference.
    """
    if settings.solver not in FIXED:
        return UNKNOWN_SECONDS
    stages = runge_kutta_method(settings.solver).stages
    steps = [steps_for(gap, settings.step_cap) for gap in np.diff(times).tolist()]
    beyond = steps_for(2 * settings.longest_gap, settings.step_cap)
    moments = len(times) * (1 + max(INSIDE, TAIL))
    finer = max(REFERENCE_STEPS, 8 * max(steps, default=1))
    calls = [(stages * sum(steps), 1), (stages * beyond, moments), (4 * finer, len(times))]
    width, hidden = settings.width, settings.hidden
    products = width * (2 * hidden + width)
    return START_SECONDS + sum(count * (CALL_SECONDS + PRODUCT_SECONDS * states * products) for count, states in calls)


def follow(report: Report, settings: str, weights: np.ndarray, times: np.ndarray, values: np.ndarray) -> Run:
    """See :func:`goldviz.labs.ode_rnn.path.path`; ``settings`` in JSON."""
    return path(ODERNNLaboratory.checked_json(settings), weights, times, values)
