"""What a look at a forecasting network shows: how far back its loss and its forecast reach."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from goldviz.labs.gold_forecast.models.forecaster import FlatReader, Forecaster
from goldviz.labs.gold_forecast.windows import WindowBatch


def gradients_by_state(
    network: Forecaster, windows: WindowBatch, answers: Float[Tensor, " batch"]
) -> Float[np.ndarray, " lag"]:
    """||dL/dh|| of one window's own loss by the state k rows before the forecast's, mean over the windows.

    Entry 0 is the state that the head reads. NaN for a network without states on the way, and for one whose numbers
    are not finite.
    """
    steps = len(windows.table)
    states = network.reader.chain(windows)
    if isinstance(network.reader, FlatReader) or not states[-1].isfinite().all():
        return np.full(steps, math.nan)
    loss = network.head.losses(network.head(states[-1]), answers).sum()
    gradients = torch.autograd.grad(loss, states, allow_unused=True)
    slopes = torch.stack([torch.zeros_like(h) if g is None else g for h, g in zip(states, gradients, strict=True)])
    lengths: Tensor = torch.linalg.vector_norm(slopes.double(), dim=2)
    return lengths.mean(1).flip(0).cpu().numpy()


def gradients_by_input(network: Forecaster, windows: WindowBatch) -> Float[np.ndarray, "lag channels"]:
    """|dm/dx| of the forecast mean by each observed value, k rows before the forecast, mean over the windows.

    In standard deviations of the target for one of the channel. A network whose mean is held at 0 forecasts a width:
    then it is that of the standard deviation. NaN where a channel was never observed so many rows before.
    """
    table = windows.table.detach().clone().requires_grad_()
    parameters = network(replace(windows, table=table))
    forecast = (network.head.standard_deviation if network.head.centred else network.head.mean)(parameters)
    (slopes,) = torch.autograd.grad(forecast.sum(), table)
    mask = windows.mask
    sizes = torch.where(mask, slopes[:, :, : windows.channels].abs(), 0.0).double().sum(1)
    return (sizes / mask.sum(1)).flip(0).cpu().numpy()
