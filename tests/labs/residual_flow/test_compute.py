"""The numbers of *Residual steps to flow* against matrix exponentials, theory's orders and topology."""

import numpy as np
import pytest
import torch
import xarray as xr

from goldviz.labs.residual_flow import compute as residual_flow
from goldviz.labs.residual_flow.problems import CLOUD, LESSONS, A, problem_of, trained_problem
from goldviz.labs.residual_flow.settings import TRAINED, ResidualFlow
from goldviz.models.continuous.runge_kutta import integrate
from tests.thinned import thinned


def test_the_linear_flow_is_the_matrix_exponential_and_the_network_its_power_of_blocks() -> None:
    ds = ResidualFlow(blocks=5, depth=2.0).compute()
    matrix, start = torch.tensor(A, dtype=torch.float64), torch.from_numpy(ds["start"].values)
    flow = start @ torch.matrix_exp(2.0 * matrix).t()
    block = torch.eye(2, dtype=torch.float64) + 2.0 / 5 * matrix
    network = start @ torch.linalg.matrix_power(block, 5).t()
    np.testing.assert_allclose(ds["flow"], flow, atol=1e-12)
    np.testing.assert_allclose(ds["network"], network, atol=1e-12)
    error = torch.linalg.vector_norm(flow - network, dim=1).max()
    np.testing.assert_allclose(ds["distance_largest"][-1], error, rtol=1e-10)
    rate = np.abs(np.linalg.eigvals(A)).max()
    np.testing.assert_allclose(ds.attrs["fastest_rate"], rate, rtol=1e-12)
    np.testing.assert_allclose(ds.attrs["steepest_slope"], np.linalg.norm(A, 2), rtol=1e-12)


@pytest.mark.parametrize(
    ("field", "sharing"),
    thinned(
        [
            (field, sharing)
            for field in ("linear", "moons", "spiral", "van_der_pol", "rings_lifted")
            for sharing in ("separate", "shared")
        ],
        ordinary=3,
    ),
)
def test_slopes_are_those_of_theory(field: str, sharing: str) -> None:
    ds = ResidualFlow.checked({"field": field, "sharing": sharing}).compute()
    np.testing.assert_allclose(-ds["slope"], ds["order"], rtol=0.12)
    assert 0.75 < ds.attrs["adaptive_slope"] < 1.6
    assert (ds["adaptive_error"] < 200 * ds["asked"]).all()


def test_the_distance_between_known_depths_is_interpolated_without_loss() -> None:
    """Every layer's distance, against the formula at the layer's own depth; a cubic over 1/100 of T errs by 1e-8."""
    settings = ResidualFlow(blocks=37)
    ds, problem = settings.compute(), problem_of(settings)
    depths = torch.from_numpy(ds["layer_depth"].values)
    exact = residual_flow.flow_at(problem, depths)
    network = [
        integrate(problem.field, problem.start, float(t), number, "euler") for number, t in enumerate(depths) if number
    ]
    expected = torch.linalg.vector_norm(torch.stack(network) - exact[1:], dim=2).max(1).values
    np.testing.assert_allclose(ds["distance_largest"][1:], expected, atol=1e-7)
    assert float(ds["distance_largest"][0]) == 0


def test_too_large_a_step_runs_away_and_smaller_ones_do_not() -> None:
    broken, fixed = (ResidualFlow.preset(slug).compute() for slug in ("break-it-stiff", "fix-it-smaller-steps"))
    assert broken.attrs["step"] * broken.attrs["fastest_rate"] > 2
    assert fixed.attrs["step"] * fixed.attrs["fastest_rate"] < 2
    assert np.isnan(broken["distance_largest"][-1]) or broken["distance_largest"][-1] > 1e3
    assert fixed["distance_largest"].max() < 2
    assert np.isfinite(fixed["network"]).all()
    assert np.isfinite(broken["window"]).all()


def test_separate_blocks_change_the_flow_and_shared_ones_are_one_field() -> None:
    shared, separate = (ResidualFlow.checked({"sharing": way}).compute() for way in ("shared", "separate"))
    assert not np.allclose(shared["flow"], separate["flow"], atol=0.05)
    assert separate["distance_largest"][-1] > 0


def _winding(loop: np.ndarray, point: np.ndarray) -> float:
    """How often a closed curve goes around a point."""
    closed = np.concatenate([loop, loop[:1]]) - point
    turns = np.angle(np.exp(1j * np.diff(np.angle(closed[:, 0] + 1j * closed[:, 1]))))
    return float(turns.sum() / (2 * np.pi))


@pytest.mark.slow
@pytest.mark.parametrize("seed", thinned([0, 1, 2]))
def test_a_flow_in_the_plane_keeps_the_outer_ring_around_the_inner_and_big_steps_do_not(seed: int) -> None:
    for field in ("rings", "rings_steps"):
        ds = ResidualFlow.checked({"field": field, "seed": seed, "blocks": 2}).compute()
        inner, outer = (ds["flow"].values[ds["true_class"].values == number] for number in (0, 1))
        assert all(abs(abs(_winding(outer, point)) - 1) < 1e-6 for point in inner)
        assert ds.attrs["flow_right"] < 0.999
    assert ds.attrs["network_right"] > 0.99
    # Big steps let paths cross: the same field's network has put the inner ring outside the outer one's image.
    inner, outer = (ds["network"].values[ds["true_class"].values == number] for number in (0, 1))
    assert ds.attrs["steepest_slope"] * ds.attrs["step"] > 1
    assert any(abs(_winding(outer, point)) < 0.5 for point in inner)


@pytest.mark.parametrize("seed", thinned([0, 1, 2]))
def test_one_more_dimension_parts_the_rings(seed: int) -> None:
    ds = ResidualFlow.checked({"field": "rings_lifted", "seed": seed, "blocks": 64}).compute()
    assert ds.attrs["flow_right"] > 0.999
    assert list(ds["axis"].values) == ["h1", "h3"]
    assert (ds["start"].sel(axis="h3") == 0).all()


@pytest.mark.parametrize("name", LESSONS)
def test_points_of_trained_fields_stand_for_the_whole_of_both_curves(name: str) -> None:
    problem = trained_problem(name, False, 3)
    assert name in TRAINED
    assert problem.shares is not None
    assert (problem.shares > 0).all()
    np.testing.assert_allclose(problem.shares.view(2, CLOUD).sum(1), 0.5, atol=1e-12)


def test_the_view_is_on_the_straight_line_between_two_blocks() -> None:
    ends = [ResidualFlow(blocks=2, view=view).compute()["network"].values for view in (0, 25, 50, 100)]
    np.testing.assert_allclose(ends[1], (ends[0] + ends[2]) / 2, atol=1e-14)
    after, under_way = (ResidualFlow(blocks=1, view=view).compute() for view in (100, 40))
    expected = 0.6 * after["start"].values + 0.4 * after["network"].values
    np.testing.assert_allclose(under_way["network"], expected, atol=1e-13)


def test_slopes_leave_out_what_is_no_number_and_what_is_too_small() -> None:
    x = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    assert residual_flow.slope(x, np.array([np.nan, 1.0, 0.5, 0.25, 1e-12])) == pytest.approx(-1)
    assert np.isnan(residual_flow.slope(x, np.array([np.nan, np.nan, np.nan, 0.1, 1e-12])))


@pytest.mark.parametrize("field", thinned(["spiral", "rings_lifted"]))
def test_the_plane_s_numbers_are_those_of_the_page_to_the_bit(field: str) -> None:
    settings = ResidualFlow.checked({"field": field, "blocks": 11, "view": 63, "sharing": "separate"})
    fewer, whole = residual_flow.plane(settings), settings.compute()
    assert set(whole.data_vars) - set(fewer.data_vars) >= {"end_error", "slope", "adaptive_error", "evaluations"}
    xr.testing.assert_identical(fewer.drop_attrs(), whole[list(fewer.data_vars)].drop_attrs())
    assert fewer.attrs.items() <= whole.attrs.items()
