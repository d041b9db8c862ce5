"""Networks and series that the tests of the ODE-RNN share."""

import torch

from goldviz.models.continuous.vector_field import TanhField
from goldviz.models.recurrent.cells import recurrent_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise

Series = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def stream(index: int) -> torch.Generator:
    return torch.Generator().manual_seed(index)


def cell_and_field(name: str, channels: int, hidden: int, widths: tuple[int, ...] = (7, 6), seed: int = 0):
    """A float64 recurrent layer and a field with every weight and bias away from zero."""
    cell = recurrent_layer(name, 2 * channels, hidden, dtype=torch.float64)
    initialise(cell, lambda index: stream(1000 * seed + index), RecurrentInitialisation("gaussian"))
    field = TanhField(hidden, widths, stream(seed + 50), last_scale=1.0, dtype=torch.float64)
    with torch.no_grad():
        for parameter in (*field.biases, *(b for key, b in cell.named_parameters() if key.startswith("b"))):
            parameter.copy_(0.3 * torch.randn(parameter.shape, generator=stream(seed + 60), dtype=torch.float64))
    return cell, field


def series(rows: int, batch: int, channels: int, seed: int = 0, seen: float = 0.5) -> Series:
    """Times from 0 with gaps up to 0.4, values, and a mask with at least one observation a sample."""
    gaps = 0.01 + 0.39 * torch.rand(rows, batch, generator=stream(seed + 70), dtype=torch.float64)
    values = torch.randn(rows, batch, channels, generator=stream(seed + 71), dtype=torch.float64)
    mask = torch.rand(rows, batch, channels, generator=stream(seed + 72)) < seen
    mask[0, :, 0] = True
    return gaps.cumsum(0) - gaps[0], values, mask
