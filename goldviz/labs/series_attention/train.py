"""What a run of *Transformer for series* does: document 002, sections 4 and 5.

The networks of a seed learn from the same series in the same order. Every look is of a network as its step finds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from goldviz.diagnostics.histograms import MAGNITUDE_BINS, VALUE_BINS
from goldviz.labs.series_attention.extent import trained_networks, window_rows
from goldviz.labs.series_attention.instruments import (
    MAP_ROWS,
    SeedView,
    heard_after,
    loss_ahead,
    of_attention,
    scores,
    similarity_in_probe,
    simple_forecasts,
)
from goldviz.labs.series_attention.networks import (
    SeriesNetwork,
    SeriesTransformer,
    layer_names,
    layers_of,
    series_network,
)
from goldviz.labs.series_attention.outputs import LEVELS, OUTPUTS
from goldviz.labs.series_attention.problem import TESTS, problem_of
from goldviz.labs.series_attention.simple_forecasts import SIMPLE_FORECASTS
from goldviz.labs.series_attention.tasks.windows import SeriesWindows
from goldviz.training.course import RATIOS, Course, learner
from goldviz.training.devices import on_cpu
from goldviz.training.grid import Grid, Learner, table
from goldviz.training.seeds import BATCH_ORDER, DATA, TEST_DATA, stream

if TYPE_CHECKING:
    from goldviz.labs.series_attention.settings import SeriesAttention
    from goldviz.runs.recorder import Recorder

SeriesLearner = Learner[SeriesNetwork]
HISTOGRAMS = ("activation_histogram", "gradient_histogram", "weight_gradient_histogram")


def train(settings: SeriesAttention, record: Recorder[SeriesAttention]) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares."""
    problems = [problem_of(settings, stream(seed, DATA), stream(seed, TEST_DATA)) for seed in settings.seeds]
    views = [SeedView.of(problem, TESTS) for problem in problems]
    orders = [stream(seed, BATCH_ORDER) for seed in settings.seeds]
    windows = dict(zip(orders, (problem.train for problem in problems), strict=True))
    inputs = 1 + len(problems[0].covariates)

    def batch(now: SeriesAttention, order: torch.Generator) -> SeriesWindows:
        own = windows[order]
        return own.chosen(torch.randint(len(own), (now.batch,), generator=order))

    Course(
        networks=trained_networks(settings),
        begin=lambda name, seed, device: learner(series_network(settings, name, inputs, seed).to(device), settings),
        batch=batch,
        loss=lambda one, own, now: (loss_ahead(one.network, OUTPUTS[now.output], own), {}),
        streams={"order": orders},
        look=partial(look, settings=settings, views=views),
        layers=lambda one: layers_of(one.network),
        layer_names=layer_names(settings),
        of_layers={**RATIOS, **{name: name for name in HISTOGRAMS}},
        once=unchanging(settings, views),
        coordinates=coordinates(settings, views[0]),
        attributes={
            "context": problems[0].context,
            "time_unit": problems[0].time_unit,
            "columns_ahead": [link._asdict() for link in problems[0].columns_ahead],
        },
    ).run(settings, record)


def coordinates(settings: SeriesAttention, view: SeedView) -> dict[str, Sequence[object]]:
    """The labels of the dimensions."""
    problem, rows, reach = view.problem, window_rows(settings), heard_after(settings)
    map_rows = list(range(1, min(rows, MAP_ROWS) + 1))
    of_kernel = int(settings.kernel) if "transformer" in trained_networks(settings) else 1
    return {
        "ahead": list(range(1, problem.horizon + 1)),
        "row": list(range(1, (problem.longer.rows if problem.longer is not None else 0) + 1)),
        "share": list(LEVELS),
        "layer_number": list(range(1, settings.layers + 1)),
        "head": list(range(1, settings.heads + 1)),
        "query": map_rows,
        "key": map_rows,
        "lag": list(range(rows)),
        "place": list(range(1, rows + 1)),
        "side": ["query", "key"],
        "kernel_lag": list(range(of_kernel)),
        "depth": list(range(1, (0 if reach is None else len(reach)) + 1)),
        "simple": list(SIMPLE_FORECASTS),
        "value_bin": VALUE_BINS.centres,
        "magnitude_bin": MAGNITUDE_BINS.centres,
    }


def unchanging(settings: SeriesAttention, views: list[SeedView]) -> dict[str, object]:
    """What does not change: the probe, simple forecasts, and who hears whom."""
    problem, reach = views[0].problem, heard_after(settings)
    simple = [simple_forecasts(view.problem) for view in views]
    errors = {
        name: torch.stack([torch.stack([own[one][of] for own in simple]) for one in SIMPLE_FORECASTS]).numpy()
        for name, of in (("simple_error", "horizon_error"), ("simple_weighted", "weighted_error"))
    }
    return {
        **errors,
        "simple_forecast": torch.stack([simple[0][one]["forecast"] for one in SIMPLE_FORECASTS]).numpy(),
        "probe": views[0].probe.values[0].numpy(),
        "floor": problem.floor,
        **({} if reach is None else {"heard": reach}),
    }


def look(grid: Grid[SeriesLearner], *, settings: SeriesAttention, views: list[SeedView]) -> Iterator[dict[str, Tensor]]:
    """What every network forecasts, and where the first Transformer of the first seed looks."""
    networks = grid.each(lambda one: on_cpu(one.network))
    by_network = [
        [
            scores(network, settings, view, settings.seeds[0] if view is views[0] else None)
            for network, view in zip(row, views, strict=True)
        ]
        for row in networks
    ]
    first = [row[0] for row in networks]
    similarity = [similarity_in_probe(network, views[0], settings.compared_row) for network in first]
    attending = [network for network in first if isinstance(network, SeriesTransformer)]
    yield {"fan": torch.stack([row[0].pop("fan") for row in by_network]), "similarity": torch.stack(similarity)}
    rows = table(by_network)
    yield {**rows, "forecast": rows["forecast"][:, 0]}
    if attending:
        yield of_attention(attending[0], settings, views[0])
