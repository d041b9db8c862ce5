"""Datasets of the depth laboratory built by hand, with the curves that the document's experiment is known to give."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xarray as xr

from goldviz.labs.depth_gradients.settings import DepthGradients

NETWORKS = ["plain", "residual"]


def build(
    *,
    depth: int = 15,
    epochs: int = 20,
    seeds: int = 1,
    untied: bool = False,
    histogram_every: int = 5,
    done: bool = True,
) -> xr.Dataset:
    """A run whose plain gradient rises from 2.7e-6 to 1e-2 over the layers while the residual one stays in 2.6 to 8."""
    noise = np.random.default_rng(0)
    layers, hidden = np.arange(depth + (2 if untied else 1)), np.arange(depth + 1)
    epoch = np.arange(1, epochs + 1)
    measured = np.array([e for e in epoch if e == 1 or e % histogram_every == 0], dtype=int)
    rise = layers / max(layers[-1], 1)
    by_layer = np.stack([2.7e-6 * (1e-2 / 2.7e-6) ** rise, 2.6 + 5.4 * rise**2])
    wobble = np.exp(0.25 * noise.standard_normal((epochs, 2, seeds, len(layers))))
    trend = np.exp(-1.5 * epoch / max(epochs, 1))[:, None, None, None]
    norms = by_layer[None, :, None, :] * wobble * trend
    decay = np.concatenate([np.diff(np.log(norms), axis=-1), np.full((*norms.shape[:-1], 1), np.nan)], axis=-1)
    signal = np.stack([0.56 ** (depth - hidden), 1.12 ** (depth - hidden)])
    hidden_wobble = np.exp(0.05 * noise.standard_normal((epochs, 2, seeds, depth + 1)))
    hidden_norms = 1e-3 * signal[None, :, None, :] * hidden_wobble
    per_hidden = (epochs, 2, seeds, depth + 1)
    spread = np.stack([0.9 * 0.75**hidden + 0.02, 0.6 + 0.08 * hidden])
    losses = (
        0.6 + np.array([0.28, 0.05])[:, None] + 0.4 * np.exp(-epoch / 6)[:, None, None] * np.ones((epochs, 2, seeds))
    )
    losses = losses + 0.01 * noise.standard_normal(losses.shape)
    values = np.sinh(np.linspace(-7, 7, 61)) / 10
    magnitude = 10.0 ** np.arange(-20.25, 6.3, 0.5)
    activation = np.exp(-0.5 * (values / np.maximum(spread[:, : len(layers), None], 0.05)) ** 2)
    activation = np.where(activation > 1e-6, activation, 0)
    activation = activation / activation.sum(-1, keepdims=True)
    if untied:
        activation = np.concatenate([activation, activation[:, -1:]], axis=1)
    size = np.exp(-0.5 * ((np.log10(magnitude) - np.log10(by_layer[..., None]) + 1) / 0.6) ** 2)
    size = np.where(size > 1e-6, size, 0)
    size[..., 0] = 0.01
    size = size / size.sum(-1, keepdims=True)
    count = len(measured)
    gain = np.stack([np.full(depth, 0.55), np.full(depth, 1.11)])
    data: dict[str, Any] = {
        "loss": losses,
        "evaluation_loss": losses - 0.03,
        "gradient_norm": norms,
        "decay_rate": decay,
        "loss_by_depth": losses[..., None] * np.linspace(0.8, 1, 3),
        "clipped": np.zeros((epochs, 2, seeds)),
        "hidden_gradient_norm": hidden_norms,
        "activation_mean": np.broadcast_to((0.4 * spread)[None, :, None, :], per_hidden),
        "activation_std": np.broadcast_to(spread[None, :, None, :], per_hidden),
        "saturation": np.broadcast_to((0.03 * hidden / depth)[None, None, None, :], per_hidden),
        "dead_units": np.broadcast_to(np.stack([0.02 * hidden, 0 * hidden])[None, :, None, :], per_hidden).clip(0, 1),
        "update_to_data": 10 ** (-2.2 - 0.8 * rise) * np.exp(-epoch / 20)[:, None, None, None] * wobble,
        "gradient_to_data": 10 ** (-1.2 - 0.8 * rise) * wobble,
        "weight_norm": np.full((epochs, 2, seeds, len(layers)), 4.0),
        "activation_histogram": np.broadcast_to(activation, (count, *activation.shape)),
        "gradient_histogram": np.broadcast_to(size, (count, *size.shape)),
        "weight_gradient_histogram": np.broadcast_to(size, (count, *size.shape)),
        "jacobian_gain": np.broadcast_to(gain[None, :, None, :], (count, 2, seeds, depth)),
        "state_change": np.broadcast_to(gain[None, :, None, :] / 3, (count, 2, seeds, depth)),
        "headroom": np.full((count, 2, seeds), 3.0),
        "test_loss": np.tile([[0.87], [0.60]], (1, seeds)) + 0.02 * noise.standard_normal((2, seeds)),
        "zero_loss": np.full(seeds, 0.873),
        "parameter_count": np.array([38_810, 38_810]),
    }
    if not done:
        del data["test_loss"], data["zero_loss"]
    declared = DepthGradients.variables
    variables = {
        name: xr.Variable(declared[name].dims, np.array(value), {"long_name": declared[name].long_name})
        for name, value in data.items()
    }
    for name, variable in variables.items():
        variable.attrs["units"] = declared[name].units
    return xr.Dataset(
        variables,
        coords={
            "epoch": epoch,
            "network": NETWORKS,
            "seed": np.arange(seeds),
            "layer": layers,
            "hidden": hidden,
            "block": np.arange(1, depth + 1),
            "histogram_epoch": measured,
            "value_bin": values,
            "magnitude_bin": magnitude,
            "trained_depth": [1, 2, 4],
        },
        attrs={"marks": json.dumps([]), "title": "", "status": "finished" if done else "running"},
    )


@pytest.fixture(scope="session")
def build_run() -> Callable[..., xr.Dataset]:
    return build


@pytest.fixture
def run() -> xr.Dataset:
    return build()
