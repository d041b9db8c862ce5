"""The Transformer of *Transformer for series*: rows in, what is said of the value of each row out."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn

from goldviz.labs.series_attention.rolling import Reader, reading_again
from goldviz.models.series.row_transformer import Memory, RowShape, RowTransformer


class SeriesTransformer(RowTransformer):
    """A Transformer over rows and a linear read-out of so many ``outputs`` at each."""

    def __init__(self, shape: RowShape, outputs: int) -> None:
        super().__init__(shape)
        self.read_out = nn.Linear(shape.width, outputs)

    def forward(
        self, rows: Float[Tensor, "batch time input"], times: Float[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time output"]:
        """What is said of the value of every row, which sees itself and what stands before."""
        output: Tensor = self.read_out(self.states(*self.embedded(rows, times)))
        return output

    def reader(self) -> Reader:
        """Reads a series on, row after row: what is said of the last row given so far.

        Keys and values are kept, so a row costs one row; ProbSparse attention, whose choice depends on how many rows
        there are, reads all rows again.
        """
        if self.shape.attention not in ("full", "log_sparse"):
            return reading_again(self)
        memories = [Memory() for _ in self.blocks]

        def read(rows: Tensor, times: Tensor) -> Tensor:
            x, places = self.embedded(rows, times, memories[0].rows)
            for block, memory in zip(self.stack(), memories, strict=True):
                x = block(x, places, memory)
            output: Tensor = self.read_out(self.final_norm(x[:, -1]))
            return output

        return read
