import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from goldviz.figures.theme import NETWORKS
from goldviz.figures.thumbnail import FRAMES
from goldviz.labs.depth_gradients.figures import FIGURES, measured_factor, picture, shared_limits
from tests.labs.figure_words import named, words

EVERY = pytest.mark.parametrize("name", list(FIGURES))


@EVERY
@pytest.mark.parametrize(
    "shape",
    [
        {"epochs": 1},
        {"depth": 1},
        {"depth": 1, "untied": True, "epochs": 1},
        {"depth": 100, "seeds": 3, "untied": True},
        {"epochs": 2000, "histogram_every": 500, "depth": 3},
    ],
    ids=str,
)
def test_every_shape_of_run_is_drawn(build_run, name, shape):
    figure = FIGURES[name](build_run(**shape), epoch=1)
    assert figure.data or (name == "decay_rate" and "no neighbour" in words(figure).replace("<br>", " "))
    assert len(figure.to_json()) < 200_000


def test_gradient_by_layer_draws_the_dataset(build_run):
    run = build_run(seeds=3)
    figure = FIGURES["gradient_by_layer"](run, epoch=7)
    curve = named(figure, "residual")
    recorded = run["gradient_norm"].sel(epoch=7, network="residual")
    np.testing.assert_allclose(curve.y, recorded.median("seed"))
    np.testing.assert_array_equal(curve.x, run["layer"])
    mean = named(figure, "plain, mean of epochs 1 to 7")
    so_far = run["gradient_norm"].sel(network="plain", epoch=slice(1, 7)).mean("epoch").median("seed")
    np.testing.assert_allclose(mean.y, so_far)
    band = [trace for trace in figure.data if trace.legendgroup == "plain" and trace.fill == "tonexty"]
    np.testing.assert_allclose(band[0].y, run["gradient_norm"].sel(epoch=7, network="plain").max("seed"))
    assert figure.layout.yaxis.type == "log"
    assert "Median of 3 seeds" in words(figure).replace("<br>", " ")


def test_loss_by_depth_draws_every_depth_at_the_epoch_in_view(build_run):
    run = build_run(seeds=3)
    figure = FIGURES["loss_by_depth"](run, epoch=7)
    for network in ("plain", "residual"):
        curve = named(figure, network)
        np.testing.assert_array_equal(curve.x, [1, 2, 4])
        np.testing.assert_allclose(curve.y, run["loss_by_depth"].sel(epoch=7, network=network).median("seed"))
    assert list(figure.layout.xaxis.ticktext) == ["1", "2", "4"]
    assert "Epoch 7." in words(figure)


def test_one_seed_has_no_band(run):
    assert not [trace for trace in FIGURES["gradient_by_layer"](run).data if trace.fill]


def test_zero_gradients_are_told_beside_the_log_axis(run):
    run["gradient_norm"].loc[{"network": "plain", "layer": slice(0, 3)}] = 0
    figure = FIGURES["gradient_by_layer"](run)
    assert "Exactly 0, not drawn, in 4 of 16 layers: plain." in words(figure).replace("<br>", " ")
    assert np.isnan(named(figure, "plain").y[:4]).all()


@pytest.mark.parametrize("name", ["gradient_by_layer", "gradient_heat_map"])
def test_a_run_without_any_gradient_says_so(run, name):
    figure = FIGURES[name](run * 0)
    assert "is exactly 0" in words(figure).replace("<br>", " ")


def test_an_epoch_that_is_no_number_is_told(run):
    run["gradient_norm"].loc[{"network": "plain", "epoch": 20}] = np.nan
    said = words(FIGURES["gradient_by_layer"](run)).replace("<br>", " ")
    assert "Not a finite number, not drawn, in 16 of 16 layers: plain." in said


def test_layer_axis_names_its_ends(build_run):
    ticks = FIGURES["gradient_by_layer"](build_run(untied=True)).layout.xaxis
    assert dict(zip(ticks.tickvals, ticks.ticktext, strict=True))[16] == "read-out"
    tied = FIGURES["gradient_by_layer"](build_run()).layout.xaxis
    assert tied.ticktext[0] == "input"
    assert "read-out" not in tied.ticktext


def test_states_of_zeros_are_told_and_states_that_overflowed_are_not_taken_for_them(run):
    lost = run.assign(state_change=run["state_change"] * np.nan)
    zero = lost.assign(weight_norm=run["weight_norm"] * 0)
    [said], [other] = (FIGURES["state_change"](one).layout.annotations for one in (zero, lost))
    assert said.text.startswith("Every weight is exactly 0")
    assert "no recorded value is a finite number" in other.text.replace("<br>", " ")


def test_heat_map_is_log10_with_gaps_for_zero(run):
    run["gradient_norm"].loc[{"network": "plain", "epoch": 1}] = 0
    figure = FIGURES["gradient_heat_map"](run, epoch=12)
    plain, residual = figure.data
    assert np.isnan(plain.z[:, 0]).all()
    expected = np.log10(run["gradient_norm"].sel(network="residual").isel(seed=0)).transpose("layer", "epoch")
    np.testing.assert_allclose(residual.z, expected, rtol=1e-5)
    assert plain.coloraxis == residual.coloraxis == "coloraxis"
    assert "Grey: exactly 0" in words(figure)
    assert {shape.x0 for shape in figure.layout.shapes} == {12}


def test_long_runs_are_thinned_and_say_so(build_run):
    figure = FIGURES["gradient_heat_map"](build_run(epochs=2000, depth=3, histogram_every=1000))
    assert figure.data[0].z.shape == (4, 400)
    assert figure.data[0].x[-1] == 2000
    assert "Every 5th epoch." in words(figure)


def test_decay_rate_draws_the_dataset_with_its_zero_line(run):
    figure = FIGURES["decay_rate"](run, epoch=3)
    recorded = run["decay_rate"].sel(epoch=3, network="plain", layer=slice(1, 14)).isel(seed=0)
    np.testing.assert_allclose(named(figure, "plain").y, recorded)
    np.testing.assert_array_equal(named(figure, "plain").x, np.arange(1, 15))
    assert [shape.y0 for shape in figure.layout.shapes] == [0]
    assert "neither shrinks nor grows" in words(figure)


def test_the_main_line_of_the_loss_is_of_unseen_samples_and_the_training_loss_is_thin(build_run):
    run = build_run(seeds=3)
    figure = FIGURES["loss"](run)
    for network in ("plain", "residual"):
        main, behind = named(figure, network), named(figure, f"{network}, each epoch")
        np.testing.assert_allclose(main.y, run["evaluation_loss"].sel(network=network).median("seed"))
        np.testing.assert_allclose(behind.y, run["loss"].sel(network=network).median("seed"))
        assert behind.line.width < main.line.width


def test_a_line_in_the_loss_says_what_always_answering_zero_comes_to(build_run):
    layout = FIGURES["loss"](build_run(seeds=3)).layout
    assert [label.text for label in layout.annotations] == ["always 0: 0.873"]
    assert [round(shape.y0, 3) for shape in layout.shapes] == [0.873]


def test_a_run_from_before_shows_its_training_loss_and_the_test_loss_at_the_end(build_run):
    done = FIGURES["loss"](build_run(seeds=3).drop_vars("evaluation_loss"))
    assert named(done, "residual, test").x == (20,)
    assert named(done, "residual, test").error_y.array[0] > 0
    going_on = FIGURES["loss"](build_run(done=False).drop_vars("evaluation_loss"))
    assert not going_on.layout.shapes
    assert "Test loss follows" in words(going_on)


def test_loss_turns_to_a_log_axis_when_it_explodes_in_any_lane(run):
    assert FIGURES["loss"](run).layout.yaxis.type is None
    wild = run.copy(deep=True)
    wild["loss"][-1] = 1e9
    shared = shared_limits([run, wild])
    calm, exploded = FIGURES["loss"](run, limits=shared), FIGURES["loss"](wild, limits=shared)
    assert calm.layout.yaxis.type == exploded.layout.yaxis.type == "log"
    assert calm.layout.yaxis.range == exploded.layout.yaxis.range


def test_update_to_data_has_a_line_for_each_layer_and_its_reference(run):
    figure = FIGURES["update_to_data"](run)
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert len(lines) == 2 * 16
    recorded = run["update_to_data"].sel(network="residual", layer=4).isel(seed=0)
    np.testing.assert_allclose(lines[16 + 4].y, recorded, rtol=1e-6)
    assert {shape.y0 for shape in figure.layout.shapes} == {1e-3}
    reference = next(a for a in figure.layout.annotations if "usual advice" in a.text)
    assert reference.y == pytest.approx(-3)


def test_activations_show_mean_and_spread(run):
    figure = FIGURES["activations"](run, epoch=4)
    at = run.sel(epoch=4, network="plain").isel(seed=0)
    low, high, mean = [trace for trace in figure.data if trace.legendgroup == "plain" and trace.yaxis == "y3"]
    np.testing.assert_allclose(low.y, at["activation_mean"] - at["activation_std"])
    np.testing.assert_allclose(high.y, at["activation_mean"] + at["activation_std"])
    np.testing.assert_allclose(mean.y, at["activation_mean"])


@pytest.mark.parametrize("name", [name for name in FIGURES if name.endswith("_distribution")])
def test_distributions_take_the_nearest_measured_epoch(run, name):
    figure = FIGURES[name](run, epoch=13)
    assert "Epoch 10." in words(figure)
    assert np.nansum(figure.data[0].z, axis=1) == pytest.approx(np.ones(16))
    assert len(figure.data[0].x) < 50


def test_magnitudes_stand_on_a_decade_scale_with_zero_apart(run):
    figure = FIGURES["hidden_gradient_distribution"](run)
    axis, heat = figure.layout.xaxis, figure.data[0]
    ticks = dict(zip(axis.ticktext, axis.tickvals, strict=True))
    assert ticks["0"] == 0
    assert np.isnan(heat.z[:, 1]).all()
    assert heat.z[3, 0] == pytest.approx(run["gradient_histogram"][-1, 0, 3, 0].item())
    decades = list(ticks.values())[1:]
    assert np.diff(decades) == pytest.approx(np.diff(decades)[0])
    column = np.nanargmin(abs(np.log10(heat.customdata[0, 2:]) + 3.25)) + 2
    near = run["gradient_histogram"].sel(magnitude_bin=10**-3.25, method="nearest").isel(histogram_epoch=-1)
    np.testing.assert_allclose(heat.z[:, column], near.sel(network="plain"), rtol=1e-6)


def test_entries_that_all_lie_in_the_last_bin_are_drawn(run):
    run["gradient_histogram"][:] = 0.0
    run["gradient_histogram"][..., -1] = 1.0
    figure = FIGURES["hidden_gradient_distribution"](run, limits=shared_limits([run]))
    heat = figure.data[0]
    assert heat.customdata[0, -1] == pytest.approx(float(run["magnitude_bin"][-1]))
    assert np.all(heat.z[:, -1] == 1.0)


def test_values_stand_on_their_bins(run):
    figure = FIGURES["activation_distribution"](run)
    axis = figure.layout.xaxis
    zero = dict(zip(axis.ticktext, axis.tickvals, strict=True))["0"]
    assert figure.data[1].z[0].argmax() == zero


def test_gradient_factor_divides_neighbouring_norms(run):
    norms = run["hidden_gradient_norm"]
    factor = measured_factor(run["hidden_gradient_norm"])
    expected = norms.sel(hidden=4).values / norms.sel(hidden=5).values
    np.testing.assert_allclose(factor.sel(block=5).values, expected)
    figure = FIGURES["gradient_factor"](run, epoch=12)
    np.testing.assert_allclose(named(figure, "plain").y, factor.sel(epoch=10, network="plain").isel(seed=0))
    np.testing.assert_allclose(named(figure, "plain, expected").y, 0.55)


def test_a_block_s_move_is_drawn_by_block(run):
    figure = FIGURES["state_change"](run, epoch=12)
    plain, residual = (next(curve for curve in figure.data if curve.name == name) for name in ("plain", "residual"))
    expected = run["state_change"].sel(histogram_epoch=10).median("seed")
    np.testing.assert_allclose(residual.y, expected.sel(network="residual"))
    np.testing.assert_allclose(plain.y, expected.sel(network="plain"))
    assert "Epoch 10" in figure.layout.title.subtitle.text


def test_gradient_factor_without_jacobians_shows_what_was_measured(run):
    figure = FIGURES["gradient_factor"](run.drop_vars("jacobian_gain"), epoch=12)
    assert [trace.name for trace in figure.data] == ["plain", "residual"]
    assert "did not record jacobian_gain" in words(figure)


@pytest.mark.parametrize("name", ["gradient_heat_map", "loss", "update_to_data"])
def test_changes_on_the_way_are_marked(run, name):
    run.attrs["marks"] = json.dumps([{"step": 5, "text": "rate 0.1 → 0.01"}, {"step": 6, "text": "clip 0 → 1"}])
    figure = FIGURES[name](run)
    assert {5, 6} <= {shape.x0 for shape in figure.layout.shapes}
    assert "rate 0.1 → 0.01" in words(figure)


@EVERY
def test_lanes_share_their_axes(build_run, name):
    lanes = [build_run(depth=5, epochs=10), build_run(depth=25, epochs=40)]
    shared = shared_limits(lanes)
    drawn = [FIGURES[name](lane, limits=shared) for lane in lanes]
    for axis in ("xaxis", "yaxis"):
        assert drawn[0].layout[axis].range == drawn[1].layout[axis].range
    if drawn[0].layout.coloraxis.cmin is not None and name not in ("update_to_data", "gradient_to_data"):
        assert drawn[0].layout.coloraxis.cmax == drawn[1].layout.coloraxis.cmax


SVG = "{http://www.w3.org/2000/svg}"


def test_picture_is_wellformed_with_a_curve_for_each_network(run):
    root = ET.fromstring(picture(run))
    strokes = [path.get("stroke") for path in root.iter(f"{SVG}path")]
    assert strokes == ["currentColor", *[NETWORKS["plain"].colour] * FRAMES, *[NETWORKS["residual"].colour] * FRAMES]
    assert [text.text for text in root.iter(f"{SVG}text")] == ["plain", "residual", "gradient, log scale", "layer"]
    assert len(picture(run)) < 15_000


def test_in_the_picture_higher_values_stand_higher(run):
    root = ET.fromstring(picture(run))
    plain = list(root.iter(f"{SVG}path"))[FRAMES].get("d")  # its last frame, as the first path is the axes'
    heights = [float(point.split()[1]) for point in plain.replace("M", "L").split("L")[1:]]
    assert heights == sorted(heights, reverse=True)


def test_nothing_recorded_gives_an_empty_picture(build_run):
    for run in (build_run().isel(epoch=slice(0, 0)), build_run().drop_vars("gradient_norm"), build_run() * np.nan):
        assert not list(ET.fromstring(picture(run)).iter(f"{SVG}text"))
