"""Datasets of the ODE-RNN laboratory built by hand, with the shapes that its networks are known to show."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr

from goldviz.labs.ode_rnn.networks import LAYERS
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from tests.labs.layer_readings import layer_labels, layer_readings

INSIDE, TAIL = 8, 24
ERRORS = {"ode_rnn": (0.0016, 0.02), "gru": (0.26, 0.25), "gru_gap": (0.015, 0.64), "gru_decay": (0.029, 0.6)}
"""Errors after training, in range and after long gaps."""

ODE_ALONE = (
    "evaluations",
    "refined_error",
    "field_saturation",
    "field_stiffness",
    "interval_evaluations",
    "interval_error",
    "weights",
    "plane_path",
    "plane_current",
    "arrow_position",
    "arrow_direction",
    "explained_variance",
)
PROBE = (
    "state",
    "decoded_mean",
    "decoded_scale",
    "jump",
    "interval_evaluations",
    "interval_error",
    "plane_path",
    "plane_current",
    "arrow_position",
    "arrow_direction",
    "explained_variance",
    "probe_time",
    "probe_value",
)


def moments_of(times: np.ndarray, longest_gap: float) -> np.ndarray:
    """Both sides of every observation, 8 moments inside every gap, and 24 of the tail."""
    parts = [np.array([times[0], times[0]])]
    for start, end in pairwise(times):
        parts += [np.linspace(start, end, INSIDE + 2)[1:-1], np.array([end, end])]
    parts.append(np.linspace(times[-1], times[-1] + 2 * longest_gap, TAIL + 1)[1:])
    return np.concatenate(parts)


def build(
    *,
    networks: Sequence[str] = ("ode_rnn", "gru", "gru_gap", "gru_decay"),
    steps: int = 600,
    observations: int = 20,
    channels: Sequence[str] = ("x",),
    missing: float = 0.0,
    look_every: int = 75,
    seeds: int = 1,
    hidden: int = 16,
    coarse: bool = False,
    time_unit: str = "s",
) -> xr.Dataset:
    """A run on the oscillator: the ODE-RNN turns on through gaps, the GRU is flat, those told the gaps follow late."""
    noise = np.random.default_rng(0)
    step = np.arange(1, steps + 1)
    look = np.array([s for s in step if s == 1 or s % look_every == 0])
    longest = 0.6
    times = np.cumsum(np.exp(noise.uniform(np.log(0.02), np.log(longest), observations)))
    moment = moments_of(times, longest)
    every_step, every_look = (steps, len(networks), seeds), (len(look), len(networks), seeds)
    omega = 2 * np.pi
    phase = np.pi / 2 * np.arange(len(channels)) * 0.7

    def signal(at: np.ndarray) -> np.ndarray:
        return np.exp(-0.18 * at[:, None]) * np.cos(omega * at[:, None] + phase)

    value = signal(times) + 0.02 * noise.standard_normal((observations, len(channels)))
    value = np.where(noise.random(value.shape) < missing, np.nan, value)
    value[0] = signal(times[:1])[0]
    truth = signal(moment)
    sides = np.flatnonzero(np.diff(moment) == 0)
    seen = np.zeros(len(moment), dtype=int)
    seen[sides + 1] = 1
    seen = np.cumsum(seen) - 1
    since = moment - times[np.maximum(seen, 0)]
    last = np.where(seen[:, None] >= 0, signal(times)[np.maximum(seen, 0)], 0.0)
    trained = {
        "ode_rnn": truth + 0.08 * since[:, None] * np.sin(3 * moment[:, None]) * np.where(coarse, 6, 1),
        "gru": 0.6 * last,
        "gru_gap": truth * np.exp(-0.8 * since[:, None]) + 0.05 * np.sin(9 * since[:, None]),
        "gru_decay": last * np.exp(-2.5 * since[:, None]) * np.cos(4 * since[:, None]),
    }
    progress = (1 / (1 + np.exp(-(look / steps - 0.4) * 10)))[:, None, None]
    mean = np.stack([progress * np.where(seen[:, None] >= 0, trained[name], 0.0) for name in networks], axis=1)
    spread = np.array([0.04, 0.5, 0.13, 0.17])[None, : len(networks), None, None]
    scale = (1 - progress[..., None]) * 0.6 + progress[..., None] * spread * (0.4 + since[:, None])
    mixing = noise.standard_normal((2, hidden))
    turning = np.stack([truth[:, 0], np.sin(omega * moment) * np.exp(-0.18 * moment)], axis=-1)
    flowing = turning + 0.3 * since[:, None] * np.cos(3 * moment)[:, None]
    states = np.stack(
        [
            0.5 * (flowing if n == "ode_rnn" else np.repeat(mean[-1, i, :, :1], 2, 1)) @ mixing
            for i, n in enumerate(networks)
        ]
    )
    states = progress[..., None] * states + 0.02 * noise.standard_normal((len(networks), 1, hidden))
    jump = np.linalg.norm(states[:, :, sides + 1] - states[:, :, sides], axis=-1)

    def noisy(shape: tuple[int, ...], size: float) -> np.ndarray:
        return np.exp(size * noise.standard_normal(shape))

    def falling(index: int) -> np.ndarray:
        ends = np.array([ERRORS[name][index] for name in networks])[None, :, None]
        return ends**progress * 0.37 ** (1 - progress) * noisy(every_look, 0.05)

    gaps = np.diff(times, prepend=times[0])
    error = falling(0)
    data: dict[str, Any] = {
        "loss": 0.4 - 2 * (step / steps)[:, None, None] + 0.1 * noise.standard_normal(every_step),
        "gradient_norm": 0.8 * noisy(every_step, 0.5),
        "error": error,
        "long_gap_error": falling(1),
        "coverage": 0.97 - 0.1 * progress + 0.02 * noise.standard_normal(every_look),
        "state_size": 1.2 + progress * np.ones(every_look),
        "gap_sensitivity": np.where(np.array(networks) == "gru", 0.0, 0.7)[None, :, None] * np.ones(every_look),
        "state_gradient_norm": 1e-2 * 0.9 ** np.arange(observations)[::-1] * noisy((*every_look, observations), 0.1),
        "jump": jump,
        "state": states,
        "decoded_mean": mean,
        "decoded_scale": scale + np.zeros(mean.shape),
        "probe_time": times,
        "probe_value": value,
        "probe_truth": truth,
        "zero_error": np.array([0.372, 0.165]),
        "zero_error_by_seed": np.array([[0.372], [0.165]]) + np.zeros((2, seeds)),
        "parameter_count": np.array([3000 + 10 * i for i in range(len(networks))]),
    }
    if "ode_rnn" in networks:
        data |= _ode_alone(
            states[:, list(networks).index("ode_rnn")],
            error[:, list(networks).index("ode_rnn")],
            gaps,
            step,
            look,
            seeds,
            sides,
            coarse,
        )
    declared = ODERNNLaboratory.variables
    sizes = {"look": len(look), "network": len(networks), "seed": seeds, "layer": len(LAYERS), "row": 2}
    data |= layer_readings(declared, sizes)
    variables = {
        name: (declared[name].dims, np.array(values), {"long_name": declared[name].long_name})
        for name, values in data.items()
    }
    return xr.Dataset(
        variables,
        coords={
            "step": step,
            "look": look,
            "network": list(networks),
            "seed": np.arange(seeds),
            "moment": moment,
            "observation": np.arange(1, observations + 1),
            "channel": list(channels),
            "unit": np.arange(1, hidden + 1),
            "horizon": ["in range", "long gap"],
            **layer_labels(list(LAYERS), row=[1, observations]),
            **({"axis": ["first", "second"]} if "ode_rnn" in networks else {}),
        },
        attrs={
            "marks": json.dumps([]),
            "title": "",
            "status": "finished",
            "longest_gap": longest,
            "time_unit": time_unit,
            "settings": ODERNNLaboratory(steps=steps, step_cap=10.0 if coarse else 0.1).model_dump_json(),
        },
    )


def _ode_alone(
    states: np.ndarray,
    error: np.ndarray,
    gaps: np.ndarray,
    step: np.ndarray,
    look: np.ndarray,
    seeds: int,
    sides: np.ndarray,
    coarse: bool,
) -> dict[str, Any]:
    """What is recorded of an ODE-RNN alone; with a coarse solver its error is six times as large when refined."""
    count, rise = len(look), (look / step[-1])[:, None]
    solver_steps = np.where(gaps > 0, np.ones_like(gaps) if coarse else np.ceil(gaps / 0.1), 0)
    paths, currents, positions, directions, shares = [], [], [], [], []
    for state in states:
        middle = state.mean(axis=0)
        _, sizes, axes = np.linalg.svd(state - middle, full_matrices=False)
        path = (state - middle) @ axes[:2].T
        reach = 1.1 * np.abs(path).max(axis=0) + 1e-3
        first, second = (np.linspace(-one, one, 11) for one in reach)
        grid = np.stack(np.meshgrid(first, second), axis=-1).reshape(-1, 2)
        paths.append(path)
        currents.append(path[sides[-1] + 1])
        positions.append(grid)
        directions.append(grid @ np.array([[-0.2, 6.0], [-6.0, -0.2]]))
        shares.append((sizes**2 / np.sum(sizes**2))[:2])
    return {
        "evaluations": np.full((len(step), seeds), 4 * solver_steps.sum()),
        "refined_error": error * (1 + 5 * rise if coarse else 1.01),
        "field_saturation": 0.02 + 0.2 * rise + np.zeros((count, seeds)),
        "field_stiffness": 1.2 + 10 * rise + np.zeros((count, seeds)),
        "interval_evaluations": np.tile(4 * solver_steps, (count, 1)),
        "interval_error": np.tile((gaps / np.maximum(solver_steps, 1)) ** 5 * solver_steps, (count, 1)),
        "weights": np.ones((count, 30)),
        "plane_path": np.stack(paths),
        "plane_current": np.stack(currents),
        "arrow_position": np.stack(positions),
        "arrow_direction": np.stack(directions),
        "explained_variance": np.stack(shares),
    }


def edited(run: xr.Dataset) -> xr.Dataset:
    """What the procedure gives for edited observations: the ODE-RNN alone, no looks, no truth, the steps' sizes."""
    kept = run[list(PROBE)].sel(network=["ode_rnn"]).isel(look=-1, drop=True)
    gaps = np.diff(run["probe_time"].values, prepend=run["probe_time"].values[0])
    kept["step_size"] = ("observation", np.minimum(gaps, 0.1))
    kept.attrs = {name: run.attrs[name] for name in ("longest_gap", "time_unit")}
    return kept.drop_vars(["seed", "step", "horizon"], errors="ignore")
