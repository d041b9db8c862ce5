"""Datasets of the recurrent laboratory built by hand, with the shapes that its networks are known to show."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from goldviz.labs.recurrent_gradients.figures import GATES
from goldviz.labs.recurrent_gradients.instruments import LAYERS
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from tests.labs.layer_readings import layer_labels, layer_readings

GATE_NAMES = ("input", "forget", "output", "update", "reset")
KEPT = {"rnn": 0.75, "lstm": 0.985, "gru": 0.97}
OPENINGS = {"input": 0.4, "forget": 0.93, "output": 0.6, "update": 0.15, "reset": 0.7}


def build(
    *,
    networks: Sequence[str] = ("rnn", "lstm", "gru"),
    steps: int = 400,
    length: int = 50,
    look_every: int = 10,
    seeds: int = 1,
    asks_for_numbers: bool = True,
    done: bool = True,
) -> xr.Dataset:
    """A run of the adding problem: the RNN's signal falls by a quarter a step, the gated networks keep and learn it."""
    noise = np.random.default_rng(0)
    step = np.arange(1, steps + 1)
    look = np.array([s for s in step if s == 1 or s % look_every == 0])
    time, lag = np.arange(1, length + 1), np.arange(length)
    task_lag = np.unique(np.linspace(1, length - 1, 5).round().astype(int))
    kept = np.array([KEPT[name] for name in networks])[None, :, None, None]
    every_step, every_look = (steps, len(networks), seeds), (len(look), len(networks), seeds)

    def noisy(shape: tuple[int, ...], size: float) -> np.ndarray:
        return np.exp(size * noise.standard_normal(shape))

    learns = np.array([name != "rnn" for name in networks])[None, :, None]
    progress = 1 / (1 + np.exp(-(step / steps - 0.5) * 12))[:, None, None]
    losses = np.where(learns, 0.167 * (1 - progress) + 0.01, 0.172) * noisy(every_step, 0.06)
    norms = 0.8 * noisy(every_step, 0.5)
    trend = np.exp(-look / steps)[:, None, None, None]
    state = 1e-2 * trend * kept ** (length - time) * noisy((*every_look, length), 0.1)
    jacobian = lag * np.log10(kept) + np.zeros((*every_look, 1)) + 0.05 * noise.standard_normal((*every_look, 1))
    gate = np.full((*every_look, len(GATE_NAMES), length), np.nan)
    gate_saturation = np.full((*every_look, len(GATE_NAMES)), np.nan)
    for row, network in enumerate(networks):
        for gate_name in GATES.get(network, ()):
            column = GATE_NAMES.index(gate_name)
            gate[:, row, :, column] = OPENINGS[gate_name] + 0.05 * np.sin(time / 5)
            gate_saturation[:, row, :, column] = 0.05 + 0.2 * (look / steps)[:, None]
    only = {name: np.array([n == name for n in networks])[None, :, None, None] for name in ("rnn", "lstm")}
    by_lag = np.where(learns[..., None], 0.03, 0.17) * np.ones((*every_look, len(task_lag)))
    right = np.full(every_step, np.nan) if asks_for_numbers else 1 - losses
    data: dict[str, Any] = {
        "loss": losses,
        "accuracy": right,
        "gradient_norm": norms,
        "clipped_gradient_norm": np.minimum(norms, 1.0),
        "clipped": (norms > 1).astype(float),
        "update_to_data": 2e-3 * noisy(every_look, 0.2),
        "spectral_radius": 1 + 0.1 * (look / steps)[:, None, None] * np.ones(every_look),
        "spectral_norm": 1 + 0.4 * (look / steps)[:, None, None] * np.ones(every_look),
        "state_gradient_norm": state,
        "log_jacobian_norm": jacobian,
        "log_cell_path": np.where(only["lstm"], lag * np.log10(0.95), np.nan) + np.zeros((*every_look, 1)),
        "log_bound": np.where(only["rnn"], lag * np.log10(1.02), np.nan) + np.zeros((*every_look, 1)),
        "lag_contribution": 0.1 * kept**lag * noisy((*every_look, length), 0.05),
        "gate_opening": gate,
        "gate_saturation": gate_saturation,
        "state_saturation": 0.1 * noisy(every_look, 0.1),
        "loss_by_lag": by_lag,
        "accuracy_by_lag": np.full(by_lag.shape, np.nan) if asks_for_numbers else 1 - by_lag,
        "test_loss": np.where(learns[0], 0.012, 0.171) * noisy((len(networks), seeds), 0.02),
        "memoryless_loss": np.full(seeds, 1 / 6),
        "memoryless_loss_by_lag": np.full((seeds, len(task_lag)), 0.16),
        "parameter_count": np.full(len(networks), 4400),
    }
    if not done:
        del data["test_loss"]
    declared = RecurrentGradients.variables
    data |= layer_readings(
        declared, {"look": len(look), "network": len(networks), "seed": seeds, "moment": 4, "layer": 3}
    )
    return xr.Dataset(
        {
            name: (declared[name].dims, np.array(value), {"long_name": declared[name].long_name})
            for name, value in data.items()
        },
        coords={
            "step": step,
            "look": look,
            "network": list(networks),
            "seed": np.arange(seeds),
            "time": time,
            "lag": lag,
            "gate": list(GATE_NAMES),
            "task_lag": task_lag,
            **layer_labels(LAYERS, moment=np.linspace(1, length, 4).round().astype(int)),
        },
        attrs={"marks": json.dumps([]), "title": "", "status": "finished" if done else "running"},
    )
