"""A GRU over the rows of a series, to stand beside the Transformer: the same rows in, the same answer out."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn

from goldviz.labs.series_attention.rolling import Reader
from goldviz.models.recurrent.fused import FusedRecurrence


class SeriesGRU(nn.Module):
    """PyTorch's GRU and a linear read-out; times are told by the covariates alone."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.recurrent = FusedRecurrence("gru", inputs, hidden)
        self.read_out = nn.Linear(hidden, outputs)

    def forward(
        self, rows: Float[Tensor, "batch time input"], _times: Float[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time output"]:
        """What is said of the value of every row."""
        states, _ = self.recurrent.read(rows.transpose(0, 1))
        output: Tensor = self.read_out(states.transpose(0, 1))
        return output

    def reader(self) -> Reader:
        """Reads a series on, row after row, from the state that it is in."""
        state: Tensor | None = None

        def read(rows: Tensor, _times: Tensor) -> Tensor:
            nonlocal state
            states, state = self.recurrent.read(rows.transpose(0, 1), state)
            output: Tensor = self.read_out(states[-1])
            return output

        return read
