"""PyTorch's own LSTM and GRU, each step of a sequence in one call, with weights that are held once.

``nn.LSTM`` and ``nn.GRU`` hold their weights a second time, in a list of their own; taken to another device one by
one, they would be trained there and read here. A list of parameters has them once. The names in its state are those
of a list: ``0`` are the weights of the inputs, ``1`` those of the state, ``2`` and ``3`` the biases, and ``4`` to ``7``
the same of the way back.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.backends.cudnn import rnn

States = Float[Tensor, "time batch state"]


class FusedRecurrence(nn.ParameterList):
    """One recurrent layer, ``lstm`` or ``gru``.

    With ``both_ways`` a second one reads backwards, and their states stand side by side.
    """

    def __init__(self, cell: str, inputs: int, hidden: int, *, both_ways: bool = False) -> None:
        module = (nn.LSTM if cell == "lstm" else nn.GRU)(inputs, hidden, bidirectional=both_ways)
        super().__init__(module.parameters())
        self.cell, self.inputs, self.hidden, self.both_ways = cell, inputs, hidden, both_ways

    def read(
        self, inputs: Float[Tensor, "time batch input"], start: Float[Tensor, "way batch hidden"] | None = None
    ) -> tuple[States, Float[Tensor, "way batch hidden"]]:
        """States of every time step and the last ones, from ``start``, or from zeros. An LSTM's cell starts at 0."""
        zeros = inputs.new_zeros(1 + self.both_ways, inputs.shape[1], self.hidden)
        start = zeros if start is None else start
        weights = self._in_one_piece()
        how = (True, 1, 0.0, self.training, self.both_ways, False)
        if self.cell == "lstm":
            states, last, _ = torch.lstm(inputs, (start, zeros), weights, *how)
        else:
            states, last = torch.gru(inputs, start, weights, *how)
        return states, last

    def _in_one_piece(self) -> list[Tensor]:
        """The weights. cuDNN wants them side by side in memory: where they are not, it copies them at every call."""
        weights: list[Tensor] = list(self)
        if weights[0].is_cuda and len({one.untyped_storage().data_ptr() for one in weights}) > 1:
            mode, each = rnn.get_cudnn_mode(self.cell.upper()), len(weights) // (1 + self.both_ways)
            with torch.no_grad():
                torch._cudnn_rnn_flatten_weight(
                    weights, each, self.inputs, mode, self.hidden, 0, 1, False, self.both_ways
                )
        return weights
