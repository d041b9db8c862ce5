"""The path of a trained ODE-RNN along any observations: what the page shows while one of them is moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
import xarray as xr

from goldviz.labs.ode_rnn.instruments import (
    INSIDE,
    REFERENCE_STEPS,
    TAIL,
    after_last_observation,
    dense_path,
    interval_distance,
    ode_reader,
    path_moments,
    state_plane,
)
from goldviz.labs.ode_rnn.networks import series_network
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.models.continuous.methods import FIXED, runge_kutta_method
from goldviz.models.continuous.observed_series import gaps_before
from goldviz.models.continuous.ode_solvers import steps_for
from goldviz.models.continuous.series_forecaster import SeriesForecaster
from goldviz.training.threads import one_thread

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.runs.jobs.jobs import Report

FARTHEST_GAP = 10.0
"""Times the settings' longest gap; beyond that nothing was learnt, and following it takes long."""
UNKNOWN_SECONDS = 0.1
"""For solvers that choose their own steps."""
START_SECONDS, CALL_SECONDS, PRODUCT_SECONDS = 4e-3, 6e-5, 2.5e-10
"""Making the network and the dataset; a call of the field; a product of it. Fitted to one core, on the safe side."""


class PathError(ValueError):
    """Observations along which no path can be drawn."""

    for_a_person = True


@torch.no_grad()
def path(
    settings: ODERNNLaboratory, weights: np.ndarray, times: np.ndarray, values: np.ndarray, current: int | None = None
) -> xr.Dataset:
    """Follow the ODE-RNN with the flat ``weights`` (the recorded variable of one look) along some observations.

    ``times`` (observations,) ascend, in the task's unit; ``values`` (observations, channels) are NaN where nothing was
    observed. ``current`` is the index of the moment through whose state the plane of the arrows goes, by default the
    one just after the last observation. The dataset has the names and dimensions of the run's own, for one look; see
    :func:`goldviz.labs.ode_rnn.instruments.path_moments` for the order of the moments.

    Raises :class:`PathError` for gaps that are too long and weights that are not finite, and
    :class:`goldviz.models.continuous.observed_series.SeriesError` for other observations that cannot be followed, and
    where the state becomes infinite on the way.
    """
    times, values = np.asarray(times, dtype=np.float64), np.asarray(values, dtype=np.float64)
    with one_thread():
        network = _with_weights(settings, np.asarray(weights), values.shape[1])
        reader = ode_reader(network)
        _refuse_unreachable(times, values, min(FARTHEST_GAP * settings.longest_gap, reader.network.solver.longest_gap))
        when = torch.as_tensor(times)[:, None]
        mean_values = torch.as_tensor(values, dtype=torch.get_default_dtype())[:, None]
        mask = torch.isfinite(mean_values)
        trace, states, jump = dense_path(network, when, mean_values, mask, settings.longest_gap)
        mean, scale = network.decode(states)
        field = reader.network.field
        plane = state_plane(field, states, after_last_observation(len(times)) if current is None else current)
        distance = interval_distance(field, trace, when)
    followed = {
        "state": (("network", "moment", "unit"), states[None]),
        "decoded_mean": (("network", "moment", "channel"), mean[None]),
        "decoded_scale": (("network", "moment", "channel"), scale[None]),
        "jump": (("network", "observation"), jump[None]),
        "interval_evaluations": ("observation", trace.evaluations),
        "interval_error": ("observation", distance),
        "step_size": ("observation", gaps_before(when)[:, 0] / trace.steps.clamp(min=1)),
        "plane_mean": ("unit", plane.mean),
        "plane_axes": (("axis", "unit"), plane.axes),
        "plane_path": (("moment", "axis"), plane.path),
        "plane_current": ("axis", plane.current),
        "explained_variance": ("axis", plane.explained),
        "arrow_position": (("arrow", "axis"), plane.positions),
        "arrow_direction": (("arrow", "axis"), plane.directions),
    }
    names = [f"channel {number + 1}" for number in range(values.shape[1])]
    return xr.Dataset(
        {
            **{name: (dims, numbers.numpy()) for name, (dims, numbers) in followed.items()},
            "probe_time": ("observation", times),
            "probe_value": (("observation", "channel"), values),
        },
        {
            "network": ["ode_rnn"],
            "moment": path_moments(torch.as_tensor(times), settings.longest_gap).numpy(),
            "observation": np.arange(1, len(times) + 1),
            "unit": np.arange(1, settings.hidden + 1),
            "channel": names if settings.task == "market" else ["x", "y"][: len(names)],
            "axis": ["first", "second"],
            "arrow": np.arange(len(plane.positions)),
        },
        {"longest_gap": settings.longest_gap, "time_unit": "weeks" if settings.task == "market" else "s"},
    )


def _refuse_unreachable(times: np.ndarray, values: np.ndarray, longest: float) -> None:
    if np.isnan(values).all():
        raise PathError(
            f"Nothing was observed at any of the {len(times)} times from {times[0]:g} to {times[-1]:g}; allowed is one "
            "value or more."
        )
    gaps = np.diff(times)
    if (gaps > longest).any():
        number = int(np.argmax(gaps > longest)) + 1
        raise PathError(
            f"Observation {number + 1} at time {times[number]:g} comes {gaps[number - 1]:g} after the one before; "
            f"allowed are gaps of at most {longest:g}, far beyond all that were trained on."
        )


def _with_weights(settings: ODERNNLaboratory, weights: np.ndarray, channels: int) -> SeriesForecaster:
    network = series_network(settings, "ode_rnn", channels, settings.seeds[0])
    if not np.isfinite(weights).all():
        raise PathError("The weights of this look are not all finite, so there is no path; choose an earlier look.")
    flat = torch.as_tensor(weights, dtype=torch.get_default_dtype())
    torch.nn.utils.vector_to_parameters(flat, network.parameters())
    return network


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
    """See :func:`path`, which a worker process carries out; ``settings`` are in JSON."""
    return path(ODERNNLaboratory.checked_json(settings), weights, times, values)
