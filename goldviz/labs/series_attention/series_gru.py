"""A GRU over the rows of a series, to stand beside the Transformer: the same rows in, the same answer out."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from goldviz.labs.series_attention.rolling import Reader


class SeriesGRU(nn.Module):
    """PyTorch's GRU and a linear read-out; times are told by the covariates alone."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        # nn.GRU holds its weights twice, and then they cannot be taken to another device one by one.
        self.recurrent = nn.ParameterList(nn.GRU(inputs, hidden).parameters())
        self.hidden = hidden
        self.read_out = nn.Linear(hidden, outputs)

    def forward(
        self, rows: Float[Tensor, "batch time input"], _times: Float[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time output"]:
        """What is said of the value of every row."""
        states, _ = self._walked(rows, rows.new_zeros(1, len(rows), self.hidden))
        output: Tensor = self.read_out(states.transpose(0, 1))
        return output

    def _walked(self, rows: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """The states (time, batch, hidden) along the rows, and the last one."""
        return torch.gru(rows.transpose(0, 1), state, list(self.recurrent), True, 1, 0.0, False, False, False)

    def reader(self) -> Reader:
        """Reads a series on, row after row, from the state that it is in."""
        state: Tensor | None = None

        def read(rows: Tensor, _times: Tensor) -> Tensor:
            nonlocal state
            began = rows.new_zeros(1, len(rows), self.hidden) if state is None else state
            states, state = self._walked(rows, began)
            output: Tensor = self.read_out(states[-1])
            return output

        return read
