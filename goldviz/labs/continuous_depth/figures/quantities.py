"""What the figures of *Continuous depth* share: its networks' looks, its classes, the view of the plane, limits."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.diagram import Colour, Reading, colour_quantities, of_layers
from goldviz.figures.limits import Quantity, Values, decades, log_of, magnitudes, padded, with_zero
from goldviz.figures.reading import finite, networks
from goldviz.figures.theme import NETWORKS
from goldviz.labs.continuous_depth.settings import ContinuousDepth
from goldviz.models.style import NetworkStyle

DEPTH_NETWORKS = {"ode": NetworkStyle("neural ODE", "#a257c2", "solid", "circle"), "residual": NETWORKS["residual"]}
CLASS_NAMES = {
    "rings": ("inner ring", "outer ring"),
    "moons": ("upper moon", "lower moon"),
    "spirals": ("first arm", "second arm"),
    "flip": ("x below 0", "x above 0"),
}
ORDER_KEPT = 1 / 3
"""Mean square error of the best answers to x -> -x that keep the order of x: zero for all, where x is uniform."""
SIDEWAYS = 0.3
"""Least share of an axis that must lie in the read-out's plane for the side view to use it."""


def setting_of(ds: Run, name: str) -> Any:
    """What the run's settings say, from its attributes; None where they do not say."""
    return json.loads(ds.attrs.get("settings") or "{}").get(name)


def is_regression(ds: Run) -> bool:
    """Whether the answers are numbers: then the points lie on a line, and nothing is read out."""
    return "path" in ds and "read_out" not in ds


def headings(ds: Run) -> tuple[list[str], list[str]]:
    """The networks' names above panels of their own, and their colours."""
    names = networks(ds)
    return [DEPTH_NETWORKS[name].heading for name in names], [DEPTH_NETWORKS[name].colour for name in names]


def class_names(ds: Run) -> tuple[str, str]:
    """What the two kinds of points are called."""
    return CLASS_NAMES.get(str(setting_of(ds, "task")), CLASS_NAMES["flip"] if is_regression(ds) else ("class 0", "1"))


def of_class(ds: Run, number: int) -> NDArray[np.bool_]:
    """Which of the kept points belong to this class; in the regression, those whose answer is below or above 0."""
    labels = ds["label"].values
    # The answer to an x below 0 is above 0.
    return np.asarray((labels < 0) == bool(number)) if is_regression(ds) else np.asarray(labels == number)


@dataclass(frozen=True)
class PlaneView:
    """The two directions in which states are drawn: a point h is at (across h + shift_across, up h + shift_up).

    In two dimensions these are h1 and h2. With more, one looks along the read-out's plane: up is the distance from it.
    """

    axes: NDArray[np.float64]
    shift: NDArray[np.float64]

    @classmethod
    def of(cls, read_out: NDArray[Any]) -> PlaneView:
        """The view that suits a read-out (hidden + 1,), whose last entry is its bias."""
        weights, bias = np.asarray(read_out[:-1], dtype=np.float64), float(read_out[-1])
        if len(weights) == 2:
            return cls(np.eye(2), np.zeros(2))
        length = max(float(np.linalg.norm(weights)), 1e-30)
        up = weights / length
        for axis in np.eye(len(weights)):
            across = axis - (axis @ up) * up
            if np.linalg.norm(across) > SIDEWAYS:
                break
        across = across / np.linalg.norm(across)
        return cls(np.stack([across, up]), np.array([0.0, bias / length]))

    def place(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """Where states (..., hidden) are drawn, (..., 2)."""
        return np.asarray(states.astype(np.float64) @ self.axes.T + self.shift)


def placed_paths(ds: Run | plot.Now, network: str) -> NDArray[np.float64]:
    """Where a network's paths are drawn at each look (look, depth, point, 2)."""
    read_outs = ds["read_out"].sel(network=network).transpose("look", "weight").values
    paths = ds["path"].sel(network=network).transpose("look", "depth", "point", "dimension").values
    places = [PlaneView.of(read_out).place(path) for read_out, path in zip(read_outs, paths, strict=True)]
    return np.reshape(places, (*paths.shape[:-1], 2))


def _of_plane(axis: int, ds: Run) -> Values:
    """The places of all paths at all looks, across or up."""
    if "path" not in ds or ds["path"].size == 0:
        return np.array([])
    if is_regression(ds):
        return np.array([0.0, 1.0]) if axis == 0 else ds["path"].values.ravel()
    return np.concatenate([placed_paths(ds, name)[..., axis].ravel() for name in networks(ds)])


def _speed(paths: Array) -> Array:
    """How far points move between recorded depths, over the depth between them, mean over the points."""
    lengths = (finite(paths).diff("depth") ** 2).sum("dimension") ** 0.5
    return lengths.mean("point") / paths["depth"].diff("depth")


COLOURS = (
    Colour("speed", "How fast points move", "linear", readings=(Reading("path", _speed),)),
    *of_layers("update_to_data", "gradient_to_data"),
    Colour(
        "field_saturation",
        "Saturated units of the field",
        "share",
        readings=(Reading("field_saturation", lambda share: share.expand_dims(cell=["field"])),),
    ),
)
"""What may colour the networks' diagram."""

KINDS = ContinuousDepth.variables_by_kind

QUANTITIES = {
    **quantities_by_kind(KINDS),
    "across": Quantity(partial(_of_plane, 0), padded),
    "up": Quantity(partial(_of_plane, 1), padded),
    "loss": Quantity(log_of("loss", "test_loss", "refined_test_loss"), decades),
    "evaluations": Quantity(with_zero("evaluations_forward", "evaluations_backward"), padded),
    **magnitudes("evaluations_by_tolerance", "error_by_tolerance", "error_by_blocks"),
    "gradient_difference": Quantity(lambda ds: np.append(log_of("gradient_difference")(ds), -2.0), decades),
    "adjoint_cost": Quantity(with_zero("adjoint_cost"), padded),
    "stiffness": Quantity(log_of("field_stiffness"), decades),
    **colour_quantities(COLOURS),
}

figure = partial(plot.figure, QUANTITIES, look_of=DEPTH_NETWORKS.__getitem__)
shared_limits = partial(limits.shared_limits, QUANTITIES)
