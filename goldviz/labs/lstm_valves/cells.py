"""What goes on inside one step of an RNN, an LSTM and a GRU, unit by unit (document 001, eq. 5, 10-15, 21-24)."""

from __future__ import annotations

import numpy as np
import torch
import xarray as xr
from torch import Tensor
from torch.nn.functional import linear

from goldviz.models.recurrent.elman import Elman
from goldviz.models.recurrent.gru import ResetBeforeGRU
from goldviz.models.recurrent.lstm import LSTM

Parts = dict[str, Tensor]
"""By name a quantity (step, unit); what a nonlinearity is taken of is called ``sum of`` it."""


@torch.no_grad()
def lstm_parts(layer: LSTM, inputs: Tensor) -> Parts:
    """Gates, candidate, cell and state of an LSTM on ``inputs`` (step, 1, inputs), eq. 10-15."""
    trace = layer(inputs)
    h, c = (torch.stack(part)[:, 0] for part in (trace.states, trace.cells))
    gates = {"i": trace.input_gates, "f": trace.forget_gates, "o": trace.output_gates, "c̃": trace.candidates}
    sums = linear(inputs[:, 0], layer.W_x, layer.b) + linear(h[:-1], layer.W_h)
    named = zip(gates, sums.chunk(4, 1), strict=True)
    return {
        **{f"sum of {name}": values for name, values in named},
        **{name: torch.stack(values)[:, 0] for name, values in gates.items()},
        "c before": c[:-1],
        "c": c[1:],
        "h before": h[:-1],
        "h": h[1:],
    }


@torch.no_grad()
def gru_parts(layer: ResetBeforeGRU, inputs: Tensor) -> Parts:
    """Gates, candidate and state of the document's GRU, eq. 21-24."""
    trace = layer(inputs)
    h, r = torch.stack(trace.states)[:, 0], torch.stack(trace.reset_gates)[:, 0]
    drives = linear(inputs[:, 0], layer.W_x, layer.b).chunk(3, 1)
    read = (h[:-1], h[:-1], r * h[:-1])
    sums = [
        drive + linear(state, layer.block(layer.W_h, name))
        for name, drive, state in zip(layer.blocks, drives, read, strict=True)
    ]
    z, candidate = (torch.stack(part)[:, 0] for part in (trace.update_gates, trace.candidates))
    named = zip(("z", "r", "h̃"), sums, strict=True)
    return {
        **{f"sum of {name}": values for name, values in named},
        "z": z,
        "r": r,
        "h̃": candidate,
        "h before": h[:-1],
        "h": h[1:],
    }


@torch.no_grad()
def rnn_parts(layer: Elman, inputs: Tensor) -> Parts:
    """The two parts of an Elman network's sum, and its state, eq. 5."""
    h = torch.stack(layer(inputs).states)[:, 0]
    drive, carried = linear(inputs[:, 0], layer.W_x, layer.b), linear(h[:-1], layer.W_h)
    return {"from x": drive, "from h": carried, "sum of h": drive + carried, "h before": h[:-1], "h": h[1:]}


def labelled(parts: Parts) -> xr.DataArray:
    """The quantities of a cell as one array (quantity, step, unit)."""
    values = torch.stack([*parts.values()]).numpy()
    return xr.DataArray(np.asarray(values), dims=("quantity", "step", "unit"), coords={"quantity": [*parts]})
