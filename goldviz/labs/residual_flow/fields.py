"""Vector fields in the plane, and how those learn whose flows no formula gives.

A field is f of dh/dt = f(h, t) (document 001, eq. 29), called as ``field(t, h)``, the order that torchdiffeq uses.
Points are rows: h is (..., plane), and the answer has its shape. t is a scalar tensor, or (moving, 1, 1) where each of
the h (moving, points, plane) is at a depth of its own.

A field is trained by its lesson, with the gradient by hand: a lesson is a hundred small steps and more, and autograd's
record of the way costs several times what the arithmetic does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import linear

from goldviz.data.problems.plane_points import two_moons, two_rings
from goldviz.models.continuous.methods import ButcherTableau, runge_kutta_method
from goldviz.models.continuous.runge_kutta import VectorField
from goldviz.models.continuous.vector_field import TanhField
from goldviz.training.quick_steps import QuickAdam, take_step
from goldviz.training.seeds import WEIGHTS, stream

Numbers = NDArray[np.float64]
TURN = 1.5
"""Radians by which separate blocks' weights turn from the first to the last."""
CLOUD = 120
"""Points of a cloud, and of each curve."""
WORK = 0.03
"""Weight of the squared length of the paths in a lesson's loss (Finlay et al. 2020): short paths, quiet fields."""
UNITS = 16
"""Tanh units of a trained field."""
RATE, LAST_RATE = 0.05, 0.001
"""Adam's step size at the first update and after the last. Without the decay the last noisy updates decide on which
side a few points end."""
SHARPNESS = 4.0
"""The read-out's weights are this many times those that Adam steps."""


@dataclass(frozen=True)
class LinearPlaneField:
    """dh/dt = A h, whose flow is the matrix exponential: h(t) = exp(t A) h(0).

    >>> field = LinearPlaneField(torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64))
    >>> start = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    >>> field.flow(start, torch.tensor([torch.pi], dtype=torch.float64)).round(decimals=3)[0, 0, 0]
    tensor(-1., dtype=torch.float64)
    """

    A: Float[Tensor, "plane plane"]

    def __call__(self, t: Tensor, h: Float[Tensor, "*points plane"]) -> Float[Tensor, "*points plane"]:
        """A h for every point."""
        return h @ self.A.t()

    def flow(
        self, start: Float[Tensor, "points plane"], times: Float[Tensor, " times"]
    ) -> Float[Tensor, "times points plane"]:
        """Where the points are at each of the times."""
        return start @ torch.matrix_exp(times[:, None, None] * self.A).mT


@dataclass(frozen=True)
class SpiralField:
    """Points wind around the origin while they are drawn to an ellipse; ``rate`` is how fast, ``turning`` in 1/time.

    With u = (h_1, h_2 / flatness): du/dt = rate (1 - |u|^2) u + turning J u, J the quarter turn. This is the normal
    form of a Hopf bifurcation (Strogatz 1994, section 8.2), and its flow is known: the angle of u grows by turning t,
    and 1 / |u|^2 - 1 shrinks by exp(-2 rate t).
    """

    rate: float = 1.0
    turning: float = 2.0
    flatness: float = 0.6

    def __call__(self, t: Tensor, h: Float[Tensor, "*points 2"]) -> Float[Tensor, "*points 2"]:
        """The velocity of every point."""
        first, second = h[..., 0], h[..., 1] / self.flatness
        pull = self.rate * (1 - first.square() - second.square())
        across = self.flatness * (pull * second + self.turning * first)
        return torch.stack([pull * first - self.turning * second, across], -1)

    def flow(self, start: Float[Tensor, "points 2"], times: Float[Tensor, " times"]) -> Float[Tensor, "times points 2"]:
        """Where the points are at each of the times; the origin stays where it is."""
        first, second = start[:, 0], start[:, 1] / self.flatness
        square = first.square() + second.square()
        angle = torch.atan2(second, first) + self.turning * times[:, None]
        radius = (square / (square + (1 - square) * torch.exp(-2 * self.rate * times[:, None]))).sqrt()
        return torch.stack([radius * torch.cos(angle), self.flatness * radius * torch.sin(angle)], -1)


@dataclass(frozen=True)
class VanDerPolField:
    """Van der Pol's oscillator in Liénard's plane: dx/dt = mu (x - x^3 / 3 - y), dy/dt = x / mu.

    (Strogatz 1994, section 7.5.) A large mu makes it stiff: at |x| = 2 its fast direction shrinks at the rate 3 mu,
    while the way along the slow one is of length 1 / mu. mu must be above zero.
    """

    mu: float

    def __call__(self, t: Tensor, h: Float[Tensor, "*points 2"]) -> Float[Tensor, "*points 2"]:
        """The velocity of every point."""
        x, y = h.unbind(-1)
        return torch.stack([self.mu * (x - x * x * x / 3 - y), x / self.mu], -1)


@dataclass(frozen=True)
class LearnedField:
    """dh/dt = V tanh(W h + b) + c, of document 001, eq. 31, once it has learned; for the CPU."""

    W: Float[Tensor, "units plane"]
    b: Float[Tensor, " units"]
    V: Float[Tensor, "plane units"]
    c: Float[Tensor, " plane"]

    def __call__(self, t: Tensor, h: Float[Tensor, "*points plane"]) -> Float[Tensor, "*points plane"]:
        """The velocity of every point."""
        a = linear(h, self.W, self.b)
        # numpy's tanh of float64 takes a quarter of PyTorch's time, and knows no automatic differentiation.
        z = torch.tanh(a) if a.requires_grad else torch.from_numpy(np.tanh(a.numpy()))
        return linear(z, self.V, self.c)


@dataclass(frozen=True)
class TurnedField:
    """A field whose frame turns with depth: f(h, t) = R f_0(R^-1 h), with R the turn of h_1 and h_2 by rate * t.

    Turning rotates the weights: block l of a residual network reads t_l and so has weights of its own, and blocks
    that are neighbours have nearly the same. The more blocks, the smoother, which is what eq. 29 needs of f(h, t).
    """

    field: VectorField
    rate: float

    def __call__(self, t: Tensor, h: Float[Tensor, "*points plane"]) -> Float[Tensor, "*points plane"]:
        """The velocity of every point at depth t."""
        angle = self.rate * (t if t.dim() == 0 else t.squeeze(-1))
        cosine, sine = angle.cos(), angle.sin()
        turned = _times(torch.complex(cosine, -sine), h)
        return _times(torch.complex(cosine, sine), self.field(t, turned))


def _times(turning: Tensor, h: Float[Tensor, "*points plane"]) -> Float[Tensor, "*points plane"]:
    """h with its first two coordinates, read as one complex number, multiplied by ``turning``.

    A product of complex numbers takes a fifth of the time that many small products of matrices do.
    """
    rotation = torch.view_as_real(torch.view_as_complex(h[..., :2].contiguous()) * turning)
    return rotation if h.shape[-1] == 2 else torch.cat([rotation, h[..., 2:]], -1)


def turn(angles: Float[Tensor, "*turns"], plane: int) -> Float[Tensor, "*turns plane plane"]:
    """The matrices that turn the first two coordinates by these angles in radians and leave the others alone."""
    R = torch.eye(plane, dtype=angles.dtype, device=angles.device).repeat(*angles.shape, 1, 1)
    cosines, sines = angles.cos(), angles.sin()
    R[..., 0, 0], R[..., 0, 1], R[..., 1, 0], R[..., 1, 1] = cosines, -sines, sines, cosines
    return R


def closed_form(
    field: VectorField, start: Float[Tensor, "points plane"], times: Float[Tensor, " times"]
) -> Float[Tensor, "times points plane"] | None:
    """The flow where a formula gives it, else None: linear, turned linear, and spiral fields.

    Seen from the turning frame, u = R^-1 h, a turned linear field is linear again: du/dt = (A - rate J) u, with J the
    quarter turn of the first two coordinates.
    """
    match field:
        case LinearPlaneField() | SpiralField():
            return field.flow(start, times)
        case TurnedField(field=LinearPlaneField(A=A), rate=rate):
            J = torch.zeros_like(A)
            J[0, 1], J[1, 0] = -1.0, 1.0
            rotating = LinearPlaneField(A - rate * J).flow(start, times)
            return rotating @ turn(rate * times, start.shape[-1]).mT
    return None


@dataclass(frozen=True)
class Lesson:
    """How a field of tanh units is trained: what carries the points while it learns, and on what."""

    points: Callable[[Tensor, Tensor], Tensor]
    span: float
    steps: int
    method: str = "midpoint"
    lifted: bool = False
    updates: int = 150

    @property
    def plane(self) -> int:
        """How many coordinates a point has."""
        return 3 if self.lifted else 2

    def placed(self, places: Float[Tensor, "2 cloud"]) -> Float[Tensor, "points plane"]:
        """Points of both curves at these places, from 0 to 1; an added coordinate is zero."""
        return torch.nn.functional.pad(self.points(*(self.span * places)), (0, self.plane - 2))


LESSONS = {
    "moons": Lesson(two_moons, math.pi, steps=6, updates=100),
    "rings": Lesson(two_rings, 2 * math.pi, steps=8),
    "rings_steps": Lesson(two_rings, 2 * math.pi, steps=2, method="euler", updates=300),
    "rings_lifted": Lesson(two_rings, 2 * math.pi, steps=6, lifted=True, updates=100),
}


@dataclass(frozen=True)
class Weights:
    """All that a lesson trains, as views into ``flat``: the field's (W, b) and (V, c), and the read-out (w, bias)."""

    flat: Numbers
    first: Numbers
    last: Numbers
    read_out: Numbers

    @classmethod
    def of(cls, plane: int, units: int) -> Weights:
        """Zeros, for so many coordinates and units."""
        first, last = units * (plane + 1), plane * (units + 1)
        flat = np.zeros(first + last + plane + 1)
        parts = np.split(flat, [first, first + last])
        return cls(flat, parts[0].reshape(units, -1), parts[1].reshape(plane, -1), parts[2])

    def field(self) -> LearnedField:
        """The field that these weights make, with numbers of its own."""
        W, b, V, c = self.first[:, :-1], self.first[:, -1], self.last[:, :-1], self.last[:, -1]
        return LearnedField(*(torch.tensor(np.ascontiguousarray(part)) for part in (W, b, V, c)))


def learned(lesson: Lesson, separate: bool, seed: int) -> tuple[LearnedField, Float[Tensor, " weights"]]:
    """The field, before it is turned, and the read-out, after the lesson: Adam on fresh points at every update.

    The rings are curves, so points are drawn anew: with a fixed few, a flow could slip out between two of them.
    The read-out of the lifted field reads its added coordinate alone, which makes its line level in the picture.
    """
    generator = stream(seed, WEIGHTS)
    start_field = TanhField(lesson.plane, (UNITS,), generator, last_scale=0.5, dtype=torch.float64)
    weights = Weights.of(lesson.plane, UNITS)
    weights.first[:, :-1], weights.last[:, :-1] = (W.detach().numpy() for W in start_field.weights)
    weights.read_out[-2] = 1.0
    slope = Slope(lesson, separate)
    parameter = torch.from_numpy(weights.flat).requires_grad_()
    optimiser = QuickAdam([parameter], lr=RATE)
    for update in range(lesson.updates):
        optimiser.param_groups[0]["lr"] = RATE + (LAST_RATE - RATE) * update / lesson.updates
        start = lesson.placed(torch.rand(2, CLOUD, generator=generator, dtype=torch.float64))
        gradient = slope(weights, start.numpy().T)
        if lesson.lifted:
            gradient.read_out[:-1] = 0
        parameter.grad = torch.from_numpy(gradient.flat)
        take_step(optimiser)
    read_out = torch.tensor(weights.read_out)
    read_out[:-1] *= SHARPNESS
    return weights.field(), read_out


class Slope:
    """The derivative of a lesson's loss by its weights, for one batch of points after another.

    The loss is the mean cross-entropy of said = 4 w h(1) + bias, plus ``WORK`` times the mean of the integral of |f|²
    along the paths, by the sum of the squared steps. Points are columns; each ends with a 1, which the bias multiplies.
    """

    def __init__(self, lesson: Lesson, separate: bool, points: int = 2 * CLOUD, units: int = UNITS) -> None:
        self.tableau, self.steps, plane = runge_kutta_method(lesson.method), lesson.steps, lesson.plane
        self.labels = np.arange(points) >= points // 2
        stages = self.tableau.stages
        # What the way back needs of the way there, in the same places for every batch.
        self._read = np.ones((self.steps, stages, plane + 1, points))
        self._units = np.ones((self.steps, stages, units + 1, points))
        self._states = np.empty((self.steps + 1, plane, points))
        at = (np.arange(self.steps)[:, None] + np.array(self.tableau.c)) / self.steps
        self._turns: Numbers | None = turn(TURN * torch.from_numpy(at), plane).numpy() if separate else None

    def __call__(self, weights: Weights, start: Float[Numbers, "plane points"]) -> Weights:
        """d loss / d weights."""
        self._carry(weights, start)
        gradient, end = Weights.of(len(start), len(weights.first)), self._states[-1]
        n = len(self.labels)
        read_out = SHARPNESS * weights.read_out[:-1]
        d_said = (1 / (1 + np.exp(-(read_out @ end + weights.read_out[-1]))) - self.labels) / n
        gradient.read_out[:-1], gradient.read_out[-1] = SHARPNESS * (end @ d_said), d_said.sum()
        d_moved = (2 * WORK * self.steps / n) * np.diff(self._states, axis=0)
        d_end = np.outer(read_out, d_said)
        for step in reversed(range(self.steps)):
            d_end += d_moved[step]
            d_end = self._back(step, weights, d_end, gradient) - d_moved[step]
        return gradient

    def _carry(self, weights: Weights, start: Numbers) -> None:
        """h_0 ... h_L, and what every stage read and said on the way."""
        size, (V, states) = 1 / self.steps, (weights.last, self._states)
        states[0] = start
        for step in range(self.steps):
            velocities: list[Numbers] = []
            for stage, row in enumerate(self.tableau.a):
                at = _moved(states[step], size, row, velocities)
                R = None if self._turns is None else self._turns[step, stage]
                read, units = self._read[step, stage], self._units[step, stage]
                read[:-1] = at if R is None else R.T @ at
                np.tanh(weights.first @ read, out=units[:-1])
                velocities.append(V @ units if R is None else R @ (V @ units))
            states[step + 1] = _moved(states[step], size, self.tableau.b, velocities)

    def _back(self, step: int, weights: Weights, d_end: Numbers, gradient: Weights) -> Numbers:
        """From d loss / d h after a step to that before it; what the weights get is added to ``gradient``.

        A stage passes d through f(y) = R (V tanh(W R^-1 y + b) + c): to y it gives R W^T ((1 - z²) * V^T R^-1 d).
        """
        size, tableau = 1 / self.steps, self.tableau
        d_velocities = [size * b * d_end if b else None for b in tableau.b]
        for stage in reversed(range(tableau.stages)):
            d = d_velocities[stage]
            if d is None:
                continue
            R = None if self._turns is None else self._turns[step, stage]
            read, z = self._read[step, stage], self._units[step, stage]
            d = d if R is None else R.T @ d
            gradient.last[...] += d @ z.T
            d_units = (1 - np.square(z[:-1])) * (weights.last[:, :-1].T @ d)
            gradient.first[...] += d_units @ read.T
            d_read = weights.first[:, :-1].T @ d_units
            d_read = d_read if R is None else R @ d_read
            d_end = d_end + d_read
            _pass_on(d_read, size, tableau, stage, d_velocities)
        return d_end


def _moved(h: Numbers, size: float, shares: Sequence[float], velocities: Sequence[Numbers]) -> Numbers:
    """h + size sum_j share_j k_j."""
    for share, k in zip(shares, velocities, strict=True):
        if share:
            h = h + (share * size) * k
    return h


def _pass_on(d: Numbers, size: float, tableau: ButcherTableau, stage: int, d_velocities: list[Numbers | None]) -> None:
    """What the earlier stages get of d, the derivative by the place at which this one looked at the field."""
    for earlier, a in enumerate(tableau.a[stage]):
        if a:
            before = d_velocities[earlier]
            d_velocities[earlier] = size * a * d if before is None else before + size * a * d
