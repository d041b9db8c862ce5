import json
import xml.etree.ElementTree as ET
from functools import cache

import numpy as np
import pytest

from goldviz.declare.laboratory import laboratory_of
from goldviz.diagnostics.findings import times
from goldviz.figures.theme import NETWORKS
from goldviz.labs.recurrent_gradients.figures import (
    FIGURES,
    GATES,
    WITHOUT_GATES,
    contribution_share,
    fading_lag,
    picture,
    shared_limits,
)
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.runs.examples import example
from tests.labs.figure_words import named, words
from tests.labs.recurrent_gradients.cases import absent
from tests.labs.recurrent_gradients.runs import build
from tests.thinned import thinned

PATHS = ("log_cell_path", "log_jacobian_norm")
EVERY = pytest.mark.parametrize("name", list(FIGURES))
OVER_AXES = pytest.mark.parametrize("name", [name for name, spec in FIGURES.items() if not spec.canvas])


@pytest.fixture
def run():
    return build(asks_for_numbers=False)


def test_the_runs_of_these_tests_are_what_the_experiment_declares(run):
    declared = RecurrentGradients.variables
    assert set(run.data_vars) == set(declared) - absent({})
    assert all(array.dims == declared[name].dims for name, array in run.data_vars.items())


@EVERY
def test_a_run_without_looks_still_draws_its_steps(name):
    looks = [variable for variable, declared in RecurrentGradients.variables.items() if declared.dims[0] == "look"]
    run = build(asks_for_numbers=False).drop_vars(
        [*looks, "look", "time", "lag", "gate", "task_lag", "moment", "layer"]
    )
    assert bool(FIGURES[name](run, epoch=40).data) == (name in ("loss", "accuracy", "clipping"))


@cache
def shaped(**shape):
    """Built once for all figures, with what its lanes share."""
    run = build(asks_for_numbers=False, **shape)
    return run, shared_limits([run])


@EVERY
@pytest.mark.parametrize(
    "shape",
    thinned(
        [
            {"steps": 1},
            {"steps": 5, "look_every": 100, "length": 4},
            {"networks": ("lstm",), "length": 10},
            {"networks": ("gru", "rnn"), "seeds": 2},
            {"length": 200, "steps": 200, "seeds": 3},
            {"steps": 20_000, "look_every": 10, "length": 20},
            {"steps": 400, "look_every": 1, "length": 200},
        ],
    ),
)
def test_every_shape_of_run_is_drawn_and_stays_small(name, shape):
    run, limits = shaped(**shape)
    figure = FIGURES[name](run, limits=limits, epoch=1)
    assert figure.data
    assert len(figure.to_json()) < 350_000


@cache
def two_lanes():
    lanes = [build(length=20, steps=100, asks_for_numbers=False), build(length=60, steps=300, asks_for_numbers=False)]
    return lanes, shared_limits(lanes)


@OVER_AXES
def test_lanes_share_their_axes(name):
    lanes, shared = two_lanes()
    drawn = [FIGURES[name](lane, limits=shared) for lane in lanes]
    for axis in ("xaxis", "yaxis"):
        assert drawn[0].layout[axis].range == drawn[1].layout[axis].range
        assert drawn[0].layout[axis].range is not None
    assert drawn[0].layout.coloraxis.cmax == drawn[1].layout.coloraxis.cmax


def test_jacobian_draws_the_last_look_with_bound_and_cell_path(run):
    figure = FIGURES["jacobian_by_lag"](run, epoch=47)
    at = run.sel(look=40).isel(seed=0)
    np.testing.assert_allclose(named(figure, "RNN").y, at["log_jacobian_norm"].sel(network="rnn"))
    np.testing.assert_array_equal(named(figure, "RNN").x, run["lag"])
    bound, cell = named(figure, "RNN, bound"), named(figure, "LSTM, cell path alone")
    np.testing.assert_allclose(bound.y, at["log_bound"].sel(network="rnn"))
    np.testing.assert_allclose(cell.y, at["log_cell_path"].sel(network="lstm"))
    assert (bound.line.dash, cell.line.dash) == ("dot", "dash")
    assert [shape.y0 for shape in figure.layout.shapes] == [0, -2]
    assert "Step 40." in words(figure)


def test_jacobian_names_the_lag_at_which_the_signal_is_gone(run):
    run["log_jacobian_norm"].loc[{"network": "rnn"}] = 0.1 - 0.3 * run["lag"]
    run["log_jacobian_norm"].loc[{"network": "lstm"}] = 0.0
    run["log_jacobian_norm"].loc[{"network": "gru"}] = -np.inf
    assert "Below 1/100 from: RNN lag 8, LSTM never, GRU lag 0." in words(FIGURES["jacobian_by_lag"](run))
    lags = fading_lag(run["log_jacobian_norm"])
    assert (lags.sel(network="rnn") == 8).all()
    assert lags.sel(network="lstm").isnull().all()


def test_a_bound_without_end_does_not_flatten_the_curves(run):
    run["log_bound"].loc[{"network": "rnn"}] = 3.0 * run["lag"]
    low, high = FIGURES["jacobian_by_lag"](run).layout.yaxis.range
    assert high < 6
    assert low < run["log_jacobian_norm"].min()


def test_state_gradient_draws_the_median_and_range_of_its_seeds():
    run = build(seeds=3)
    figure = FIGURES["state_gradient"](run, epoch=100)
    at = run["state_gradient_norm"].sel(look=100, network="gru")
    np.testing.assert_allclose(named(figure, "GRU").y, at.median("seed"))
    band = next(trace for trace in figure.data if trace.legendgroup == "gru" and trace.fill == "tonexty")
    np.testing.assert_allclose(band.y, at.max("seed"))
    assert figure.layout.yaxis.type == "log"
    assert "Median of 3 seeds" in words(figure)


def test_zeros_are_told_beside_the_log_axis(run):
    run["state_gradient_norm"].loc[{"network": "rnn", "time": slice(1, 7)}] = 0
    assert "Exactly 0, not drawn, in 7 of 50 time steps: RNN." in words(FIGURES["state_gradient"](run))
    run["lag_contribution"].loc[{"lag": 49}] = 0
    assert "Exactly 0" not in words(FIGURES["lag_contribution"](run))
    run["lag_contribution"].loc[{"network": "gru", "lag": 48}] = 0
    assert "Exactly 0, not drawn, in 1 of 49 lags: GRU." in words(FIGURES["lag_contribution"](run))
    nothing = run * 0
    for name in ("state_gradient", "state_gradient_map", "lag_contribution"):
        assert "is exactly 0" in words(FIGURES[name](nothing))


def test_state_gradient_map_is_log10_with_time_upwards(run):
    figure = FIGURES["state_gradient_map"](run, epoch=120)
    assert [annotation.text for annotation in figure.layout.annotations[:3]] == [
        "<b>RNN</b>",
        "<b>LSTM</b>",
        "<b>GRU</b>",
    ]
    expected = np.log10(run["state_gradient_norm"].sel(network="lstm").isel(seed=0)).transpose("time", "look")
    np.testing.assert_allclose(figure.data[1].z, expected, rtol=1e-5)
    assert {trace.coloraxis for trace in figure.data} == {"coloraxis"}
    assert {shape.x0 for shape in figure.layout.shapes} == {120}


def test_long_maps_are_thinned_and_say_so():
    figure = FIGURES["state_gradient_map"](build(steps=20_000, look_every=10, length=100))
    assert figure.data[0].z.size <= 16_000
    assert figure.data[0].x[-1] == 20_000
    assert "look." in words(figure)


def test_long_losses_are_averaged_not_sampled():
    run = build(steps=20_000, look_every=1000, length=4)
    figure = FIGURES["loss"](run)
    curve = named(figure, "RNN")
    assert curve.x[:2].tolist() == [1, 50]
    assert len(curve.x) == 401
    assert curve.x[-1] == 20_000
    last = run["loss"].sel(network="rnn").isel(seed=0, step=slice(-1000, None))
    assert curve.y[-1] == pytest.approx(float(last.mean()))
    assert "Mean of the last 1000 steps." in words(figure)


def test_runs_of_before_show_the_recurrent_weights_ratio_alone():
    run = build(seeds=2)
    by_layer = FIGURES["update_to_data"](run)
    assert len([trace for trace in by_layer.data if trace.name == "recurrent weights"]) == 3
    figure = FIGURES["update_to_data"](run.drop_vars("update_to_data_by_layer"))
    ratios = run["update_to_data"].sel(network="lstm").median("seed")
    np.testing.assert_allclose(named(figure, "LSTM").y, ratios)


def test_loss_has_the_memoryless_line_and_its_test_markers_at_the_end():
    done = FIGURES["loss"](build(seeds=2))
    assert named(done, "GRU, test").x == (400,)
    assert [shape.y0 for shape in done.layout.shapes] == [pytest.approx(1 / 6)]
    assert "best without memory: 0.167" in words(done)
    assert "Test loss follows" in words(FIGURES["loss"](build(done=False)))


def test_accuracy_says_why_a_task_of_numbers_has_none():
    figure = FIGURES["accuracy"](build())
    assert not figure.data
    assert "asks for numbers" in words(figure)


def test_gates_have_a_panel_each_in_their_networks_colour(run):
    figure = FIGURES["gates"](run, epoch=400)
    gated = [network for network in run["network"].values if network in GATES]
    assert [trace.line.color for trace in figure.data] == [NETWORKS[n].colour for n in gated for _ in GATES[n]]
    forget = run["gate_opening"].sel(look=400, network="lstm", gate="forget").isel(seed=0)
    np.testing.assert_allclose(figure.data[1].y, forget)
    assert f"Mean forget gate {float(forget.mean()):.2f}." in words(figure)


def test_the_gates_figure_says_what_is_left_along_the_path_and_not_what_a_mean_gate_would_leave():
    """Beside the finding that the LSTM keeps its signal, a half-life of its mean gate would deny it."""
    recorded = example(RecurrentGradients, "adding-50-steps")
    said = words(FIGURES["gates"](recorded)).replace("<br>", " ")
    far = [recorded[name].sel(network="lstm").isel(look=-1, lag=-1, seed=0) for name in PATHS]
    cell, whole = (times(10 ** float(value)) for value in far)
    assert f"Left after 49 steps: {cell} along the cell, {whole} along all paths." in said
    assert "halves" not in said
    assert any(
        one.kind == "gradient_kept"
        for one in laboratory_of(RecurrentGradients).findings(RecurrentGradients(), recorded)
    )


def test_a_plain_network_alone_has_no_gates():
    run = build(networks=("rnn",))
    assert WITHOUT_GATES in words(FIGURES["gates"](run))
    assert FIGURES["saturation"](run).data


def test_saturation_names_the_gate_that_is_most_stuck(run):
    run["gate_saturation"].loc[{"network": "gru", "gate": "reset"}] = 0.8
    assert "Most now: GRU reset gate, 80 %." in words(FIGURES["saturation"](run))


def test_matrix_has_its_line_at_one_in_both_panels(run):
    figure = FIGURES["recurrent_matrix"](run)
    assert [(shape.y0, shape.yref) for shape in figure.layout.shapes] == [(1, "y"), (1, "y2")]


def test_the_matrix_s_line_promises_what_holds_of_radius_and_norm(run):
    """A radius of 1 keeps no lengths: powers of [[1, 1], [0, 1]] grow. With radius or norm below 1 all powers fade."""
    words = [one.text for one in FIGURES["recurrent_matrix"](run).layout.annotations]
    assert "below 1, powers of W fade" in words
    assert not any("lengths" in one for one in words)
    kept = np.linalg.matrix_power(np.array([[1.0, 1.0], [0.0, 1.0]]), 50)
    assert np.linalg.norm(kept, 2) > 50
    for faded in (np.array([[0.9, 40.0], [0.0, 0.9]]), 0.9 * np.eye(2)):
        assert np.linalg.norm(np.linalg.matrix_power(faded, 500)) < 1e-10


def test_clipping_shows_both_norms_the_clip_line_and_the_share():
    run = build(steps=80)
    run["clipped"][:] = 0.0
    run["clipped"][-20:] = 1.0
    run["clipped_gradient_norm"][-20:] = 0.7
    figure = FIGURES["clipping"](run)
    np.testing.assert_allclose(named(figure, "RNN").y, run["gradient_norm"].sel(network="rnn").isel(seed=0))
    np.testing.assert_allclose(
        named(figure, "RNN, after").y, run["clipped_gradient_norm"].sel(network="rnn").isel(seed=0)
    )
    shares = next(trace for trace in figure.data if trace.yaxis == "y2")
    np.testing.assert_allclose(shares.y, [0.0] * 15 + [1.0] * 5)
    assert [shape.y0 for shape in figure.layout.shapes] == [pytest.approx(0.7)]
    assert "clipped at 0.7" in words(figure)


def test_a_run_that_was_never_clipped_has_no_clip_line(run):
    run["clipped"][:] = 0.0
    assert not FIGURES["clipping"](run).layout.shapes


def test_by_lag_has_a_second_panel_where_answers_are_right_or_wrong(run):
    both = FIGURES["by_lag"](run)
    assert {trace.yaxis for trace in both.data} == {"y", "y2"}
    [nothing] = [trace for trace in both.data if trace.name == "best without memory"]
    assert nothing.yaxis == "y"
    np.testing.assert_allclose(nothing.y, run["memoryless_loss_by_lag"][0])
    earlier = FIGURES["by_lag"](build().drop_vars("memoryless_loss_by_lag"))
    assert {(trace.yaxis, trace.name) for trace in earlier.data} == {("y", name) for name in ("RNN", "LSTM", "GRU")}


def test_contribution_shares_add_up_to_one(run):
    np.testing.assert_allclose(contribution_share(run).sum("lag"), 1)
    run["lag_contribution"][:] = 0.0
    run["lag_contribution"].loc[{"lag": slice(0, 24)}] = 1.0
    assert "Share of lags below 25: RNN 100 %, LSTM 100 %, GRU 100 %." in words(FIGURES["lag_contribution"](run))


def test_changes_on_the_way_are_marked_and_the_scrubber_stands_at_its_step(run):
    run.attrs["marks"] = json.dumps([{"step": 150, "text": "clip 1 → 0"}])
    for name in ("loss", "clipping", "state_gradient_map", "recurrent_matrix"):
        figure = FIGURES[name](run, epoch=205)
        assert {150, 205} <= {shape.x0 for shape in figure.layout.shapes}
        assert "clip 1 → 0" in words(figure)
        last_axis = list(figure.select_xaxes())[-1]
        assert last_axis.title.text == "Step"


def test_picture_has_a_curve_for_each_network(run):
    root = ET.fromstring(picture(run))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["RNN", "LSTM", "GRU", "signal left, log scale", "steps through time"]
    for empty in (run.isel(look=slice(0, 0)), run.drop_vars("log_jacobian_norm"), run * np.nan):
        assert not list(ET.fromstring(picture(empty)).iter("{http://www.w3.org/2000/svg}text"))
