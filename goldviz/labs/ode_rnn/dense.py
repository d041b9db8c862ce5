"""The path of a network's state along one sequence: between the observations, on both sides of each, and beyond.

Moments are ordered: both sides of the first observation, the moments inside the gap, both sides of the second, and so
on to both sides of the last and a tail. So two equal neighbours are the sides of an observation, the left one first.
"""

from __future__ import annotations

from copy import deepcopy
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from goldviz.models.continuous.observed_series import gaps_before
from goldviz.models.continuous.ode_solvers import MOST_STEPS, FixedSteps
from goldviz.models.continuous.series_forecaster import ReaderTrace, SeriesForecaster
from goldviz.models.continuous.vector_field import TanhField

INSIDE = 8
"""Moments inside each gap, evenly spread."""
TAIL = 24
"""Moments beyond the last observation, up to twice the longest gap of the training."""
ARROWS_ACROSS = 11
REFERENCE_STEPS = 48


class DensePath(NamedTuple):
    """What a pass over a sequence gave, the states along it and the size of the jump at each observation."""

    trace: ReaderTrace
    states: Float[Tensor, "moment hidden"]
    jump: Float[Tensor, " observation"]


class StatePlane(NamedTuple):
    """The plane of the first two principal axes of some states, and the field in a plane parallel to it.

    ``path`` are the states in that plane, ``explained`` the axes' shares of the variance. ``positions`` lie on a grid
    of the plane through the state ``current`` (its place in the plane), and ``directions`` are dh/dt there, seen along
    the axes.
    """

    mean: Float[Tensor, " hidden"]
    axes: Float[Tensor, "axis hidden"]
    explained: Float[Tensor, " axis"]
    path: Float[Tensor, "moment axis"]
    current: Float[Tensor, " axis"]
    positions: Float[Tensor, "arrow axis"]
    directions: Float[Tensor, "arrow axis"]


def path_moments(times: Float[Tensor, " observation"], longest_gap: float) -> Float[Tensor, " moment"]:
    """The times of the moments.

    >>> [round(float(t), 1) for t in path_moments(torch.tensor([0.0, 0.9]), 1.2)[:13]]
    [0.0, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.9, 1.0]
    """
    starts = times[:, None] + _waits(times, longest_gap)
    sides = torch.cat([times[:, None], starts[:, : INSIDE + 1]], 1)
    return torch.cat([sides[:-1].flatten(), sides[-1, :2], starts[-1, 1:]])


@torch.no_grad()
def dense_path(
    network: SeriesForecaster,
    times: Float[Tensor, "observation 1"],
    values: Float[Tensor, "observation 1 channels"],
    mask: Bool[Tensor, "observation 1 channels"],
    longest_gap: float,
) -> DensePath:
    """Where the state is at each of :func:`path_moments`.

    A moment after an observation has the state that a forecast for it would read, computed in the steps that the
    network's own solver would take to that moment.
    """
    trace = network(times, values, mask)
    before = trace.before[:, 0]
    waits = _waits(times[:, 0], longest_gap)
    later = network.reader.between(trace, times, values, mask, waits.t()[..., None])[:, :, 0].transpose(0, 1)
    sides = torch.cat([before[:, None], later[:, : INSIDE + 1]], 1)
    states = torch.cat([sides[:-1].flatten(0, 1), sides[-1, :2], later[-1, 1:]])
    return DensePath(trace, states, torch.linalg.vector_norm(later[:, 0] - before, dim=1))


def after_last_observation(observations: int) -> int:
    """The index of the moment just after the last observation."""
    return (INSIDE + 2) * (observations - 1) + 1


@torch.no_grad()
def interval_distance(
    field: TanhField, trace: ReaderTrace, times: Float[Tensor, "observation 1"]
) -> Float[Tensor, " observation"]:
    """||h(t-) - reference|| for the gap before each observation, 0 for the first, which has none.

    The reference starts from the same state after the observation before, so errors do not add up over gaps. It is
    RK4 in float64, in :data:`REFERENCE_STEPS` steps a gap, or in eight for each one that the network's solver took.
    """
    gaps = gaps_before(times)[1:, 0].double()
    steps = min(MOST_STEPS, max(REFERENCE_STEPS, 8 * int(trace.steps.max())))
    reference = FixedSteps("rk4", float(gaps.max()) / steps).evolve(
        deepcopy(field).double(), trace.after[:-1, 0].double(), gaps
    )
    distance = torch.linalg.vector_norm(trace.before[1:, 0].double() - reference.state, dim=1)
    return torch.cat([distance.new_zeros(1), distance])


@torch.no_grad()
def state_plane(field: TanhField, states: Float[Tensor, "moment hidden"], current: int) -> StatePlane:
    """The plane through the states, and the field's arrows in its parallel through state number ``current``."""
    wide = states.double()
    mean = wide.mean(0)
    _, sizes, axes = torch.linalg.svd(wide - mean, full_matrices=False)
    axes = axes[:2]
    # An axis has no direction of its own; this choice keeps it while an observation is moved a little.
    strongest = axes.gather(1, axes.abs().argmax(1, keepdim=True))
    axes = axes * torch.where(strongest < 0, -1.0, 1.0)
    path = (wide - mean) @ axes.t()
    low, high = path.min(0).values, path.max(0).values
    margin = 0.08 * (high - low).clamp(min=1e-6)
    across, up = (
        torch.linspace(float(start), float(end), ARROWS_ACROSS, dtype=torch.float64)
        for start, end in zip(low - margin, high + margin, strict=True)
    )
    rows, columns = torch.meshgrid(up, across, indexing="ij")
    positions = torch.stack([columns.flatten(), rows.flatten()], 1)
    places = wide[current] + (positions - path[current]) @ axes
    slopes = field(places.new_zeros(()), places.to(states.dtype)).double()
    variance = sizes.square()
    return StatePlane(mean, axes, variance[:2] / variance.sum(), path, path[current], positions, slopes @ axes.t())


def _waits(times: Float[Tensor, " observation"], longest_gap: float) -> Float[Tensor, "observation place"]:
    """How long after each observation its moments lie: 0 first; those that are not needed are 0 too."""
    waits = times.new_zeros(len(times), 1 + max(INSIDE, TAIL))
    share = torch.arange(1, INSIDE + 1, dtype=times.dtype, device=times.device) / (INSIDE + 1)
    waits[:-1, 1 : INSIDE + 1] = times.diff()[:, None] * share
    tail = torch.arange(1, TAIL + 1, dtype=times.dtype, device=times.device) / TAIL
    waits[-1, 1 : TAIL + 1] = 2 * longest_gap * tail
    return waits
