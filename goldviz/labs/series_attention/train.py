"""What a run of *Transformer for series* does: document 002, sections 4 and 5.

The networks of a seed learn from the same series in the same order. Every look is of a network as its step finds it.
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

import torch

from goldviz.diagnostics.histograms import MAGNITUDE_BINS, VALUE_BINS
from goldviz.diagnostics.layers import among, distributions, watching, with_means_over_seeds
from goldviz.labs.series_attention.extent import trained_networks, window_rows
from goldviz.labs.series_attention.instruments import (
    MAP_ROWS,
    Measured,
    SeedView,
    heard_after,
    loss_ahead,
    of_attention,
    scores,
    similarity_in_probe,
    simple_forecasts,
)
from goldviz.labs.series_attention.networks import SeriesNetwork, layer_names, layers_of, series_network
from goldviz.labs.series_attention.outputs import LEVELS, OUTPUTS
from goldviz.labs.series_attention.problem import TESTS, problem_of
from goldviz.labs.series_attention.series_transformer import SeriesTransformer
from goldviz.labs.series_attention.simple_forecasts import SIMPLE_FORECASTS
from goldviz.labs.series_attention.tasks.windows import SeriesWindows
from goldviz.training.clipping import clip_gradients
from goldviz.training.devices import device_name, on_cpu, training_on
from goldviz.training.grid import Grid, Learner, hand_over, is_look, parameter_count, steps_from_state, table
from goldviz.training.optimisers import OPTIMISERS, set_learning_rate
from goldviz.training.quick_steps import clear_gradients, take_step
from goldviz.training.schedules import warm_up_share
from goldviz.training.seeds import BATCH_ORDER, DATA, TEST_DATA, stream

if TYPE_CHECKING:
    from goldviz.labs.series_attention.settings import SeriesAttention
    from goldviz.runs.recorder import Recorder

    Record = Recorder[SeriesAttention]

SeriesLearner = Learner[SeriesNetwork]


def train(settings: SeriesAttention, record: Record) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares."""
    problems = [problem_of(settings, stream(seed, DATA), stream(seed, TEST_DATA)) for seed in settings.seeds]
    views = [SeedView.of(problem, TESTS) for problem in problems]
    orders = [stream(seed, BATCH_ORDER) for seed in settings.seeds]
    inputs = 1 + len(problems[0].covariates)
    with training_on(settings.device) as device:

        def learner(lane: str, seed: int) -> SeriesLearner:
            network = series_network(settings, lane, inputs, seed).to(device)
            return Learner(network, OPTIMISERS[settings.optimiser](network.parameters(), settings.learning_rate))

        grid = Grid.made(trained_networks(settings), settings.seeds, learner, order=orders)
        announce(settings, record, views, grid, device)
        train_windows = [problem.train.to(device) for problem in problems]
        for step in steps_from_state(record, settings.steps, grid.parts()):
            now = record.settings
            rate = now.learning_rate * warm_up_share(step, settings.steps, settings.warm_up)
            record("learning_rate", rate)
            closely = is_look(step, settings.steps, settings.look_every)
            if closely:
                look(settings, record, grid, views)
            picks = [
                torch.randint(len(own), (now.batch,), generator=order)
                for own, order in zip(train_windows, orders, strict=True)
            ]
            batches = [own.chosen(pick.to(device)) for own, pick in zip(train_windows, picks, strict=True)]
            rows = grid.each(partial(learn, now=now, rate=rate, record=record, closely=closely), batches)
            hand_over(with_means_over_seeds(table(rows)), record)


def announce(
    settings: SeriesAttention, record: Record, views: list[SeedView], grid: Grid[SeriesLearner], device: torch.device
) -> None:
    """Label the dimensions, and record what does not change: the probe, simple forecasts, and who hears whom."""
    problem, rows = views[0].problem, window_rows(settings)
    map_rows = list(range(1, min(rows, MAP_ROWS) + 1))
    reach = heard_after(settings)
    record.coordinates(
        network=list(grid.networks),
        seed=list(settings.seeds),
        ahead=list(range(1, problem.horizon + 1)),
        row=list(range(1, (problem.longer.rows if problem.longer is not None else 0) + 1)),
        share=list(LEVELS),
        layer_number=list(range(1, settings.layers + 1)),
        head=list(range(1, settings.heads + 1)),
        query=map_rows,
        key=map_rows,
        lag=list(range(rows)),
        place=list(range(1, rows + 1)),
        side=["query", "key"],
        kernel_lag=list(range(int(settings.kernel) if "transformer" in trained_networks(settings) else 1)),
        layer=layer_names(settings),
        depth=list(range(1, (0 if reach is None else len(reach)) + 1)),
        simple=list(SIMPLE_FORECASTS),
        value_bin=VALUE_BINS.centres,
        magnitude_bin=MAGNITUDE_BINS.centres,
    )
    record.attribute(device=device_name(device), context=problem.context, time_unit=problem.time_unit)
    record.attribute(columns_ahead=[link._asdict() for link in problem.columns_ahead])
    simple = [simple_forecasts(view.problem) for view in views]
    for name, of in (("simple_error", "horizon_error"), ("simple_weighted", "weighted_error")):
        record.once(
            name, torch.stack([torch.stack([own[one][of] for own in simple]) for one in SIMPLE_FORECASTS]).numpy()
        )
    record.once("simple_forecast", torch.stack([simple[0][one]["forecast"] for one in SIMPLE_FORECASTS]).numpy())
    record.once("probe", views[0].probe.values[0].numpy())
    record.once("floor", problem.floor)
    if reach is not None:
        record.once("heard", reach)
    record.once("parameter_count", [parameter_count(one.network) for one in grid.first()])


def look(settings: SeriesAttention, record: Record, grid: Grid[SeriesLearner], views: list[SeedView]) -> None:
    """Record what every network forecasts, and where the first Transformer of the first seed looks."""
    with record.instrument():
        networks = grid.each(lambda one: on_cpu(one.network))
        scores_by_network = [
            [
                scores(network, settings, view, settings.seeds[0] if view is views[0] else None)
                for network, view in zip(row, views, strict=True)
            ]
            for row in networks
        ]
        first = [row[0] for row in networks]
        similarity = torch.stack([similarity_in_probe(network, views[0], settings.compared_row) for network in first])
        attending = [network for network in first if isinstance(network, SeriesTransformer)]
        attention = of_attention(attending[0], settings, views[0]) if attending else {}
    record("fan", torch.stack([row[0].pop("fan") for row in scores_by_network]))
    record("similarity", similarity)
    rows = table(scores_by_network)
    record("forecast", rows.pop("forecast")[:, 0])
    hand_over(rows, record)
    hand_over(attention, record)


def learn(
    one: SeriesLearner, batch: SeriesWindows, *, now: SeriesAttention, rate: float, record: Record, closely: bool
) -> Measured:
    """One step; ``closely`` adds what it shows of the layers."""
    layers = layers_of(one.network)
    with watching(layers) if closely else nullcontext() as step:
        loss = loss_ahead(one.network, OUTPUTS[now.output], batch)
    clear_gradients(one.optimiser)
    loss.backward()
    measurements: Measured = {}
    if step is not None:
        with record.instrument():
            step.after_backward()
            measurements |= step.distributions()
            measurements["activation_histogram"] = distributions(VALUE_BINS, step.outputs)
    norm, _ = clip_gradients(one.network.parameters(), now.clip or math.inf)
    set_learning_rate(one.optimiser, rate)
    take_step(one.optimiser)
    if step is not None:
        with record.instrument():
            measurements |= step.after_step()
            measurements = among(measurements, [layer.name for layer in layers], layer_names(now))
    return measurements | {
        "loss": loss.detach(),
        "norm_before_clip": norm.float(),
        "norm_after_clip": norm.clamp(max=now.clip or math.inf).float(),
    }
