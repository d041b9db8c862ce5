import numpy as np
import pytest
import torch

import goldviz.api
from goldviz.export.standalone import StandaloneRecord
from goldviz.labs.continuous_depth.instruments import (
    adjoint_against_solver,
    by_euler_steps,
    by_tolerance,
    first_seed_readings,
    kept_depths,
    seed_readings,
)
from goldviz.labs.continuous_depth.networks import FlowSolver
from goldviz.labs.continuous_depth.settings import ContinuousDepth
from goldviz.labs.continuous_depth.train import depth_learner, seed_points, train
from goldviz.runs.recorder import Ended, Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks
from tests.thinned import thinned

SMALL = {"samples": 21, "width": 4, "steps": 5, "batch": 8, "look_every": 2, "blocks": 3}
AWKWARD = SMALL | {
    "task": "flip",
    "augmented": 2,
    "in_time": True,
    "gradient": "adjoint",
    "method": "midpoint",
    "solver_steps": 3,
    "optimiser": "sgd",
    "clip": 0.05,
    "batch": 50,
}
BOTH = pytest.mark.parametrize("changes", [SMALL, AWKWARD])
CPU = torch.device("cpu")
OF_THE_FLOW = {"gradient_difference", "adjoint_cost"}


def run(**settings):
    return goldviz.api.run("continuous-depth", progress=False, **settings)


@pytest.mark.parametrize("task", thinned(["rings", "moons", "spirals", "flip"]))
def test_every_declared_variable_is_recorded(task):
    dataset = run(**SMALL, task=task, augmented=1, seeds=(0, 3))
    assert dataset.attrs["status"] == "finished"
    assert list(dataset.network) == ["ode", "residual"]
    assert list(dataset.step) == [1, 2, 3, 4, 5]
    assert list(dataset.look) == [1, 2, 4, 5]
    assert list(dataset.dimension) == (["h1", "h2"] if task == "flip" else ["h1", "h2", "h3"])
    assert list(dataset.point) == list(range(1, 22))
    absent = {"read_out"} if task == "flip" else set()
    assert set(ContinuousDepth.variables) - set(dataset.data_vars) == absent
    for name, array in dataset.data_vars.items():
        assert array.dims == ContinuousDepth.variables[name].dims, name
        unknown = name == "test_accuracy" and task == "flip"
        assert bool(array.isnull().all()) if unknown else bool(np.isfinite(array).all()), name


def test_a_residual_network_alone_has_no_adjoint():
    dataset = run(**SMALL, networks="residual")
    assert set(ContinuousDepth.variables) - set(dataset.data_vars) == OF_THE_FLOW
    assert (dataset.evaluations_forward == 3).all()
    assert (dataset.evaluations_backward == 0).all()


@pytest.mark.slow
def test_hot_settings_hold_from_the_next_step_on():
    settings = ContinuousDepth(**SMALL | {"steps": 4, "look_every": 1000})
    losses = {}
    for name, changes in {"as it is": {}, "rate": {"learning_rate": 0.05}, "clip": {"clip": 1e-9}}.items():
        record = StandaloneRecord(settings, {2: changes})
        train(settings, record)
        losses[name] = record.curves["loss"]["values"]
    for other in ("rate", "clip"):
        assert losses[other][:3] == losses["as it is"][:3]
        assert losses[other][3] != losses["as it is"][3]


def test_looking_changes_nothing():
    looked, blind = run(**SMALL), run(**SMALL | {"look_every": 1000})
    np.testing.assert_array_equal(looked.loss, blind.loss)
    np.testing.assert_array_equal(looked.evaluations_forward, blind.evaluations_forward)


def test_both_networks_start_from_one_field():
    settings = ContinuousDepth(**SMALL)
    flow, residual = (depth_learner(settings, lane, 0, CPU).network for lane in ("ode", "residual"))
    for ours, theirs in zip(flow.parameters(), residual.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_the_same_points_whatever_the_networks():
    one, other = (seed_points(ContinuousDepth(**SMALL | {"blocks": blocks}), 0, CPU) for blocks in (1, 9))
    assert torch.equal(one.trained_on.points, other.trained_on.points)
    assert not torch.equal(one.trained_on.points, one.view.unseen.points)


def test_depths_hold_the_ends_of_blocks_and_of_steps():
    depths = kept_depths(ContinuousDepth(blocks=5, method="rk4", solver_steps=7))
    assert depths[0] == 0
    assert depths[-1] == 1
    assert all(depth in depths for depth in (1 / 5, 4 / 5, 1 / 7, 6 / 7, 5 / 12))
    assert list(depths) == sorted(set(depths))
    assert len(kept_depths(ContinuousDepth(blocks=100))) == 13


@BOTH
def test_readings_agree_with_the_plain_computation(changes):
    settings = ContinuousDepth(**changes)
    own = seed_points(settings, 0, CPU)
    network = depth_learner(settings, "ode", 0, CPU).network
    with torch.no_grad():
        network.field.weights[-1].mul_(20)
    found = seed_readings(network, own.view)
    said, wanted = network(own.view.unseen.points).detach(), own.view.unseen.answers
    if settings.task == "flip":
        expected = (said - wanted).square().mean()
        assert found["test_accuracy"].isnan()
    else:
        expected = -(wanted * said.sigmoid().log() + (1 - wanted) * (1 - said.sigmoid()).log()).mean()
        assert found["test_accuracy"] == ((said > 0).double() == wanted).double().mean()
    torch.testing.assert_close(found["test_loss"], expected)
    refined = FlowSolver(tolerance=1e-9).carry(network.field, network.start(own.view.unseen.points), (0.0, 1.0))[-1]
    answer = network.answer(refined).detach()
    same = (
        (answer - wanted).square().mean()
        if settings.task == "flip"
        else torch.nn.functional.binary_cross_entropy_with_logits(answer, wanted)
    )
    assert float(found["refined_test_loss"]) == pytest.approx(float(same), rel=1e-5)
    largest, flat = 0.0, []
    path = network.carrier.carry(network.field, network.start(own.view.kept), own.view.depths).detach()
    for depth, states in zip(own.view.depths, path, strict=True):
        t = torch.tensor(depth, dtype=torch.float64)
        for h in states:
            J = torch.autograd.functional.jacobian(lambda x, t=t: network.field(t, x[None])[0], h)
            largest = max(largest, float(torch.linalg.svdvals(J).max()))
        flat.append(torch.cat(network.field.tanh_values(t, states), 1).abs() > 0.97)
    assert float(found["field_stiffness"]) == pytest.approx(largest, rel=1e-9)
    assert float(found["field_saturation"]) == pytest.approx(float(torch.stack(flat).double().mean()))


def test_the_adjoint_is_compared_with_the_settings_own_solver():
    fine = ContinuousDepth(**SMALL | {"tolerance": 1e-8, "task": "rings"})
    coarse = ContinuousDepth(**SMALL | {"method": "euler", "solver_steps": 2, "task": "rings"})
    apart = {}
    for name, settings in {"fine": fine, "coarse": coarse}.items():
        network = depth_learner(settings, "ode", 0, CPU).network
        with torch.no_grad():
            network.field.weights[-1].mul_(40)
        found = adjoint_against_solver(network, seed_points(settings, 0, CPU).view)
        apart[name] = float(found["gradient_difference"])
        if name == "coarse":
            assert found["adjoint_cost"] == 1
    assert apart["fine"] < 1e-5
    assert apart["coarse"] > 0.05


def test_errors_shrink_with_tolerance_and_with_steps():
    settings = ContinuousDepth(**SMALL)
    network, view = depth_learner(settings, "ode", 0, CPU).network, seed_points(settings, 0, CPU).view
    with torch.no_grad():
        network.field.weights[-1].mul_(20)
    evaluations, errors = by_tolerance(network, view)
    assert evaluations == sorted(evaluations)
    assert errors[-1] < 1e-7 < errors[1]
    steps = by_euler_steps(network, view)
    assert steps[-2] / steps[-1] == pytest.approx(2, rel=0.05)


def test_a_flow_that_runs_away_at_once_counts_as_diverged():
    settings = ContinuousDepth(**SMALL | {"optimiser": "sgd", "learning_rate": 1.0, "steps": 50, "networks": "ode"})
    record = Recorder(settings, Memory(), NobodyAsks())
    record.settings = settings.model_copy(update={"learning_rate": 1e8})
    with pytest.raises(
        Ended, match=r"no longer finite at step \d+ \(network ode, seed 0\)\. The solver .*\.$"
    ) as caught:
        train(settings, record)
    assert caught.value.status == "diverged"


def test_what_is_read_off_a_flow_that_cannot_be_solved_is_not_a_number():
    settings = ContinuousDepth(**SMALL)
    network, view = depth_learner(settings, "ode", 0, CPU).network, seed_points(settings, 0, CPU).view
    with torch.no_grad():
        network.field.weights[-1].fill_(torch.nan)
    readings = {name: float(value) for name, value in seed_readings(network, view).items()}
    assert np.isnan([value for name, value in readings.items() if name != "field_saturation"]).all()
    assert first_seed_readings(network, view)["path"].isnan().any()


def test_a_stepping_solver_that_runs_away_counts_as_diverged():
    settings = ContinuousDepth(
        **SMALL | {"optimiser": "sgd", "learning_rate": 1.0, "steps": 60, "method": "euler", "task": "flip"}
    )
    record = Recorder(settings, Memory(), NobodyAsks())
    record.settings = settings.model_copy(update={"learning_rate": 1e200})
    with pytest.raises(Ended, match="no longer finite at step") as caught:
        train(settings, record)
    assert caught.value.status == "diverged"
