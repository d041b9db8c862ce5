"""Points in the plane that belong to two curves, and numbers on a line whose sign is to be turned.

What two-class problems of neural ODEs are usually tried on (Dupont, Doucet and Teh 2019): moons and spirals can be
parted by a flow in the plane, a ring inside another cannot, and no flow on a line takes every x to -x.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Generator, Tensor

SPIRAL_TURN = 1.8 * math.pi
"""The angle in radians that an arm of the spirals winds through."""


@dataclass(frozen=True)
class PlanePoints:
    """Points and what they stand for: the class, 0 or 1, or the number that the regression asks for.

    ``points`` has two columns, and one in the regression. Classes take turns: even rows are 0, odd rows 1.
    """

    points: Float[Tensor, "points plane"]
    answers: Float[Tensor, " points"]


def two_rings(inner: Float[Tensor, " inner"], outer: Float[Tensor, " outer"]) -> Float[Tensor, "points 2"]:
    """Points at these angles on a ring of radius 0.6 and on one of radius 1.4 around it."""
    angles = torch.cat([inner, outer])
    radii = torch.cat([torch.full_like(inner, 0.6), torch.full_like(outer, 1.4)])
    return torch.stack([radii * torch.cos(angles), radii * torch.sin(angles)], 1)


def two_moons(first: Float[Tensor, " first"], second: Float[Tensor, " second"]) -> Float[Tensor, "points 2"]:
    """Points at these angles, 0 to pi, on two half circles that reach into each other."""
    upper = torch.stack([torch.cos(first) - 0.5, torch.sin(first) - 0.25], 1)
    lower = torch.stack([0.5 - torch.cos(second), 0.25 - torch.sin(second)], 1)
    return torch.cat([upper, lower])


def two_spirals(first: Float[Tensor, " first"], second: Float[Tensor, " second"]) -> Float[Tensor, "points 2"]:
    """Points at these angles, 0 to :data:`SPIRAL_TURN`, on two arms whose radius grows from 0.15 to 1.4 with the angle.

    The second arm is the first one turned by half a circle.
    """
    angles = torch.cat([first, second])
    side = torch.cat([torch.ones_like(first), -torch.ones_like(second)])
    radii = side * (0.15 + 1.25 * angles / SPIRAL_TURN)
    return torch.stack([radii * torch.cos(angles), radii * torch.sin(angles)], 1)


@dataclass(frozen=True)
class CurvePair:
    """Two curves as a function of places on them, from 0 to ``span``, and how a uniform number becomes a place.

    ``crowding`` is the power that a uniform number is raised to: 1/2 gives an arm of a spiral, whose outer turns are
    longer, about as many points per length everywhere.
    """

    points: Callable[[Tensor, Tensor], Tensor]
    span: float
    crowding: float = 1.0


PLANE_CURVES = {
    "rings": CurvePair(two_rings, 2 * math.pi),
    "moons": CurvePair(two_moons, math.pi),
    "spirals": CurvePair(two_spirals, SPIRAL_TURN, crowding=0.5),
}


def classes_in_the_plane(curves: CurvePair, count: int, noise: float, generator: Generator) -> PlanePoints:
    """``count`` points of two classes, each at a place of its own on its curve, in float64.

    ``noise`` is the standard deviation of the normal noise on both coordinates. With an odd count class 0 has one
    point more.
    """
    pairs = (count + 1) // 2
    places = curves.span * torch.rand(2, pairs, generator=generator, dtype=torch.float64) ** curves.crowding
    shift = noise * torch.randn(2 * pairs, 2, generator=generator, dtype=torch.float64)
    points = curves.points(*places) + shift
    # Row i of the first curve becomes row 2i, row i of the second 2i + 1.
    turns = points.view(2, pairs, 2).transpose(0, 1).reshape(2 * pairs, 2)
    return PlanePoints(turns[:count].contiguous(), (torch.arange(count) % 2).double())


def turned_numbers(count: int, noise: float, generator: Generator) -> PlanePoints:
    """``count`` numbers x, uniform from -1 to 1, whose answer is -x plus normal noise, in float64.

    A flow on a line keeps the order of its points, so its answers cannot fall where x rises: the best that it can say
    is 0 for all, with the mean square E[x^2] = 1/3 and the noise's variance as its error.
    """
    x = 2 * torch.rand(count, 1, generator=generator, dtype=torch.float64) - 1
    shift = noise * torch.randn(count, generator=generator, dtype=torch.float64)
    return PlanePoints(x, shift - x[:, 0])
