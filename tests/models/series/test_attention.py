"""Full, LogSparse and ProbSparse attention against dense attention with the same weights, and who may see whom."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from goldviz.models.series import prob_sparse
from goldviz.models.series.attention import ATTENTIONS, AttentionOptions
from goldviz.models.series.convolution import causal_convolution
from goldviz.models.series.full import causal_mask, full_attention, full_attention_with_maps
from goldviz.models.series.log_sparse import (
    layers_to_reach_all,
    log_sparse_attention,
    log_sparse_attention_with_weights,
    log_sparse_keys,
    reach,
    reachable_lags,
)

ATOL = 1e-12


def drawn(*shape: int, seed: int = 0, count: int = 3) -> tuple[Tensor, ...]:
    """Normal tensors of a shape in float64."""
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(shape, generator=generator, dtype=torch.float64) for _ in range(count))


def dense(q: Tensor, k: Tensor, v: Tensor, visible: Tensor) -> Tensor:
    """Attention with this mask, written out."""
    scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(~visible, -math.inf)
    return scores.softmax(-1) @ v


def sees(length: int, window: int, restart: int | None) -> Tensor:
    """The LogSparse mask, cell by cell."""
    mask = torch.zeros(length, length, dtype=torch.bool)
    period = restart or length
    for row in range(length):
        for cell in range(row + 1):
            lag = (row - cell) % period
            mask[row, cell] = lag < window or lag.bit_count() == 1 or lag == 0
    return mask


@pytest.mark.parametrize("length", [1, 2, 17])
def test_full_attention_is_dense_attention_with_the_causal_mask(length: int) -> None:
    q, k, v = drawn(2, 3, length, 4)
    expected = dense(q, k, v, causal_mask(length))
    output, weights = full_attention_with_maps(q, k, v)
    assert torch.allclose(full_attention(q, k, v), expected, atol=ATOL, rtol=0)
    assert torch.allclose(output, expected, atol=ATOL, rtol=0)
    assert torch.equal(weights.triu(1), torch.zeros_like(weights))
    assert torch.allclose(weights.sum(-1), torch.ones((), dtype=torch.float64), atol=ATOL, rtol=0)


@pytest.mark.parametrize(
    ("length", "window", "restart"), [(1, 1, None), (2, 1, None), (33, 1, None), (33, 5, None), (33, 3, 8), (20, 1, 1)]
)
def test_log_sparse_is_dense_attention_with_the_same_mask(length: int, window: int, restart: int | None) -> None:
    q, k, v = (x.requires_grad_() for x in drawn(2, 2, length, 4))
    keys = log_sparse_keys(length, window=window, restart=restart)
    mask = sees(length, window, restart)
    gathered = torch.zeros_like(mask).scatter_(1, keys.index, keys.valid)
    gathered |= torch.eye(length, dtype=torch.bool)  # offset 0 may be overwritten by an absent cell's index, 0
    assert torch.equal(gathered[1:, 1:], mask[1:, 1:])
    assert keys.cells == int(mask.sum()) == int(keys.valid.sum())
    output, weights = log_sparse_attention_with_weights(q, k, v, keys)
    expected = dense(q, k, v, mask)
    assert torch.allclose(output, expected, atol=ATOL, rtol=0)
    assert torch.equal(weights == 0, ~keys.valid.expand_as(weights))
    upstream = drawn(2, 2, length, 4, seed=9, count=1)[0]
    for mine, theirs in zip(
        torch.autograd.grad(output, (q, k, v), upstream),
        torch.autograd.grad(expected, (q, k, v), upstream),
        strict=True,
    ):
        assert torch.allclose(mine, theirs, atol=ATOL, rtol=0)


@pytest.mark.parametrize(("length", "cells", "most"), [(64, 385, 7), (1024, 10_241, 11)])
def test_log_sparse_sees_as_many_cells_as_known(length: int, cells: int, most: int) -> None:
    keys = log_sparse_keys(length)
    assert (keys.cells, len(keys.offsets)) == (cells, most)


@pytest.mark.parametrize("length", [2, 3, 16, 63, 64, 65, 100])
def test_reach_is_complete_after_log2_layers_and_not_before(length: int) -> None:
    keys = log_sparse_keys(length)
    needed = math.floor(math.log2(length))
    assert needed <= math.ceil(math.log2(length))
    assert bool(reachable_lags(keys, needed).all())
    assert not bool(reachable_lags(keys, needed - 1).all())
    assert layers_to_reach_all(keys) == needed
    assert torch.equal(reach(keys, needed), causal_mask(length))


def test_reach_is_what_products_of_the_mask_reach() -> None:
    keys, mask = log_sparse_keys(23, window=2, restart=9), sees(23, 2, 9).double()
    for layers in range(4):
        assert torch.equal(reach(keys, layers), torch.linalg.matrix_power(mask, layers) > 0)


def test_keys_of_a_pattern_that_is_none_are_refused() -> None:
    with pytest.raises(ValueError, match="length is 0"):
        log_sparse_keys(0)
    with pytest.raises(ValueError, match="local window is 0"):
        log_sparse_keys(8, window=0)
    with pytest.raises(ValueError, match=r"window is 5.* 4\."):
        log_sparse_keys(8, window=5, restart=4)
    with pytest.raises(ValueError, match=r"7 rows.* 8"):
        log_sparse_attention(*drawn(1, 1, 7, 2), log_sparse_keys(8))


def weights_of(q: Tensor, k: Tensor) -> Tensor:
    """Full attention's weights with zeros above the diagonal."""
    return full_attention_with_maps(q, k, k).weights


@pytest.mark.parametrize("length", [1, 40, 300])
def test_the_exact_score_is_the_divergence_of_attention_from_even(length: int) -> None:
    q, k = drawn(2, 2, length, 4, count=2)
    counts, weights = prob_sparse.visible_counts(q), weights_of(q, k)
    even = causal_mask(length).double() / counts[:, None]
    divergence = torch.where(even > 0, even * (even / weights.clamp(min=1e-300)).log(), 0.0).sum(-1)
    scores, bound = prob_sparse.exact_scores(q, k), prob_sparse.max_mean_scores(q, k)
    assert torch.allclose(scores - counts.log(), divergence, atol=ATOL, rtol=0)
    assert torch.allclose(prob_sparse.unevenness(q, k), divergence, atol=ATOL, rtol=0)
    assert bool((scores >= counts.log() - ATOL).all())
    assert bool((scores <= bound + counts.log() + ATOL).all())


def test_max_minus_mean_is_taken_of_visible_keys() -> None:
    q, k = drawn(1, 1, 300, 4, count=2)
    products = (q @ k.transpose(-2, -1) / 2)[0, 0]
    for row in (0, 1, 255, 256, 299):
        seen = products[row, : row + 1]
        value = prob_sparse.max_mean_scores(q, k)[0, 0, row]
        assert torch.isclose(value, seen.max() - seen.mean(), atol=ATOL, rtol=0)


def test_sampled_keys_are_visible_and_equal_for_equal_seeds() -> None:
    sample = prob_sparse.sampled_keys(400 * prob_sparse.NEIGHBOURS, 30, torch.Generator().manual_seed(3))
    assert torch.equal(
        sample, prob_sparse.sampled_keys(400 * prob_sparse.NEIGHBOURS, 30, torch.Generator().manual_seed(3))
    )
    first = torch.arange(400) * prob_sparse.NEIGHBOURS
    assert bool((sample >= 0).all() and (sample <= first[:, None]).all())
    # The mean of even draws is about half of their number n: 30 of them spread by n / sqrt(12 * 30).
    error = (sample[1:].double().mean(1) - first[1:] / 2) / (first[1:] + 1) * math.sqrt(12 * 30)
    assert 0.9 < float(error.std()) < 1.1


def test_the_sampled_score_is_that_of_the_sampled_products() -> None:
    q, k = drawn(2, 2, 300, 4, count=2)
    sample = prob_sparse.sampled_keys(300, 7, torch.Generator().manual_seed(0))
    of_rows = sample.repeat_interleave(prob_sparse.NEIGHBOURS, 0)[:300]
    products = (q @ k.transpose(-2, -1) / 2).gather(-1, of_rows.expand(2, 2, 300, 7))
    expected = products.amax(-1) - products.mean(-1)
    expected[..., : prob_sparse.NEIGHBOURS] = prob_sparse.max_mean_scores(q, k)[..., : prob_sparse.NEIGHBOURS]
    assert torch.allclose(prob_sparse.sampled_scores(q, k, sample), expected, atol=ATOL, rtol=0)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=60), st.data())
@settings(max_examples=10, deadline=None)
def test_rows_so_far_are_chosen_by_rank(values: list[int], data: st.DataObject) -> None:
    rows = data.draw(st.integers(1, len(values)))
    expected = [sum(other >= value for other in values[:place]) < rows for place, value in enumerate(values)]
    scores = torch.tensor(values, dtype=torch.float64)
    assert prob_sparse.active_rows(scores[None, None], rows)[0, 0].tolist() == expected


def test_rows_of_all_are_the_highest() -> None:
    scores = drawn(2, 3, 50, count=1)[0]
    active = prob_sparse.active_rows_of_all(scores, 8)
    assert bool((active.sum(-1) == 8).all())
    assert torch.equal(active, scores >= scores.topk(8).values[..., -1:])


@pytest.mark.parametrize("rows", [0, 6])
def test_as_many_active_rows_as_there_are_none_are_refused(rows: int) -> None:
    for choose in (prob_sparse.active_rows, prob_sparse.active_rows_of_all):
        with pytest.raises(ValueError, match=rf"u are {rows}; .* 5\."):
            choose(torch.zeros(1, 1, 5), rows)


@pytest.mark.parametrize("factor", [0.0, -1.0, math.nan])
def test_a_factor_of_zero_is_refused(factor: float) -> None:
    with pytest.raises(ValueError, match="sampling factor c"):
        prob_sparse.rows_by_factor(factor, 10)


def test_active_rows_attend_and_the_others_take_what_lazy_has() -> None:
    q, k, v = (x.requires_grad_() for x in drawn(2, 3, 40, 4))
    active = torch.rand(2, 3, 40, generator=torch.Generator().manual_seed(1)) < 0.3
    full, mean = full_attention(q, k, v), prob_sparse.running_mean(v)
    expected = torch.where(active[..., None], full, mean)
    output = prob_sparse.prob_sparse_attention(q, k, v, active, mean)
    assert torch.allclose(output, expected, atol=ATOL, rtol=0)
    assert torch.allclose(mean[..., 6, :], v[..., :7, :].mean(-2), atol=ATOL, rtol=0)
    mine = torch.autograd.grad(output.square().sum(), (q, k, v), retain_graph=True)
    theirs = torch.autograd.grad(expected.square().sum(), (q, k, v))
    assert all(torch.allclose(a, b, atol=ATOL, rtol=0) for a, b in zip(mine, theirs, strict=True))


def test_with_all_rows_active_prob_sparse_is_full() -> None:
    q, k, v = drawn(1, 2, 30, 4)
    options = AttentionOptions(factor=30)
    for name in ("prob_sparse", "prob_sparse_sampled"):
        output = ATTENTIONS[name].attend(q, k, v, options)
        assert torch.allclose(output, full_attention(q, k, v), atol=ATOL, rtol=0)


OPTIONS = (
    AttentionOptions(),
    AttentionOptions(window=3, restart=7, factor=0.5, seed=4),
    AttentionOptions(restart=1, factor=1.0),
)


@pytest.mark.parametrize("name", ATTENTIONS)
@given(
    length=st.integers(1, 150),
    place=st.integers(0, 149),
    seed=st.integers(0, 99),
    size=st.sampled_from([1e-6, 1.0, 100.0]),
    options=st.sampled_from(OPTIONS),
)
@settings(max_examples=15, deadline=None)
def test_no_output_before_a_row_moves_when_the_row_changes(
    name: str, length: int, place: int, seed: int, size: float, options: AttentionOptions
) -> None:
    place = min(place, length - 1)
    before = drawn(1, 2, length, 4, seed=seed)
    change = drawn(1, 2, 4, seed=seed + 1)
    after = [x.clone() for x in before]
    for tensor, row in zip(after, change, strict=True):
        tensor[..., place, :] += size * row
    kind = ATTENTIONS[name]
    old, new = kind.attend(*before, options), kind.attend(*after, options)
    assert torch.allclose(old[..., :place, :], new[..., :place, :], atol=ATOL, rtol=0)
    assert not torch.equal(old[..., place, :], new[..., place, :])


def test_what_is_printed_of_prob_sparse_sees_the_future() -> None:
    q, k, v = drawn(1, 1, 30, 4)
    later_v, later_q = v.clone(), q.clone()
    later_v[..., 20, :] += 1
    later_q[..., 20, :] *= 50
    active = prob_sparse.active_rows(prob_sparse.unevenness(q, k), 3)
    by_mean = [
        prob_sparse.prob_sparse_attention(q, k, values, active, prob_sparse.mean_of_all(values))
        for values in (v, later_v)
    ]
    moved = (by_mean[0] - by_mean[1]).abs().amax(-1)[0, 0, :20] > 1e-9
    assert torch.equal(moved, ~active[0, 0, :20])
    chosen = [prob_sparse.active_rows_of_all(prob_sparse.unevenness(queries, k), 3) for queries in (q, later_q)]
    assert bool((chosen[0] != chosen[1])[0, 0, :20].any())


@pytest.mark.parametrize("name", ATTENTIONS)
def test_maps_are_the_weights_of_the_output(name: str) -> None:
    q, k, v = drawn(2, 2, 20, 4)
    kind, options = ATTENTIONS[name], AttentionOptions(factor=1.0)
    maps = kind.maps(q, k, options)
    assert torch.allclose(maps @ v, kind.attend(q, k, v, options), atol=ATOL, rtol=0)
    assert torch.allclose(maps.sum(-1), torch.ones((), dtype=torch.float64), atol=ATOL, rtol=0)


@pytest.mark.parametrize("name", ATTENTIONS)
def test_costs_grow_with_length_and_full_costs_most_when_long(name: str) -> None:
    options = AttentionOptions()
    costs = [ATTENTIONS[name].cost(length, 16, options) for length in (2, 64, 512, 4096)]
    assert all(a < b for one, two in pairwise(costs) for a, b in zip(one, two, strict=True))
    full = ATTENTIONS["full"].cost(4096, 16, options)
    assert costs[-1].multiplications <= full.multiplications
    assert costs[-1].bytes <= full.bytes


def test_costs_of_a_short_series_by_hand() -> None:
    options = AttentionOptions(factor=1.0)
    assert ATTENTIONS["full"].cost(4, 3, options) == (2 * 3 * 10, 4 * 16)
    assert ATTENTIONS["log_sparse"].cost(4, 3, options) == (2 * 3 * (4 + 3 + 2), 4 * 4 * 3)
    pairs = 2 * 4 - 2**2 / 2  # u = ceil(ln 4) = 2
    assert ATTENTIONS["prob_sparse"].cost(4, 3, options) == (30 + 6 * pairs + 12, 4 * pairs)
    assert ATTENTIONS["prob_sparse_sampled"].cost(4, 3, options) == (24 + 6 * pairs + 12, 4 * pairs)


def test_active_rows_of_scores_in_random_order_see_as_many_keys_as_the_cost_says() -> None:
    active = prob_sparse.active_rows(drawn(40, 1, 400, count=1)[0], 20)
    seen = (active * torch.arange(1, 401)).sum(-1).double().mean()
    assert seen == pytest.approx(20 * 400 - 20**2 / 2, rel=0.02)


def test_a_kernel_of_one_is_the_linear_map_to_the_last_digit() -> None:
    y, kernel = drawn(3, 12, 5, count=1)[0], drawn(1, 5, 6, count=1)[0]
    assert torch.equal(causal_convolution(y, kernel), y @ kernel[0])


@pytest.mark.parametrize("size", [2, 5, 20])
def test_a_convolution_is_the_documents_sum_with_zeros_before(size: int) -> None:
    y, kernel = drawn(2, 12, 5, count=1)[0].requires_grad_(), drawn(size, 5, 6, count=1)[0].requires_grad_()
    padded = torch.nn.functional.pad(y.transpose(1, 2), (size - 1, 0))
    expected = torch.nn.functional.conv1d(padded, kernel.flip(0).permute(2, 1, 0)).transpose(1, 2)
    q = causal_convolution(y, kernel)
    assert torch.allclose(q, expected, atol=ATOL, rtol=0)
    mine = torch.autograd.grad(q.square().sum(), (y, kernel))
    theirs = torch.autograd.grad(expected.square().sum(), (y, kernel))
    assert all(torch.allclose(a, b, atol=ATOL, rtol=0) for a, b in zip(mine, theirs, strict=True))
    by_hand = sum(y[0, 7 - lag] @ kernel[lag] for lag in range(min(size, 8)))
    assert torch.allclose(q[0, 7], by_hand, atol=ATOL, rtol=0)


def test_an_empty_kernel_is_refused() -> None:
    with pytest.raises(ValueError, match="size k is 0"):
        causal_convolution(torch.zeros(1, 2, 3), torch.zeros(0, 3, 3))
