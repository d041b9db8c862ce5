"""Datasets of the continuous-depth laboratory built by hand, with the shapes that its networks are known to show."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from goldviz.labs.continuous_depth.settings import ContinuousDepth
from tests.labs.layer_readings import layer_labels, layer_readings

LAYERS = ("field, layer 1", "field, layer 2", "field, layer 3", "read-out")


def build(
    *,
    task: str = "rings",
    networks: Sequence[str] = ("ode", "residual"),
    augmented: int = 0,
    steps: int = 200,
    look_every: int = 10,
    seeds: int = 1,
    points: int = 32,
    done: bool = True,
    **settings: Any,
) -> xr.Dataset:
    """A run whose points walk along straight lines away from the line h1 = 0, class 1 to the right."""
    noise = np.random.default_rng(0)
    regression = task == "flip"
    step = np.arange(1, steps + 1)
    look = np.array([s for s in step if s in (1, steps) or s % look_every == 0])
    dimension = [f"h{i + 1}" for i in range((1 if regression else 2) + augmented)]
    depth = np.linspace(0, 1, 13)
    grid, arrows = np.linspace(-2, 2, 25), np.linspace(-4, 4, 9)
    rows = np.zeros(1) if regression else grid
    arrow_rows = np.zeros(1) if regression else arrows
    count = len(networks)
    every_step, every_look = (steps, count, seeds), (len(look), count, seeds)
    start = noise.uniform(-1, 1, (points, len(dimension)))
    start[:, (1 if regression else 2) :] = 0
    label = -start[:, 0] if regression else np.arange(points) % 2.0
    aim = label if regression else np.where(label == 1, 3.0, -3.0)
    learning = (look / steps)[:, None, None, None, None]
    path = np.broadcast_to(start, (len(look), count, len(depth), *start.shape)).copy()
    path[..., :1] += learning * depth[:, None, None] * (aim[:, None] - start[:, :1])
    field = np.ones((len(look), count, len(arrow_rows), len(arrows), len(dimension)))
    falling = np.exp(-5 * step / steps)[:, None, None]
    at_looks = np.exp(-5 * look / steps)[:, None, None]
    losses = falling * np.exp(0.1 * noise.standard_normal(every_step))
    growth = 14 + 40 * (step / steps)[:, None, None]
    own = np.array([name == "ode" for name in networks])[None, :, None]
    steps_taken, tolerance = 2 ** np.arange(9), 10.0 ** -np.arange(1, 9)
    order = np.ones((count, 1))
    data: dict[str, Any] = {
        "loss": losses,
        "gradient_norm": losses * 3,
        "evaluations_forward": np.where(own, np.round(growth), 8) * np.ones(every_step),
        "evaluations_backward": np.zeros(every_step),
        "test_loss": at_looks * np.ones(every_look),
        "test_accuracy": np.full(every_look, np.nan) if regression else 1 - 0.4 * at_looks * np.ones(every_look),
        "refined_test_loss": 1.02 * at_looks * np.ones(every_look),
        "gradient_difference": np.full((len(look), seeds), 2e-3),
        "adjoint_cost": np.full((len(look), seeds), 1.5),
        "field_stiffness": 10 * (look / steps)[:, None, None] * np.ones(every_look),
        "field_saturation": 0.2 * (look / steps)[:, None, None] * np.ones(every_look),
        "path": path,
        "read_out": np.tile([2.0, *[0.0] * (len(dimension) - 1), 0.1], (len(look), count, 1)),
        "decision": np.broadcast_to(4 * grid, (len(look), count, len(rows), len(grid))),
        "field": field,
        "evaluations_by_tolerance": order * (20 + 10 * np.arange(8)),
        "error_by_tolerance": order * tolerance,
        "error_by_blocks": order / steps_taken,
        "label": label,
        "parameter_count": np.full(count, 1200),
    }
    if regression:
        del data["read_out"]
    if "ode" not in networks:
        del data["gradient_difference"], data["adjoint_cost"]
    declared = ContinuousDepth.variables
    data |= layer_readings(declared, {"look": len(look), "network": count, "seed": seeds, "layer": len(LAYERS)})
    if not done:
        data = {name: value for name, value in data.items() if not declared[name].once or name == "label"}
    chosen = ContinuousDepth(task=task, augmented=augmented, steps=steps, look_every=look_every, **settings)
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
            "depth": depth,
            "point": np.arange(1, points + 1),
            "dimension": dimension,
            "weight": [*dimension, "bias"],
            "grid_x": grid,
            "grid_y": rows,
            "arrow_x": arrows,
            "arrow_y": arrow_rows,
            "tolerance": tolerance,
            "steps_taken": steps_taken,
            **layer_labels(LAYERS),
        },
        attrs={
            "marks": json.dumps([]),
            "title": "",
            "status": "finished" if done else "running",
            "settings": chosen.model_dump_json(),
        },
    )
