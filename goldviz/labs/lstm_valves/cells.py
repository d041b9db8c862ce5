"""What goes on inside one step of a recurrent cell, unit by unit (document 001, eq. 5, 10-15, 21-24)."""

from __future__ import annotations

import numpy as np
import torch
import xarray as xr
from torch import Tensor
from torch.nn.functional import linear

from goldviz.models.recurrent.cells import RecurrentCell
from goldviz.models.recurrent.weights import RecurrentWeights

Parts = dict[str, Tensor]
"""By name a quantity (step, unit); what a nonlinearity is taken of is called ``sum of`` it."""


@torch.no_grad()
def parts_of(cell: RecurrentCell, layer: RecurrentWeights, inputs: Tensor) -> Parts:
    """Gates, candidate and states of a layer of this cell on ``inputs`` (step, 1, inputs), each with its sum.

    Of a cell without gates, whose one part is its state, also the two terms of its sum.
    """
    trace = layer(inputs)
    drives, read = linear(inputs[:, 0], layer.W_x, layer.b), layer.read_by_blocks(trace)[:, 0]
    parts: Parts = {}
    for letter, _, gate in cell.parts:
        block = gate or layer.blocks[-1]
        drive = drives.chunk(len(layer.blocks), 1)[layer.blocks.index(block)]
        from_state = linear(read[:, layer.blocks.index(block)], layer.block(layer.W_h, block))
        if not cell.gates:
            parts |= {"from x": drive, "from h": from_state}
        values = getattr(trace, f"{gate}_gates" if gate else "candidates", trace.states[1:])
        parts |= {f"sum of {letter}": drive + from_state, letter: torch.stack(values)[:, 0]}
    for name, carried_on in zip("hc", trace.carried, strict=False):
        values = torch.stack(getattr(trace, carried_on))[:, 0]
        parts |= {f"{name} before": values[:-1], name: values[1:]}
    return parts


def labelled(parts: Parts) -> xr.DataArray:
    """The quantities of a cell as one array (quantity, step, unit)."""
    values = torch.stack([*parts.values()]).numpy()
    return xr.DataArray(np.asarray(values), dims=("quantity", "step", "unit"), coords={"quantity": [*parts]})
