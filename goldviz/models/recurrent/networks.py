"""The table of recurrent networks by name."""

from __future__ import annotations

from collections.abc import Callable

import torch

from goldviz.models.recurrent.elman import Elman, ElmanTrace
from goldviz.models.recurrent.gru import GatedRecurrentUnit, GRUTrace, ResetAfterGRU, ResetBeforeGRU
from goldviz.models.recurrent.lstm import LSTM, LSTMTrace

RecurrentLayer = Elman | LSTM | GatedRecurrentUnit
Trace = ElmanTrace | LSTMTrace | GRUTrace


def _relu(inputs: int, hidden: int, *, dtype: torch.dtype | None = None) -> Elman:
    return Elman(inputs, hidden, "relu", dtype=dtype)


LAYERS: dict[str, Callable[..., RecurrentLayer]] = {
    "rnn_tanh": Elman,
    "rnn_relu": _relu,
    "lstm": LSTM,
    "gru": ResetBeforeGRU,
    "gru_reset_after": ResetAfterGRU,
}
"""Network by name: each takes (inputs, hidden, dtype=...) and starts with zero weights."""


def recurrent_layer(name: str, inputs: int, hidden: int, *, dtype: torch.dtype | None = None) -> RecurrentLayer:
    """The layer of this name with zero weights; raises ``ValueError`` for a name that is not in :data:`LAYERS`."""
    if name not in LAYERS:
        raise ValueError(f"The recurrent network is {name!r}; allowed is one of {', '.join(LAYERS)}.")
    return LAYERS[name](inputs, hidden, dtype=dtype)
