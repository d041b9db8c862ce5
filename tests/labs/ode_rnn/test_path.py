import numpy as np
import pytest
import torch

import goldviz.api
from goldviz.labs.ode_rnn.networks import flat_weights, series_network
from goldviz.labs.ode_rnn.path import PathError, path
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

SMALL = ODERNNLaboratory(
    task="linear",
    hidden_share=0.4,
    observations=6,
    hidden=5,
    width=7,
    steps=4,
    batch=4,
    look_every=2,
    learning_rate=0.1,
)
SHARED = (
    "state",
    "decoded_mean",
    "decoded_scale",
    "jump",
    "interval_evaluations",
    "interval_error",
    "plane_path",
    "plane_current",
    "explained_variance",
    "arrow_position",
    "arrow_direction",
)


@pytest.fixture(scope="module", params=["rk4", "dopri5"])
def recorded(request):
    settings = SMALL.changed(solver=request.param)
    return settings, goldviz.api.run(settings, progress=False)


def followed(settings=SMALL, times=(0.0, 0.3, 0.5), values=((1.0, 0.0), (0.0, np.nan), (np.nan, np.nan)), **more):
    weights = flat_weights(series_network(settings, "ode_rnn", 2, 0)).numpy()
    # Weights a little stronger than a fresh network's, so that there is a motion to see.
    return path(settings, 1.5 * weights, np.array(times), np.array(values, dtype=float), **more)


def test_the_recorded_probe_s_path_is_the_recorded_one(recorded):
    settings, dataset = recorded
    found = path(settings, dataset.weights.values[-1], dataset.probe_time.values, dataset.probe_value.values)
    last = dataset.isel(look=-1)
    for name in SHARED:
        expected = last[name].sel(network=["ode_rnn"]) if "network" in last[name].dims else last[name]
        assert found[name].dims == expected.dims, name
        # Times are recorded in float32, so gaps differ in the seventh digit.
        np.testing.assert_allclose(found[name], expected, rtol=1e-3, atol=2e-5, err_msg=name)
    np.testing.assert_allclose(found.moment, dataset.moment, atol=1e-6)
    for dim in ("observation", "unit", "channel", "axis", "arrow"):
        assert list(found[dim].values) == list(dataset[dim].values)
    assert found.attrs["longest_gap"] == dataset.attrs["longest_gap"]


def test_two_moments_at_every_observation_and_the_left_one_first():
    found = followed()
    assert found.sizes["moment"] == 2 * 3 + 2 * 8 + 24
    moments = found.moment.values
    left = np.flatnonzero(np.diff(moments) == 0)
    np.testing.assert_array_equal(moments[left], found.probe_time)
    assert (np.diff(moments) >= 0).all()
    assert moments[-1] == pytest.approx(0.5 + 2 * 0.6)
    sizes = np.linalg.norm(found.state[0].diff("moment").values[left], axis=1)
    np.testing.assert_allclose(sizes, found["jump"][0], atol=1e-6)
    np.testing.assert_array_equal(found.state[0, 0], np.zeros(5))
    assert found["jump"][0, :2].min() > 0
    assert found["jump"][0, 2] == 0  # nothing was observed there


def test_the_path_between_observations_follows_the_field():
    """In small steps the path's slope is f(h), which the arrow nearest to the state shows too."""
    found = followed(SMALL.changed(step_cap=0.01), times=(0.0, 0.009), values=((1.0, 0.0), (1.0, 0.0)))
    inside = slice(1, 10)
    slopes = np.gradient(found.plane_path.values[inside], found.moment.values[inside], axis=0)
    moment = 5
    near = followed(SMALL.changed(step_cap=0.01), times=(0.0, 0.009), values=((1.0, 0.0), (1.0, 0.0)), current=moment)
    away = np.linalg.norm(near.arrow_position.values - near.plane_current.values, axis=1)
    arrow = near.arrow_direction.values[away.argmin()]
    np.testing.assert_allclose(slopes[moment - 1], arrow, rtol=0.1, atol=0.05 * np.abs(arrow).max())


def test_the_arrows_lie_in_the_plane_through_the_current_state():
    settings, moment = SMALL, 7
    found = followed(current=moment)
    network = series_network(settings, "ode_rnn", 2, 0)
    flat = 1.5 * flat_weights(network)
    torch.nn.utils.vector_to_parameters(flat, network.parameters())
    axes = found.plane_axes.values
    offsets = (found.arrow_position.values - found.plane_current.values) @ axes
    places = torch.as_tensor(found.state.values[0, moment] + offsets, dtype=torch.float32)
    with torch.no_grad():
        expected = network.reader.network.field(torch.zeros(()), places).numpy() @ axes.T
    np.testing.assert_allclose(found.arrow_direction, expected, atol=1e-5)
    np.testing.assert_allclose(found.plane_current, found.plane_path[moment])


def test_the_plane_is_that_of_the_principal_components():
    found = followed()
    states = found.state.values[0].astype(float)
    variances = np.linalg.eigvalsh(np.cov(states.T))[::-1]
    np.testing.assert_allclose(found.explained_variance, variances[:2] / variances.sum(), rtol=1e-5)
    np.testing.assert_allclose(found.plane_axes.values @ found.plane_axes.values.T, np.eye(2), atol=1e-6)
    np.testing.assert_allclose(
        (states - found.plane_mean.values) @ found.plane_axes.values.T, found.plane_path, atol=1e-6
    )


def test_finer_steps_come_closer_to_the_reference():
    coarse, fine = (followed(SMALL.changed(solver="euler", step_cap=cap)) for cap in (0.1, 0.01))
    assert coarse.interval_evaluations.values.tolist() == [0, 3, 2]
    assert fine.interval_evaluations.values.tolist() == [0, 30, 20]
    np.testing.assert_allclose(coarse.step_size, [0, 0.1, 0.1])
    ratio = coarse.interval_error.values[1:] / fine.interval_error.values[1:]
    np.testing.assert_allclose(ratio, 10, rtol=0.2)  # order 1


def test_a_moved_observation_moves_only_what_comes_after():
    usual, moved = followed(), followed(times=(0.0, 0.3, 0.55))
    kept = 2 + 8 + 2
    np.testing.assert_array_equal(usual.state[0, :kept], moved.state[0, :kept])
    assert not np.array_equal(usual.state[0, kept:], moved.state[0, kept:])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"times": (0.0, 0.3, 1e6)},
            r"^Observation 3 at time 1e\+06 comes 1e\+06 after .*allowed are gaps of at most 6,",
        ),
        ({"values": np.full((3, 2), np.nan)}, r"^Nothing was observed at any of the 3 times from 0 to 0\.5"),
    ],
)
def test_what_cannot_be_followed_is_said(changes, words):
    with pytest.raises(PathError, match=words):
        followed(**changes)
    assert PathError.for_a_person


def test_weights_that_are_no_numbers_are_refused():
    weights = flat_weights(series_network(SMALL, "ode_rnn", 2, 0)).numpy().copy()
    weights[4] = np.nan
    with pytest.raises(PathError, match=r"^The weights of this look are not all finite"):
        path(SMALL, weights, np.array([0.0, 0.3]), np.ones((2, 2)))
