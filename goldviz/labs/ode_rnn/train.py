"""What a run of *ODE-RNN* does: document 001, section 3.2.2.

The networks of a seed see the same sequences, new ones at every step, and learn to forecast the next observation. They
take their steps in turn, so their curves grow together; what one shows does not depend on the others.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from goldviz.diagnostics.histograms import MAGNITUDE_BINS, VALUE_BINS
from goldviz.diagnostics.layers import (
    LayerStep,
    among,
    distributions,
    of_weights,
    unseen_weights,
    with_means_over_seeds,
)
from goldviz.labs.ode_rnn.instruments import (
    ARROWS_ACROSS,
    Measured,
    SeedView,
    dense_path,
    flow_readings,
    path_flow_readings,
    path_moments,
    path_readings,
    seed_readings,
    seed_view,
    sequence_loss,
    zero_errors,
)
from goldviz.labs.ode_rnn.networks import LAYERS, flat_weights, layers_of, series_network
from goldviz.labs.ode_rnn.settings import lanes
from goldviz.labs.ode_rnn.tasks import IrregularBatch, MarketSequences, SequenceSource, sequence_source
from goldviz.models.continuous.observed_series import SeriesError
from goldviz.models.continuous.series_forecaster import SeriesForecaster
from goldviz.training.clipping import clip_gradients
from goldviz.training.course import learner
from goldviz.training.devices import device_name, on_cpu, training_on
from goldviz.training.grid import Grid, Learner, hand_over, is_look, parameter_count, stacked, steps_from_state, table
from goldviz.training.optimisers import set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.seeds import DATA, TEST_DATA, stream

if TYPE_CHECKING:
    from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
    from goldviz.runs.recorder import Recorder

    Record = Recorder[ODERNNLaboratory]

RISING_SHARE = 0.3
"""Of a run, in which the learning rate rises."""
ROWS = 12
"""Distributions are of the states after so many observations at most."""
FIRST_RATE, LAST_RATE = 0.04, 1e-4
"""Shares of the peak with which the learning rate starts and ends: it rises as long, and from as low, as by PyTorch's
OneCycleLR where nothing else is said."""


SeriesLearner = Learner[SeriesForecaster]


def train(settings: ODERNNLaboratory, record: Record) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares.

    What only an ODE-RNN has is recorded where one is trained. A network that can no longer be followed has a loss that
    is not a number, which ends the run as diverged.
    """
    with training_on(settings.device) as device:
        source = sequence_source(settings)
        orders = [stream(seed, DATA) for seed in settings.seeds]
        views = [seed_view(source, stream(seed, TEST_DATA)) for seed in settings.seeds]
        grid = Grid.made(
            lanes(settings.networks),
            settings.seeds,
            lambda lane, seed: learner(series_network(settings, lane, len(source.channels), seed).to(device), settings),
            order=orders,
        )
        announce(settings, record, source, grid, views, device)

        for step in steps_from_state(record, settings.steps, grid.parts()):
            now = record.settings
            closely = is_look(step, settings.steps, settings.look_every)
            if closely:
                look(grid, views, now, record)
            rate = now.learning_rate * one_cycle_share(step, settings.steps)
            batches = [to_device(source.training(settings.batch, order), device) for order in orders]
            training = partial(train_step, rate=rate, clip=now.clip, closely=closely)
            readings = with_means_over_seeds(table(grid.each(training, batches)))
            evaluations = readings.pop("evaluations")
            hand_over(readings | ({"evaluations": evaluations[0]} if has_field(settings) else {}), record)


def has_field(settings: ODERNNLaboratory) -> bool:
    """Whether an ODE-RNN is trained; it is the first network then."""
    return "ode_rnn" in lanes(settings.networks)


def announce(
    settings: ODERNNLaboratory,
    record: Record,
    source: SequenceSource,
    grid: Grid[SeriesLearner],
    views: list[SeedView],
    device: torch.device,
) -> None:
    """Label the dimensions, and record what does not change: the probe of the first seed, and the cost of saying 0."""
    probe = views[0].probe
    times = probe.seen.times[:, 0]
    moments = path_moments(times, settings.longest_gap)
    record.coordinates(
        network=list(grid.networks),
        seed=list(settings.seeds),
        observation=list(range(1, settings.observations + 1)),
        moment=moments.tolist(),
        channel=list(source.channels),
        unit=list(range(1, settings.hidden + 1)),
        weight=list(range(len(flat_weights(grid.first()[0].network)))),
        axis=["first", "second"],
        arrow=list(range(ARROWS_ACROSS**2)),
        horizon=["in range", "long gap"],
        row=rows_kept(settings.observations),
        layer=list(LAYERS),
        value_bin=VALUE_BINS.centres,
        magnitude_bin=MAGNITUDE_BINS.centres,
    )
    record.attribute(device=device_name(device), time_unit=source.time_unit, longest_gap=settings.longest_gap)
    if isinstance(source, MarketSequences):
        record.attribute(columns_ahead=[link._asdict() for link in source.columns_ahead])
    no_truth = torch.full((len(moments), len(source.channels)), math.nan)
    record.once("probe_time", times.numpy())
    record.once("probe_value", probe.seen.values[:, 0].numpy())
    truth = no_truth if probe.course is None else probe.course(moments[:, None])[:, 0]
    record.once("probe_truth", truth.numpy())
    zero = zero_errors(views)
    record.once("zero_error", zero.mean(1).numpy())
    record.once("zero_error_by_seed", zero.numpy())
    record.once("parameter_count", [parameter_count(one.network) for one in grid.first()])


def one_cycle_share(step: int, steps: int) -> float:
    """The learning rate of a step as a share of its peak: up and down again in half cosines (Smith and Topin 2019).

    >>> [round(one_cycle_share(step, 10), 2) for step in (1, 3, 4, 10)]
    [0.28, 1.0, 0.95, 0.0]
    """
    progress = step / steps
    if progress <= RISING_SHARE:
        return FIRST_RATE + (1 - FIRST_RATE) * (1 - math.cos(math.pi * progress / RISING_SHARE)) / 2
    left = (1 - progress) / (1 - RISING_SHARE)
    return LAST_RATE + (1 - LAST_RATE) * (1 - math.cos(math.pi * left)) / 2


def to_device(batch: IrregularBatch, device: torch.device) -> IrregularBatch:
    """The batch where the networks are; Apple's GPUs have no float64 for its times."""
    times = batch.times.float() if device.type == "mps" else batch.times
    return IrregularBatch(*(part.to(device) for part in (times, batch.values, batch.mask, batch.clean)))


def look(grid: Grid[SeriesLearner], views: list[SeedView], settings: ODERNNLaboratory, record: Record) -> None:
    """Record what every network shows as the step finds it."""
    with record.instrument():
        networks = grid.each(lambda one: on_cpu(one.network))
        readings = [[seed_readings(*pair) for pair in zip(row, views, strict=True)] for row in networks]
        flows = [
            flow_readings(network, settings, view)
            for network, view in zip(networks[0], views, strict=True)
            if has_field(settings)
        ]
        probes, flow = _along_the_probe([row[0] for row in networks], settings, views[0])
    hand_over(table(readings), record)
    for several in (flows, probes):
        if several:
            hand_over(stacked(several), record)
    hand_over(flow, record)


def _along_the_probe(
    networks: list[SeriesForecaster], settings: ODERNNLaboratory, view: SeedView
) -> tuple[list[Measured], Measured]:
    """Nothing where a network cannot be followed: the step's loss is not finite then either."""
    try:
        seen, gap = view.probe.seen, settings.longest_gap
        paths = [dense_path(network, seen.times, seen.values, seen.mask, gap) for network in networks]
    except SeriesError:
        return [], {}
    probes = [path_readings(network, path) for network, path in zip(networks, paths, strict=True)]
    return probes, path_flow_readings(networks[0], paths[0], view.probe) if has_field(settings) else {}


def train_step(one: SeriesLearner, batch: IrregularBatch, rate: float, clip: float, closely: bool) -> Measured:
    """One step on a batch: its loss, NaN where the network cannot be followed, and what led to it.

    ``closely`` adds how the step finds and moves each layer.
    """
    network, optimiser = one.network, one.optimiser
    set_learning_rate(optimiser, rate)
    try:
        trace = network(batch.times, batch.values, batch.mask)
    except SeriesError:
        return unfollowed(len(batch.times), closely)
    loss = sequence_loss(network, trace.before, batch)
    clear_gradients(optimiser)
    loss.backward()
    layers = layers_of(network)
    layer_step = LayerStep([[weights] for weights in layers.values()])
    if closely:
        layer_step.after_backward()
    norm, _ = clip_gradients(network.parameters(), clip or math.inf)
    take_step(optimiser)
    close = of_layers(layer_step, list(layers), trace.after) if closely else {}
    # A network that cannot be followed has its NaN on the CPU.
    return {
        **close,
        "loss": loss.detach().cpu(),
        "gradient_norm": norm.cpu(),
        "evaluations": trace.evaluations.sum().cpu(),
    }


def rows_kept(observations: int) -> list[int]:
    """The observations, counted from 1, whose states' distributions are kept."""
    return sorted({round(row) for row in np.linspace(1, observations, ROWS)})


def of_layers(step: LayerStep, layers: list[str], states: Tensor) -> Measured:
    """What a step shows of the weights, NaN for layers that the network lacks, and of the states after observations."""
    by_layer = among(of_weights(step), layers, list(LAYERS))
    rows = [[states[row - 1]] for row in rows_kept(len(states))]
    return {**by_layer, "activation_histogram": distributions(VALUE_BINS, rows)}


def unfollowed(observations: int, closely: bool) -> Measured:
    """What a step shows of a network that cannot be followed: NaN."""
    nothing = {name: torch.tensor(math.nan) for name in ("loss", "gradient_norm", "evaluations")}
    states = torch.full((len(rows_kept(observations)), len(VALUE_BINS.centres)), math.nan)
    return {**nothing, **unseen_weights(len(LAYERS)), "activation_histogram": states} if closely else nothing
