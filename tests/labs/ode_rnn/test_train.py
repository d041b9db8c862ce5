import math

import numpy as np
import pytest
import torch
from torch.testing import assert_close

import goldviz.api
from goldviz.export.standalone import StandaloneRecord
from goldviz.labs.ode_rnn.choices import SIDE_BY_SIDE
from goldviz.labs.ode_rnn.instruments import (
    field_at,
    forecasts,
    seed_readings,
    seed_view,
    sequence_loss,
    state_gradient_norms,
)
from goldviz.labs.ode_rnn.networks import FINER, own_solver, series_network
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from goldviz.labs.ode_rnn.tasks import sequence_source
from goldviz.labs.ode_rnn.train import one_cycle_share, train
from goldviz.models.continuous.runge_kutta import integrate
from goldviz.models.continuous.vector_field import TanhField
from goldviz.training.seeds import stream
from tests.thinned import thinned

SMALL = {"observations": 6, "hidden": 4, "width": 5, "steps": 5, "batch": 4, "look_every": 2}
AWKWARD = SMALL | {"task": "linear", "hidden_share": 0.5, "cell": "lstm", "solver": "dopri5", "optimiser": "sgd"}
OF_THE_FIELD = (
    "evaluations",
    "refined_error",
    "field_saturation",
    "field_stiffness",
    "interval_evaluations",
    "interval_error",
    "weights",
    "plane_path",
    "plane_current",
    "explained_variance",
    "arrow_position",
    "arrow_direction",
)


def run(**settings):
    return goldviz.api.run("ode-rnn", progress=False, **settings)


LANES = SIDE_BY_SIDE["all"]
OF_ALL = ["input weights", "recurrent weights", "read-out"]
OWN_LAYERS = {
    "ode_rnn": [*OF_ALL, "field, layer 1", "field, layer 2", "field, layer 3"],
    "gru": OF_ALL,
    "gru_gap": OF_ALL,
    "gru_decay": [*OF_ALL, "decay weights"],
}


@pytest.mark.parametrize(
    "changes", thinned([SMALL, AWKWARD, SMALL | {"task": "market", "batch": 2}, SMALL | {"task": "sines"}])
)
def test_every_declared_variable_is_recorded(changes):
    dataset = run(**changes, seeds=(0, 3))
    assert dataset.attrs["status"] == "finished"
    assert dataset.attrs["longest_gap"] == 0.6
    assert dataset.attrs["time_unit"] == ("weeks" if changes.get("task") == "market" else "s")
    assert list(dataset.network) == list(LANES)
    assert list(dataset.look) == [1, 2, 4, 5]
    assert list(dataset.observation) == list(range(1, 7))
    assert dataset.sizes["moment"] == 2 * 6 + 5 * 8 + 24
    unknown = {"probe_value"} | ({"probe_truth"} if changes.get("task") == "market" else set())
    for name, variable in ODERNNLaboratory.variables.items():
        assert dataset[name].dims == variable.dims, name
        known = dataset[name]
        if "layer" in known.dims:
            of_network = [known.sel(network=lane, layer=OWN_LAYERS[lane]) for lane in LANES]
            # Decay weights all start alike: they have no spread to divide by.
            assert int(known.notnull().sum()) == sum(one.size for one in of_network), "others have no such layer"
            assert all(one.notnull().all() for one in of_network), name
            continue
        assert name in unknown or np.isfinite(known).all(), name


@pytest.mark.parametrize("lane", LANES[1:])
def test_a_gru_alone_has_nothing_of_the_field(lane):
    dataset = run(**SMALL, networks=lane)
    assert dataset.attrs["status"] == "finished"
    assert set(ODERNNLaboratory.variables) - set(dataset.data_vars) == set(OF_THE_FIELD)


@pytest.mark.slow
def test_hot_settings_hold_from_the_next_step_on():
    settings = ODERNNLaboratory(**SMALL | {"clip": 0.0, "steps": 4, "look_every": 100, "networks": "ode_rnn"})
    losses = {}
    for name, changes in {"as it is": {}, "rate": {"learning_rate": 0.5}, "clip": {"clip": 1e-9}}.items():
        record = StandaloneRecord(settings, {2: changes})
        train(settings, record)
        losses[name] = record.curves["loss"]["values"]
    for name in ("rate", "clip"):
        assert losses[name][:3] == losses["as it is"][:3]
        assert losses[name][3] != losses["as it is"][3]


def test_a_network_that_explodes_ends_the_run_as_diverged():
    far = {"steps": 200, "optimiser": "sgd", "learning_rate": 1.0, "clip": 0.0, "look_every": 100}
    dataset = run(**SMALL | far, networks="ode_rnn")
    assert dataset.attrs["status"] == "diverged"
    assert "no longer finite" in dataset.attrs["message"]


def test_the_learning_rate_is_that_of_pytorch_s_one_cycle():
    """PyTorch counts from 0 and ends its phases at 0.3 * 50 and 50 where there is one step more."""
    steps = 50
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    theirs = torch.optim.lr_scheduler.OneCycleLR(
        optimiser,
        2.0,
        total_steps=steps + 1,
        pct_start=(0.3 * steps + 1) / (steps + 1),
        div_factor=25,
        final_div_factor=400,
        cycle_momentum=False,
    )
    for step in range(1, steps + 1):
        optimiser.step()
        theirs.step()
        assert theirs.get_last_lr()[0] == pytest.approx(2 * one_cycle_share(step, steps), rel=1e-9)
    assert one_cycle_share(15, steps) == 1


@pytest.mark.parametrize("method", ["euler", "heun", "rk4"])
def test_refined_steps_are_four_times_as_many(method):
    settings = ODERNNLaboratory(solver=method, step_cap=0.4)
    field, state = TanhField(3, (4,), stream(0, 0), last_scale=1.0), torch.randn(2, 3, generator=stream(0, 1))
    durations = torch.tensor([0.5, 0.3])
    refined = own_solver(settings, FINER)
    found = refined.evolve(field, state, durations)
    assert found.steps == 8
    for sample, (duration, steps) in enumerate([(0.5, 8), (0.3, 4)]):
        assert_close(found.state[sample], integrate(field, state[sample], duration, steps, method))
    assert refined.evolve(field, state, 0 * durations).steps == 0


def test_refined_torchdiffeq_takes_four_steps_for_each_of_its_batch():
    refined = own_solver(ODERNNLaboratory(solver="torchdiffeq_rk4", step_cap=0.4), FINER)
    field, state = TanhField(3, (4,), stream(0, 0), last_scale=1.0), torch.randn(2, 3, generator=stream(0, 1))
    found = refined.evolve(field, state, torch.tensor([0.5, 0.3]))
    assert found.steps == 8
    for sample, duration in enumerate([0.5, 0.3]):
        assert_close(found.state[sample], integrate(field, state[sample], duration, 8, "rk4_three_eighths"))


def test_the_field_s_jacobian_is_that_of_automatic_differentiation():
    field = TanhField(3, (5, 4), stream(0, 0), last_scale=1.0, dtype=torch.float64)
    with torch.no_grad():
        for b in field.biases:
            b.copy_(torch.randn(b.shape, generator=stream(0, 2)))
    states = torch.randn(6, 3, generator=stream(0, 1), dtype=torch.float64)
    values, J = field_at(field, states)
    expected = [torch.autograd.functional.jacobian(lambda h: field(torch.zeros(()), h), h) for h in states]
    assert_close(J, torch.stack(expected), rtol=0, atol=1e-12)
    assert values.shape == (6, 9)
    assert_close(torch.nn.functional.linear(values[:, 5:], field.weights[-1], field.biases[-1]), field(None, states))


def test_state_gradients_are_those_of_finite_differences():
    """dL/dh after an observation, for a plain GRU: nudging a state that later rows start from."""
    settings = ODERNNLaboratory(**SMALL)
    network = series_network(settings, "gru", 1, 0).double()
    batch = sequence_source(settings).training(1, stream(0, 0))
    seen = type(batch)(batch.times, batch.values.double(), batch.mask, batch.clean.double())
    found = state_gradient_norms(network, seen)
    row, cell = 2, network.reader.cell
    inputs = torch.cat([seen.values, seen.mask.double()], 2)
    start = cell(inputs[: row + 1]).states[-1].detach()

    def loss(h):
        states = cell(inputs[row + 1 :], h).states[:-1]
        before = torch.cat([torch.zeros(row + 1, *h.shape), torch.stack(states)])
        whole = network.reader.chain(seen.times, seen.values, seen.mask).before.detach()
        return sequence_loss(network, torch.cat([whole[: row + 1], before[row + 1 :]]), seen)

    nudges = 1e-6 * torch.eye(4, dtype=torch.float64)
    with torch.no_grad():
        slopes = torch.stack([(loss(start + nudge) - loss(start - nudge)) / 2e-6 for nudge in nudges])
    assert float(found[row]) == pytest.approx(float(slopes.norm()), rel=1e-5)
    assert found[-1] == 0


def test_readings_are_their_definitions():
    settings = ODERNNLaboratory(**SMALL | {"observations": 12})
    network, view = series_network(settings, "gru_decay", 1, 0), seed_view(sequence_source(settings), stream(0, 1))
    with torch.no_grad():
        mean, scale = forecasts(network, view.usual)
        long, _ = forecasts(network, view.long)
    read, rows = seed_readings(network, view), slice(8, None)
    assert_close(read["error"].float(), (mean - view.usual.clean)[rows].square().mean())
    assert_close(read["long_gap_error"].float(), (long - view.long.clean)[-1].square().mean())
    deviations = ((view.usual.values - mean) / scale)[rows].abs()
    assert float(read["coverage"]) == pytest.approx(float((deviations <= 1.6449).double().mean()), abs=1e-3)


def test_shuffled_gaps_are_the_same_gaps():
    view = seed_view(sequence_source(ODERNNLaboratory(**SMALL)), stream(0, 1))
    usual, shuffled = view.usual.times.diff(dim=0), view.shuffled.diff(dim=0)
    assert_close(usual.sort(0).values, shuffled.sort(0).values, rtol=0, atol=1e-12)
    assert not torch.equal(usual, shuffled)


def test_only_the_plain_gru_is_blind_to_gaps():
    seen = run(**SMALL | {"steps": 1}).gap_sensitivity.isel(look=0, seed=0)
    assert seen.sel(network="gru") == 0
    assert (seen.drop_sel(network="gru") > 1e-4).all()


def test_forecasting_zero_costs_the_variance():
    """The sines have mean square 1/2; the oscillator's variance after time t is near exp(-2 zeta w t)."""
    assert run(**SMALL | {"task": "sines", "steps": 1}).zero_error.values == pytest.approx(0.5, abs=0.05)
    assert math.isfinite(run(**SMALL | {"steps": 1}).zero_error.values[1])


def test_zero_is_forecast_on_each_seed_s_own_test_sequences():
    both = run(**SMALL | {"steps": 1, "networks": "gru"}, seeds=(0, 3))
    for place, seed in enumerate((0, 3)):
        alone = run(**SMALL | {"steps": 1, "networks": "gru"}, seeds=(seed,))
        np.testing.assert_array_equal(both.zero_error_by_seed.isel(seed=place), alone.zero_error)
    np.testing.assert_allclose(both.zero_error, both.zero_error_by_seed.mean("seed"), rtol=1e-6)
