"""Informer's attentions against loops over rows, the whole network against dense computation, all in float64."""

import math

import pytest
import torch
from torch import Tensor
from torch.nn.functional import elu, gelu

from goldviz.models.series.forecasters.informer import (
    HEADS,
    WIDTH,
    Distil,
    Informer,
    masked_prob_sparse,
    unmasked_prob_sparse,
)


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def built(look_back: int, horizon: int, channels: int) -> Informer:
    return Informer(look_back, horizon, channels, torch.Generator().manual_seed(3)).double()


@pytest.mark.parametrize("masked", [False, True])
def test_uneven_rows_attend_and_the_others_take_a_mean(masked: bool) -> None:
    q, k, v = (drawn(2, 3, 9, 4, seed=seed) for seed in range(3))
    sample = torch.tensor([7, 0, 4, 2])
    output = (masked_prob_sparse if masked else unmasked_prob_sparse)(q, k, v, sample)
    for batch in range(2):
        for head in range(3):
            rows, keys, values = q[batch, head], k[batch, head], v[batch, head]
            scores = [max(row @ keys[j] for j in sample) - sum(row @ keys[j] for j in sample) / 4 for row in rows]
            active = sorted(range(9), key=lambda row: -float(scores[row]))[:4]
            for row in range(9):
                seen = row + 1 if masked else 9
                if row in active:
                    expected = (rows[row] @ keys[:seen].T / 2).softmax(0) @ values[:seen]
                else:
                    expected = values[:seen].mean(0)
                torch.testing.assert_close(output[batch, head, row], expected, atol=1e-12, rtol=0)


def test_distilling_keeps_the_largest_of_three_at_every_second_row() -> None:
    distil = Distil(torch.Generator().manual_seed(0)).double()
    rows = drawn(2, 7, WIDTH)
    zeros = torch.zeros(2, 1, WIDTH, dtype=torch.float64)
    padded = torch.cat([zeros, rows, zeros], 1)
    weight = distil.convolution.weight.view(WIDTH, WIDTH, 3)
    folded = torch.stack(
        [
            sum(padded[:, row + lag] @ weight[:, :, lag].T for lag in range(3)) + distil.convolution.bias
            for row in range(7)
        ],
        1,
    )
    active = elu(folded)
    expected = torch.stack([active[:, max(0, row - 1) : row + 2].amax(1) for row in range(0, 7, 2)], 1)
    torch.testing.assert_close(distil(rows), expected, atol=1e-12, rtol=0)


def dense(part: torch.nn.Module, rows: Tensor, memory: Tensor, visible: Tensor) -> Tensor:
    """Attention of every row to what it may see, head by head."""
    q = part.queries(rows)
    k, v = part.keys_values(memory)[..., :WIDTH], part.keys_values(memory)[..., WIDTH:]
    read = []
    for head in range(HEADS):
        own = slice(8 * head, 8 * head + 8)
        products = (q[..., own] @ k[..., own].transpose(1, 2) / math.sqrt(8)).masked_fill(~visible, -math.inf)
        read.append(products.softmax(-1) @ v[..., own])
    return part.output(torch.cat(read, -1))


def test_a_short_window_s_forecast_is_that_of_dense_attention() -> None:
    """So few rows are all active, and the network is a plain encoder and decoder."""
    one, past = built(6, 3, 2), drawn(4, 2, 6)

    def all_of(rows: int, memory: int) -> Tensor:
        return torch.ones(rows, memory, dtype=torch.bool)

    def fed(part: torch.nn.Module, rows: Tensor) -> Tensor:
        return rows + part.narrow(gelu(part.wide(part.norm(rows))))

    places = torch.arange(9, dtype=torch.float64)[:, None] / 10_000 ** (torch.arange(0, WIDTH, 2).double() / WIDTH)
    code = torch.stack([places.sin(), places.cos()], -1).flatten(1)
    memory = past.transpose(1, 2) @ one.past.weight.T + one.past.bias + code[:6]
    for layer in (one.first, one.second):
        normed = layer.norm(memory)
        memory = fed(
            layer.feed_forward,
            memory + dense(layer.attention, normed, normed, all_of(len(normed[0]), len(normed[0]))),
        )
        memory = one.distil(memory) if layer is one.first else one.encoded(memory)
    assert memory.shape == (4, 3, WIDTH)
    start = torch.cat([past[..., 3:], torch.zeros(4, 2, 3, dtype=torch.float64)], -1).transpose(1, 2)
    rows = start @ one.future.weight.T + one.future.bias + code[:6]
    normed = one.before_own(rows)
    rows = rows + dense(one.own, normed, normed, all_of(6, 6).tril())
    rows = fed(one.feed_forward, rows + dense(one.cross, one.before_cross(rows), memory, all_of(6, 3)))
    expected = (one.norm(rows[:, 3:]) @ one.head.weight.T + one.head.bias).transpose(1, 2)
    torch.testing.assert_close(one(past), expected, atol=1e-6, rtol=0)  # Codes of places are kept in float32.


def test_masked_rows_take_no_later_value() -> None:
    q, k, v = (drawn(1, 2, 40, 4, seed=seed) for seed in range(3))
    sample = torch.arange(0, 40, 3)
    later = v.clone()
    later[..., 25:, :] += 1
    before, after = (masked_prob_sparse(q, k, values, sample) for values in (v, later))
    assert torch.equal(before[..., :25, :], after[..., :25, :])
    unmasked = [unmasked_prob_sparse(q, k, values, sample) for values in (v, later)]
    assert not torch.equal(unmasked[0][..., :25, :], unmasked[1][..., :25, :])


def test_the_same_generator_gives_the_same_samples_and_all_parameters_learn() -> None:
    past = drawn(3, 2, 30)
    one, other = built(30, 12, 2), built(30, 12, 2)
    assert torch.equal(one(past), other(past))
    assert len(one.first.attention.sample) == 18  # 5 ln 30
    one(past).square().mean().backward()
    assert all(parameter.grad is not None and bool(parameter.grad.any()) for parameter in one.parameters())
