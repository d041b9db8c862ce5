"""A forecast of several rows: what a network says of the next row is read as the next row's past, and so on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.labs.series_attention.outputs import SeriesOutput

Network = Callable[[Tensor, Tensor], Tensor]
Reader = Callable[[Tensor, Tensor], Tensor]
"""Reads new rows (series, row, input) and their times behind those read before, and says something of the last one."""


class ReadsOn(Protocol):
    """A network that reads a series row after row."""

    def reader(self) -> Reader:
        """A reader at the beginning of a series."""


def reading_again(network: Network) -> Reader:
    """The reader of a network that keeps nothing: it reads all rows again for each new one."""
    read_rows: list[Tensor] = []
    read_times: list[Tensor] = []

    def read(rows: Tensor, times: Tensor) -> Tensor:
        read_rows.append(rows)
        read_times.append(times)
        return network(torch.cat(read_rows, 1), torch.cat(read_times, 1))[:, -1]

    return read


@torch.no_grad()
def rolled(
    network: ReadsOn,
    output: SeriesOutput,
    inputs: Float[Tensor, "series row input"],
    times: Float[Tensor, "series row"],
    context: int,
    chances: Float[Tensor, "series horizon"] | None = None,
) -> Float[Tensor, "series horizon"]:
    """The rows behind the ``context``, one after the other: medians, or what ``chances`` in (0, 1) draw.

    ``inputs`` are rows [z_(t-1), x_t]; of those behind the first one to forecast only covariates are read. Raises
    ValueError for a context that leaves no row.
    """
    rows = inputs.shape[1]
    if not 1 <= context < rows:
        raise ValueError(
            f"The context is {context} rows; allowed are 1 to {rows - 1}, so that a row is left to forecast."
        )
    reader, answers = network.reader(), []
    new, new_times = inputs[:, : context + 1], times[:, : context + 1]
    for row in range(context, rows):
        raw = reader(new, new_times)
        answer = output.median(raw) if chances is None else output.quantile(raw, chances[:, row - context])
        answers.append(answer)
        if row + 1 < rows:
            new = torch.cat([answer[:, None, None], inputs[:, row + 1 : row + 2, 1:]], -1)
            new_times = times[:, row + 1 : row + 2]
    return torch.stack(answers, 1)
