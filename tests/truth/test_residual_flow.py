"""*Residual steps to flow*, computed once more by numpy loops, finite differences and scipy's solvers."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from goldviz.labs.residual_flow.problems import problem_of
from goldviz.labs.residual_flow.settings import ResidualFlow

SEED = 9
TURN = 1.5
CASES = {
    "linear": {"field": "linear", "depth": 4.5, "blocks": 23, "sharing": "separate"},
    "spiral": {"field": "spiral", "depth": 1.3, "blocks": 11, "sharing": "separate"},
    "van_der_pol": {"field": "van_der_pol", "mu": 3.7, "depth": 1.7, "blocks": 64},
    "moons": {"field": "moons", "blocks": 13},
}


def turned(field, rate):
    """The field seen from a frame that has turned by rate * t."""

    def f(t, h):
        c, s = np.cos(rate * t), np.sin(rate * t)
        R = np.array([[c, -s], [s, c]])
        return R @ field(t, R.T @ h)

    return f


def linear(t, h):
    return np.array([[-0.4, -1.6], [0.9, -0.4]]) @ h


def spiral(t, h):
    """The normal form of a Hopf bifurcation in z = x + iy: dz/dt = (1 + 2i) z - |z|^2 z, drawn 0.6 as high."""
    z = h[0] + 1j * h[1] / 0.6
    dz = (1 + 2j) * z - abs(z) ** 2 * z
    return np.array([dz.real, 0.6 * dz.imag])


def van_der_pol(mu):
    return lambda t, h: np.array([mu * (h[0] - h[0] ** 3 / 3 - h[1]), h[0] / mu])


def learned(settings):
    """The trained field by its matrices alone."""
    network = problem_of(settings).field
    W, b, V, c = (part.numpy() for part in (network.W, network.b, network.V, network.c))
    return lambda t, h: V @ np.tanh(W @ h + b[:, None]) + c[:, None]


def field_of(settings):
    """f(t, h) for points in columns, and the depth."""
    match settings.field:
        case "linear":
            field = linear
        case "spiral":
            field = spiral
        case "van_der_pol":
            field = van_der_pol(settings.mu)
        case _:
            return learned(settings), 1.0
    rate = TURN / settings.depth if settings.sharing == "separate" else 0.0
    return turned(field, rate), settings.depth


def euler(f, h, duration, blocks):
    step = duration / blocks
    for block in range(blocks):
        h = h + step * f(block * step, h)
    return h


def midpoint(f, h, duration, blocks):
    step = duration / blocks
    for block in range(blocks):
        t = block * step
        h = h + step * f(t + step / 2, h + step / 2 * f(t, h))
    return h


def flow(f, h, duration, **more):
    """One point's way."""
    return solve_ivp(
        lambda t, y: f(t, y[:, None])[:, 0], (0, duration), h, rtol=1e-11, atol=1e-12, method="DOP853", **more
    )


@pytest.mark.parametrize("name", CASES)
def test_network_flow_and_their_distance_are_scipy_s_and_a_loop_s(name):
    settings = ResidualFlow(**CASES[name], seed=SEED)
    ds, (f, duration) = settings.compute(), field_of(settings)
    starts = ds["start"].values
    by_loop = euler(f, starts.T, duration, settings.blocks).T
    np.testing.assert_allclose(ds["network"], by_loop, rtol=1e-9, atol=1e-10)
    for point in range(0, len(starts), 23):
        np.testing.assert_allclose(ds["flow"].values[point], flow(f, starts[point], duration).y[:, -1], atol=1e-7)
    network, end = (ds[name].values for name in ("network", "flow"))
    distances = np.linalg.norm(network - end, axis=1)
    np.testing.assert_allclose(ds["distance_largest"].values[-1], distances.max(), rtol=1e-6)
    # The laboratory's median of an even number of points is the lower of the two in the middle.
    assert float(ds["distance_median"][-1]) == pytest.approx(np.sort(distances)[(len(distances) - 1) // 2], rel=1e-6)


@pytest.mark.parametrize("name", ["linear", "van_der_pol"])
def test_errors_by_steps_and_their_slopes_are_a_loop_s(name):
    settings = ResidualFlow(**CASES[name], seed=SEED)
    ds, (f, duration) = settings.compute(), field_of(settings)
    starts, ends = ds["start"].values, ds["flow"].values
    for solver, by_loop in {"euler": euler, "midpoint": midpoint}.items():
        shown = ds["end_error"].sel(solver=solver)
        errors = []
        for steps in (64, 128, 256):
            found = by_loop(f, starts.T, duration, steps).T
            errors.append(np.linalg.norm(found - ends, axis=1).max())
        np.testing.assert_allclose(shown.sel(steps=[64, 128, 256]), errors, rtol=1e-4)
        slope = np.polyfit(np.log([64, 128, 256]), np.log(errors), 1)[0]
        assert float(ds["slope"].sel(solver=solver)) == pytest.approx(slope, abs=1e-3)


def test_the_fastest_rate_is_the_jacobian_s_along_the_flow():
    settings = ResidualFlow(**CASES["van_der_pol"], seed=SEED)
    ds, (f, duration) = settings.compute(), field_of(settings)
    traced = np.linspace(0, ds.sizes["point"] - 1, ds.sizes["traced"]).round().astype(int)
    rates, slopes = [], []
    for h in ds["start"].values[traced]:
        times = duration * np.arange(0, 101, 10) / 100
        for t, state in zip(times, flow(f, h, duration, t_eval=times).y.T, strict=True):
            steps = 1e-6 * np.eye(2)
            J = (f(t, state[:, None] + steps) - f(t, state[:, None] - steps)) / 2e-6
            rates.append(np.abs(np.linalg.eigvals(J)).max())
            slopes.append(np.linalg.norm(J, 2))
    assert ds.attrs["fastest_rate"] == pytest.approx(max(rates), rel=1e-5)
    assert ds.attrs["steepest_slope"] == pytest.approx(max(slopes), rel=1e-5)


def test_the_share_on_the_right_side_is_that_of_points_spread_evenly_over_the_curves():
    settings = ResidualFlow(**CASES["moons"], seed=SEED)
    ds, (f, duration) = settings.compute(), field_of(settings)
    angles = np.pi * (np.arange(400) + 0.5) / 400
    upper = np.stack([np.cos(angles) - 0.5, np.sin(angles) - 0.25], 1)
    weights, bias = ds["read_out"].values[:2], ds["read_out"].values[2]
    right = []
    for side, curve in ((False, upper), (True, -upper)):
        ends = euler(f, curve.T, duration, settings.blocks).T
        right.append(((ends @ weights + bias > 0) == side).mean())
    assert ds.attrs["network_right"] == pytest.approx(np.mean(right), abs=0.01)
