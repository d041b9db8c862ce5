"""The path of a trained ODE-RNN along any observations: what the page shows while one of them is moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
import xarray as xr
from jaxtyping import Float

from goldviz.labs.ode_rnn.dense import after_last_observation, dense_path, interval_distance, path_moments, state_plane
from goldviz.labs.ode_rnn.networks import series_network
from goldviz.models.continuous.observed_series import gaps_before
from goldviz.models.continuous.series_forecaster import ODESeriesReader, SeriesForecaster
from goldviz.training.threads import one_thread

if TYPE_CHECKING:
    from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

FARTHEST_GAP = 10.0
"""Times the settings' longest gap; beyond that nothing was learnt, and following it takes long."""


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
    :mod:`goldviz.labs.ode_rnn.dense` for the order of the moments.

    Raises :class:`PathError` for observations and weights that do not fit, and
    :class:`goldviz.models.continuous.observed_series.SeriesError` where the state becomes infinite on the way.
    """
    times, values = np.asarray(times, dtype=np.float64), np.asarray(values, dtype=np.float64)
    _check_observations(times, values)
    with one_thread():
        network = _with_weights(settings, np.asarray(weights), values.shape[1])
        reader = network.reader
        if not isinstance(reader, ODESeriesReader):
            raise TypeError("Only an ODE-RNN has a path through a field.")
        _check_reach(times, min(FARTHEST_GAP * settings.longest_gap, reader.network.solver.longest_gap))
        when = torch.as_tensor(times)[:, None]
        mean_values = torch.as_tensor(values, dtype=torch.get_default_dtype())[:, None]
        mask = torch.isfinite(mean_values)
        trace, states, jump = dense_path(network, when, mean_values, mask, settings.longest_gap)
        mean, scale = network.decode(states)
        moment = after_last_observation(len(times)) if current is None else current
        if not 0 <= moment < len(states):
            raise PathError(f"The current moment is number {moment}; allowed is a number from 0 to {len(states) - 1}.")
        field = reader.network.field
        plane = state_plane(field, states, moment)
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
            "channel": _channel_names(settings, values.shape[1]),
            "axis": ["first", "second"],
            "arrow": np.arange(len(plane.positions)),
        },
        {"longest_gap": settings.longest_gap, "time_unit": "weeks" if settings.task == "market" else "s"},
    )


def _check_observations(
    times: Float[np.ndarray, " observation"], values: Float[np.ndarray, "observation channel"]
) -> None:
    if times.ndim != 1 or values.ndim != 2 or len(values) != len(times):
        raise PathError(
            f"The times have shape {times.shape} and the values {values.shape}; allowed is a time for every row of "
            "values (observations, channels)."
        )
    if len(times) == 0:
        raise PathError("There is no observation; allowed are two or more, with a gap between them.")
    if len(times) == 1:
        raise PathError(
            f"There is one observation, at time {times[0]:g}; allowed are two or more, with a gap between them."
        )
    if not np.isfinite(times).all():
        number = int(np.argmin(np.isfinite(times)))
        raise PathError(f"Observation {number + 1} has the time {times[number]}; allowed are finite numbers.")
    if (np.diff(times) <= 0).any():
        number = int(np.argmax(np.diff(times) <= 0)) + 1
        raise PathError(
            f"Observation {number + 1} at time {times[number]:g} does not come after observation {number} at time "
            f"{times[number - 1]:g}; allowed are times that ascend."
        )
    if np.isinf(values).any():
        number = int(np.argmax(np.isinf(values).any(axis=1)))
        raise PathError(
            f"Observation {number + 1} at time {times[number]:g} has an infinite value; allowed are finite numbers, or "
            "NaN where nothing was observed."
        )
    if np.isnan(values).all():
        raise PathError(
            f"Nothing was observed at any of the {len(times)} times from {times[0]:g} to {times[-1]:g}; allowed is one "
            "value or more."
        )


def _check_reach(times: Float[np.ndarray, " observation"], longest: float) -> None:
    gaps = np.diff(times)
    if (gaps > longest).any():
        number = int(np.argmax(gaps > longest)) + 1
        raise PathError(
            f"Observation {number + 1} at time {times[number]:g} comes {gaps[number - 1]:g} after the one before; "
            f"allowed are gaps of at most {longest:g}, far beyond all that were trained on."
        )


def _with_weights(settings: ODERNNLaboratory, weights: np.ndarray, channels: int) -> SeriesForecaster:
    network = series_network(settings, "ode_rnn", channels, settings.seeds[0])
    count = sum(parameter.numel() for parameter in network.parameters())
    if weights.shape != (count,):
        raise PathError(
            f"The weights have shape {weights.shape}; an ODE-RNN of {settings.hidden} hidden units, a field of width "
            f"{settings.width} and {channels} channels allows ({count},)."
        )
    if not np.isfinite(weights).all():
        raise PathError("The weights of this look are not all finite, so there is no path; choose an earlier look.")
    flat = torch.as_tensor(weights, dtype=torch.get_default_dtype())
    torch.nn.utils.vector_to_parameters(flat, network.parameters())
    return network


def _channel_names(settings: ODERNNLaboratory, channels: int) -> list[str]:
    if settings.task == "market":
        return [f"channel {number + 1}" for number in range(channels)]
    return ["x", "y"][:channels]
