"""A path along observations that somebody has moved on the page *ODE-RNN*, as a worker process follows it."""

from __future__ import annotations

import numpy as np
import xarray as xr

from goldviz.labs.ode_rnn.path import path
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.runs.jobs import Report

FOLLOW_SECONDS = 0.1
"""About what one path takes, from 30 ms to some tenths of a second, by its steps."""


def follow(report: Report, settings: str, weights: np.ndarray, times: np.ndarray, values: np.ndarray) -> xr.Dataset:
    """See :func:`goldviz.labs.ode_rnn.path.path`; ``settings`` in JSON."""
    return path(ODERNNLaboratory.checked_json(settings), weights, times, values)
