"""A Transformer that reads a window of the past (document 002, sections 4 and 5; Li et al. 2019, Zhou et al. 2021).

Its blocks are those of *Transformer for series*: full, convolutional, LogSparse or ProbSparse attention.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from goldviz.labs.gold_forecast.models.window_reader import ForecastStream, HiddenStates, WindowReader
from goldviz.labs.gold_forecast.windows import WindowBatch
from goldviz.models.series.attention import AttentionOptions
from goldviz.models.series.row_transformer import RowShape, RowTransformer, initialise_rows

BLOCKS, HEADS = 2, 2
FACTOR = 2.0
"""ProbSparse lets c ln t rows attend."""
DAYS_A_WEEK = 7.0


@dataclass(frozen=True)
class AttentionParts:
    """What a Transformer is put together from; names are those of the tables of attention, positions, activations."""

    attention: str = "full"
    kernel: int = 1
    positions: str = "sinusoidal"
    activation: str = "gelu"


USUAL = AttentionParts()
"""Full attention, one row a query."""


class AttentionReader(WindowReader):
    """Two blocks of two heads over values and mask of each row. The last row's state is what is read.

    Positions by time are the days from a row to the value that is forecast. ``hidden`` has to be a multiple of 4, so
    that each head has pairs of sines and cosines; :class:`~goldviz.models.series.row_transformer.RowShape` refuses
    what heads cannot share.
    """

    def __init__(self, window: int, channels: int, hidden: int, parts: AttentionParts, weights: ForecastStream) -> None:
        super().__init__()
        self.network = RowTransformer(
            RowShape(
                2 * channels,
                window,
                BLOCKS,
                HEADS,
                hidden,
                parts.kernel,
                parts.attention,
                AttentionOptions(factor=FACTOR),
                parts.positions,
                parts.activation,
            )
        )
        initialise_rows(self.network, weights)

    def forward(self, window: WindowBatch) -> HiddenStates:
        """The rows as the first block reads them, but the last; its state behind the last block takes its place."""
        rows, places = self.network.embedded(window.values_and_mask.transpose(0, 1), days_before(window))
        steps = rows.unbind(1)
        # Put together again, so that gradients can be asked of each row.
        last = self.network.states(torch.stack(steps, 1), places)[:, -1]
        return (*steps[:-1], last)

    def matrices(self) -> dict[str, Tensor]:
        """What widens a row, and what joins the heads and begins the feed-forward network of each block."""
        by_name = {"input": self.network.widen.weight}
        for number, block in enumerate(self.network.stack(), start=1):
            by_name |= {f"attention {number}": block.attention.output.weight, f"units {number}": block.expand.weight}
        return by_name


def days_before(window: WindowBatch) -> Tensor:
    """Days from each row to the value that is forecast, (batch, time)."""
    later = torch.cat([window.row_gaps[1:], window.ahead[None].to(window.row_gaps)])
    return DAYS_A_WEEK * later.flip(0).cumsum(0).flip(0).T
