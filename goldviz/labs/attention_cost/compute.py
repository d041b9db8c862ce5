"""What *What does attention cost?* shows: costs by formula, and one series attended in every way, in float64."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache, partial

import numpy as np
import torch
import xarray as xr
from jaxtyping import Float
from torch import Generator, Tensor, nn

from goldviz.labs.attention_cost.settings import AttentionCost
from goldviz.labs.attention_cost.tensor_bytes import peak_bytes
from goldviz.models.series import prob_sparse
from goldviz.models.series.attention import ATTENTIONS, AttentionOptions
from goldviz.models.series.full import causal_mask, full_attention, full_attention_with_maps, masked_attention
from goldviz.models.series.log_sparse import SparseKeys, log_sparse_attention, log_sparse_keys, reach, reachable_lags
from goldviz.models.series.row_transformer import Projected, RowShape, RowTransformer, initialise_rows
from goldviz.training.seeds import BATCH_ORDER, DATA, READ_OUT_WEIGHTS, WEIGHTS, stream
from goldviz.training.threads import one_thread

STEPS, BATCH, LEARNING_RATE = 200, 8, 2e-2
"""Of the head that is trained."""
NOISE = 0.2


def patterns(series: int, rows: int, period: int, generator: Generator) -> Float[torch.Tensor, "series row"]:
    """Series of patterns of so many independent N(0, 1) entries over and over, with noise."""
    pattern = torch.randn(series, period, generator=generator)
    return pattern[:, torch.arange(rows) % period] + NOISE * torch.randn(series, rows, generator=generator)


@lru_cache(maxsize=8)
def trained_head(length: int, width: int, period: int, seed: int) -> Projected:
    """The head's query, key and value (batch 1, head 1, time, width) for a series that it did not learn from.

    One block of one head with rotary positions, trained by Adam to say the next value of every row: squared errors, 200
    steps of 8 series each, from streams of the seed. It learns in float32, and what it gives is in float64.
    """
    network = RowTransformer(RowShape(1, length, layers=1, heads=1, width=width, positions="rotary"))
    read_out = nn.Linear(width, 1)
    initialise_rows(network, lambda index: stream(seed, WEIGHTS + index))
    with torch.no_grad():
        read_out.weight.normal_(0, width**-0.5, generator=stream(seed, READ_OUT_WEIGHTS))
        read_out.bias.zero_()
    data = stream(seed, BATCH_ORDER)
    optimiser = torch.optim.Adam([*network.parameters(), *read_out.parameters()], LEARNING_RATE)
    with torch.enable_grad():
        for _ in range(STEPS):
            values = patterns(BATCH, length + 1, period, data)
            x, places = network.embedded(values[:, :-1, None], torch.zeros(0))
            loss = (read_out(network.states(x, places))[..., 0] - values[:, 1:]).square().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    with torch.no_grad():
        test_series = patterns(1, length, period, data)
        block, x, places = network.double().walk(test_series[..., None].double(), torch.zeros(0))[0]
        return block.attention.projected(x, places)


LENGTHS = tuple(2**power for power in range(6, 14))
"""64 to 8,192, for which costs are told."""
PERIOD = 16
MATCHED = 10
"""One row in so many matches a key, where the data are peaked."""
DRAWS = 8
"""How often rows are chosen at random."""
CHANGES = 24
"""Rows that are changed one at a time, at most."""
SIZES = 10
"""Numbers of active rows at which the error is told."""
HELD_LENGTHS = (128, 512)
"""Lengths at which bytes are counted, not told by formula."""
SHOWN = 16
"""Rows of the masks that are drawn."""
IN_A_MEAN = 0.5
PROBED = ("full", "log_sparse", "prob_sparse")
Head = tuple[Tensor, Tensor, Tensor]


def options_of(settings: AttentionCost) -> AttentionOptions:
    """What the kinds of attention are told."""
    restart = settings.restart or None
    return AttentionOptions(settings.window, restart, settings.sampling_factor, settings.seed)


def keys_of(settings: AttentionCost, length: int) -> SparseKeys:
    """LogSparse's keys; a window wider than the series is as wide as it."""
    return log_sparse_keys(length, window=settings.window, restart=settings.restart or None)


def head(settings: AttentionCost) -> Head:
    """Queries, keys and values (batch 1, head 1, time, width) of the settings' series.

    *Peaked*: queries are short, but a tenth of them are twice a key that they see. *Periodic*: queries and keys are the
    same mix of sines of period 16, with noise. *Trained*: see :func:`trained_head`.
    """
    if settings.data == "trained":
        return trained_head(settings.length, settings.width, PERIOD, settings.seed)
    generator = stream(settings.seed, DATA)
    time, width = settings.length, settings.width
    q, k, v = torch.randn(3, time, width, generator=generator, dtype=torch.float64)
    if settings.data == "peaked":
        rows = torch.randperm(time, generator=generator)[: max(1, time // MATCHED)]
        share = torch.rand(len(rows), generator=generator, dtype=torch.float64)
        q = 0.3 * q
        q[rows] = 2 * k[(share * (rows + 1)).long()]
    elif settings.data == "periodic":
        phase = 2 * math.pi * torch.arange(time, dtype=torch.float64)[:, None] / PERIOD * torch.tensor([1.0, 2.0])
        mix = torch.randn(4, width, generator=generator, dtype=torch.float64)
        waves = torch.cat([phase.sin(), phase.cos()], 1) @ mix
        q, k = waves + 0.3 * q, waves + 0.3 * k
    return q[None, None], k[None, None], v[None, None]


def compute(settings: AttentionCost) -> xr.Dataset:
    """Costs by length, and of the series: errors, scores, who hears whom, and what moves when a row changes.

    Rows and cells count from 1. Errors are relative to full attention's output, by the norm of all its numbers.
    """
    with one_thread(), torch.no_grad():
        q, k, v = head(settings)
        variables = {
            **_masks(settings, q, k),
            **_costs(settings),
            **_errors(settings, q, k, v),
            **_scores(settings, q, k),
            **_reach(settings),
            **_moves(settings, (q, k, v)),
            **_held(settings.width, options_of(settings)),
        }
        cells = keys_of(settings, settings.length).cells
        return xr.Dataset(variables, attrs={"cells": cells, "active": settings.active_rows})


def _masks(settings: AttentionCost, q: Tensor, k: Tensor) -> Mapping[str, xr.DataArray]:
    """Whom each of the first rows looks at: 1 by attention, :data:`IN_A_MEAN` where it takes a mean, 0 not at all.

    As large a share of them attends as of the whole series.
    """
    time = min(SHOWN, settings.length)
    ranks = scores(settings, q[..., :time, :], k[..., :time, :])
    attends = chosen(settings, ranks, max(1, round(time * settings.active_rows / settings.length)))[0, 0, :, None]
    earlier = causal_mask(time)
    mean = earlier if settings.lazy_rows == "running" else torch.ones_like(earlier)
    masks = {
        "full": earlier.double(),
        "log_sparse": reach(keys_of(settings, time), 1).double(),
        "prob_sparse": torch.where(attends, earlier.double(), IN_A_MEAN * mean),
    }
    places = {"masked_by": [*masks], "query": np.arange(1, time + 1), "key": np.arange(1, time + 1)}
    return {"looked_at": xr.DataArray(torch.stack([*masks.values()]).numpy(), coords=places, dims=tuple(places))}


def _costs(settings: AttentionCost) -> Mapping[str, xr.DataArray]:
    options = options_of(settings)
    costs = np.array(
        [[kind.cost(length, settings.width, options) for length in LENGTHS] for kind in ATTENTIONS.values()]
    )
    places = {"kind": [*ATTENTIONS], "series_length": [*LENGTHS]}
    return {
        name: xr.DataArray(costs[..., part], coords=places, dims=("kind", "series_length"))
        for part, name in enumerate(("multiplications", "bytes"))
    }


@lru_cache(maxsize=8)
def _held(width: int, options: AttentionOptions) -> Mapping[str, xr.DataArray]:
    """The most bytes of tensors of one head in float32, counted at two lengths.

    Of full attention that keeps its map; of the same with LogSparse's mask of minus infinity; of PyTorch's kernel,
    which works in blocks; and of LogSparse.
    """
    bytes_held = np.zeros((4, len(HELD_LENGTHS)))
    for place, length in enumerate(HELD_LENGTHS):
        q, k, v = torch.zeros(3, 1, 1, length, width)
        keys = log_sparse_keys(length, window=options.window, restart=options.restart)
        visible = torch.zeros(length, length).scatter_(1, keys.index, 1.0).bool()
        works: tuple[Callable[[], object], ...] = (
            partial(masked_attention, q, k, v, causal_mask(length)),
            partial(masked_attention, q, k, v, visible),
            partial(full_attention, q, k, v),
            partial(log_sparse_attention, q, k, v, keys),
        )
        bytes_held[:, place] = [peak_bytes(work, q, k, v) for work in works]
    places = {"held_by": ["map", "mask", "kernel", "log_sparse"], "held_length": [*HELD_LENGTHS]}
    return {"held_bytes": xr.DataArray(bytes_held, coords=places, dims=("held_by", "held_length"))}


def scores(settings: AttentionCost, q: Tensor, k: Tensor) -> Tensor:
    """The score of every row, (batch, head, time), in the way that the settings say."""
    if settings.score == "exact":
        return prob_sparse.unevenness(q, k)
    if settings.score == "max_mean":
        return prob_sparse.max_mean_scores(q, k)
    time = q.shape[-2]
    keys = prob_sparse.rows_by_factor(settings.sampling_factor, time)
    return prob_sparse.sampled_scores(
        q, k, prob_sparse.sampled_keys(time, keys, torch.Generator().manual_seed(settings.seed))
    )


def chosen(settings: AttentionCost, ranks: Tensor, active: int) -> Tensor:
    """Which rows attend, (batch, head, time)."""
    choose = prob_sparse.active_rows if settings.chosen_among == "so_far" else prob_sparse.active_rows_of_all
    return choose(ranks, active)


def lazy(settings: AttentionCost, v: Tensor) -> Tensor:
    """What the other rows take."""
    return prob_sparse.running_mean(v) if settings.lazy_rows == "running" else prob_sparse.mean_of_all(v)


def _error(output: Tensor, exact: Tensor) -> float:
    return float((output - exact).norm() / exact.norm())


def _errors(settings: AttentionCost, q: Tensor, k: Tensor, v: Tensor) -> Mapping[str, xr.DataArray]:
    """By the number u asked for: what is lost with the rows that the score chooses, and with as many random ones."""
    time, exact, rest = settings.length, full_attention(q, k, v), lazy(settings, v)
    ranks, generator = scores(settings, q, k), torch.Generator().manual_seed(settings.seed)
    sizes = sorted({*np.geomspace(1, time, SIZES).round().astype(int).tolist(), settings.active_rows})
    errors = np.zeros((2, len(sizes)))
    for place, size in enumerate(sizes):
        active = chosen(settings, ranks, size)
        errors[0, place] = _error(prob_sparse.prob_sparse_attention(q, k, v, active, rest), exact)
        random = torch.rand(DRAWS, 1, time, generator=generator, dtype=torch.float64)
        rows = prob_sparse.active_rows_of_all(random, int(active.sum()))
        many = [tensor.expand(DRAWS, -1, -1, -1) for tensor in (q, k, v, rest)]
        outputs = prob_sparse.prob_sparse_attention(many[0], many[1], many[2], rows, many[3])
        errors[1, place] = np.mean([_error(output, exact[0]) for output in outputs])
    places = {"chosen_by": ["score", "chance"], "asked": sizes}
    log_sparse = log_sparse_attention(q, k, v, keys_of(settings, time))
    return {
        "error": xr.DataArray(errors, coords=places, dims=("chosen_by", "asked")),
        "log_sparse_error": xr.DataArray(_error(log_sparse, exact)),
    }


def _scores(settings: AttentionCost, q: Tensor, k: Tensor) -> Mapping[str, xr.DataArray]:
    """Of every row: its scores, its divergences from even attention, its largest weight, and whether it attends."""
    weights = full_attention_with_maps(q, k, k).weights[0, 0]
    counts = prob_sparse.visible_counts(q)
    visible = weights.tril() > 0
    logs = torch.where(visible, weights, 1.0).log()
    ranks = scores(settings, q, k)
    values = {
        "unevenness": prob_sparse.unevenness(q, k)[0, 0],
        "max_mean": prob_sparse.max_mean_scores(q, k)[0, 0],
        "ranked_by": ranks[0, 0],
        # KL(uniform || attention) and KL(attention || uniform), written out.
        "from_even": -counts.log() - torch.where(visible, logs, 0.0).sum(-1) / counts,
        "to_even": counts.log() + (weights * logs).sum(-1),
        "top_weight": weights.amax(-1),
        "attends": chosen(settings, ranks, settings.active_rows)[0, 0].double(),
    }
    rows = np.arange(1, settings.length + 1)
    return {name: xr.DataArray(value.numpy(), coords={"row": rows}, dims="row") for name, value in values.items()}


def _reach(settings: AttentionCost) -> Mapping[str, xr.DataArray]:
    """After how many LogSparse layers a row hears each cell, NaN for later cells; and the cells of one layer."""
    keys = keys_of(settings, settings.length)
    layers, lags = torch.zeros(keys.length, dtype=torch.float64), reachable_lags(keys, 0)
    depth = 0
    while not bool(lags.all()):
        depth += 1
        further = reachable_lags(keys, depth)
        layers[further & ~lags] = depth
        lags = further
    rows = np.arange(settings.length)
    lag = rows[:, None] - rows
    hears = np.where(lag >= 0, layers.numpy()[np.maximum(lag, 0)], np.nan)
    places = {"row": rows + 1, "cell": rows + 1}
    return {"layers_to_hear": xr.DataArray(hears, coords=places, dims=("row", "cell"))}


def _moves(settings: AttentionCost, series: Head) -> Mapping[str, xr.DataArray]:
    """How far each row's output moves when the query, key and value of one row are drawn anew.

    ProbSparse is as the settings have it; the largest change of any channel.
    """
    time = settings.length
    places = np.unique(np.linspace(0, time - 1, min(time, CHANGES)).round().astype(int))
    generator = torch.Generator().manual_seed(settings.seed + 1)
    after = []
    for tensor in series:
        copies = tensor.repeat(len(places), 1, 1, 1)
        # Three times the usual spread, as a row that ought to attend.
        fresh = 3 * torch.randn(len(places), settings.width, generator=generator, dtype=torch.float64)
        copies[np.arange(len(places)), 0, places] = fresh
        after.append(copies)
    moves = [
        (attended(settings, name, after[0], after[1], after[2]) - attended(settings, name, *series)).abs().amax(-1)
        for name in PROBED
    ]
    return {
        "moves": xr.DataArray(
            torch.stack(moves)[:, :, 0].numpy(),
            coords={"probed": [*PROBED], "changed": places + 1, "row": np.arange(1, time + 1)},
            dims=("probed", "changed", "row"),
        )
    }


def attended(settings: AttentionCost, name: str, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The output of one of :data:`PROBED`, ProbSparse as the settings have it."""
    if name != "prob_sparse":
        return ATTENTIONS[name].attend(q, k, v, options_of(settings))
    active = chosen(settings, scores(settings, q, k), settings.active_rows)
    return prob_sparse.prob_sparse_attention(q, k, v, active, lazy(settings, v))
