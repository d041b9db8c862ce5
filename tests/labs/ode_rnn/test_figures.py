"""The figures of *ODE-RNN* on runs built by hand, and on what the procedure gives for edited observations."""

import json
import xml.etree.ElementTree as ET
from functools import cache

import numpy as np
import pytest

from goldviz.figures.theme import NETWORKS
from goldviz.labs.ode_rnn.figures import FIGURES, picture, rank_correlation, refined_ratio, shared_limits
from goldviz.labs.ode_rnn.figures.path import (
    BAND_90,
    HANDLE,
    beyond_training,
    forecast_misses,
    gaps_before,
    jump_places,
    longest_gap,
)
from goldviz.labs.ode_rnn.figures.states import most_moving
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory
from tests.labs.figure_words import named, strings, words
from tests.labs.ode_rnn.runs import ODE_ALONE, build, edited
from tests.thinned import thinned

OF_THE_PROBE = ("path", "latent", "plane", "jumps", "solver")
EVERY = pytest.mark.parametrize("name", list(FIGURES))
EACH_OF_THE_PROBE = pytest.mark.parametrize("name", OF_THE_PROBE)


@pytest.fixture
def run():
    return build()


def test_the_runs_of_these_tests_are_what_the_experiment_declares(run):
    declared = ODERNNLaboratory.variables
    assert set(run.data_vars) == set(declared)
    assert all(array.dims == declared[name].dims for name, array in run.data_vars.items())
    assert not set(ODE_ALONE) & set(build(networks=("gru",)).data_vars)


@EVERY
def test_a_run_without_looks_still_draws_its_steps(name):
    looks = [variable for variable, declared in ODERNNLaboratory.variables.items() if declared.dims[0] == "look"]
    run = build().drop_vars([*looks, "look", "moment", "observation", "unit", "layer", "row"])
    assert bool(FIGURES[name](run, epoch=40).data) == (name in ("loss", "gradient_norm", "evaluations"))


@cache
def shaped(**shape):
    """Built once for all figures, with what its lanes share."""
    run = build(**shape)
    return run, shared_limits([run])


@EVERY
@pytest.mark.parametrize(
    "shape",
    thinned(
        [
            {"steps": 1},
            {"steps": 5, "look_every": 100, "observations": 2, "hidden": 2},
            {"networks": ("ode_rnn",), "coarse": True},
            {"networks": ("ode_rnn", "gru"), "seeds": 2, "channels": ("x", "y"), "missing": 0.5},
            {"observations": 100, "hidden": 64, "channels": ("x", "y"), "missing": 0.5},
            {"steps": 20_000, "look_every": 1000},
        ],
    ),
)
def test_every_shape_of_run_is_drawn_and_stays_small(name, shape):
    run, limits = shaped(**shape)
    figure = FIGURES[name](run, limits=limits, epoch=1)
    assert figure.data
    assert len(figure.to_json()) < 130_000


@EVERY
def test_a_gru_alone_has_all_figures_but_those_of_a_field(name):
    run = build(networks=("gru_gap", "gru"))
    figure = FIGURES[name](run, limits=shared_limits([run]))
    assert bool(figure.data) == (name not in ("plane", "solver", "consistency", "evaluations"))


@pytest.mark.untrusted
@EVERY
def test_user_text_is_escaped(name):
    run = build(channels=("<b>gold</b>", "<i>silver</i>"), missing=0.3, time_unit="<u>weeks</u>")
    run.attrs["title"] = "<img src=x onerror=alert(1)>"
    run.attrs["marks"] = json.dumps([{"step": 50, "text": "<script>alert(2)</script>"}])
    figure = FIGURES[name](run, epoch=30)
    assert "&lt;img" in words(figure)
    for text in strings(figure.to_plotly_json()):
        assert not any(tag in text for tag in ("<img", "<script", "<b>gold", "<b>g…", "<i>", "<u>"))


@cache
def two_lanes():
    lanes = [build(steps=100, look_every=50), build(steps=300, observations=30, coarse=True)]
    return lanes, shared_limits(lanes)


@EVERY
def test_lanes_share_their_axes(name):
    lanes, shared = two_lanes()
    drawn = [FIGURES[name](lane, limits=shared) for lane in lanes]
    for axis in ("xaxis", "yaxis"):
        assert drawn[0].layout[axis].range == drawn[1].layout[axis].range
        assert drawn[0].layout[axis].range is not None


@EACH_OF_THE_PROBE
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_edited_observations_are_drawn_as_the_run_is(run, name, theme):
    probe = edited(run)
    figure = FIGURES[name](probe, limits=shared_limits([run]), theme=theme)
    assert figure.data
    assert "Step" not in words(figure)
    assert len(figure.to_json()) < 100_000
    own = FIGURES[name](probe)
    assert own.data


def test_path_lifts_its_line_at_jumps_and_draws_them_upright(run):
    figure = FIGURES["path"](run, epoch=480)
    at = run.isel(channel=0).sel(look=450, network="ode_rnn")
    line, jumps = named(figure, "forecast"), named(figure, "jump")
    mean, moments = at["decoded_mean"].values, run["moment"].values
    np.testing.assert_allclose(line.y[~np.isnan(line.y)], mean, rtol=1e-6)
    assert np.isnan(line.y).sum() == run.sizes["observation"]
    places = jump_places(moments)
    np.testing.assert_allclose(moments[places], run["probe_time"])
    np.testing.assert_allclose(jumps.x[0::3], jumps.x[1::3])
    np.testing.assert_allclose(jumps.y[0::3], mean[places], rtol=1e-6)
    np.testing.assert_allclose(jumps.y[1::3], mean[places + 1], rtol=1e-6)
    assert "Step 450." in words(figure)


def test_path_has_a_panel_for_each_network_with_its_band(run):
    figure = FIGURES["path"](run)
    headings = [annotation.text for annotation in figure.layout.annotations]
    assert headings == [f"<b>{NETWORKS[name].heading}</b>" for name in run["network"].values]
    bands = [trace for trace in figure.data if trace.fill == "tonexty"]
    at = run.isel(look=-1, channel=0)
    upper = (at["decoded_mean"] + BAND_90 * at["decoded_scale"]).sel(network="gru")
    np.testing.assert_allclose(bands[1].y, upper, rtol=1e-5)
    assert len({axis.range for axis in figure.select_yaxes()}) == 1


def test_path_says_how_far_the_forecast_misses_before_each_look(run):
    at = run.isel(look=-1)
    before = at["decoded_mean"].sel(network="gru", channel="x").values[jump_places(run["moment"].values)]
    expected = np.abs(before - run["probe_value"].sel(channel="x").values)[1:]
    np.testing.assert_allclose(forecast_misses(at, "x")[1], expected)
    assert f"GRU {expected.mean():.2f}," in words(FIGURES["path"](run))


def test_path_shades_what_is_farther_than_any_gap_of_training(run):
    last = float(run["probe_time"][-1])
    assert beyond_training(run) == [(pytest.approx(last + 0.6), pytest.approx(last + 1.2))]
    kept = [0, *range(8, 20)]
    gap = run.isel(observation=kept)
    times = gap["probe_time"].values
    assert times[1] - times[0] > 0.6
    stretches = beyond_training(gap)
    assert stretches[0] == (pytest.approx(times[0] + 0.6), pytest.approx(times[1]))
    figure = FIGURES["path"](run)
    shading = named(figure, "beyond training")
    assert shading.x[0] == pytest.approx(last + 0.6)
    assert figure.data[0] is shading
    assert "Shaded: longer gaps than in training." in words(figure)
    del run.attrs["longest_gap"]
    assert longest_gap(run) == 0.6
    del run.attrs["settings"]
    assert not beyond_training(run)


def test_long_probes_are_thinned_between_their_jumps():
    run = build(observations=100)
    line = named(FIGURES["path"](run), "forecast")
    drawn = line.x[~np.isnan(line.x)]
    assert 250 <= len(drawn) <= 351
    times = run["probe_time"].values.astype(np.float32)
    assert (np.isin(times, drawn)).all()
    assert drawn[-1] == np.float32(run["moment"].values[-1])
    alone = named(FIGURES["path"](edited(run)), "forecast")
    assert (~np.isnan(alone.x)).sum() == run.sizes["moment"]


def test_path_without_missing_values_needs_no_rug():
    assert len(list(FIGURES["path"](build(networks=("gru",))).select_yaxes())) == 1
    run = build(networks=("gru",), channels=("x", "y"), missing=0.5)
    figure = FIGURES["path"](run)
    missing, seen = named(figure, "missing", 2), named(figure, "observed", 2)
    assert len(missing.x) == int(run["probe_value"].isnull().sum())
    assert len(seen.x) == int(run["probe_value"].notnull().sum())
    assert figure.layout.yaxis2.ticktext == ("x", "y")


def test_path_draws_the_channel_that_is_asked_for():
    run = build(channels=("x", "y"), missing=0.5)
    figure = FIGURES["path"](run, channel="y", editable=True)
    np.testing.assert_array_equal(named(figure, "observed").y, run["probe_value"].sel(channel="y"))
    assert len(figure.layout.shapes) == int(run["probe_value"].sel(channel="y").notnull().sum())


def test_handles_are_the_first_shapes_in_the_order_of_the_observed_values():
    run = edited(build(missing=0.4))
    assert not FIGURES["path"](run).layout.shapes
    circles = FIGURES["path"](run, editable=True).layout.shapes
    value = run["probe_value"].sel(channel="x").values
    seen = ~np.isnan(value)
    # With Plotly's `edits: {shapePosition: true}` any other shape could be dragged away as well.
    assert len(circles) == seen.sum()
    assert all((c.type, c.xref, c.yref, c.editable) == ("circle", "x", "y", True) for c in circles)
    np.testing.assert_allclose([circle.xanchor for circle in circles], run["probe_time"].values[seen])
    np.testing.assert_allclose([circle.yanchor for circle in circles], value[seen])
    # Above 10 pixels Plotly offers to resize a shape where it should only be moved.
    assert {circle.x1 - circle.x0 for circle in circles} == {2 * HANDLE}
    assert 2 * HANDLE <= 10


def test_path_says_who_leaves_the_axis(run):
    run["decoded_mean"].loc[{"network": "gru_gap", "look": 600}] = 50.0
    _, high = FIGURES["path"](run).layout.yaxis.range
    assert high < 3
    assert "GRU with gaps leaves the axis: 50 to 50." in words(FIGURES["path"](run))
    run["decoded_mean"].loc[{"network": "gru_gap", "look": 600}] = np.nan
    assert "GRU with gaps: some values are not finite numbers." in words(FIGURES["path"](run))


def test_error_has_its_zero_line_in_both_panels(run):
    figure = FIGURES["error"](run, epoch=300)
    lines = [(shape.y0, shape.yref) for shape in figure.layout.shapes if shape.y0 == shape.y1]
    assert lines == [(0.372, "y"), (0.165, "y2")]
    assert figure.layout.yaxis.type == figure.layout.yaxis2.type == "log"


def test_latent_draws_the_units_that_move_most(run):
    states = run["state"].isel(look=-1).sel(network="ode_rnn").values
    spread = np.ptp(states, axis=0)
    chosen = most_moving(states)
    assert spread[chosen[0]] == spread.max()
    assert set(chosen) == set(np.argsort(spread)[-3:])
    line = named(FIGURES["latent"](run), "moves most")
    np.testing.assert_allclose(line.y[~np.isnan(line.y)], states[:, chosen[0]], rtol=1e-5)
    assert f"unit {chosen[0] + 1}:" in line.hovertemplate


def test_a_gru_is_told_to_move_in_jumps_only(run):
    run["state"].loc[{"network": "gru"}] = np.repeat(
        np.cumsum(run["moment"].values[:-1] == run["moment"].values[1:]), 1
    )[np.r_[0, : run.sizes["moment"] - 1]][:, None]
    assert "GRU 0 %" in words(FIGURES["latent"](run))


def test_plane_says_what_it_holds_and_points_its_arrows_along_the_field(run):
    figure = FIGURES["plane"](run)
    shares = run["explained_variance"].isel(look=-1).values
    assert f"Axes: {100 * shares.sum():.0f} %" in words(figure)
    shafts, heads = figure.data[0], figure.data[1]
    direction = run["arrow_direction"].isel(look=-1).values
    drawn = np.stack([shafts.x[1::3] - shafts.x[0::3], shafts.y[1::3] - shafts.y[0::3]], axis=-1)
    moving = np.linalg.norm(direction, axis=1) > 1e-9
    across = drawn[:, 0] * direction[:, 1] - drawn[:, 1] * direction[:, 0]
    np.testing.assert_allclose(across[moving] / np.linalg.norm(direction, axis=1)[moving], 0, atol=1e-5)
    assert ((drawn * direction).sum(axis=1)[moving] > 0).all()
    clockwise_from_up = np.radians(heads.marker.angle[moving])
    np.testing.assert_allclose(
        np.sin(clockwise_from_up), direction[moving, 0] / np.linalg.norm(direction[moving], axis=1), atol=1e-5
    )
    assert figure.layout.yaxis.scaleanchor == "x"


def test_jumps_leave_the_first_observation_out(run):
    figure = FIGURES["jumps"](run)
    gru = named(figure, "GRU")
    np.testing.assert_allclose(gru.x, np.diff(run["probe_time"]), rtol=1e-6)
    np.testing.assert_allclose(gru.y, run["jump"].isel(look=-1).sel(network="gru")[1:], rtol=1e-6)
    assert "Rank correlation with the gap: ODE-RNN +" in words(figure)
    run["probe_value"][5] = np.nan
    assert np.flatnonzero(np.isnan(named(FIGURES["jumps"](run), "GRU").y)) == [4]


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([1, 2, 3], [1, 8, 9], 1.0),
        ([1, 2, 3], [3, 2, np.nan], np.nan),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1.0),
        ([1, 2, 3], [5, 5, 5], np.nan),
        ([1, 2, 3, 4], [1, 1, 2, 2], 2 / np.sqrt(5)),
    ],
)
def test_rank_correlation(x, y, expected):
    assert rank_correlation(np.array(x, float), np.array(y, float)) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("name", ["jumps", "solver"])
def test_one_observation_has_no_gap(run, name):
    one = edited(run).isel(observation=[0])
    assert "no gap before it" in words(FIGURES[name](one))


def test_solver_shows_work_and_error_by_gap(run):
    figure = FIGURES["solver"](run)
    gaps = gaps_before(run)[1:]
    np.testing.assert_allclose(figure.data[0].x, gaps, rtol=1e-6)
    np.testing.assert_allclose(figure.data[0].y, 4 * np.ceil(gaps / 0.1))
    np.testing.assert_allclose(figure.data[1].y, run["interval_error"].isel(look=-1)[1:], rtol=1e-6)
    assert "RK4, steps of at most 0.1." in words(figure)
    run["interval_error"][:, 3] = 0
    assert "Not on the log axis: 1 of 19" in words(FIGURES["solver"](run))
    assert FIGURES["solver"](edited(run)).data[0].customdata[0][1].startswith("<br>steps of")


def test_a_gap_beyond_training_is_told_apart(run):
    run["probe_time"][-1] += 1.0
    assert "longest gap in training" in words(FIGURES["solver"](run))


def test_consistency_has_the_ratio_between_two_lines():
    run = build(networks=("ode_rnn",), coarse=True)
    figure = FIGURES["consistency"](run)
    ratio = figure.data[2]
    np.testing.assert_allclose(ratio.y, 1 + 5 * run["look"] / 600)
    np.testing.assert_allclose(refined_ratio(run).isel(seed=0), ratio.y)
    assert [(round(shape.y0, 3), shape.yref) for shape in figure.layout.shapes] == [(1.1, "y2"), (0.909, "y2")]


def test_coverage_has_its_promise(run):
    figure = FIGURES["coverage"](run)
    assert [shape.y0 for shape in figure.layout.shapes] == [0.9]
    assert figure.layout.yaxis.range[0] < 0.9 < figure.layout.yaxis.range[1]


def test_zeros_are_told_beside_the_log_axis(run):
    run["state_gradient_norm"].loc[{"network": "gru", "observation": slice(1, 3)}] = 0
    assert "Exactly 0, not drawn, in 3 of 20 observations: GRU." in words(FIGURES["gradient_by_observation"](run))
    assert "is exactly 0" in words(FIGURES["gradient_by_observation"](run * 0))


def test_gradient_norm_shows_where_it_is_cut(run):
    assert "clipped at 1" in words(FIGURES["gradient_norm"](run))


def test_changes_on_the_way_are_marked_and_the_scrubber_stands_at_its_step(run):
    run.attrs["marks"] = json.dumps([{"step": 150, "text": "clip 1 → 0"}])
    for name in ("error", "consistency", "coverage", "evaluations", "loss", "gradient_norm"):
        figure = FIGURES[name](run, epoch=205)
        assert {150, 205} <= {shape.x0 for shape in figure.layout.shapes}
        assert "clip 1 → 0" in words(figure)
        assert list(figure.select_xaxes())[-1].title.text == "Step"


def test_picture_is_the_path_with_its_signal(run):
    root = ET.fromstring(picture(run))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["signal", "ODE-RNN", "value", "time"]
    assert len(picture(run)) < 12_000
    for empty in (run.isel(look=slice(0, 0)), build(networks=("gru",)), run.drop_vars("decoded_mean")):
        assert not list(ET.fromstring(picture(empty)).iter("{http://www.w3.org/2000/svg}text"))


def test_markers_of_the_plane_tell_which_observation_and_when(run):
    markers = named(FIGURES["plane"](run), "just after an observation")
    moments = run["moment"].values[jump_places(run["moment"].values)]
    np.testing.assert_array_equal(markers.customdata[:, 0], np.arange(1, len(moments) + 1))
    np.testing.assert_allclose(markers.customdata[:, 1], moments, rtol=1e-6)
    assert markers.hovertemplate.startswith("observation %{customdata[0]:.0f}, time %{customdata[1]")
