"""What a look at a network shows: rolled forecasts and their errors, attention and what it is made of."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from goldviz.diagnostics.layers import activation_readings
from goldviz.labs.series_attention.extent import window_rows
from goldviz.labs.series_attention.networks import SeriesNetwork, SeriesTransformer, layer_names, options_of
from goldviz.labs.series_attention.outputs import LEVELS, OUTPUTS, SeriesOutput
from goldviz.labs.series_attention.rolling import rolled
from goldviz.labs.series_attention.simple_forecasts import SIMPLE_FORECASTS, Problem
from goldviz.labs.series_attention.tasks.surroundings import MOTIF
from goldviz.labs.series_attention.tasks.windows import SeriesProblem, SeriesWindows
from goldviz.models.feedforward.activations import ACTIVATIONS
from goldviz.models.series.log_sparse import log_sparse_keys, reachable_lags
from goldviz.models.series.positions import POSITIONS
from goldviz.models.series.prob_sparse import active_rows, max_mean_scores, rows_by_factor, unevenness
from goldviz.models.series.row_transformer import LEAK
from goldviz.models.series.sinusoids import similarity_by_lag, sinusoidal_code
from goldviz.training.seeds import stream

if TYPE_CHECKING:
    from goldviz.labs.series_attention.settings import SeriesAttention

Measured = dict[str, Tensor]
COURSES = 32
"""Courses of the probe that are drawn for a fan."""
DRAWS = 4
"""The stream of the chances that they are drawn with."""
MAP_ROWS = 64
"""Rows of the probe, at most, whose attention is shown: the last ones hear of the others through means by lag."""


@dataclass(frozen=True)
class SeedView:
    """What a seed's networks are asked: series to learn from and others, scored alike, and a probe among the latter."""

    problem: SeriesProblem
    learned: SeriesWindows
    probe: SeriesWindows

    @classmethod
    def of(cls, problem: SeriesProblem, tests: int) -> SeedView:
        """As many series that are learned from as are tested on, evenly spread."""
        spread = torch.linspace(0, len(problem.train) - 1, min(tests, len(problem.train))).long()
        return cls(problem, problem.train.chosen(spread), problem.test.chosen(slice(0, 1)))


def loss_ahead(network: SeriesNetwork, output: SeriesOutput, windows: SeriesWindows) -> Float[Tensor, ""]:
    """The mean loss of all rows but the first, of which nothing is known, each told all that came before it."""
    raw = network(windows.inputs(), windows.times)
    return output.loss(raw[:, 1:], windows.values[:, 1:]).mean()


@torch.no_grad()
def scores(
    network: SeriesNetwork, settings: SeriesAttention, view: SeedView, courses_of: int | None = None
) -> Measured:
    """Losses one row ahead, errors of forecasts that are rolled on, and the probe's ``forecast``.

    With a seed, ``courses_of``, also the ``fan`` of courses of the probe that it draws.
    """
    output, problem = OUTPUTS[settings.output], view.problem
    test, context = problem.test, problem.context
    forecast, fan = _rolled_with_fan(network, output, view, courses_of)
    with watching_sums(network) as sums:
        losses = [loss_ahead(network, output, windows) for windows in (view.learned, test)]
    train_z, test_z = sums[: len(sums) // 2], sums[len(sums) // 2 :]
    measurements = {
        "train_loss": losses[0],
        "test_loss": losses[1],
        **errors_of(problem, forecast),
        "forecast": forecast[0],
        **fan,
    }
    if problem.longer is not None:
        longer = problem.longer
        median = output.median(network(longer.inputs(), longer.times))
        measurements["row_error"] = (median - longer.values).square().mean(0)
    if settings.task == "market":
        measurements["dead_units"] = dead_by_layer(settings, test_z)
        measurements["recovered"] = torch.tensor(math.nan)
        if sums:
            units = [ACTIVATIONS[settings.activation](LEAK).function(own[0]).flatten(0, 1) for own in (train_z, test_z)]
            values = [windows.inputs()[..., 0].flatten() for windows in (view.learned, test)]
            measurements["recovered"] = torch.tensor(recovered(units[0], values[0], units[1], values[1]))
    if settings.task == "surroundings":
        measurements["bumps_apart"] = bumps_apart(network, test.first_rows(context + 1))
    return measurements


def _rolled_with_fan(
    network: SeriesNetwork, output: SeriesOutput, view: SeedView, courses_of: int | None
) -> tuple[Float[Tensor, "series ahead"], Measured]:
    """Medians of all test series and, where somebody asks for courses, quantiles of those of the probe."""
    test, probe, problem = view.problem.test, view.probe, view.problem
    inputs, times = test.inputs(), test.times
    if courses_of is None:
        return rolled(network, output, inputs, times, problem.context), {}
    chances = torch.rand(COURSES, problem.horizon, generator=stream(courses_of, DRAWS)).clamp(1e-4, 1 - 1e-4)
    # A row costs calls more than arithmetic, so courses are read in the company of the medians, chances of a half.
    both = rolled(
        network,
        output,
        torch.cat([inputs, probe.inputs().expand(COURSES, -1, -1)]),
        torch.cat([times, probe.times.expand(COURSES, -1)]),
        problem.context,
        torch.cat([torch.full((len(test), problem.horizon), 0.5), chances]),
    )
    courses = both[len(test) :]
    return both[: len(test)], {"fan": courses.quantile(courses.new_tensor(LEVELS), 0)}


def errors_of(problem: SeriesProblem, forecast: Float[Tensor, "series ahead"]) -> Measured:
    """``horizon_error`` by row ahead, and ``weighted_error``, R_0.5 in the series' own units."""
    value = problem.test.values[:, problem.context :]
    absolute = problem.scale * (forecast - value).abs().sum()
    return {
        "horizon_error": (forecast - value).square().mean(0),
        "weighted_error": absolute / (problem.scale * value + problem.location).abs().sum(),
    }


@torch.no_grad()
def bumps_apart(network: SeriesNetwork, windows: SeriesWindows) -> Tensor:
    """How far the first block's scores of the first two bumps are apart, for the query of the last row.

    They are of both kinds. A root mean square over series and heads, over the spread of all its scores. A row reads the
    value before it. NaN for a network without attention.
    """
    if not isinstance(network, SeriesTransformer):
        return torch.tensor(math.nan)
    similarity = query_times_keys(network, windows)  # (series, head, row)
    first, second = (similarity[..., place] for place in (2, 2 + MOTIF))
    return (first - second).square().mean().sqrt() / similarity.std()


def query_times_keys(network: SeriesTransformer, windows: SeriesWindows) -> Float[Tensor, "series head row"]:
    """q k / sqrt(d_k) of the last row with itself and all before it, in the first block."""
    block, x, places = network.walk(windows.inputs(), windows.times)[0]
    query, key, _ = block.attention.projected(x, places)
    return (query[..., -1:, :] @ key.mT)[..., 0, :] / math.sqrt(query.shape[-1])


@torch.no_grad()
def similarity_in_probe(network: SeriesNetwork, view: SeedView, row: int) -> Float[Tensor, " place"]:
    """How alike the query of the probe's row and keys are, mean over heads; NaN where there are none.

    Rows count from 1; for 0 it is the first to forecast.
    """
    probe, rows = view.probe, row or view.problem.context + 1
    similarity = torch.full((probe.rows,), math.nan)
    if isinstance(network, SeriesTransformer):
        similarity[:rows] = query_times_keys(network, probe.first_rows(rows))[0].mean(0)
    return similarity


@torch.no_grad()
def of_attention(network: SeriesTransformer, settings: SeriesAttention, view: SeedView) -> Measured:
    """Maps of the probe and their means by lag, kernels, positions, and what ProbSparse chooses."""
    probe = view.probe
    walk = network.walk(probe.inputs(), probe.times)
    maps = torch.cat([block.attention.maps(x, places) for block, x, places in walk])
    attentions = [block.attention for block, _, _ in walk]
    norms = torch.stack(
        [
            torch.stack([by_head(kernel, settings.heads) for kernel in kernels])
            for kernels in (
                [one.query for one in attentions],
                [one.key for one in attentions],
            )
        ]
    )
    measurements = {
        "attention": maps[..., :MAP_ROWS, :MAP_ROWS].half(),
        "attention_by_lag": means_by_lag(maps),
        "kernel_norm": norms,
    }
    measurements |= position_products(network)
    if settings.attention.startswith("prob_sparse"):
        projections = [block.attention.projected(x, places) for block, x, places in walk]
        score_of = unevenness if settings.attention == "prob_sparse" else max_mean_scores
        score = torch.cat([score_of(one.query, one.key) for one in projections])
        rows = rows_by_factor(settings.factor, probe.rows)
        measurements |= {"score": score, "active": active_rows(score, rows).float()}
    return measurements


def by_head(kernel: Float[Tensor, "lag width output"], heads: int) -> Float[Tensor, "head lag"]:
    """The norm of a kernel's matrix at each lag, for the part of the output that a head reads."""
    parts: Tensor = kernel.unflatten(-1, (heads, -1))  # (lag, width, head, head_width)
    return parts.square().sum((1, 3)).sqrt().T


def means_by_lag(maps: Float[Tensor, "*layer row row"]) -> Float[Tensor, "*layer lag"]:
    """The mean weight so many rows back, over the rows that have such a row.

    >>> means_by_lag(torch.tensor([[1.0, 0.0], [0.25, 0.75]])).tolist()
    [0.875, 0.25]
    """
    return torch.stack([maps.diagonal(-lag, -2, -1).mean(-1) for lag in range(maps.shape[-1])], -1)


def position_products(network: SeriesTransformer) -> Measured:
    """``position_product`` and ``position_spread`` by lag: the product of two rows' codes over one's with itself, its
    mean over all rows so many apart, and how much it differs among them. Nothing without positions."""
    shape, code = network.shape, POSITIONS[network.shape.positions]
    places = torch.arange(shape.rows, dtype=torch.float64)
    if code.turned is not None:
        product = similarity_by_lag(places, shape.width // shape.heads)
        return {"position_product": product, "position_spread": torch.zeros_like(product)}
    if code.added is None:
        return {}
    codes = sinusoidal_code(places, shape.width) if network.table is None else network.table.double()
    products = codes @ codes.T
    alike = products / products.diagonal().mean()
    mean, squares = means_by_lag(alike), means_by_lag(alike.square())
    return {"position_product": mean, "position_spread": (squares - mean.square()).clamp(min=0).sqrt()}


def heard_after(settings: SeriesAttention) -> Float[np.ndarray, "depth lag"] | None:
    """Whether a row hears so many rows back after so many blocks; None where the series decide who sees whom."""
    if settings.attention.startswith("prob_sparse"):
        return None
    options = options_of(settings)
    window = options.window if settings.attention == "log_sparse" else window_rows(settings)
    keys = log_sparse_keys(window_rows(settings), window=min(window, window_rows(settings)), restart=options.restart)
    depth = max(settings.layers, math.ceil(math.log2(window_rows(settings))))
    return np.stack([reachable_lags(keys, blocks).numpy() for blocks in range(1, depth + 1)]).astype(np.float32)


def simple_forecasts(problem: SeriesProblem) -> dict[str, Measured]:
    """Errors of every simple forecast on the test series, and what it says of the probe."""
    contexts = problem.test.values[:, : problem.context].numpy()
    simple_problem = Problem(problem.train.values.numpy(), contexts, problem.period)
    answers = {}
    for name, simple in SIMPLE_FORECASTS.items():
        forecast = torch.tensor(simple.forecast(simple_problem), dtype=torch.float32)
        answers[name] = {**errors_of(problem, forecast), "forecast": forecast[0]}
    return answers


RIDGE = 1e-6
"""Of the linear map back, for each row that it is fitted to."""
Sums = Float[Tensor, "series row unit"]


@contextmanager
def watching_sums(network: SeriesNetwork) -> Iterator[list[Sums]]:
    """What each block's nonlinearity is applied to in the passes made meanwhile, block after block; none of a GRU."""
    sums: list[Sums] = []

    def keep(_module: nn.Module, _given: object, output: Tensor) -> None:
        sums.append(output)

    blocks = network.stack() if isinstance(network, SeriesTransformer) else []
    hooks = [block.expand.register_forward_hook(keep) for block in blocks]
    try:
        yield sums
    finally:
        for hook in hooks:
            hook.remove()


def dead_by_layer(settings: SeriesAttention, sums: Sequence[Sums]) -> Float[Tensor, " layer"]:
    """The share of each block's units that are flat at every row; NaN for what has none."""
    names = layer_names(settings)
    shares = torch.full((len(names),), math.nan)
    activation = ACTIVATIONS[settings.activation](LEAK)
    for number, z in enumerate(sums, start=1):
        one = [z.flatten(0, 1)]
        shares[names.index(f"block {number}")] = activation_readings(one, one, activation)["dead_units"][0]
    return shares


def recovered(
    units: Float[Tensor, "row unit"],
    values: Float[Tensor, " row"],
    new_units: Float[Tensor, "other unit"],
    new_values: Float[Tensor, " other"],
) -> float:
    """How much of the variance of negative values a linear map of the units gives back, fitted to other rows.

    1 - squared errors over squared distances from the mean that the map was fitted to. NaN without two such values.

    >>> values = torch.tensor([-1.0, 2.0, -3.0, -2.0])
    >>> recovered(values[:, None] / 7, values, values[:, None] / 7, values) > 0.99
    True
    """
    x, y = units[values < 0].double(), values[values < 0].double()
    new_x, new_y = new_units[new_values < 0].double(), new_values[new_values < 0].double()
    if len(y) < 2 or len(new_y) < 2:
        return math.nan
    centre, level = x.mean(0), y.mean()
    x = x - centre
    weights = torch.linalg.solve(x.T @ x + RIDGE * len(x) * torch.eye(x.shape[1], dtype=x.dtype), x.T @ (y - level))
    errors = new_y - level - (new_x - centre) @ weights
    return float(1 - errors.square().sum() / (new_y - level).square().sum())
