"""Vector fields in the plane whose flows are known, and the turning that gives every residual block weights of its own.

A field is f of dh/dt = f(h, t) (document 001, eq. 29), called as ``field(t, h)``, the order that torchdiffeq uses.
Points are rows: h is (..., plane), and the answer has its shape. t is a scalar tensor, or (moving, 1, 1) where each of
the h (moving, points, plane) is at a depth of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import linear

from goldviz.models.continuous.runge_kutta import VectorField


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

    def __post_init__(self) -> None:
        if not self.mu > 0:
            raise ValueError(f"mu of Van der Pol's oscillator is {self.mu:g}; allowed is a number above 0.")

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
