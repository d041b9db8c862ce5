"""Rules of the continuous-depth laboratory on runs whose numbers are set by hand."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.continuous_depth.findings import findings_of
from goldviz.labs.continuous_depth.measures import Reading
from goldviz.labs.continuous_depth.settings import ContinuousDepth

STEPS = 40
GOOD = {"loss": 0.001, "refined": 0.001, "accuracy": 1.0}


def run_of(
    networks=("ode", "residual"),
    *,
    loss=0.001,
    refined=None,
    accuracy=1.0,
    evaluations=(20, 30),
    saturation=0.1,
    apart=1e-3,
    seeds=1,
    status="finished",
    message="",
    training=0.1,
):
    """A run with these numbers at every look, for all networks alike."""
    count, step, look = len(networks), np.arange(1, STEPS + 1), np.array([1, 20, 40])
    every_step, every_look = ("step", "network", "seed"), ("look", "network", "seed")

    def at_looks(value):
        return every_look, np.full((3, count, seeds), value)

    return xr.Dataset(
        {
            "loss": (every_step, np.full((STEPS, count, seeds), training)),
            "evaluations_forward": (
                every_step,
                np.tile(np.linspace(*evaluations, STEPS)[:, None, None], (1, count, seeds)),
            ),
            "test_loss": at_looks(loss),
            "refined_test_loss": at_looks(loss if refined is None else refined),
            "test_accuracy": at_looks(accuracy),
            "field_saturation": at_looks(saturation),
            "field_stiffness": at_looks(10.0),
            "gradient_difference": (("look", "seed"), np.full((3, seeds), apart)),
        },
        coords={"step": step, "look": look, "network": list(networks), "seed": np.arange(seeds)},
        attrs={"status": status, "message": message},
    )


def found(run, **settings):
    settings.setdefault("steps", STEPS)
    return {finding.kind: finding for finding in findings_of(ContinuousDepth(**settings), run)}


def test_a_learned_task_is_called_so_and_the_residual_network_a_flow():
    findings = found(run_of())
    assert list(findings) == ["learned", "residual_is_flow"]
    assert findings["learned"].title == "The neural ODE and the residual network learned the task"
    assert findings["learned"].number == "neural ODE: 100.0 % right; residual network: 100.0 % right"
    assert findings["residual_is_flow"].severity == "good"
    assert "one seed" in findings["learned"].confidence
    assert "A flow learned it if the refined field's loss is as low" in findings["learned"].explanation


def test_small_losses_are_told_in_powers_of_ten():
    finding = found(run_of(("residual",), loss=1.4e-4, refined=7.3e-5))["residual_is_flow"]
    assert finding.number == "loss 1.4 × 10⁻⁴, as a flow 7.3 × 10⁻⁵"


@pytest.mark.parametrize(
    ("accuracy", "nested"), [(0.994, True), (0.995, False), (0.61, True), (0.5, False), (np.nan, False)]
)
def test_rings_in_the_plane_stay_nested(accuracy, nested):
    run = run_of(("ode",), loss=0.3, accuracy=accuracy)
    finding = found(run, task="rings").get("nested_classes")
    assert bool(finding) == nested
    if nested:
        assert finding.changes == {"augmented": 1}
        assert finding.number == f"{100 * accuracy:.1f} % right"
        assert "not_learned" not in found(run, task="rings"), "no amount of training helps"
    assert "nested_classes" not in found(run, task="rings", augmented=1)
    assert "nested_classes" not in found(run, task="moons")


def test_what_a_coin_equals_is_said_to_be_below_it_and_is_not_blamed_on_the_plane():
    untrained = found(run_of(("ode",), loss=0.7, accuracy=0.34), task="rings")
    assert "nested_classes" not in untrained
    assert untrained["not_learned"].number == "34.0 % right, fewer than by a coin"


def test_a_residual_network_s_rings_are_not_blamed_on_topology():
    findings = found(run_of(("residual",), loss=0.3, accuracy=0.8), task="rings")
    assert list(findings) == ["not_learned"]


@pytest.mark.parametrize(("loss", "kept"), [(0.34, True), (0.19, False), (0.01, False)])
def test_on_a_line_the_order_is_kept(loss, kept):
    findings = found(run_of(("ode",), loss=loss, accuracy=np.nan), task="flip")
    assert ("order_kept" in findings) == kept
    assert ("learned" in findings) == (loss < 0.05)


@pytest.mark.parametrize(
    ("loss", "refined", "broken"),
    [
        (0.1, 0.109, False),
        (0.1, 0.12, True),
        (0.1, 0.08, True),
        (0.01, 0.45, True),
        (0.001, 0.019, False),
        (0.1, np.nan, False),
    ],
)
def test_ten_per_cent_is_the_line_between_steps_and_flow(loss, refined, broken):
    finding = found(run_of(("ode",), loss=loss, refined=refined), method="euler", solver_steps=1).get("solver_s_map")
    assert bool(finding) == broken
    if broken:
        assert finding.severity == "bad"
        assert finding.changes == {"method": "rk4", "solver_steps": 8}


def test_a_loose_tolerance_is_tightened_and_a_residual_network_gets_blocks():
    ode = found(run_of(("ode",), loss=0.1, refined=0.2), tolerance=0.1)["solver_s_map"]
    assert ode.changes == {"tolerance": pytest.approx(1e-3)}
    residual = found(run_of(("residual",), loss=0.1, refined=0.2), blocks=2)["solver_s_map"]
    assert (residual.severity, residual.changes) == ("warning", {"blocks": 8})


def test_both_networks_are_sent_to_finer_steps_where_both_took_too_few():
    both = found(run_of(loss=0.1, refined=0.2), method="euler", solver_steps=1, blocks=2)["solver_s_map"]
    assert both.changes == {"method": "rk4", "solver_steps": 8, "blocks": 8}


@pytest.mark.parametrize(
    ("task", "kind", "accuracy"), [("rings", "nested_classes", 0.9), ("flip", "order_kept", np.nan)]
)
def test_what_no_flow_can_is_no_reason_for_steps_that_are_no_flow(task, kind, accuracy):
    flow = found(run_of(("ode",), loss=0.3, accuracy=accuracy), task=task)
    assert kind in flow
    steps = found(run_of(("ode",), loss=0.3, refined=0.9, accuracy=accuracy), task=task, method="euler")
    assert "solver_s_map" in steps
    assert kind not in steps


@pytest.mark.parametrize(
    ("apart", "gradient", "told"),
    [
        (0.011, "adjoint", True),
        (0.009, "adjoint", False),
        (0.5, "solver", False),
        (np.nan, "adjoint", False),
    ],
)
def test_an_adjoint_that_is_off_by_one_per_cent_is_told(apart, gradient, told):
    finding = found(run_of(("ode",), apart=apart), gradient=gradient).get("adjoint_too_loose")
    assert bool(finding) == told
    if told:
        assert finding.number == "1.1 %"
        assert finding.changes == {"tolerance": pytest.approx(1e-5)}
        stepped = found(run_of(("ode",), apart=apart), gradient=gradient, method="rk4")["adjoint_too_loose"]
        assert stepped.changes == {"solver_steps": 32}
        at_the_end = found(run_of(("ode",), apart=apart), gradient=gradient, tolerance=1e-8)["adjoint_too_loose"]
        assert at_the_end.changes == {"gradient": "solver"}


@pytest.mark.parametrize(("last", "stiff"), [(50, False), (90, True)])
def test_work_that_grows_is_called_stiff_unless_it_paid(last, stiff):
    run = run_of(("ode",), loss=0.3, accuracy=0.9, evaluations=(20, last))
    assert ("growing_stiff" in found(run)) == stiff
    assert "growing_stiff" not in found(run, method="rk4"), "its evaluations are set"
    assert "growing_stiff" not in found(run_of(("ode",), evaluations=(20, last)))


@pytest.mark.parametrize(("share", "told"), [(0.29, False), (0.31, True)])
def test_a_saturated_field_is_told_where_the_task_is_not_learned(share, told):
    finding = found(run_of(("ode",), loss=0.3, accuracy=0.8, saturation=share)).get("saturated_field")
    assert bool(finding) == told
    if finding:
        assert finding.number == f"{100 * share:.1f} % of the values", "30 % would be the line itself"
    assert "saturated_field" not in found(run_of(("ode",), saturation=share))


def test_what_could_still_be_learned_is_sent_to_train_for_longer():
    finding = found(run_of(("ode",), loss=0.2, accuracy=0.93))["not_learned"]
    assert finding.changes == {"steps": 3 * STEPS}
    assert finding.number == "93.0 % right"


def test_a_network_that_diverged_gets_no_other_verdict():
    run = run_of(training=np.nan, status="diverged")
    findings = found(run)
    assert list(findings) == ["diverged"]
    assert findings["diverged"].changes == {"learning_rate": pytest.approx(1e-3), "clip": 1.0}


@pytest.mark.parametrize("status", ["failed", "diverged"])
def test_a_solver_that_gave_up_is_quoted(status):
    sentence = "At step 7, the solver dopri5 gave up."
    findings = found(run_of(status=status, message=sentence))
    assert list(findings) == ["diverged"]
    assert findings["diverged"].number == sentence


def test_seeds_are_counted():
    run = run_of(("ode",), loss=0.3, accuracy=0.9, seeds=3)
    assert found(run, task="rings")["nested_classes"].confidence == "all 3 seeds agree"
    run["test_accuracy"].loc[{"seed": 2}] = 1.0
    assert found(run, task="rings")["nested_classes"].confidence == "2 of 3 seeds agree"
    run["test_accuracy"].loc[{"seed": 1}] = 1.0
    assert "nested_classes" not in found(run, task="rings")


def test_a_run_that_goes_on_says_how_far_it_is():
    assert found(run_of(), steps=100)["learned"].confidence.endswith("so far, at step 40 of 100")


def test_a_run_without_numbers_says_nothing():
    assert found(xr.Dataset()) == {}
    empty = run_of().isel(step=slice(0, 0), look=slice(0, 0))
    assert found(empty) == {}
    assert found(empty.drop_vars(list(empty.data_vars))) == {}


@given(
    loss=st.floats(0, 3),
    refined=st.floats(0, 3) | st.just(float("nan")),
    accuracy=st.floats(0, 1),
    evaluations=st.tuples(st.floats(1, 500), st.floats(1, 500)),
    saturation=st.floats(0, 1),
    apart=st.floats(0, 2),
    task=st.sampled_from(["rings", "moons", "spirals", "flip"]),
    method=st.sampled_from(["dopri5", "euler"]),
    gradient=st.sampled_from(["solver", "adjoint"]),
    augmented=st.integers(0, 2),
)
def test_findings_do_not_contradict_each_other(
    loss, refined, accuracy, evaluations, saturation, apart, task, method, gradient, augmented
):
    accuracy = np.nan if task == "flip" else accuracy
    run = run_of(
        loss=loss, refined=refined, accuracy=accuracy, evaluations=evaluations, saturation=saturation, apart=apart
    )
    settings = ContinuousDepth(task=task, method=method, gradient=gradient, augmented=augmented, steps=STEPS)
    findings = findings_of(settings, run)
    kinds = {finding.kind for finding in findings}
    assert len(findings) <= 5
    assert not {"learned", "not_learned"} <= kinds
    assert not {"solver_s_map", "residual_is_flow"} <= kinds
    assert not ({"nested_classes", "order_kept"} & kinds and "learned" in kinds)
    for finding in findings:
        assert settings.changed(**finding.changes) != settings or not finding.changes


def test_a_reading_is_of_the_last_look_and_the_last_quarter():
    run = run_of(("ode",), evaluations=(10, 49))
    run["test_loss"].loc[{"look": 40}] = 0.7
    reading = Reading.of(run, "ode")
    assert reading.loss.tolist() == [0.7]
    assert reading.paid_first[0] == pytest.approx(12)
    assert reading.paid_last[0] == pytest.approx(44.5)
    assert reading.growth[0] == pytest.approx(44.5 / 12)
