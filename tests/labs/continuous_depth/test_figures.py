import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.figures.frames import AtStep
from goldviz.figures.theme import INKS, NETWORKS
from goldviz.labs.continuous_depth.figures import FIGURES, WITHOUT_FLOW, picture, shared_limits
from goldviz.labs.continuous_depth.figures.paths import CLASS_NAMES, DEPTH_NETWORKS, places
from goldviz.labs.continuous_depth.settings import ContinuousDepth
from tests.figures.test_theme import contrast
from tests.labs.continuous_depth.runs import build
from tests.labs.figure_words import named, words
from tests.thinned import thinned

EVERY = pytest.mark.parametrize("name", list(FIGURES))
AFTER = ("euler_steps", "tolerance")


@pytest.mark.parametrize("task", ["rings", "flip"])
def test_the_runs_of_these_tests_are_what_the_experiment_declares(task):
    run, declared = build(task=task), ContinuousDepth.variables
    assert set(declared) - set(run.data_vars) == ({"read_out"} if task == "flip" else set())
    assert all(array.dims == declared[name].dims for name, array in run.data_vars.items())


def test_the_networks_stand_out_and_keep_their_look():
    assert DEPTH_NETWORKS["residual"] is NETWORKS["residual"]
    ode = DEPTH_NETWORKS["ode"]
    assert ode.colour not in {style.colour for style in NETWORKS.values()}
    for ink in INKS.values():
        assert contrast(ode.colour, ink.background) >= 3
        assert contrast(ode.colour, ink.surface) >= 3


@EVERY
@pytest.mark.parametrize("theme", thinned(["light", "dark"]))
@pytest.mark.parametrize("task", thinned(["rings", "flip"]))
def test_titles_fit_a_phone_and_figures_stay_small(name, theme, task):
    figure = FIGURES[name](build(task=task), theme=theme)
    assert figure.data
    assert len(figure.layout.title.text) <= 36
    assert all(len(line) <= 62 for line in (figure.layout.title.subtitle.text or "").split("<br>"))
    assert len(figure.to_json()) < 80_000
    if not name.endswith("_to_data"):
        named = [trace for trace in figure.data if trace.showlegend is not False and trace.name]
        assert len(named) <= 2, "one row on a phone"


@EVERY
def test_a_running_run_draws_all_but_what_follows_training(name):
    figure = FIGURES[name](build(done=False), epoch=40)
    assert bool(figure.data) == (name not in AFTER)


@EVERY
@pytest.mark.parametrize(
    "shape",
    thinned(
        [
            {"steps": 1},
            {"steps": 5, "look_every": 100, "networks": ("residual",)},
            {"networks": ("ode",), "augmented": 3},
            {"seeds": 3},
            {"task": "flip", "augmented": 2},
            {"steps": 2000, "look_every": 5},
            {"points": 1},
        ],
    ),
)
def test_every_shape_of_run_is_drawn_and_stays_small(name, shape):
    run = build(**shape)
    figure = FIGURES[name](run, limits=shared_limits([run]), epoch=1)
    if name == "adjoint" and "ode" not in run["network"].values:
        assert WITHOUT_FLOW in words(figure)
    else:
        assert figure.data
        assert len(figure.to_json()) < 100_000


@EVERY
def test_lanes_share_their_axes(name):
    runs = [build(), build(task="moons", steps=50, seeds=2)]
    limits = shared_limits(runs)
    one, other = (FIGURES[name](run, limits=limits).layout for run in runs)
    if name != "decision":
        assert one.yaxis.range == other.yaxis.range


def test_ends_are_drawn_where_the_path_ends_and_on_their_side_of_the_line():
    run = build()
    figure = FIGURES["carried"](run)
    inner, outer = (named(figure, name) for name in CLASS_NAMES["rings"])
    ends = run["path"].isel(look=-1, network=0, depth=-1).values
    labels = run["label"].values
    np.testing.assert_allclose(outer.x, ends[labels == 1, 0], rtol=1e-6)
    np.testing.assert_allclose(inner.y, ends[labels == 0, 1], rtol=1e-6)
    dashed = next(trace for trace in figure.data if trace.line.dash == "dash")
    np.testing.assert_allclose(dashed.x, -0.05, atol=1e-9)


def test_the_scrubber_goes_back():
    run = build()
    early, late = (named(FIGURES["carried"](run, epoch=epoch), "outer ring").x for epoch in (1, None))
    np.testing.assert_allclose(early, run["path"].isel(look=0, network=0, depth=-1).values[1::2, 0], rtol=1e-6)
    assert not np.allclose(early, late)


@pytest.mark.parametrize("read_out", [np.nan, np.inf, 0.0])
def test_nothing_is_seen_of_a_line_that_there_is_not(read_out):
    run = build()
    drawn = FIGURES["carried"](run).data
    run["read_out"][{"look": -1}] = read_out
    figure = FIGURES["carried"](run)
    assert len(figure.data) == len(drawn)
    assert all(np.isnan(trace.x).all() for trace in figure.data if trace.line.dash == "dash" or trace.fill)
    assert all(np.isfinite(trace.x).all() for trace in FIGURES["carried"](run, epoch=100).data if trace.fill)


@EVERY
@pytest.mark.parametrize("shape", [{}, {"task": "flip"}, {"augmented": 1, "seeds": 2}])
def test_later_steps_leave_what_earlier_ones_show(name, shape):
    run = build(**shape)
    early = run.sel(step=slice(None, 100), look=slice(None, 100))
    run["path"][{"look": -1}] *= 100
    before, after = (
        [row for row in FIGURES[name].frames(ds).template().rows if isinstance(row, AtStep)] for ds in (early, run)
    )
    for old, new in zip(before, after, strict=True):
        np.testing.assert_equal(new.values[: len(old.values)], old.values)


@given(weights=st.lists(st.floats(-5, 5), min_size=4, max_size=6).filter(lambda w: np.linalg.norm(w[:-1]) > 0.1))
def test_the_side_view_shows_the_distance_from_the_read_out_s_plane(weights):
    run = build(augmented=len(weights) - 3, steps=1, networks=("ode",))
    run["read_out"][:] = weights
    h = np.random.default_rng(0).standard_normal(run["path"].shape)
    run["path"][:] = h
    across, up = (one.transpose("look", "depth", "point").values for one in places(run, "ode"))
    w, h = (
        np.array(weights[:-1]),
        run["path"].sel(network="ode").transpose("look", "depth", "point", "dimension").values,
    )
    np.testing.assert_allclose(up, (h @ w + weights[-1]) / np.linalg.norm(w), atol=1e-6)
    both = np.stack([across, up], -1).reshape(-1, 2)
    axes = np.linalg.lstsq(np.c_[h.reshape(-1, len(w)), np.ones(len(both))], both, rcond=None)[0][:-1]
    np.testing.assert_allclose(axes.T @ axes, np.eye(2), atol=1e-6)


def test_two_dimensions_are_drawn_as_they_are():
    run = build()
    for drawn, dimension in zip(
        places(run, "residual"),
        run["path"].sel(network="residual").transpose(..., "look", "depth", "point"),
        strict=True,
    ):
        np.testing.assert_array_equal(drawn, dimension)


def test_the_side_view_is_said():
    assert "3 dimensions, seen from the side" in words(FIGURES["carried"](build(augmented=1)))
    assert "seen from the side" not in words(FIGURES["carried"](build()))


def test_the_decision_is_a_probability():
    figure = FIGURES["decision"](build(networks=("ode",)))
    heat = figure.data[0]
    expected = 1 / (1 + np.exp(-4 * np.array(heat.x)))
    np.testing.assert_allclose(np.array(heat.z)[0], expected, atol=1e-6)
    assert len(heat.x) == 49


def test_the_way_back_is_drawn_where_there_is_one():
    run = build(networks=("ode",))
    assert "Back: none." in words(FIGURES["evaluations"](run))
    run["evaluations_backward"] += 60
    figure = FIGURES["evaluations"](run)
    assert (np.array(named(figure, "neural ODE, back").y) == 60).all()


def test_a_star_marks_what_was_trained():
    def stars(**settings):
        figure = FIGURES["euler_steps"](build(**settings))
        return [trace.x[0] for trace in figure.data if trace.marker.symbol == "star"]

    assert stars(blocks=8) == [8]
    assert stars(blocks=7) == []
    assert stars(networks=("ode",), method="euler", solver_steps=1) == [1]
    assert stars(networks=("ode",), method="rk4", solver_steps=8) == []


def test_the_tolerance_of_training_is_marked_for_adaptive_solvers_alone():
    assert "Dashed: used in training" in words(FIGURES["tolerance"](build()))
    assert "Dashed" not in words(FIGURES["tolerance"](build(method="rk4")))


def test_the_regression_names_the_best_that_keeps_the_order():
    assert "1/3: best that keeps the order" in words(FIGURES["loss"](build(task="flip")))
    assert "1/3" not in words(FIGURES["loss"](build()))


@pytest.mark.parametrize("run", [build(), build(done=False), build(networks=("ode",))])
def test_the_picture_is_an_svg(run):
    assert ET.fromstring(picture(run)).tag.endswith("svg")
