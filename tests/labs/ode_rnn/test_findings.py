"""Rules of the ODE-RNN laboratory on runs whose numbers are set by hand."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.ode_rnn.findings import findings_of
from goldviz.labs.ode_rnn.measures import Reading
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

STEPS = 40
LOOKS = np.array([1, 10, 20, 30, 40])
ALL = ("ode_rnn", "gru", "gru_gap", "gru_decay")
ZERO = (0.4, 0.2)
ERRORS = {"ode_rnn": 0.002, "gru": 0.26, "gru_gap": 0.03, "gru_decay": 0.03}
UNLEARNED = {**ERRORS, "ode_rnn": 0.1}
"""What has learned its task is told nothing of its training."""
LONG = {"ode_rnn": 0.02, "gru": 0.19, "gru_gap": 0.19, "gru_decay": 0.19}


def run_of(
    networks=ALL,
    *,
    errors=ERRORS,
    long=LONG,
    refined=1.01,
    coverage=0.9,
    saturation=0.05,
    stiffness=(1.2, 8.0),
    evaluations=(40.0, 40.0),
    size=1.5,
    sensitivity=0.7,
    seeds=1,
    status="finished",
    settled=True,
):
    """A run at its last look; errors fall to their ends at the second look, or only at the last (``settled``)."""
    count, at_look, shape = len(networks), ("look", "network", "seed"), (len(LOOKS), len(networks), seeds)
    ends = np.array([errors[name] for name in networks])[:, None] * np.ones(seeds)
    error = np.repeat(ends[None], len(LOOKS), axis=0)
    error[: 1 if settled else -1] = np.maximum(error[: 1 if settled else -1] * 3, ZERO[0])
    data = {
        "loss": (("step", "network", "seed"), np.tile(np.linspace(0.4, -1, STEPS)[:, None, None], (1, count, seeds))),
        "error": (at_look, error),
        "long_gap_error": (at_look, np.array([long[name] for name in networks])[None, :, None] * np.ones(shape)),
        "coverage": (at_look, np.full(shape, coverage)),
        "state_size": (at_look, np.full(shape, size)),
        "gap_sensitivity": (at_look, np.full(shape, sensitivity)),
        "zero_error": (("horizon",), np.array(ZERO)),
    }
    if "ode_rnn" in networks:
        own = error[:, networks.index("ode_rnn")]
        alone = (len(LOOKS), seeds)
        data |= {
            "refined_error": (("look", "seed"), refined * own),
            "field_saturation": (("look", "seed"), np.full(alone, saturation)),
            "field_stiffness": (("look", "seed"), np.linspace(*stiffness, len(LOOKS))[:, None] * np.ones(alone)),
            "evaluations": (("step", "seed"), np.linspace(*evaluations, STEPS)[:, None] * np.ones((STEPS, seeds))),
        }
    coords = {
        "step": np.arange(1, STEPS + 1),
        "look": LOOKS,
        "network": list(networks),
        "seed": np.arange(seeds),
        "horizon": ["in range", "long gap"],
    }
    return xr.Dataset(data, coords=coords, attrs={"status": status})


def found(run, **settings):
    settings.setdefault("steps", STEPS)
    return {finding.kind: finding for finding in findings_of(ODERNNLaboratory(**settings), run)}


def test_the_oscillator_is_learned_by_an_ode():
    findings = findings_of(ODERNNLaboratory(steps=STEPS), run_of())
    assert [finding.kind for finding in findings] == ["learned", "holds_in_long_gaps", "solver_consistent"]
    learned, holds, consistent = findings
    assert learned.title == "The ODE-RNN learned how things go on between observations"
    assert learned.number == "error 0.002, less than 1 % of the plain GRU's"
    assert holds.number == "10 % of the error of predicting zero"
    assert consistent.number == "the error changes by 1 %"
    assert "one seed" in learned.confidence


def test_seeds_are_counted():
    run = run_of(seeds=3)
    assert found(run)["learned"].confidence == "all 3 seeds agree"
    run["error"].loc[{"network": "ode_rnn", "seed": 2}] = 0.1
    assert found(run)["learned"].confidence == "2 of 3 seeds agree"
    run["error"].loc[{"network": "ode_rnn", "seed": 1}] = 0.1
    assert "learned" not in found(run)


@pytest.mark.parametrize(
    ("ratio", "coarse"), [(1.09, False), (1.11, True), (0.92, False), (0.9, True), (np.nan, False), (np.inf, True)]
)
def test_ten_per_cent_is_the_line_of_the_solver(ratio, coarse):
    findings = found(run_of(refined=ratio))
    assert ("solver_too_coarse" in findings) == coarse
    assert ("solver_consistent" in findings) == (not coarse and np.isfinite(ratio))


def test_a_refined_error_of_exactly_zero_is_a_number_and_no_crash():
    coarse = found(run_of(refined=0.0))["solver_too_coarse"]
    assert (coarse.severity, coarse.number) == ("bad", "the refined error is 0 times the error")


def test_seeds_whose_errors_change_in_opposite_ways_are_told_by_how_much_and_not_by_their_middle():
    run = run_of(seeds=3, refined=1.0)
    run["refined_error"].loc[{"seed": 0}] *= 1.3
    run["refined_error"].loc[{"seed": 2}] *= 0.75
    assert found(run)["solver_too_coarse"].number == "the error changes by 25 %; on 2 of 3 seeds"


@pytest.mark.parametrize(("rival", "zero"), [(np.inf, 0.05), (1.0, 0.0)])
def test_a_rival_that_came_to_nothing_is_no_proof_of_learning(rival, zero):
    run = run_of(errors={**ERRORS, "ode_rnn": 0.05, "gru": rival})
    run["zero_error"].values[:] = zero
    assert "learned" not in found(run)


def test_no_error_at_all_says_nothing_of_the_solver():
    kinds = set(found(run_of(errors=dict.fromkeys(ALL, 0.0))))
    assert not kinds & {"solver_too_coarse", "solver_consistent"}


def test_one_step_a_gap_is_sent_to_capped_steps_and_not_praised():
    run = run_of(("ode_rnn",), refined=6.0, stiffness=(1.2, 30.0))
    findings = found(run, networks="ode_rnn", step_cap=10.0)
    assert list(findings) == ["solver_too_coarse"]
    coarse = findings["solver_too_coarse"]
    assert coarse.severity == "bad"
    assert coarse.number == "the refined error is 6.0 times the error"
    assert coarse.changes == {"step_cap": 0.1}
    assert found(run_of(refined=1.2))["solver_too_coarse"].severity == "warning"


@pytest.mark.parametrize(
    ("settings", "changes"),
    [
        ({"solver": "euler", "step_cap": 0.3}, {"solver": "rk4", "step_cap": 0.1}),
        ({"solver": "heun", "step_cap": 0.05}, {"solver": "rk4"}),
        ({"solver": "rk4", "step_cap": 0.1}, {"step_cap": 0.025}),
        ({"solver": "dopri5", "tolerance": 1e-3}, {"tolerance": 1e-5}),
        ({"solver": "rk4", "step_cap": 0.005}, {}),
        ({"solver": "dopri5", "tolerance": 1e-8}, {}),
    ],
)
def test_a_coarse_solver_is_sent_to_a_finer_one(settings, changes):
    assert found(run_of(refined=2.0), **settings)["solver_too_coarse"].changes == changes


def test_stiffness_is_measured_against_the_step():
    errors = {**ERRORS, "ode_rnn": 0.1}
    assert "stiff_field" not in found(run_of(errors=errors, stiffness=(1.2, 20.0)))
    stiff = found(run_of(errors=errors, stiffness=(1.2, 30.0)))["stiff_field"]
    assert stiff.number == "norm of df/dh 30, 3.6 times its early one"
    assert "stiff_field" not in found(run_of(errors=errors, stiffness=(25.0, 30.0)))
    assert "stiff_field" in found(run_of(errors=errors, stiffness=(1.2, 21.0)), solver="euler")
    assert "stiff_field" not in found(run_of(stiffness=(1.2, 30.0))), "it learned its task"


FINER = {"step_cap", "tolerance", "solver"}


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        ("stiff_field", {"errors": {**ERRORS, "ode_rnn": 0.1}, "stiffness": (1.2, 30.0)}),
        ("extrapolation_poor", {"long": {**LONG, "ode_rnn": 0.5}}),
        ("state_exploding", {"size": 100.0, "errors": UNLEARNED}),
    ],
)
def test_finer_steps_are_advised_only_where_they_are_not_known_to_change_nothing(kind, numbers):
    changed = {name for remedy in found(run_of(refined=1.01, **numbers))[kind].remedies for name in remedy.changes}
    assert changed
    assert not changed & FINER
    changed = {name for remedy in found(run_of(refined=np.nan, **numbers))[kind].remedies for name in remedy.changes}
    assert changed & FINER


def test_a_field_that_stands_still_did_not_learn_an_ode():
    errors = {"ode_rnn": 0.1}
    moving = found(run_of(("ode_rnn",), errors=errors, refined=1.0, sensitivity=0.7), networks="ode_rnn")
    assert "solver_consistent" in moving
    worthless = {"ode_rnn": 0.97 * ZERO[0]}
    assert "solver_consistent" not in found(run_of(("ode_rnn",), errors=worthless, refined=1.0), networks="ode_rnn")
    still = found(run_of(("ode_rnn",), errors=errors, refined=1.0, sensitivity=0.001), networks="ode_rnn")
    assert "ignoring_gaps" in still
    assert not {"solver_consistent", "holds_in_long_gaps"} & set(still)
    learned = found(run_of(("ode_rnn",), refined=1.0, sensitivity=0.001), networks="ode_rnn")
    assert "learned" in learned
    assert "solver_consistent" not in learned
    useless = found(run_of(errors={**ERRORS, "ode_rnn": 0.25}, refined=1.0))
    assert "ignoring_gaps" in useless
    assert "solver_consistent" not in useless


@pytest.mark.parametrize(("error", "number"), [(1.04, None), (1.06, "106 % of"), (40.0, "40 times")])
def test_worse_than_zero_is_told_by_a_number_above_it(error, number):
    card = found(run_of(long={**LONG, "ode_rnn": error * ZERO[1]})).get("extrapolation_poor")
    assert (card is None) == (number is None)
    assert card is None or f"{number} the error of predicting zero" in card.number


def test_causes_are_those_of_the_networks_that_are_named():
    diverged = run_of(("gru",))
    diverged["loss"][-1] = np.nan
    alone = found(diverged, networks="gru")["diverged"]
    assert "field" not in alone.explanation
    assert not {name for remedy in alone.remedies for name in remedy.changes} & FINER
    lost = found(run_of(long={**LONG, "gru": 0.6}))["extrapolation_poor"]
    assert "gap it learned" not in lost.explanation, "the GRU is told of no gap"
    deaf = {**ERRORS, "ode_rnn": 0.1, "gru_gap": 0.1, "gru_decay": 0.1}
    run = run_of(errors=deaf)
    run["gap_sensitivity"].loc[{"network": ["gru_gap", "gru_decay"]}] = 0.001
    ignoring = found(run)["ignoring_gaps"]
    assert "ODE-RNN's state" not in ignoring.explanation
    assert not any("width" in remedy.changes for remedy in ignoring.remedies)


def test_an_adaptive_solver_is_stiff_where_its_evaluations_double():
    assert "stiff_field" not in found(run_of(stiffness=(1.0, 500.0)), solver="dopri5")
    stiff = found(run_of(evaluations=(40.0, 120.0), errors=UNLEARNED), solver="dopri5")["stiff_field"]
    assert stiff.number.startswith("evaluations grew 2.7 times")
    assert set(stiff.changes) == {"learning_rate"}


@pytest.mark.parametrize(("share", "saturated"), [(0.29, False), (0.31, True)])
def test_saturation(share, saturated):
    assert ("field_saturated" in found(run_of(saturation=share, errors=UNLEARNED))) == saturated


def test_an_exploding_state_gets_no_verdict_on_its_forecasts():
    findings = found(run_of(("ode_rnn",), size=100.0, refined=3.0, errors=UNLEARNED))
    assert list(findings) == ["state_exploding"]
    assert findings["state_exploding"].changes["learning_rate"] == pytest.approx(1e-2 / 3)


def test_gaps_are_ignored_where_shuffling_them_changes_nothing():
    errors = {**ERRORS, "ode_rnn": 0.1, "gru_gap": 0.1, "gru_decay": 0.1}
    ignoring = found(run_of(errors=errors, sensitivity=0.001))["ignoring_gaps"]
    assert ignoring.title == "The ODE-RNN, the GRU with gaps and the GRU with decay make little of the gaps"
    assert "ODE-RNN: shuffled gaps change 0 % of its spread" in ignoring.number
    assert ignoring.changes == {"steps": 3 * STEPS}


def test_what_has_hardly_begun_to_learn_is_not_told_to_go_on_as_it_did():
    """SGD at a rate of 0.0016: of five seeds at 0.96 to 0.99 of zero's error, three times the steps helped two."""
    for share, longer in ((0.9, True), (0.96, False)):
        run = run_of(("ode_rnn",), errors={"ode_rnn": share * ZERO[0]}, sensitivity=0.001)
        ignoring = found(run, networks="ode_rnn")["ignoring_gaps"]
        assert any("steps" in remedy.changes for remedy in ignoring.remedies) == longer


def test_an_ode_rnn_that_is_no_better_than_a_plain_gru_ignores_the_gaps():
    findings = found(run_of(errors={**ERRORS, "ode_rnn": 0.25}))
    assert findings["ignoring_gaps"].number == "96 % of the plain GRU's error"
    assert "ignoring_gaps" not in found(run_of(errors={**ERRORS, "ode_rnn": 0.2}))
    assert "ignoring_gaps" not in found(run_of(("gru",), sensitivity=0.0))


def test_long_gaps_are_held_or_lost():
    lost = found(run_of(long={**LONG, "ode_rnn": 0.5, "gru_gap": 0.6}))
    assert "holds_in_long_gaps" not in lost
    poor = lost["extrapolation_poor"]
    assert "the ODE-RNN and the GRU with gaps" in poor.title
    assert poor.number.startswith("ODE-RNN: 2.5 times")
    assert poor.changes == {"steps": 3 * STEPS}
    others = found(run_of(long={**LONG, "gru_gap": 0.6}))
    assert others["extrapolation_poor"].changes == {}
    assert "holds_in_long_gaps" in others
    alone = found(run_of(("gru_gap",), long={"gru_gap": 0.6}), networks="gru_gap")
    assert alone["extrapolation_poor"].changes == {"networks": "all"}


@pytest.mark.parametrize(
    ("coverage", "kind"), [(0.79, "bands_too_narrow"), (0.81, None), (0.96, None), (0.98, "bands_too_wide")]
)
def test_bands(coverage, kind):
    findings = found(run_of(coverage=coverage))
    assert ({"bands_too_narrow", "bands_too_wide"} & set(findings)) == ({kind} if kind else set())


def test_nothing_learned_is_said_of_returns_without_blame():
    errors = dict.fromkeys(ALL, 0.41)
    assert "no_skill" in found(run_of(errors=dict.fromkeys(ALL, 0.97 * ZERO[0])), task="market")
    assert "learned_nothing" not in found(run_of(errors=dict.fromkeys(ALL, 0.97 * ZERO[0])))
    market = found(run_of(errors=errors, coverage=0.5), task="market")
    assert list(market) == ["no_skill"]
    assert market["no_skill"].severity == "warning"
    assert not market["no_skill"].changes
    toy = found(run_of(errors=errors))["learned_nothing"]
    assert toy.severity == "bad"
    assert toy.changes == {"steps": 3 * STEPS}


def test_under_trained_is_a_network_that_still_gains():
    errors = {**ERRORS, "ode_rnn": 0.1}
    assert found(run_of(errors=errors, settled=False))["under_trained"].changes == {"steps": 3 * STEPS}
    assert "under_trained" not in found(run_of(errors=errors))
    assert "under_trained" not in found(run_of(settled=False))


def test_a_running_network_is_not_yet_told_what_it_did_not_learn():
    running = found(run_of(errors=dict.fromkeys(ALL, 0.41), refined=3.0, status="running"), steps=400)
    assert list(running) == ["solver_too_coarse"]
    assert "so far, at step 40 of 400" in running["solver_too_coarse"].confidence


def test_divergence_silences_the_rest():
    run = run_of(("ode_rnn",), status="diverged")
    run["loss"][-1] = np.nan
    assert list(found(run)) == ["diverged"]
    assert list(found(run_of(status="diverged"))) == ["diverged"]


def test_nothing_recorded_gives_no_findings():
    assert found(xr.Dataset()) == {}
    run = run_of()
    assert found(run.isel(step=slice(0, 0), look=slice(0, 0))) == {}
    assert found(run[["zero_error"]].assign_coords(network=["ode_rnn"])) == {}
    assert set(found(run * np.nan)) <= {"diverged"}


def test_readings_compare_ends_of_the_run():
    reading = Reading.of(run_of(evaluations=(10.0, 30.0), errors={**ERRORS, "ode_rnn": 0.1}, settled=False), "ode_rnn")
    assert reading.gained[0] == pytest.approx(1 - 0.1 / 0.4)
    first, last = np.linspace(10, 30, STEPS)[:4].mean(), np.linspace(10, 30, STEPS)[-4:].mean()
    assert reading.growth[0] == pytest.approx(last / first)
    assert reading.worth[0] == pytest.approx(0.1 / 0.4)
    assert reading.long_gap_worth[0] == pytest.approx(0.02 / 0.2)
    assert np.isnan(Reading.of(run_of(), "gru").refined).all()


def test_each_seed_is_measured_by_zero_on_its_own_test_sequences():
    """Test sequences of one seed may be quieter than another's: with the mean of both it would pass for skill."""
    run = run_of(("ode_rnn",), errors={"ode_rnn": 0.39}, seeds=2)
    run["error"].loc[{"seed": 1}] = 0.195
    alike = found(run, task="market", networks="ode_rnn")
    assert "no_skill" not in alike, "half of the seeds"
    run["zero_error_by_seed"] = ("horizon", "seed"), np.array([[0.4, 0.2], [0.2, 0.1]])
    assert found(run, task="market", networks="ode_rnn")["no_skill"].confidence == "all 2 seeds agree"


@given(
    networks=st.sampled_from([("ode_rnn",), ("gru",), ("gru_gap",), ALL]),
    ends=st.tuples(*[st.floats(0.0, 1.0)] * 4),
    far=st.tuples(*[st.floats(0.0, 1.0)] * 4),
    refined=st.floats(0.1, 10),
    shares=st.tuples(*[st.floats(0, 1)] * 3),
    stiffness=st.tuples(st.floats(0.1, 100), st.floats(0.1, 100)),
    size=st.floats(0, 100),
    settled=st.booleans(),
    values=st.fixed_dictionaries(
        {
            "task": st.sampled_from(["oscillator", "market"]),
            "solver": st.sampled_from(["rk4", "heun", "euler", "dopri5", "torchdiffeq_rk4"]),
            "step_cap": st.sampled_from([0.005, 0.1, 10.0]),
            "tolerance": st.sampled_from([1e-8, 1e-4]),
            "learning_rate": st.sampled_from([1e-6, 1e-2, 1.0]),
            "clip": st.sampled_from([0.0, 1.0]),
            "width": st.sampled_from([2, 32, 128]),
            "steps": st.sampled_from([STEPS, 20_000]),
            "networks": st.sampled_from(["all", "ode_rnn"]),
        }
    ),
)
def test_findings_are_few_sorted_consistent_and_every_change_is_allowed(
    networks, ends, far, refined, shares, stiffness, size, settled, values
):
    settings = ODERNNLaboratory(**values)
    coverage, saturation, sensitivity = shares
    run = run_of(
        networks,
        errors=dict(zip(ALL, ends, strict=True)),
        long=dict(zip(ALL, far, strict=True)),
        refined=refined,
        coverage=coverage,
        saturation=saturation,
        sensitivity=sensitivity,
        stiffness=stiffness,
        size=size,
        settled=settled,
    )
    findings = findings_of(settings, run)
    kinds = [finding.kind for finding in findings]
    assert len(findings) <= 5
    assert len(set(kinds)) == len(kinds)
    order = [["bad", "warning", "good"].index(finding.severity) for finding in findings]
    assert order == sorted(order)
    for one, other in (
        ("solver_too_coarse", "solver_consistent"),
        ("solver_too_coarse", "stiff_field"),
        ("bands_too_narrow", "bands_too_wide"),
        ("ignoring_gaps", "solver_consistent"),
    ):
        assert not {one, other} <= set(kinds)
    if len(networks) == 1:
        for one, other in (
            ("learned", "learned_nothing"),
            ("learned", "ignoring_gaps"),
            ("learned", "under_trained"),
            ("holds_in_long_gaps", "extrapolation_poor"),
            ("learned_nothing", "ignoring_gaps"),
            ("state_exploding", "learned"),
            ("learned_nothing", "under_trained"),
        ):
            assert not {one, other} <= set(kinds)
    for finding in findings:
        assert not finding.changes or finding.advice
        assert bool(finding.advice) == bool(finding.changes)
        if finding.changes:
            assert settings.changed(**finding.changes) != settings
