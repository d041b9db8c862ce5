"""The points lie on their curves, classes take turns, and the generator alone decides."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.problems.plane_points import PLANE_CURVES, SPIRAL_TURN, classes_in_the_plane, turned_numbers


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def distance_from_curve(name: str, points: torch.Tensor, number: int) -> torch.Tensor:
    """How far each point is from the curve of its class."""
    if name == "rings":
        return (points.norm(dim=1) - (0.6, 1.4)[number]).abs()
    if name == "moons":
        centre = torch.tensor([(-0.5, -0.25), (0.5, 0.25)][number], dtype=torch.float64)
        return ((points - centre).norm(dim=1) - 1).abs()
    turned = points if number == 0 else -points
    radius = turned.norm(dim=1)
    angle = (radius - 0.15) / 1.25 * SPIRAL_TURN
    return (turned - torch.stack([radius * angle.cos(), radius * angle.sin()], 1)).norm(dim=1)


@given(name=st.sampled_from(sorted(PLANE_CURVES)), count=st.integers(1, 60), seed=st.integers(0, 99))
def test_without_noise_every_point_is_on_the_curve_of_its_class(name, count, seed):
    drawn = classes_in_the_plane(PLANE_CURVES[name], count, 0.0, generator(seed))
    assert drawn.points.shape == (count, 2)
    assert drawn.answers.tolist() == [row % 2 for row in range(count)]
    for number in (0, 1):
        own = drawn.points[number::2]
        assert (distance_from_curve(name, own, number) < 1e-12).all()


@pytest.mark.parametrize("name", sorted(PLANE_CURVES))
def test_noise_has_its_size_and_moves_no_place(name):
    still, noisy = (classes_in_the_plane(PLANE_CURVES[name], 20_000, size, generator(3)) for size in (0.0, 0.2))
    shift = noisy.points - still.points
    assert float(shift.std()) == pytest.approx(0.2, rel=0.02)
    assert float(shift.mean()) == pytest.approx(0, abs=0.01)


def test_rings_are_even_and_spirals_are_not_crowded_in_the_middle():
    rings = classes_in_the_plane(PLANE_CURVES["rings"], 20_000, 0.0, generator()).points
    assert float(rings.mean(0).norm()) < 0.02
    radii = classes_in_the_plane(PLANE_CURVES["spirals"], 20_000, 0.0, generator()).points.norm(dim=1)
    # Radii grow with the square root of a uniform number: a quarter of the points lies in the inner half of the arm.
    assert float((radii < 0.15 + 1.25 / 2).double().mean()) == pytest.approx(0.25, abs=0.02)


def test_the_best_answer_that_keeps_the_order_leaves_a_third():
    drawn = turned_numbers(50_000, 0.1, generator())
    assert drawn.points.shape == (50_000, 1)
    assert float(drawn.points.abs().max()) <= 1
    assert float((drawn.answers + drawn.points[:, 0]).std()) == pytest.approx(0.1, rel=0.02)
    # Isotonic regression of a falling function is its mean: compare slopes of either sign.
    errors = [float((slope * drawn.points[:, 0] - drawn.answers).square().mean()) for slope in (0.0, 0.2, 1.0)]
    assert errors[0] == pytest.approx(1 / 3 + 0.01, rel=0.02)
    assert errors == sorted(errors)


@pytest.mark.parametrize(
    "draw", [lambda g: classes_in_the_plane(PLANE_CURVES["moons"], 9, 0.1, g), lambda g: turned_numbers(9, 0.1, g)]
)
def test_the_same_generator_gives_the_same_points(draw):
    one, same, other = draw(generator(5)), draw(generator(5)), draw(generator(6))
    assert torch.equal(one.points, same.points)
    assert torch.equal(one.answers, same.answers)
    assert not torch.equal(one.points, other.points)
    assert one.points.dtype == torch.float64
    assert math.isfinite(float(one.points.sum()))
