"""Rules of the recurrent laboratory on runs whose numbers are set by hand."""

import numpy as np
import pytest
import torch
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from goldviz.declare.laboratory import laboratory_of
from goldviz.labs.recurrent_gradients.findings import findings_of
from goldviz.labs.recurrent_gradients.measures import Reading
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.labs.recurrent_gradients.stories import STORIES
from goldviz.models.recurrent.initialisation import scaled_to_gain
from goldviz.models.recurrent.matrices import MATRICES
from goldviz.runs.examples import example

STEPS = 40
LENGTH = 50
GATES = ["input", "forget", "output", "update", "reset"]
MEMORYLESS = 1 / 6


def run_of(
    networks=("rnn", "lstm", "gru"),
    *,
    kept=(0.8, 0.99, 0.98),
    test=(0.171, 0.012, 0.01),
    losses=(0.2, 0.17),
    forget=0.95,
    stuck=0.1,
    flat=0.1,
    clipped=0.1,
    update=1e-3,
    norm=1.0,
    after_clipping=None,
    seeds=1,
    status="finished",
):
    """A run whose Jacobian product shrinks by the factor ``kept`` at every lag."""
    count = len(networks)
    step, look, lag = np.arange(1, STEPS + 1), np.array([1, 20, 40]), np.arange(LENGTH)
    every_step, every_look = (STEPS, count, seeds), (len(look), count, seeds)
    logarithms = np.log10(np.array(kept[:count]))[None, :, None, None] * lag * np.ones((*every_look, 1))
    gates = np.full((*every_look, len(GATES), LENGTH), np.nan)
    saturation = np.full((*every_look, len(GATES)), np.nan)
    for row, network in enumerate(networks):
        if network == "lstm":
            gates[:, row, :, 1] = forget
        if network != "rnn":
            saturation[:, row, :, 0 if network == "lstm" else 3] = stuck
    dims, at_look = ("step", "network", "seed"), ("look", "network", "seed")
    data = {
        "loss": (dims, np.tile(np.linspace(*losses, STEPS)[:, None, None], (1, count, seeds))),
        "gradient_norm": (dims, np.full(every_step, norm)),
        "clipped_gradient_norm": (dims, np.full(every_step, norm if after_clipping is None else after_clipping)),
        "clipped": (dims, np.full(every_step, clipped)),
        "update_to_data": (at_look, np.full(every_look, update)),
        "log_jacobian_norm": ((*at_look, "lag"), logarithms),
        "gate_opening": ((*at_look, "gate", "time"), gates),
        "gate_saturation": ((*at_look, "gate"), saturation),
        "state_saturation": (at_look, np.full(every_look, flat)),
        "memoryless_loss": (("seed",), np.full(seeds, MEMORYLESS)),
    }
    if test is not None:
        data["test_loss"] = (("network", "seed"), np.tile(np.array(test[:count])[:, None], (1, seeds)))
    coords = {
        "step": step,
        "look": look,
        "network": list(networks),
        "seed": np.arange(seeds),
        "lag": lag,
        "gate": GATES,
        "time": np.arange(1, LENGTH + 1),
    }
    return xr.Dataset(data, coords=coords, attrs={"status": status})


def found(run, **settings):
    settings.setdefault("steps", STEPS)
    return {finding.kind: finding for finding in findings_of(RecurrentGradients(**settings), run)}


def test_the_adding_problem_vanishes_in_the_rnn_and_is_solved_by_gates():
    findings = findings_of(RecurrentGradients(steps=STEPS), run_of())
    assert [finding.kind for finding in findings] == ["vanishing", "learned_nothing", "task_solved", "gradient_kept"]
    vanishing, useless, solved, kept = findings
    assert vanishing.title == "The gradient vanishes by lag 21 in the RNN"
    assert vanishing.number == "below 1/100 from lag 21 of 49"
    assert 0.8**21 < 0.01 < 0.8**20
    assert useless.number == "103 % of the memoryless loss"
    assert useless.explanation == "An answer that never looks back would score as well."
    assert solved.title == "The LSTM and GRU learned to remember"
    assert "LSTM: loss 0.012, 7 % of the memoryless one" in solved.number
    assert kept.title == "The LSTM and GRU keep the signal over 49 steps"
    assert "In the RNN the signal is below 1/100 from lag 21" in kept.explanation
    assert kept.severity == solved.severity == "good"
    assert "one seed" in vanishing.confidence


def test_seeds_are_counted():
    run = run_of(seeds=3)
    assert found(run)["vanishing"].confidence == "all 3 seeds agree"
    run["log_jacobian_norm"].loc[{"seed": 2}] = 0.0
    assert found(run)["vanishing"].confidence == "2 of 3 seeds agree"
    run["log_jacobian_norm"].loc[{"seed": 1}] = 0.0
    assert "vanishing" not in found(run)


@pytest.mark.parametrize(("last", "vanishes"), [(-1.99, False), (-2.01, True), (-np.inf, True), (np.nan, False)])
def test_a_hundredth_is_the_line(last, vanishes):
    run = run_of(("rnn",), kept=(1.0,))
    run["log_jacobian_norm"].loc[{"lag": LENGTH - 1}] = last
    assert ("vanishing" in found(run)) == vanishes


def test_a_solved_task_is_not_told_that_its_signal_fades():
    run = run_of(("lstm",), kept=(0.8,), test=(0.01,), forget=0.5)
    assert list(found(run)) == ["task_solved"]


def test_an_lstm_alone_that_fades_is_sent_to_its_forget_bias():
    finding = found(run_of(("lstm",), kept=(0.6,), test=(0.17,), forget=0.5), networks="lstm", forget_bias=0.0)
    assert finding["vanishing"].changes == {"forget_bias": 1.0}
    assert "forget bias to 1:" in finding["vanishing"].advice
    opened = found(run_of(("lstm",), kept=(0.6,), test=(0.17,), forget=0.5), networks="lstm", forget_bias=4.0)
    assert opened["vanishing"].changes == {"forget_bias": 6.0}, "a bias that is larger already is not lowered"
    small = finding["forget_bias_too_small"]
    assert small.number == "opening 0.50: memory halves in 1.0 steps"
    assert small.changes == {"forget_bias": 1.0}


@pytest.mark.parametrize(("opening", "small"), [(0.95, False), (0.8, True), (1.0, False), (0.0, False)])
def test_forget_gate_is_measured_against_the_sequence(opening, small):
    run = run_of(("lstm",), kept=(0.95,), test=(0.17,), forget=opening)
    assert ("forget_bias_too_small" in found(run)) == small


@pytest.mark.parametrize("half_life", [3.5, 4.2, 5.5])
def test_the_forget_gates_line_names_the_steps_that_it_divides_by(half_life):
    forget = 0.5 ** (1 / half_life)
    run = run_of(("lstm",), kept=(0.95,), test=(0.17,), forget=forget).isel(lag=slice(0, 48))
    finding = found(run, task="reviews", length=40, networks="lstm").get("forget_bias_too_small")
    assert (finding is not None) == (half_life < 4.7)
    assert finding is None or finding.threshold == "a half-life of a tenth of the 47 steps back, at the last look"


def test_a_small_forget_gate_is_let_be_where_the_signal_is_kept_all_the_same():
    run = run_of(("lstm",), kept=(0.99,), test=(0.17,), forget=0.5)
    assert list(found(run)) == ["learned_nothing", "gradient_kept"]


def test_an_rnn_alone_is_sent_to_gates_when_nothing_else_is_left():
    finding = found(run_of(("rnn",)), networks="rnn", initialisation="orthogonal")["vanishing"]
    assert [dict(remedy.changes) for remedy in finding.remedies] == [{"length": 25}, {"networks": "all"}]
    assert [remedy.check for remedy in finding.remedies] == [False, True], "gates beside it do not mend an RNN"
    gaussian = found(run_of(("rnn",)), networks="rnn", initialisation="gaussian")["vanishing"]
    assert gaussian.changes == {"initialisation": "orthogonal"}
    nothing = found(run_of(("rnn",)), networks="rnn", initialisation="gaussian")["learned_nothing"]
    assert nothing.changes == {"initialisation": "orthogonal"}


@pytest.mark.parametrize("change", [{"kept": (1.2,)}, {"norm": 2e3, "kept": (1.0,)}])
def test_exploding_is_neither_vanishing_nor_kept(change):
    findings = found(run_of(("rnn",), **change), clip=0.0)
    assert findings["exploding"].changes == {"clip": 1.0}
    assert not {"vanishing", "gradient_kept", "learned_nothing"} & set(findings)


def test_clipping_clears_a_gradient_that_is_long_by_itself():
    run = run_of(("rnn",), kept=(1.0,), norm=2e3, after_clipping=1.0)
    assert "exploding" not in found(run, clip=1.0)


def test_a_long_gradient_whose_jacobians_keep_their_size_is_not_put_down_to_them():
    assert "signal" not in found(run_of(("rnn",), kept=(1.0,), norm=2e3), clip=0.0)["exploding"].number
    assert "signal" in found(run_of(("rnn",), kept=(1.2,)))["exploding"].number


@pytest.mark.parametrize(("matrix", "gain"), [("gaussian", 1.2), ("gaussian", 0.5), ("orthogonal", 0.5)])
def test_a_matrix_that_is_said_to_keep_lengths_keeps_them(matrix, gain):
    finding = found(run_of(("rnn",)), networks="rnn", initialisation=matrix, gain=gain)["vanishing"]
    assert "keeps lengths" in finding.advice
    start = RecurrentGradients(networks="rnn", initialisation=matrix, gain=gain).changed(**finding.changes)
    W = scaled_to_gain(MATRICES[start.initialisation](8, torch.Generator().manual_seed(0)), start.gain)
    assert torch.allclose(torch.linalg.svdvals(W), torch.ones(8, dtype=torch.float64), atol=1e-12)


@pytest.mark.parametrize(
    ("activation", "networks", "gain"),
    [("tanh", ("rnn",), 1.0), ("relu", ("rnn",), 1.41), ("relu", ("rnn", "gru"), 1.0)],
)
def test_the_gain_of_an_orthogonal_matrix_suits_the_nonlinearity(activation, networks, gain):
    run = run_of(networks, kept=(0.8,) * len(networks))
    how = {"activation": activation, "initialisation": "gaussian", "gain": 0.5}
    remedies = found(run, networks="rnn" if len(networks) == 1 else "all", **how)["vanishing"].remedies
    offered = [dict(one.changes) for one in remedies if "initialisation" in one.changes]
    assert offered == [{"initialisation": "orthogonal", "gain": gain}]


def test_an_orthogonal_matrix_that_stretches_is_not_told_to_stretch_less_against_vanishing():
    remedies = found(run_of(("rnn",)), networks="rnn", initialisation="orthogonal", gain=1.2)["vanishing"].remedies
    assert not any("gain" in remedy.changes for remedy in remedies)


def test_the_lag_of_the_title_holds_for_every_network_it_names():
    alone = found(run_of(kept=(0.8, 0.99, 0.98)))["vanishing"]
    assert alone.title == "The gradient vanishes by lag 21 in the RNN"
    both = found(run_of(kept=(0.8, 0.99, 0.9), test=(0.17, 0.01, 0.17)))["vanishing"]
    assert both.title == "The gradient vanishes by lag 44 in the RNN and GRU"


def test_an_answer_without_memory_is_said_to_score_as_well_only_where_it_does():
    words = found(run_of(kept=(0.8, 0.99, 0.98), test=(0.17, 0.17, 0.01)))["learned_nothing"].explanation
    assert words == "An answer that never looks back would score as well."
    worse = found(run_of(kept=(0.8, 0.99, 0.98), test=(0.17, 1.7, 0.01)))["learned_nothing"].explanation
    assert worse == "An answer that never looks back would score better."


def test_gates_are_named_with_what_was_measured_of_them():
    run = run_of()
    run["log_cell_path"] = run["log_jacobian_norm"].where(run.network == "lstm") - 1.0
    run["gate_opening"].loc[{"network": "gru", "gate": "update"}] = 0.25
    lstm, gru = (run.sel(network=[name]) for name in ("lstm", "gru"))
    words = found(lstm, networks="lstm")["gradient_kept"].explanation
    assert words.startswith("The LSTM's cell path alone, its forget gates multiplied, leaves 0.061 (")
    words = found(gru, networks="gru")["gradient_kept"].explanation
    assert words.startswith("The GRU keeps 0.75 of its state a step (")


def test_a_sine_is_a_memory_of_one_step():
    assert "a memory of one step" in found(run_of(), task="sine")["task_solved"].explanation
    assert "one step" not in found(run_of(), task="adding")["task_solved"].explanation


def test_a_signal_that_dips_below_the_line_is_not_called_kept_as_well():
    run = run_of(("gru",), kept=(1.0,), test=(0.17,))
    run["log_jacobian_norm"][..., 20] = -2.5
    assert "vanishing" in found(run)
    assert "gradient_kept" not in found(run)


def test_an_astronomical_product_is_named_without_overflow():
    run = run_of(("rnn",), kept=(1.2,))
    run["log_jacobian_norm"][..., -1] = 900.0
    assert "more than 1 × 10³⁰⁰" in found(run)["exploding"].number


def test_a_product_that_rises_and_then_falls_explodes_only():
    run = run_of(("rnn",), kept=(1.0,))
    run["log_jacobian_norm"][..., 10] = 3.0
    run["log_jacobian_norm"][..., -1] = -5.0
    assert "exploding" in found(run)
    assert "vanishing" not in found(run)


@pytest.mark.parametrize(("share", "always"), [(0.89, False), (0.91, True)])
def test_clipping_at_nearly_every_step(share, always):
    findings = found(run_of(clipped=share), clip=0.01)
    assert ("clipping_every_step" in findings) == always
    if always:
        assert findings["clipping_every_step"].changes == {"clip": 0.1}


def test_a_solved_task_is_not_told_that_its_steps_are_clipped():
    run = run_of(("rnn",), kept=(0.99,), test=(0.01,), clipped=0.97)
    assert "task_solved" in found(run)
    assert "clipping_every_step" not in found(run)
    settings = RecurrentGradients.preset("fix-it-identity")
    kinds = [
        finding.kind
        for finding in laboratory_of(settings).findings(settings, example(RecurrentGradients, "fix-it-identity"))
    ]
    assert kinds == ["task_solved", "gradient_kept"]


def test_steps_overwrite_weights_only_where_they_are_long():
    rises = found(run_of(losses=(0.2, 0.9), test=(0.9, 0.9, 0.9)))["learning_rate_too_large"]
    assert "the loss rises" in rises.number
    assert "overwrites" not in rises.explanation
    assert "overwrites" in found(run_of(update=0.1))["learning_rate_too_large"].explanation


@pytest.mark.parametrize(("optimiser", "rate"), [("sgd", True), ("adam", False), ("adamw", False)])
def test_a_clip_value_works_as_a_rate_where_steps_are_as_long_as_gradients(optimiser, rate):
    explanation = found(run_of(clipped=0.95), optimiser=optimiser)["clipping_every_step"].explanation
    assert ("works as your learning rate" in explanation) == rate
    assert ("which Adam divides by anyway" in explanation) != rate


def test_saturated_gates_leave_the_forget_gate_out():
    run = run_of(("lstm",), test=(0.1,), stuck=0.2)
    run["gate_saturation"].loc[{"gate": "forget"}] = 1.0
    assert "saturated_gates" not in found(run)
    assert found(run_of(("lstm",), kept=(0.99,), test=(0.1,), stuck=0.7))["saturated_gates"].number.startswith("70 %")


def test_saturated_states_are_for_tanh():
    assert "saturated_states" in found(run_of(("rnn",), flat=0.5))
    assert "saturated_states" not in found(run_of(("rnn",), flat=0.5), activation="relu")


def test_learning_rate_too_small_and_too_large():
    small = found(run_of(("gru",), kept=(0.99,), test=(0.15,), update=1e-6), learning_rate=1e-5)
    assert small["learning_rate_too_small"].changes == {"learning_rate": 1e-4}
    large = found(run_of(("gru",), kept=(0.99,), test=(0.3,), update=0.1), learning_rate=0.1)
    assert large["learning_rate_too_large"].changes == {"learning_rate": 0.01}
    assert "learned_nothing" not in large


def test_a_running_network_is_not_yet_told_that_it_learned_nothing():
    running = found(run_of(test=None, status="running"), steps=10 * STEPS)
    assert "learned_nothing" not in running
    assert "so far, at step 40 of 400" in running["vanishing"].confidence


def test_divergence_silences_the_rest():
    run = run_of(("rnn",), status="diverged")
    run["loss"][-1] = np.nan
    assert list(found(run)) == ["diverged"]
    assert list(found(run_of(status="diverged"))) == ["diverged"]


def test_nothing_recorded_gives_no_findings():
    assert found(xr.Dataset()) == {}
    run = run_of()
    assert found(run.isel(step=slice(0, 0), look=slice(0, 0)).drop_vars("test_loss")) == {}
    assert found(run[["memoryless_loss"]].assign_coords(network=["rnn"])) == {}
    assert found(run * np.nan) == {} or set(found(run * np.nan)) == {"diverged"}


def test_the_smallest_number_above_zero_has_words():
    assert "4.9 × 10⁻³²⁴" in found(run_of(("gru",), test=(0.15,), update=5e-324))["learning_rate_too_small"].number


def test_half_life_is_the_logarithm_of_the_opening():
    reading = Reading.of(run_of(("lstm",), forget=0.9), "lstm")
    assert 0.9 ** reading.memory_half_life[0] == pytest.approx(0.5)


@given(
    names=st.sampled_from([("rnn",), ("lstm",), ("gru",), ("rnn", "lstm", "gru")]),
    kept=st.tuples(*[st.floats(0.3, 1.5)] * 3),
    test=st.tuples(*[st.floats(0.0, 0.5)] * 3),
    forget=st.floats(0, 1),
    shares=st.tuples(*[st.floats(0, 1)] * 3),
    update=st.floats(0, 1),
    values=st.fixed_dictionaries(
        {
            "learning_rate": st.sampled_from([1e-6, 3e-3, 1.0]),
            "clip": st.sampled_from([0.0, 1.0, 1000.0]),
            "gain": st.sampled_from([0.1, 1.0, 4.0]),
            "forget_bias": st.sampled_from([-4.0, 0.0, 1.0, 8.0]),
            "initialisation": st.sampled_from(["orthogonal", "gaussian"]),
            "networks": st.sampled_from(["all", "rnn", "lstm"]),
            "length": st.sampled_from([4, 50]),
            "steps": st.sampled_from([STEPS, 20_000]),
        }
    ),
)
def test_findings_are_few_sorted_consistent_and_every_change_is_allowed(
    names, kept, test, forget, shares, update, values
):
    settings = RecurrentGradients(**values)
    stuck, flat, clipped = shares
    run = run_of(names, kept=kept, test=test, forget=forget, stuck=stuck, flat=flat, clipped=clipped, update=update)
    findings = findings_of(settings, run)
    kinds = [finding.kind for finding in findings]
    assert len(findings) <= 5
    assert len(set(kinds)) == len(kinds)
    order = [["bad", "warning", "good"].index(finding.severity) for finding in findings]
    assert order == sorted(order)
    assert not {"learning_rate_too_small", "learning_rate_too_large"} <= set(kinds)
    assert len(names) > 1 or not {"forget_bias_too_small", "gradient_kept"} <= set(kinds)
    assert len(names) > 1 or not {"vanishing", "exploding"} <= set(kinds)
    assert len(names) > 1 or not {"learned_nothing", "task_solved"} <= set(kinds)
    for finding in findings:
        assert bool(finding.advice) == bool(finding.changes)
        if finding.changes:
            assert settings.changed(**finding.changes) != settings


def test_a_tenth_of_the_steps_is_no_longer_few_in_the_story_about_clipping():
    [guess] = [step.guess for story in STORIES for step in story.steps if step.guess and "Few" in step.guess.choices]
    runs = [run_of(("rnn",), clipped=share) for share in (0.09, 0.1, 0.59, 0.6)]
    assert [guess.found(run.assign_attrs(experiment="recurrent-gradients"))[0] for run in runs] == [0, 1, 1, 2]
