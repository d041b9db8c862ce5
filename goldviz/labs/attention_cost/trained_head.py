"""Queries, keys and values of a trained head: of a Transformer of one block that learned patterns that come again."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Generator, nn

from goldviz.models.series.row_transformer import Projected, RowShape, RowTransformer, initialise_rows
from goldviz.training.seeds import BATCH_ORDER, READ_OUT_WEIGHTS, WEIGHTS, stream

STEPS, BATCH, LEARNING_RATE = 200, 8, 2e-2
NOISE = 0.2


def patterns(series: int, rows: int, period: int, generator: Generator) -> Float[torch.Tensor, "series row"]:
    """Series of patterns of so many independent N(0, 1) entries over and over, with noise."""
    pattern = torch.randn(series, period, generator=generator)
    return pattern[:, torch.arange(rows) % period] + NOISE * torch.randn(series, rows, generator=generator)


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
