import json
import xml.etree.ElementTree as ET
from functools import cache, lru_cache

import numpy as np
import pytest

from goldviz.figures.theme import BASELINES, INKS, NETWORKS, style_of
from goldviz.labs.gold_forecast.figures import FIGURES, picture, shared_limits
from goldviz.labs.gold_forecast.figures.days import AT_FIRST_EPOCH, AT_FIRST_LOOK, AT_THE_END
from goldviz.labs.gold_forecast.figures.memory import WITHOUT_STATES, autocorrelation
from goldviz.labs.gold_forecast.measures import Reading
from goldviz.labs.gold_forecast.scoring.results import recorded_score
from goldviz.labs.gold_forecast.scoring.series import Series
from goldviz.labs.gold_forecast.settings import AGE, GoldForecast
from goldviz.labs.gold_forecast.words import join_words
from tests.figures.test_theme import contrast
from tests.labs.figure_words import strings, words
from tests.labs.gold_forecast.runs import build as built
from tests.thinned import thinned

NEEDS = {
    "skill": "target",
    "scoreboard": "target",
    "fan": "scale",
    "calibration": "scale",
    "volatility": "target",
    "loss": "loss",
    "listening": "input_gradient",
    "gradient_by_lag": "state_gradient_norm",
    "hidden": "hidden",
    "gradient_by_layer": "gradient_norm",
    "update_to_data": "update_to_data",
}
BEFORE_THE_FIRST_LOOK = {"skill", "scoreboard", "volatility"}
EVERY = pytest.mark.parametrize("name", list(FIGURES))
SVG = "{http://www.w3.org/2000/svg}"
kept = lru_cache(maxsize=None)(built)


def build(**options):
    """Runs are made once and copied, for most of these tests only look at them."""
    return kept(**options).copy(deep=True)


@cache
def lanes_of(target):
    """Two runs that differ in all their sizes, and the limits that they share."""
    lanes = [build(target=target, forecasts=600, seeds=2), build(target=target, forecasts=900, refits=3, epochs=12)]
    return lanes, shared_limits(lanes)


@cache
def odd_runs(value):
    """A run with some odd values, and one that has nothing else, each with its limits."""
    run = build(seeds=2, forecasts=120)
    for variable in ("loss", "validation_loss", "gradient_norm", "update_to_data", "mean", "scale", "hidden"):
        run[variable][..., :1] = value
    run["input_gradient"].loc[{"channel": "SI=F"}] = value
    run["quantile"][:50] = value
    nothing_else = run.assign(
        {key: array.where(False, value) for key, array in run.data_vars.items() if key != "block"}
    )
    return [(odd, shared_limits([odd])) for odd in (run, nothing_else)]


@pytest.fixture
def run():
    return build()


def named(figure, name):
    return next(trace for trace in figure.data if trace.name == name)


def test_the_runs_of_these_tests_are_what_the_experiment_declares(run):
    declared = GoldForecast.variables
    assert set(run.data_vars) == set(declared)
    assert all(array.dims == declared[name].dims for name, array in run.data_vars.items())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_baselines_stand_out_from_page_and_surface(theme):
    for name, style in BASELINES.items():
        assert contrast(style.colour, INKS[theme].background) >= 3, name
        assert contrast(style.colour, INKS[theme].surface) >= 3, name


def test_no_baseline_looks_like_another_or_like_a_network():
    everything = [*NETWORKS.values(), *BASELINES.values()]
    assert len({style.colour for style in everything}) == len(everything)
    assert len({style.symbol for style in everything}) == len(everything)
    assert style_of("ridge") is BASELINES["ridge"]
    with pytest.raises(KeyError, match=r"arima.*gru_decay.*ridge"):
        style_of("arima")


@EVERY
def test_a_missing_variable_is_named(run, name):
    figure = FIGURES[name](run.drop_vars([NEEDS[name]]))
    assert not figure.data
    assert NEEDS[name] in words(figure)


@EVERY
def test_a_run_that_has_just_begun_says_what_comes_when(name):
    empty = build(stage="empty")
    figure = FIGURES[name](empty, limits=shared_limits([empty]))
    assert not figure.data
    assert any(sentence in words(figure) for sentence in (AT_FIRST_LOOK, AT_FIRST_EPOCH, AT_THE_END))


@EVERY
def test_baselines_are_drawn_before_the_first_look(name):
    start = build(stage="start")
    figure = FIGURES[name](start, limits=shared_limits([start]))
    assert bool(figure.data) == (name in BEFORE_THE_FIRST_LOOK)
    assert not any(trace.name == "GRU" for trace in figure.data)


@EVERY
@pytest.mark.parametrize(
    "shape",
    thinned(
        [
            {"forecasts": 9, "refits": 1, "epochs": 1, "window": 2, "hidden": 2},
            {"forecasts": 60, "refits": 3, "epochs": 3, "look_every": 100, "channels": ("GC=F",), "network": "mlp"},
            {"stage": "running", "seeds": 3, "network": "gru_decay"},
            {"stage": "diverged", "seeds": 2},
            {
                "forecasts": 3000,
                "refits": 60,
                "epochs": 300,
                "look_every": 20,
                "seeds": 6,
                "window": 250,
                "hidden": 256,
            },
            {"target": "volatility", "final": 250, "seeds": 2, "head": "student", "network": "lstm"},
            {"target": "level", "final": 250, "seeds": 2, "network": "gru_gap"},
        ],
    ),
)
def test_every_shape_of_run_is_drawn_and_stays_small(name, shape):
    run = build(**shape)
    figure = FIGURES[name](run, limits=shared_limits([run]), epoch=1)
    exempt = (name == "gradient_by_lag" and shape.get("network") == "mlp") or (
        name == "hidden" and shape.get("stage") in ("running", "diverged")
    )
    assert bool(figure.data) or exempt
    assert len(figure.to_json()) < 150_000


@pytest.mark.untrusted
@EVERY
def test_user_text_is_escaped(name):
    nasty = "<img src=x onerror=alert(1)>"
    run = build(channels=(nasty, "SI=F"))
    run.attrs |= {"title": nasty, "simulated": 0, "target_words": nasty}
    run.attrs["marks"] = json.dumps([{"step": 5, "text": "<script>alert(2)</script>"}])
    figure = FIGURES[name](run, epoch=8)
    assert "&lt;img" in words(figure)
    for text in strings(figure.to_plotly_json()):
        assert "<img" not in text
        assert "<script" not in text


@EVERY
@pytest.mark.parametrize("target", thinned(["return", "volatility", "level"]))
def test_lanes_share_their_axes(name, target):
    lanes, shared = lanes_of(target)
    drawn = [FIGURES[name](lane, limits=shared) for lane in lanes]
    for axis in ("xaxis", "yaxis"):
        assert drawn[0].layout[axis].range == drawn[1].layout[axis].range
        assert drawn[0].layout[axis].range is not None
    assert drawn[0].layout.coloraxis.cmax == drawn[1].layout.coloraxis.cmax


@pytest.mark.parametrize("target", ["return", "level", "volatility"])
def test_the_skill_curve_ends_in_the_recorded_score(target):
    run = build(target=target, final=250, seeds=2)
    metric, unit = ("qlike_gain", 1) if target == "volatility" else ("r2", 100)
    series = Series.of(run)
    before = 1250
    for model in ("network", "ewma" if target == "volatility" else "ar1"):
        curve = unit * series.cumulative(series.gains(model))
        assert curve[before - 1] == pytest.approx(unit * recorded_score(run, model, metric), rel=1e-3, abs=1e-5)
    drawn, curve = named(FIGURES["skill"](run), "GRU"), unit * series.cumulative(series.gains("network"))
    at = {str(day): value for day, value in zip(series.dates, curve, strict=True)}
    np.testing.assert_allclose(drawn.y, [at[day] for day in drawn.x])
    assert drawn.x[-1] == str(series.dates[-1])


def test_the_skill_band_holds_every_seed_and_the_line_is_the_forecast_that_is_scored():
    run = build(seeds=3)
    figure = FIGURES["skill"](run)
    low, high = (trace for trace in figure.data if trace.legendgroup == "gru" and trace.line.width == 0)
    for seed in range(3):
        alone = run.isel(seed=[seed])
        curve = named(FIGURES["skill"](alone), "GRU").y
        assert (np.array(low.y) <= np.array(curve) + 1e-9).all()
        assert (np.array(high.y) >= np.array(curve) - 1e-9).all()
    assert "Line: mean of 3 seeds; band: each alone." in words(figure)


def test_skill_shows_the_look_before_the_scrubber():
    run = build(epochs=20)
    early = FIGURES["skill"](run, epoch=5)
    assert "Epoch 4." in words(early)
    only = run.sel(look=[4]).drop_vars(["score", "score_low", "score_high"])
    np.testing.assert_allclose(named(early, "GRU").y, named(FIGURES["skill"](only), "GRU").y)


def test_an_early_wild_look_is_not_cut_off_by_the_limits_of_the_last():
    run = build()
    run["mean"].loc[{"look": 2}] *= 30
    low, _ = FIGURES["skill"](run, epoch=2, limits=shared_limits([run])).layout.yaxis.range
    curve = np.array(named(FIGURES["skill"](run, epoch=2), "GRU").y)
    assert low <= curve.min()
    assert FIGURES["skill"](run).layout.yaxis.range[0] > low


def test_skill_marks_refits():
    run = build()
    series = Series.of(run)
    starts = {str(date) for date in series.dates[1:][np.diff(series.block) != 0]}
    lines = [
        shape for shape in FIGURES["skill"](run).layout.shapes if shape.line.dash == "dot" and shape.x0 == shape.x1
    ]
    assert {shape.x0 for shape in lines} == starts
    assert len(starts) == 5


def test_a_baseline_that_would_flatten_all_others_is_named_instead_of_drawn():
    run = build(target="level")
    figure = FIGURES["skill"](run)
    assert "mean" not in {trace.name for trace in figure.data}
    assert "Far below, not drawn: mean." in words(figure)
    assert {"ridge", "AR(1)"} <= {trace.name for trace in figure.data}
    assert "Far below" not in words(FIGURES["skill"](build()))


def test_a_refit_without_numbers_leaves_a_gap_and_the_curve_goes_on():
    run = build()
    run["mean"][:, (run["block"] == 2).values] = np.nan
    curve = np.array(named(FIGURES["skill"](run), "GRU").y)
    assert np.isnan(curve).any()
    assert np.isfinite(curve[-1])


def test_scoreboard_has_every_score_with_its_interval():
    run = build(seeds=3, final=250)
    figure = FIGURES["scoreboard"](run)
    for name, model in (("GRU", "network"), ("AR(1)", "ar1"), ("ridge", "ridge"), ("mean so far", "mean")):
        dot = named(figure, name)
        value, low, high = (100 * recorded_score(run, model, "r2", end) for end in ("", "_low", "_high"))
        assert dot.x[0] == pytest.approx(value)
        assert dot.error_x.array[0] == pytest.approx(high - value)
        assert dot.error_x.arrayminus[0] == pytest.approx(value - low)
    np.testing.assert_allclose(np.sort(named(figure, "each seed").x), 100 * np.sort(run["seed_r2"]), rtol=1e-3)
    low, high = figure.layout.xaxis.range
    assert all(low < x < high for trace in figure.data for x in trace.x)


def test_the_axis_of_the_scores_holds_every_seed_however_bad():
    run = build(stage="running", seeds=3)
    run["mean"][-1, :, 0] *= 20
    figure = FIGURES["scoreboard"](run)
    low, high = figure.layout.xaxis.range
    seeds = named(figure, "each seed").x
    assert len(seeds) == 3
    assert all(low < seed < high for seed in seeds)


@pytest.mark.parametrize("options", [{"stage": "running"}, {"stage": "diverged"}])
def test_scoreboard_has_no_intervals_before_the_end(options):
    figure = FIGURES["scoreboard"](build(**options))
    assert all(trace.error_x.array is None for trace in figure.data)
    assert ("Intervals come when the run ends." in words(figure)) == (options["stage"] == "running")


def test_recorded_scores_belong_to_the_last_look_alone(run):
    early = FIGURES["scoreboard"](run, epoch=4)
    assert all(trace.error_x.array is None for trace in early.data)
    assert named(early, "GRU").x != named(FIGURES["scoreboard"](run), "GRU").x


def test_a_score_far_below_the_axis_stands_at_its_edge_with_its_number():
    figure = FIGURES["scoreboard"](build(target="level"))
    arrow = next(a for a in figure.layout.annotations if a.text.startswith("◂"))
    assert "000 %" in arrow.text
    assert "mean so far" not in {trace.name for trace in figure.data}


def test_fan_draws_the_recorded_quantiles_and_what_came(run):
    figure = FIGURES["fan"](run)
    last = run.isel(time=slice(-120, None))
    bands = [trace for trace in figure.data if trace.fill == "tonexty"]
    assert [trace.name for trace in bands] == ["95 %", "80 %", "50 %"]
    np.testing.assert_allclose(bands[0].y, 100 * last["quantile"].sel(level=0.975), rtol=1e-5)
    np.testing.assert_allclose(bands[2].y, 100 * last["quantile"].sel(level=0.75), rtol=1e-5)
    came = named(figure, "what came")
    np.testing.assert_allclose(came.y, 100 * last["target"], rtol=1e-5)
    low, high = last["quantile"].sel(level=0.025), last["quantile"].sel(level=0.975)
    outside = ((last["target"] < low) | (last["target"] > high)).values
    assert [symbol == "circle-open" for symbol in came.marker.symbol] == outside.tolist()
    assert f"{outside.sum()} of 120 forecasts outside the widest band; 6 expected." in words(figure)


def test_fan_is_two_standard_deviations_wide_before_the_end():
    run = build(stage="running", seeds=2)
    figure = FIGURES["fan"](run)
    (band,) = [trace for trace in figure.data if trace.fill == "tonexty"]
    last = run.isel(look=-1, time=slice(-120, None)).mean("seed")
    np.testing.assert_allclose(band.y, 100 * (last["mean"] + 2 * last["scale"]), rtol=1e-5)
    assert "mean ± 2 standard deviations" in words(figure)


def test_fan_of_prices_is_in_prices_and_that_of_volatility_has_no_mean():
    level = build(target="level")
    np.testing.assert_allclose(named(FIGURES["fan"](level), "what came").y, level["target"][-120:])
    assert "mean" not in {trace.name for trace in FIGURES["fan"](build(target="volatility")).data}


def test_calibration_counts_what_the_intervals_held(run):
    figure = FIGURES["calibration"](run)
    bars, dots = figure.data
    counts, _ = np.histogram(run["pit"], bins=20, range=(0, 1))
    np.testing.assert_array_equal(bars.customdata, counts)
    inside = (run["quantile"].sel(level=0.05) <= run["target"]) & (run["target"] <= run["quantile"].sel(level=0.95))
    assert tuple(dots.x) == ("50 %", "80 %", "90 %", "95 %")
    assert dots.y[2] == pytest.approx(100 * float(inside.mean()) - 90)
    band = next(shape for shape in figure.layout.shapes if shape.type == "rect")
    expected = 1.96 * np.sqrt(0.05 * 0.95 / 1500)
    assert (band.y0, band.y1) == (pytest.approx(100 * (0.05 - expected)), pytest.approx(100 * (0.05 + expected)))


def test_calibration_leaves_the_final_block_out_and_says_what_it_assumes_before_the_end():
    opened = FIGURES["calibration"](build(final=250))
    assert "1,250 forecasts" in words(opened)
    assert np.sum(opened.data[0].customdata) == 1250
    assert "As if Gaussian" in words(FIGURES["calibration"](build(stage="running")))


def test_volatility_is_the_root_mean_square_of_each_window(run):
    figure = FIGURES["volatility"](run)
    squares = np.square(run["baseline_scale"].sel(volatility_baseline="garch").values.reshape(300, 5))
    np.testing.assert_allclose(named(figure, "GARCH").y, 100 * np.sqrt(squares.mean(axis=1)), rtol=1e-5)
    largest = np.abs(run["target"].values.reshape(300, 5)).max(axis=1)
    np.testing.assert_allclose(named(figure, "largest move").y[1::3], 100 * largest, rtol=1e-5)
    assert figure.layout.yaxis.range[1] >= 100 * largest.max()


def test_loss_draws_every_refit_thin_and_their_median_thick():
    run = build(seeds=3, refits=4)
    figure = FIGURES["loss"](run, epoch=12)
    thick = named(figure, "median")
    np.testing.assert_allclose(thick.y, run["loss"].median("seed").median("fold"))
    thin = named(figure, "each fit")
    assert np.isnan(thin.y).sum() == 4
    np.testing.assert_allclose(thin.y[:20], run["loss"].isel(fold=0).median("seed"))
    best = named(figure, "best so far")
    at = run.sel(epoch=12)
    assert sorted(best.x) == sorted(at["best_epoch"].values.ravel())
    for x, y in zip(best.x, best.y, strict=True):
        assert np.isclose(run["validation_loss"].sel(epoch=int(x)).values, y).any()
    assert figure.layout.yaxis.range == figure.layout.yaxis2.range


def test_layers_have_a_curve_each_with_its_own_dash():
    run = build(seeds=2)
    figure = FIGURES["gradient_by_layer"](run)
    curves = [trace for trace in figure.data if trace.name]
    assert [trace.name for trace in curves] == ["input", "recurrent", "head"]
    assert len({trace.line.dash for trace in curves}) == 3
    np.testing.assert_allclose(curves[0].y, run["gradient_norm"].sel(layer="input").median("seed"))
    run["gradient_norm"].loc[{"layer": "input"}] = 0.0
    assert "Exactly 0 throughout: input." in words(FIGURES["gradient_by_layer"](run))
    assert [shape.y0 for shape in FIGURES["update_to_data"](run).layout.shapes] == [1e-3]


def test_the_reach_is_told_in_rows(run):
    run["state_gradient_norm"][:] = (10.0 ** (-0.45 * run["lag"])).values[:, None]
    assert "up to 4 of 19 rows back" in words(FIGURES["gradient_by_lag"](run))
    assert (Reading.of(run).rows_heard, Reading.of(run).rows_shown) == (4, 19)
    run["state_gradient_norm"].loc[{"lag": 7}] = 0.0
    assert "Exactly 0, not drawn, in 1 of 20 rows" in words(FIGURES["gradient_by_lag"](run))
    assert WITHOUT_STATES in words(FIGURES["gradient_by_lag"](build(network="mlp")))


def test_listening_is_log10_with_the_target_on_top_and_shares_that_add_up():
    run = build(seeds=2)
    figure = FIGURES["listening"](run, epoch=6)
    expected = np.log10(run["input_gradient"].sel(look=6).mean("seed")).transpose("channel", "lag").values[::-1]
    np.testing.assert_allclose(figure.data[0].z, expected, rtol=1e-5)
    assert figure.layout.yaxis.ticktext[-1].startswith("GC=F ")
    shares = [int(text.split()[-2]) for text in figure.layout.yaxis.ticktext]
    assert sum(shares) == pytest.approx(100, abs=4)
    run["input_gradient"].loc[{"channel": "^VIX", "lag": 3}] = np.nan
    assert "Grey: unobserved" in words(FIGURES["listening"](run))
    run["input_gradient"][:] = 0.0
    assert "does not depend on any input" in words(FIGURES["listening"](run))


def test_hidden_units_stand_by_slowness_around_zero(run):
    figure = FIGURES["hidden"](run)
    drawn = np.array(figure.data[0].z)
    slowness = autocorrelation(drawn)
    assert (np.diff(slowness) >= -1e-6).all()
    assert drawn.shape == (32, 250)
    assert figure.layout.coloraxis.cmin == -figure.layout.coloraxis.cmax
    large = FIGURES["hidden"](build(hidden=256))
    assert large.data[0].z.size <= 16_000
    assert "unit." in words(large)


def test_changes_on_the_way_are_marked_and_the_scrubber_stands_at_its_epoch(run):
    run.attrs["marks"] = json.dumps([{"step": 8, "text": "learning rate 0.01"}])
    for name in ("loss", "gradient_by_layer", "update_to_data"):
        figure = FIGURES[name](run, epoch=13)
        assert {8, 13} <= {shape.x0 for shape in figure.layout.shapes}
        assert "learning rate 0.01" in words(figure)
        assert list(figure.select_xaxes())[-1].title.text == "Epoch"


def test_simulated_data_are_called_so_wherever_they_are_drawn(run):
    for name in ("skill", "scoreboard", "fan", "volatility"):
        assert "Simulated market, until 2024-12-31." in words(FIGURES[name](run))


def test_picture_has_every_forecast_s_interval_beside_the_simplest_one(run):
    root = ET.fromstring(picture(run))
    told = [element.text for element in root.iter(f"{SVG}text") if element.text]
    assert told[0] == "GRU"
    assert told[-1] == "better than zero"
    assert len(told) - 1 == len(list(root.iter(f"{SVG}circle"))) == len(run["model"]) - 1
    for nothing in (build(stage="empty"), build(stage="start"), run.assign(score=run["score"] * np.nan)):
        assert not list(ET.fromstring(picture(nothing)).iter(f"{SVG}text"))


def with_channels(alignment, carry):
    """A run whose channels and settings say how its rows were made."""
    run = build(forecasts=300)
    names = [*map(str, run["channel"].values[:-2]), "text tone", f"text tone{AGE}" if carry else "oil"]
    settings = {**json.loads(run.attrs["settings"]), "alignment": alignment}
    return run.assign_coords(channel=names).assign_attrs(settings=json.dumps(settings))


@pytest.mark.parametrize("name", ["skill", "scoreboard", "fan", "listening"])
@pytest.mark.parametrize("carry", [False, True])
@pytest.mark.parametrize("alignment", ["release", "date"])
def test_captions_say_what_was_joined_by_date_and_what_was_carried_on(name, alignment, carry):
    caption = " ".join(str(FIGURES[name](with_channels(alignment, carry)).layout.title.subtitle.text).split("<br>"))
    joined = "Joined by date: covariates count from their date on, not their release." in caption
    assert joined == (alignment == "date")
    assert ("Carried on until the next value: text tone." in caption) == carry


def test_a_run_without_covariates_has_nothing_to_join():
    run = with_channels("date", carry=False)
    settings = {**json.loads(run.attrs["settings"]), "inputs": "own"}
    assert "Joined" not in str(FIGURES["skill"](run.assign_attrs(settings=json.dumps(settings))).layout)


def test_many_channels_that_are_carried_on_are_counted():
    run = build(forecasts=300)
    names = ["gold", "a", f"a{AGE}", "b", f"b{AGE}", "c", f"c{AGE}"]
    assert join_words(run.assign_coords(channel=names)) == "Carried on until the next value: 3 channels."
