"""What a look at a network of the laboratory *ODE-RNN* shows."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import linear

from goldviz.labs.ode_rnn.networks import FINER, flat_weights, own_solver
from goldviz.labs.ode_rnn.tasks import IrregularBatch, ProbeSequence, SequenceSource
from goldviz.models.continuous.observed_series import SeriesError, gaps_before
from goldviz.models.continuous.ode_rnn import ODERNN
from goldviz.models.continuous.ode_solvers import MOST_STEPS, FixedSteps
from goldviz.models.continuous.series_forecaster import (
    ODESeriesReader,
    ReaderTrace,
    SeriesForecaster,
    forecast_loss,
)
from goldviz.models.continuous.vector_field import TanhField

if TYPE_CHECKING:
    from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

TESTED, TESTED_ON_LONG = 128, 256
"""Sequences of the tests; of one with a long gap, the last forecast alone counts."""
FIRST_JUDGED = 8
"""Forecasts count from the row that has so many before it, or from the last one of a shorter sequence."""
WATCHED = 64
"""Test sequences whose gradients are followed."""
STRETCHED = 16
"""Test sequences along whose paths the field is looked into."""
FLAT = 0.97
BAND = 1.6448536
"""Standard deviations on each side that hold 90 % of a Gaussian."""
INSIDE = 8
"""Moments inside each gap, evenly spread."""
TAIL = 24
"""Moments beyond the last observation, up to twice the longest gap of the training."""
ARROWS_ACROSS = 11
REFERENCE_STEPS = 48

Measured = dict[str, Tensor]


@dataclass(frozen=True)
class SeedView:
    """What one seed's looks look at: unseen sequences with usual gaps, the same with the gaps dealt out anew,
    sequences with a long last gap, and the probe."""

    usual: IrregularBatch
    shuffled: Float[Tensor, "time batch"]
    long: IrregularBatch
    probe: ProbeSequence


def seed_view(source: SequenceSource, generator: torch.Generator) -> SeedView:
    """Drawn once a run."""
    usual = source.unseen(TESTED, generator, long_gap=False)
    long = source.unseen(TESTED_ON_LONG, generator, long_gap=True)
    gaps = usual.times.diff(dim=0)
    order = torch.rand(gaps.shape, generator=generator).argsort(0)
    other_times = torch.cat([usual.times[:1], usual.times[:1] + gaps.gather(0, order).cumsum(0)])
    return SeedView(usual, other_times, long, source.probe(generator))


def forecasts(network: SeriesForecaster, batch: IrregularBatch) -> tuple[Tensor, Tensor]:
    """Mean and scale for every row of some sequences, forecast from the rows before it."""
    return network.decode(network(batch.times, batch.values, batch.mask).before)


def sequence_loss(network: SeriesForecaster, before: Tensor, batch: IrregularBatch) -> Tensor:
    """The loss of forecasting every row but the first, of which nothing can be known."""
    mean, scale = network.decode(before[1:])
    return forecast_loss(mean, scale, batch.values[1:], batch.mask[1:])


def judged(observations: int) -> int:
    """The first row whose forecast counts in a test."""
    return min(FIRST_JUDGED, observations - 1)


def square_error(forecast: Tensor, target: Tensor) -> Tensor:
    """The mean square error where something is wanted, in float64."""
    observed_there = torch.isfinite(target)
    return (forecast[observed_there] - target[observed_there]).double().square().mean()


def zero_errors(views: list[SeedView]) -> Float[Tensor, "horizon seed"]:
    """What forecasting 0 costs on each seed's own tests: with usual gaps, and after long ones."""
    parts = [(view.usual.clean[judged(len(view.usual.clean)) :], view.long.clean[-1]) for view in views]
    return torch.stack([torch.stack([square_error(0 * own, own) for own in part]) for part in parts], 1)


def seed_readings(network: SeriesForecaster, view: SeedView) -> Measured:
    """What every network has, for every seed; NaN where its numbers are not finite."""
    return {
        **_of_tests(network, view),
        "long_gap_error": _long_gap_error(network, view.long),
        "state_gradient_norm": state_gradient_norms(network, view.usual),
    }


@torch.no_grad()
def _of_tests(network: SeriesForecaster, view: SeedView) -> Measured:
    batch, first = view.usual, judged(len(view.usual.times))
    try:
        trace = network(batch.times, batch.values, batch.mask)
        other_forecasts, _ = forecasts(network, replace(batch, times=view.shuffled))
    except SeriesError:
        return {name: _nan() for name in ("error", "coverage", "state_size", "gap_sensitivity")}
    mean, scale = (part[first:] for part in network.decode(trace.before))
    inside = (batch.values[first:] - mean).abs() <= BAND * scale
    return {
        "error": square_error(mean, batch.clean[first:]),
        "coverage": inside[batch.mask[first:]].double().mean(),
        "state_size": torch.stack([trace.before.abs().max(), trace.after.abs().max()]).max(),
        "gap_sensitivity": (other_forecasts[first:] - mean).double().square().mean().sqrt() / mean.double().std(),
    }


@torch.no_grad()
def _long_gap_error(network: SeriesForecaster, batch: IrregularBatch) -> Tensor:
    try:
        mean, _ = forecasts(network, batch)
    except SeriesError:
        return _nan()
    return square_error(mean[-1], batch.clean[-1])


def state_gradient_norms(network: SeriesForecaster, batch: IrregularBatch) -> Float[Tensor, " observation"]:
    """||dL/dh|| of one sequence's own loss by the state after each observation, mean over some sequences.

    Nothing is forecast from the last state. NaN for a network whose numbers are not finite.
    """
    few = IrregularBatch(*(part[:, :WATCHED] for part in (batch.times, batch.values, batch.mask, batch.clean)))
    try:
        before, states = network.reader.chain(few.times, few.values, few.mask)
    except SeriesError:
        return torch.full((len(batch.times),), math.nan)
    gradients = torch.autograd.grad(sequence_loss(network, before, few), states, allow_unused=True)
    slopes = torch.stack([torch.zeros_like(h) if g is None else g for h, g in zip(states, gradients, strict=True)])
    # The loss is a mean over sequences, which divides each one's gradient by their number.
    lengths: Tensor = torch.linalg.vector_norm(slopes.double(), dim=2)
    return lengths.mean(1) * slopes.shape[1]


@torch.no_grad()
def flow_readings(network: SeriesForecaster, settings: ODERNNLaboratory, view: SeedView) -> Measured:
    """What only an ODE-RNN has, for every seed; NaN where its numbers are not finite."""
    reader = ode_reader(network)
    batch, first = view.usual, judged(len(view.usual.times))
    finer_network = ODERNN(reader.network.cell, reader.network.field, own_solver(settings, FINER))
    try:
        mean, _ = network.decode(finer_network(batch.times, batch.values, batch.mask).before[first:])
        trace = network(*(part[:, :STRETCHED] for part in (batch.times, batch.values, batch.mask)))
    except SeriesError:
        return {name: _nan() for name in ("refined_error", "field_saturation", "field_stiffness")}
    states = torch.cat([trace.before, trace.after]).flatten(0, 1).double()
    tanh_values, J = field_at(reader.network.field, states)
    return {
        "refined_error": square_error(mean, batch.clean[first:]),
        "field_saturation": (tanh_values.abs() > FLAT).double().mean(),
        "field_stiffness": torch.linalg.matrix_norm(J, 2).max(),
    }


def field_at(
    field: TanhField, states: Float[Tensor, "points hidden"]
) -> tuple[Float[Tensor, "points units"], Float[Tensor, "points hidden hidden"]]:
    """The values of all tanh units of a field at some states, in float64, and the Jacobian df/dh there."""
    h = states
    J = torch.eye(field.hidden, dtype=h.dtype).expand(len(h), -1, -1)
    *inner, last = [W.double() for W in field.weights]
    values = []
    for W, b in zip(inner, field.biases, strict=False):
        h = torch.tanh(linear(h, W, b.double()))
        J = (1 - h.square())[:, :, None] * (W @ J)
        values.append(h)
    return torch.cat(values, 1), last @ J


@torch.no_grad()
def path_readings(network: SeriesForecaster, path: DensePath) -> Measured:
    """What every network has along the probe, of the first seed."""
    mean, scale = network.decode(path.states)
    return {"state": path.states, "decoded_mean": mean, "decoded_scale": scale, "jump": path.jump}


def path_flow_readings(network: SeriesForecaster, path: DensePath, probe: ProbeSequence) -> Measured:
    """What only an ODE-RNN has along the probe, of the first seed."""
    field = ode_reader(network).network.field
    plane = state_plane(field, path.states, after_last_observation(len(probe.seen.times)))
    return {
        "interval_evaluations": path.trace.evaluations,
        "interval_error": interval_distance(field, path.trace, probe.seen.times),
        "plane_path": plane.path,
        "plane_current": plane.current,
        "explained_variance": plane.explained,
        "arrow_position": plane.positions,
        "arrow_direction": plane.directions,
        "weights": flat_weights(network),
    }


def ode_reader(network: SeriesForecaster) -> ODESeriesReader:
    """What an ODE-RNN reads a series with; raises ``TypeError`` for other networks, which have no field."""
    if not isinstance(network.reader, ODESeriesReader):
        raise TypeError("Only an ODE-RNN has a field.")
    return network.reader


def _nan() -> Tensor:
    return torch.tensor(math.nan, dtype=torch.float64)


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
    """The times of a path's moments: on both sides of each observation, between them, and beyond the last.

    They are ordered: both sides of the first observation, the moments inside the gap, both sides of the second, and so
    on to both sides of the last and a tail. So two equal neighbours are the sides of an observation, left one first.

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
