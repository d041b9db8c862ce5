"""A lesson's gradient by hand, against autograd through the same steps in float64."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from goldviz.labs.residual_flow.fields import LESSONS, SHARPNESS, TURN, WORK, LearnedField, Slope, TurnedField, Weights
from goldviz.models.continuous.runge_kutta import states_along

POINTS, UNITS = 14, 5


def _by_autograd(name: str, separate: bool, weights: Weights, start: torch.Tensor) -> torch.Tensor:
    lesson = LESSONS[name]
    flat = torch.tensor(weights.flat, requires_grad=True)
    first, last, read_out = flat.split([weights.first.size, weights.last.size, weights.read_out.size])
    (W, b), (V, c) = (
        part.view(rows, -1).split([-1 + part.numel() // rows, 1], 1)
        for part, rows in ((first, UNITS), (last, lesson.plane))
    )
    network = LearnedField(W, b[:, 0], V, c[:, 0])
    field = TurnedField(network, TURN) if separate else network
    states = torch.stack(list(states_along(field, start, 1.0, lesson.steps, lesson.method)))
    work = lesson.steps * states.diff(dim=0).square().sum((0, 2)).mean()
    said = states[-1] @ (SHARPNESS * read_out[:-1]) + read_out[-1]
    labels = (torch.arange(POINTS) >= POINTS // 2).double()
    loss = functional.binary_cross_entropy_with_logits(said, labels) + WORK * work
    (gradient,) = torch.autograd.grad(loss, flat)
    return gradient


@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("name", LESSONS)
def test_the_gradient_by_hand_is_autograds(name: str, separate: bool) -> None:
    lesson, generator = LESSONS[name], torch.Generator().manual_seed(5)
    weights = Weights.of(lesson.plane, UNITS)
    weights.flat[:] = torch.randn(weights.flat.size, generator=generator, dtype=torch.float64)
    slope = Slope(lesson, separate, points=POINTS, units=UNITS)
    for _ in range(2):  # The second batch finds the first one's numbers in its places.
        start = torch.randn(POINTS, lesson.plane, generator=generator, dtype=torch.float64)
        found = slope(weights, start.numpy().T)
        np.testing.assert_allclose(found.flat, _by_autograd(name, separate, weights, start), rtol=1e-10, atol=1e-13)
