"""What the page *Residual steps to flow* shows: document 001, eq. 26-30, as labelled arrays in float64."""

from __future__ import annotations

import numpy as np
import torch
import xarray as xr
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor
from torchdiffeq import odeint

from goldviz.cache import remembered
from goldviz.labs.residual_flow.fields import closed_form
from goldviz.labs.residual_flow.problems import PlaneProblem, problem_of
from goldviz.labs.residual_flow.settings import ALWAYS_DRAWN, ResidualFlow
from goldviz.models.continuous.methods import runge_kutta_method
from goldviz.models.continuous.runge_kutta import integrate_in_each, states_along
from goldviz.training.threads import one_thread

Numbers = NDArray[np.float64]

TRACED = 12
"""Points whose whole paths are drawn; all are drawn where they stand at the depth in view."""
FINE = 101
"""Places along the depth at which the flow is known, one for each per cent."""
STEPS = tuple(2**power for power in range(9))
TOLERANCES = tuple(10.0**power for power in range(-2, -8, -1))
REFERENCE_TOLERANCE = 1e-11
FLOOR = 1e-9
"""Errors below this are left out of a slope: the reference itself has no more digits there."""
ARROWS = 13
MOST_EVALUATIONS = 20_000
"""Evaluations of f after which dopri5 counts as not arriving."""


@torch.no_grad()
def compute(settings: ResidualFlow) -> xr.Dataset:
    """Where network and flow carry the points, how far apart they are, and how four solvers converge.

    A network has no state between two blocks; at such a depth its points are put on the straight line of the block
    that is under way.
    """
    with one_thread():
        return _merged(settings, _convergence(settings.changed(view=100, blocks=1)))


@torch.no_grad()
def plane(settings: ResidualFlow) -> xr.Dataset:
    """Those numbers of :func:`compute` that the plane shows, and the distances; not how four solvers converge.

    They take half the time, and after another number of blocks hardly any.
    """
    with one_thread():
        return _merged(settings)


def _merged(settings: ResidualFlow, *more: xr.Dataset) -> xr.Dataset:
    """The flow, ``more``, what depends on the number of blocks, and what depends on the depth in view."""
    network = _network(settings.changed(view=100, beside="none"))
    parts = [_carried(_shared(settings)), *more, network, _in_view(settings.changed(beside="none"))]
    attributes = {name: value for part in parts for name, value in part.attrs.items()}
    return xr.merge(parts).assign_attrs(attributes, view=settings.view)


def flow_at(problem: PlaneProblem, times: Float[Tensor, " times"]) -> Float[Tensor, "times points plane"]:
    """The exact flow where a formula gives it, else dopri8 at relative tolerance 1e-11 (eq. 30).

    The solver is made to land on the last time; in between it interpolates, to about 1e-7.
    """
    exact = closed_form(problem.field, problem.start, times)
    if exact is not None:
        return exact
    path: Tensor = odeint(
        problem.field,
        problem.start,
        times,
        rtol=REFERENCE_TOLERANCE,
        atol=REFERENCE_TOLERANCE,
        method="dopri8",
        options={"step_t": times[-1:]},
    )
    return path


def slope(x: Numbers, errors: Numbers) -> float:
    """The exponent p of errors = c x^p over the last three usable points; NaN if fewer than two are usable.

    >>> round(slope(np.array([1.0, 2.0, 4.0]), np.array([1.0, 0.25, 0.0625])), 6)
    -2.0
    """
    usable = np.flatnonzero(np.isfinite(errors) & (errors > FLOOR))[-3:]
    if usable.size < 2:
        return float("nan")
    return float(np.polyfit(np.log(x[usable]), np.log(errors[usable]), 1)[0])


def _apart(ours: Tensor, theirs: Tensor) -> Tensor:
    """The distance of every point from where it should be; NaN where its square is too large for float64."""
    distances = torch.linalg.vector_norm(ours - theirs, dim=-1)
    return torch.where(distances.isfinite(), distances, torch.nan)


@remembered(64)
def _states(settings: ResidualFlow) -> tuple[PlaneProblem, Tensor]:
    """The network's states h_0 ... h_L for all points."""
    problem = problem_of(settings)
    states = states_along(problem.field, problem.start, problem.duration, settings.blocks, "euler")
    return problem, torch.stack(list(states))


@remembered(64)
def _flow(settings: ResidualFlow) -> Tensor:
    """The flow at every per cent of the depth."""
    problem = problem_of(settings)
    return flow_at(problem, torch.linspace(0, problem.duration, FINE, dtype=torch.float64))


def _shared(settings: ResidualFlow) -> ResidualFlow:
    """The settings on which the flow depends."""
    return settings.changed(view=100, blocks=1, beside="none")


@remembered(64)
def _network(settings: ResidualFlow) -> xr.Dataset:
    """All that depends on the number of blocks."""
    problem, states = _states(settings)
    times = torch.linspace(0, problem.duration, settings.blocks + 1, dtype=torch.float64)
    flow = _flow(_shared(settings))
    distance = _apart(states, _between(flow, times / problem.duration))
    # The end is known to more digits than the places before it.
    distance[-1] = _apart(states[-1], flow[-1])
    finite = distance.isfinite().all(1)
    lines = _traced(problem)
    paths = states[:, lines][..., problem.shown]
    return xr.Dataset(
        {
            "network_path": (("layer", "traced", "axis"), _numbers(paths)),
            "distance_largest": ("layer", distance.max(1).values.numpy()),
            "distance_median": ("layer", distance.median(1).values.numpy()),
        },
        coords={"layer": np.arange(settings.blocks + 1), "layer_depth": ("layer", times.numpy())},
        attrs={
            "blocks": settings.blocks,
            "step": problem.duration / settings.blocks,
            "lost_at": int(finite.logical_not().nonzero()[0]) if not bool(finite.all()) else 0,
            "network_right": problem.right_side(states[-1]),
        },
    )


def _between(flow: Tensor, places: Tensor) -> Tensor:
    """The flow at these shares of the depth: a cubic through the four nearest of its known places."""
    at = places * (FINE - 1)
    first = (at.floor().long() - 1).clamp(0, FINE - 4)
    x = at - first
    flow_there = torch.zeros(len(places), *flow.shape[1:], dtype=flow.dtype)
    for node in range(4):
        others = [other for other in range(4) if other != node]
        weight = torch.stack([(x - other) / (node - other) for other in others]).prod(0)
        flow_there += weight[:, None, None] * flow[first + node]
    return flow_there


def _traced(problem: PlaneProblem) -> Tensor:
    return torch.linspace(0, len(problem.start) - 1, TRACED).round().long()


def _numbers(values: Tensor) -> Numbers:
    """As an array, NaN where a number is not finite."""
    return torch.where(values.isfinite(), values, torch.nan).numpy()


@remembered(64)
def _carried(settings: ResidualFlow) -> xr.Dataset:
    """The flow, which does not depend on the number of blocks, and what there is to tell apart at its end."""
    problem = problem_of(settings)
    flow = _flow(settings)
    dataset = xr.Dataset(
        {
            "flow_path": (("place", "traced", "axis"), _numbers(flow[:, _traced(problem)][..., problem.shown])),
            "start": (("point", "axis"), problem.start[:, problem.shown].numpy()),
        },
        coords={
            "place_depth": ("place", np.linspace(0, problem.duration, FINE)),
            "axis": [f"h{number + 1}" for number in problem.shown],
        },
        attrs={
            "field": settings.field,
            "sharing": settings.sharing,
            "duration": problem.duration,
            "exact": int(closed_form(problem.field, problem.start[:1], torch.zeros(1).double()) is not None),
            "closed": int(problem.closed),
        },
    )
    if problem.classes is not None and problem.read_out is not None:
        dataset["true_class"] = ("point", problem.classes.double().numpy())
        dataset["read_out"] = ("weight", problem.read_out[[*problem.shown, -1]].numpy())
        dataset.attrs["flow_right"] = problem.right_side(flow[-1])
    return dataset


@remembered(64)
def _convergence(settings: ResidualFlow) -> xr.Dataset:
    """The errors of four solvers at the flow's end; they do not depend on the number of blocks either."""
    problem = problem_of(settings)
    flow = _flow(_shared(settings))
    methods = ALWAYS_DRAWN if settings.beside == "none" else (*ALWAYS_DRAWN, settings.beside)
    ends = {
        method: integrate_in_each(problem.field, problem.start, problem.duration, STEPS, method) for method in methods
    }
    errors = np.array([[float(_apart(end, flow[-1]).max()) for end in dataset] for dataset in ends.values()])
    adaptive = np.array([_dopri5(problem, flow[-1], tolerance) for tolerance in TOLERANCES])
    rates, stretch = _stiffness(problem, flow)
    dataset = xr.Dataset(
        {
            "end_error": (("solver", "steps"), errors),
            "slope": ("solver", [slope(np.array(STEPS, dtype=float), row) for row in errors]),
            "adaptive_error": ("asked", adaptive[:, 0]),
            "evaluations": ("asked", adaptive[:, 1]),
        },
        coords={
            "solver": list(methods),
            "order": ("solver", [float(runge_kutta_method(method).order) for method in methods]),
            "steps": list(STEPS),
            "asked": list(TOLERANCES),
        },
        attrs={
            "adaptive_slope": slope(np.array(TOLERANCES), adaptive[:, 0]),
            "evaluations_slope": slope(np.array(TOLERANCES), adaptive[:, 1]),
            "fastest_rate": rates,
            "steepest_slope": stretch,
        },
    )
    if problem.classes is not None:
        dataset["right_by_steps"] = ("steps", [problem.right_side(end) for end in ends["euler"]])
    return dataset


def _dopri5(problem: PlaneProblem, end: Tensor, tolerance: float) -> tuple[float, float]:
    """The largest error at the end, and how often f was evaluated, both NaN if dopri5 does not arrive."""
    count = 0

    def counted(t: Tensor, h: Tensor) -> Tensor:
        nonlocal count
        count += 1
        if count > MOST_EVALUATIONS:
            raise OverflowError
        return problem.field(t, h)

    times = torch.tensor([0.0, problem.duration], dtype=torch.float64)
    try:
        states = odeint(
            counted,
            problem.start,
            times,
            rtol=tolerance,
            atol=tolerance,
            method="dopri5",
            options={"step_t": times[1:]},
        )
    except (OverflowError, AssertionError):
        # torchdiffeq asserts where its step becomes too small to go on.
        return float("nan"), float("nan")
    return float(_apart(states[1], end).max()), float(count)


@torch.enable_grad()
def _stiffness(problem: PlaneProblem, flow: Tensor) -> tuple[float, float]:
    """The largest |eigenvalue| and the largest singular value of df/dh along the traced paths, at eleven depths."""
    h = flow[::10, _traced(problem)].detach().requires_grad_()
    t = torch.linspace(0, problem.duration, len(h), dtype=h.dtype)[:, None, None]
    velocity = problem.field(t, h)
    rows = [torch.autograd.grad(column.sum(), h, retain_graph=True)[0] for column in velocity.unbind(-1)]
    J = torch.stack(rows, -2)
    return float(torch.linalg.eigvals(J).abs().max()), float(torch.linalg.matrix_norm(J, 2).max())


def _in_view(settings: ResidualFlow) -> xr.Dataset:
    """The points at the depth in view, and the field there."""
    problem, states = _states(settings.changed(view=100))
    flow = _flow(_shared(settings))
    along = settings.view / 100 * settings.blocks
    block = min(int(along), settings.blocks - 1)
    network = torch.lerp(states[block], states[block + 1], along - block)
    t = problem.duration * settings.view / 100
    window = _window(torch.cat([flow[:, :, problem.shown], states[:, :, problem.shown]]), flow[:, :, problem.shown])
    x, y = (torch.linspace(low, high, ARROWS, dtype=torch.float64) for low, high in window)
    grid = torch.zeros(ARROWS, ARROWS, problem.start.shape[1], dtype=torch.float64)
    grid[..., problem.shown[0]], grid[..., problem.shown[1]] = x[None, :], y[:, None]
    velocity = problem.field(torch.tensor(t, dtype=torch.float64), grid)
    return xr.Dataset(
        {
            "network": (("point", "axis"), _numbers(network[:, problem.shown])),
            "flow": (("point", "axis"), flow[settings.view][:, problem.shown].numpy()),
            "velocity": (("y", "x", "axis"), velocity[..., problem.shown].numpy()),
            "window": (("axis", "end"), np.array(window)),
        },
        coords={"x": x.numpy(), "y": y.numpy(), "end": ["low", "high"]},
    )


def _window(everything: Tensor, flow: Tensor) -> list[tuple[float, float]]:
    """What the picture holds: the flow, and the network where it strays by no more than half of its extent.

    One unit is as long across as up, so the shorter side gets room until it is 0.7 of the longer.
    """
    lows, highs = flow.amin((0, 1)), flow.amax((0, 1))
    span = (highs - lows).max() / 2
    inside = ((everything > lows - span) & (everything < highs + span)).all(-1)
    near = everything[inside]
    middle, half = (near.amax(0) + near.amin(0)) / 2, 0.56 * (near.amax(0) - near.amin(0))
    half = half.clamp(min=0.7 * float(half.max()))
    return [(float(m - r), float(m + r)) for m, r in zip(middle, half, strict=True)]
