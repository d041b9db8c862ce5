"""What *Continuous depth* reads off a network: paths, decision, field, stiffness, and how far solvers agree on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss

from goldviz.data.problems.plane_points import PLANE_CURVES, PlanePoints, classes_in_the_plane, turned_numbers
from goldviz.labs.continuous_depth.networks import (
    Carrier,
    DepthNetwork,
    EulerBlocks,
    FlowSolver,
    UnsolvedFlowError,
    flow_faults_in_words,
)
from goldviz.models.continuous.methods import BY_LIBRARY_NAME

if TYPE_CHECKING:
    from goldviz.labs.continuous_depth.settings import ContinuousDepth

KEPT_POINTS = 32
"""Points whose paths are kept, or as many as there are."""
PLACES = 12
"""Equal parts of the depth at whose ends a path is kept; block and step ends come on top."""
MOST_ENDS = 32
"""Blocks or steps up to which all their ends are kept."""
GRID, ARROWS = 25, 9
WINDOWS = {"rings": 2.0, "moons": 2.0, "spirals": 2.0, "flip": 1.2}
"""Half the side of the square in which decisions are read off; the field is read off twice as far."""
FLAT = 0.97
COMPARED = 64
"""Unseen points on which gradients are compared."""
REFINED = FlowSolver("dopri5", tolerance=1e-7)
REFERENCE = FlowSolver("dopri5", tolerance=1e-10)
TOLERANCES = tuple(10.0**power for power in range(-1, -9, -1))
EULER_STEPS = tuple(2**power for power in range(9))


@dataclass(frozen=True)
class DepthView:
    """What a look looks at: unseen points, the depths of the paths, and the places of the two maps.

    ``across`` and ``up`` are the coordinates of a map's columns and rows; the regression's plane is a line, so its maps
    have one row.
    """

    unseen: PlanePoints
    depths: tuple[float, ...]
    across: Float[Tensor, " columns"]
    up: Float[Tensor, " rows"]
    arrows_across: Float[Tensor, " columns"]
    arrows_up: Float[Tensor, " rows"]

    @property
    def kept(self) -> Float[Tensor, "kept plane"]:
        """The points whose paths are kept."""
        return self.unseen.points[:KEPT_POINTS]


def drawn_points(settings: ContinuousDepth, generator: torch.Generator) -> PlanePoints:
    """The task's points, as many as the settings say."""
    if settings.task == "flip":
        return turned_numbers(settings.samples, settings.noise, generator)
    return classes_in_the_plane(PLANE_CURVES[settings.task], settings.samples, settings.noise, generator)


def depth_view(settings: ContinuousDepth, generator: torch.Generator) -> DepthView:
    """What the looks of one seed look at; ``generator`` draws the unseen points."""
    half = WINDOWS[settings.task]
    line = torch.linspace(-half, half, GRID, dtype=torch.float64)
    # Paths leave the window in which points start, and the arrows go with them.
    arrows = torch.linspace(-2 * half, 2 * half, ARROWS, dtype=torch.float64)
    zero = torch.zeros(1, dtype=torch.float64)
    flat = settings.task == "flip"
    return DepthView(
        drawn_points(settings, generator),
        kept_depths(settings),
        line,
        zero if flat else line,
        arrows,
        zero if flat else arrows,
    )


def kept_depths(settings: ContinuousDepth) -> tuple[float, ...]:
    """Depths at which paths are kept: equal parts, and the ends of blocks and of a stepping solver's steps."""
    parts = [PLACES]
    if settings.networks != "ode":
        parts.append(settings.blocks)
    if settings.networks != "residual" and not BY_LIBRARY_NAME[settings.method].adaptive:
        parts.append(settings.solver_steps)
    ends = {Fraction(place, count) for count in parts if count <= MOST_ENDS for place in range(count + 1)}
    return tuple(float(end) for end in sorted(ends))


def answer_loss(
    network: DepthNetwork, answers: Float[Tensor, " points"], targets: Float[Tensor, " points"]
) -> Float[Tensor, ""]:
    """Cross-entropy where the network tells classes apart, the mean square error where it says numbers."""
    return (
        mse_loss(answers, targets) if network.read_out is None else binary_cross_entropy_with_logits(answers, targets)
    )


def in_double(network: DepthNetwork) -> DepthNetwork:
    """The network in float64 on the CPU, where every device's run is measured."""
    weights = network.field.weights[0]
    if weights.dtype == torch.float64 and weights.device.type == "cpu":
        return network
    return deepcopy(network).cpu().double()


@torch.no_grad()
def seed_readings(network: DepthNetwork, view: DepthView) -> dict[str, Tensor]:
    """One number each: loss and accuracy on unseen points, the loss of the exact flow, stiffness and saturation.

    NaN where the flow cannot be solved.
    """
    points, truth = view.unseen.points, view.unseen.answers
    answers = answers_to(network, points)
    has_classes = network.read_out is not None and bool(answers.isfinite().all())
    right = ((answers > 0) == (truth > 0.5)).double().mean() if has_classes else _nothing()
    path = kept_path(network, view)
    stiffness, flat = [], []
    for depth, h in zip(view.depths, path, strict=True):
        t = torch.tensor(depth, dtype=h.dtype)
        stiffness.append(largest_stretch(network.field.jacobian(t, h)))
        flat.append(torch.cat([values.abs() > FLAT for values in network.field.tanh_values(t, h)], 1))
    return {
        "test_loss": answer_loss(network, answers, truth),
        "test_accuracy": right,
        "refined_test_loss": answer_loss(network, answers_to(network, points, REFINED), truth),
        "field_stiffness": torch.stack(stiffness).max(),
        "field_saturation": torch.stack(flat).double().mean(),
    }


@torch.no_grad()
def first_seed_readings(network: DepthNetwork, view: DepthView) -> dict[str, Tensor]:
    """Paths, read-out, decision and field, as the declaration names them."""
    plane = view.unseen.points.shape[1]
    answers = answers_to(network, _map_points(view.across, view.up, plane))
    start = network.start(_map_points(view.arrows_across, view.arrows_up, plane))
    arrows = network.field.at(start.new_zeros(()), start)
    readings = {
        "path": kept_path(network, view),
        "decision": answers.view(len(view.up), len(view.across)),
        "field": arrows.view(len(view.arrows_up), len(view.arrows_across), -1),
    }
    return readings if network.read_out is None else readings | {"read_out": network.read_out.clone()}


def kept_path(network: DepthNetwork, view: DepthView) -> Float[Tensor, "depths kept hidden"]:
    """Where the network's own solver, or its blocks, take the kept points; NaN where the flow cannot be solved."""
    return _carried(network, view.kept, view.depths)


def answers_to(
    network: DepthNetwork, points: Float[Tensor, "points plane"], carrier: Carrier | None = None
) -> Float[Tensor, " points"]:
    """What the network says of some points, by its own carrier or another; NaN where the flow cannot be solved."""
    return network.answer(_carried(network, points, (0.0, 1.0), carrier)[-1])


def _carried(
    network: DepthNetwork, points: Float[Tensor, "points plane"], depths: Sequence[float], by: Carrier | None = None
) -> Float[Tensor, "depths points hidden"]:
    start = network.start(points)
    try:
        return (by or network.carrier).carry(network.field, start, depths)
    except UnsolvedFlowError:
        return torch.full((len(depths), *start.shape), torch.nan, dtype=start.dtype)


def largest_stretch(J: Float[Tensor, "points hidden hidden"]) -> Float[Tensor, ""]:
    """The largest spectral norm of some matrices; NaN where one is not finite."""
    return torch.linalg.matrix_norm(J, 2).max() if bool(J.isfinite().all()) else _nothing()


def adjoint_against_solver(network: DepthNetwork, view: DepthView) -> dict[str, Tensor]:
    """How far the adjoint's gradient is from the one through the solver's own steps, and what its way back costs.

    ``gradient_difference`` is the norm of the field's gradients' difference over the norm of the solver's own, with the
    network's method and tolerance for both. NaN where the adjoint cannot be solved.
    """
    solver = network.carrier
    if not isinstance(solver, FlowSolver):
        raise TypeError("Only a network that is carried by a solver has an adjoint equation.")
    gradients, cost = [], _nothing()
    try:
        for way in ("solver", "adjoint"):
            start = network.start(view.unseen.points[:COMPARED])
            end = replace(solver, gradient=way).carry(network.field, start, (0.0, 1.0))[-1]
            loss = answer_loss(network, network.answer(end), view.unseen.answers[:COMPARED])
            forward, network.field.evaluations = network.field.evaluations, 0
            with flow_faults_in_words(solver.method):
                of_field = torch.autograd.grad(loss, list(network.field.parameters()))
            gradients.append(torch.cat([gradient.flatten() for gradient in of_field]))
            cost = torch.tensor(network.field.evaluations / forward, dtype=torch.float64)
    except UnsolvedFlowError:
        return {"gradient_difference": _nothing(), "adjoint_cost": _nothing()}
    ours, theirs = gradients
    return {"gradient_difference": (theirs - ours).norm() / ours.norm(), "adjoint_cost": cost}


@torch.no_grad()
def by_tolerance(network: DepthNetwork, view: DepthView) -> tuple[list[float], list[float]]:
    """Evaluations of the field and mean distance of the end points from the reference, for every tolerance."""
    return _solved([FlowSolver("dopri5", tolerance) for tolerance in TOLERANCES], network, view)


@torch.no_grad()
def by_euler_steps(network: DepthNetwork, view: DepthView) -> list[float]:
    """Mean distance of the end points from the reference, for every number of Euler steps along the field."""
    return _solved([EulerBlocks(steps) for steps in EULER_STEPS], network, view)[1]


def _solved(
    carriers: Sequence[FlowSolver | EulerBlocks], network: DepthNetwork, view: DepthView
) -> tuple[list[float], list[float]]:
    """Evaluations and distances; NaN where a solver gives up, and all distances where the reference does."""
    ends, evaluations = [], []
    for carrier in (*carriers, REFERENCE):
        ends.append(_carried(network, view.kept, (0.0, 1.0), carrier)[-1])
        evaluations.append(math.nan if bool(ends[-1].isnan().all()) else float(network.field.evaluations))
    *solutions, reference = ends
    return evaluations[:-1], [float((end - reference).norm(dim=1).mean()) for end in solutions]


def _map_points(across: Tensor, up: Tensor, plane: int) -> Float[Tensor, "points plane"]:
    """The places of a map row by row, as points of the task's plane."""
    rows, columns = torch.meshgrid(up, across, indexing="ij")
    return torch.stack([columns.flatten(), rows.flatten()], 1)[:, :plane]


def _nothing() -> Tensor:
    return torch.tensor(torch.nan, dtype=torch.float64)
