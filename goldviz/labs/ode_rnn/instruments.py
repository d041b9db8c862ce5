"""What a look at a network of the laboratory *ODE-RNN* shows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import linear

from goldviz.labs.ode_rnn.dense import DensePath, after_last_observation, dense_path, interval_distance, state_plane
from goldviz.labs.ode_rnn.networks import flat_weights, refined_solver
from goldviz.labs.ode_rnn.series import IrregularBatch
from goldviz.labs.ode_rnn.tasks import ProbeSequence, SequenceSource
from goldviz.models.continuous.observed_series import SeriesError
from goldviz.models.continuous.ode_rnn import ODERNN
from goldviz.models.continuous.series_forecaster import ODESeriesReader, SeriesForecaster, forecast_loss
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
    reader = _ode_reader(network)
    batch, first = view.usual, judged(len(view.usual.times))
    finer_network = ODERNN(reader.network.cell, reader.network.field, refined_solver(settings))
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


def probe_path(network: SeriesForecaster, probe: ProbeSequence, longest_gap: float) -> DensePath:
    """The path along the probe; raises ``SeriesError`` where it cannot be followed."""
    batch = probe.seen
    return dense_path(network, batch.times, batch.values, batch.mask, longest_gap)


@torch.no_grad()
def path_readings(network: SeriesForecaster, path: DensePath) -> Measured:
    """What every network has along the probe, of the first seed."""
    mean, scale = network.decode(path.states)
    return {"state": path.states, "decoded_mean": mean, "decoded_scale": scale, "jump": path.jump}


def path_flow_readings(network: SeriesForecaster, path: DensePath, probe: ProbeSequence) -> Measured:
    """What only an ODE-RNN has along the probe, of the first seed."""
    field = _ode_reader(network).network.field
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


def _ode_reader(network: SeriesForecaster) -> ODESeriesReader:
    if not isinstance(network.reader, ODESeriesReader):
        raise TypeError("Only an ODE-RNN has a field.")
    return network.reader


def _nan() -> Tensor:
    return torch.tensor(math.nan, dtype=torch.float64)
