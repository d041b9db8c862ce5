"""What is carried through depth on the page *Residual steps to flow*: fields, starting points, trained read-outs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from goldviz.cache import remembered
from goldviz.labs.residual_flow.fields import (
    CLOUD,
    LESSONS,
    TURN,
    LinearPlaneField,
    SpiralField,
    TurnedField,
    VanDerPolField,
    learned,
)
from goldviz.labs.residual_flow.settings import TRAINED, ResidualFlow
from goldviz.models.continuous.runge_kutta import VectorField, integrate
from goldviz.training.seeds import DATA, stream

A = ((-0.4, -1.6), (0.9, -0.4))
"""The linear field's matrix: eigenvalues -0.4 +- 1.2 i, so its flow spirals into the origin."""
NECK, NECK_STEPS = 2000, 48


@dataclass(frozen=True)
class PlaneProblem:
    """A field, the points that it carries over ``duration``, and the two coordinates in the picture.

    Trained fields also have classes (points,), true or false, and the read-out (plane + 1,), whose last entry is its
    bias: a point counts as true where read-out times (h, 1) is above zero. ``shares`` (points,) is how much of the
    curves each point stands for, 1 together.
    """

    field: VectorField
    start: Float[Tensor, "points plane"]
    duration: float
    shown: tuple[int, int] = (0, 1)
    classes: Bool[Tensor, " points"] | None = None
    read_out: Float[Tensor, " weights"] | None = None
    shares: Float[Tensor, " points"] | None = None
    closed: bool = False

    def right_side(self, h: Float[Tensor, "points plane"]) -> float:
        """The share of the curves on their own class's side of the read-out's line; 0 where there are no classes."""
        if self.classes is None or self.read_out is None or self.shares is None:
            return 0.0
        answers = h @ self.read_out[:-1] + self.read_out[-1] > 0
        return float(self.shares[answers == self.classes].sum())


def problem_of(settings: ResidualFlow) -> PlaneProblem:
    """The problem of these settings; a trained one is trained on its first use, in a fraction of a second."""
    separate = settings.sharing == "separate"
    if settings.field in TRAINED:
        return trained_problem(settings.field, separate, settings.seed)
    field: VectorField
    match settings.field:
        case "linear":
            field, centre, spread = LinearPlaneField(torch.tensor(A, dtype=torch.float64)), (1.3, 0.5), 0.16
        case "spiral":
            field, centre, spread = SpiralField(), (0.35, 0.1), 0.08
        case _:
            field, centre, spread = VanDerPolField(settings.mu), (1.4, 0.3), 0.25
    if separate:
        field = TurnedField(field, TURN / settings.depth)
    cloud = torch.randn(CLOUD, 2, generator=stream(settings.seed, DATA), dtype=torch.float64)
    # Normal points have no end; those beyond two spreads would stretch the picture for nobody's use.
    start = torch.tensor(centre, dtype=torch.float64) + spread * cloud.clamp(-2, 2)
    return PlaneProblem(field, start, settings.depth)


@remembered(32)
@torch.no_grad()
def trained_problem(name: str, separate: bool, seed: int) -> PlaneProblem:
    """Train a field over depth 1, with a linear read-out at its end, as its lesson says."""
    lesson = LESSONS[name]
    network, read_out = learned(lesson, separate, seed)
    field: VectorField = TurnedField(network, TURN) if separate else network
    places, shares = spread_out(lesson.placed, field, lesson.plane)
    return PlaneProblem(
        field,
        lesson.placed(places),
        1.0,
        (0, lesson.plane - 1),
        torch.arange(2 * CLOUD) >= CLOUD,
        read_out,
        shares,
        closed=name != "moons",
    )


@torch.no_grad()
def spread_out(
    place: Callable[[Tensor], Tensor], field: VectorField, plane: int
) -> tuple[Float[Tensor, "2 cloud"], Float[Tensor, " points"]]:
    """Places on both curves, 0 to 1, that lie close to each other at depth 0 and at depth 1, and their shares.

    A flow may stretch a thousandth of a ring into a long neck. Evenly spaced points would leap over it and draw the
    rings as if they were parted. So the places are even in the sum of both lengths, each relative to its whole.
    """
    even = torch.linspace(0, 1, NECK, dtype=torch.float64).expand(2, NECK)
    before = place(even)
    after = integrate(field, before, 1.0, NECK_STEPS, "midpoint")
    lengths = torch.zeros(2, NECK, dtype=torch.float64)
    for points in (before, after):
        legs = torch.linalg.vector_norm(points.view(2, NECK, plane).diff(dim=1), dim=2)
        lengths[:, 1:] += (legs / legs.sum(1, keepdim=True)).cumsum(1) / 2
    quantiles = (torch.arange(CLOUD, dtype=torch.float64) + 0.5).expand(2, CLOUD).contiguous() / CLOUD
    right = torch.searchsorted(lengths, quantiles).clamp(1, NECK - 1)
    low, high = lengths.gather(1, right - 1), lengths.gather(1, right)
    places = (right - 1 + (quantiles - low) / (high - low).clamp(min=1e-300)) / (NECK - 1)
    edges = torch.zeros(2, 1, dtype=torch.float64)
    borders = torch.cat([edges, (places[:, 1:] + places[:, :-1]) / 2, 1 + edges], 1)
    return places, borders.diff(dim=1).flatten() / 2
