"""Smoothing that does not lie: nothing looks ahead, ends are as the middle, and no spike is lost."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from goldviz.arrays.readings import Readings
from goldviz.diagnostics.by_kind import ByKind
from goldviz.figures.chart import axis, figure
from goldviz.figures.limits import Quantity, ends_of
from goldviz.figures.smoothed import EVERY_STEP_UP_TO, Smoothed, extremes, smoothing, trailing_means, width_of

numbers = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)
LOSS = figure(
    "loss",
    "Does it learn?",
    Smoothed("loss"),
    y=axis(scale="free"),
    lead=smoothing("loss"),
    seeds=True,
)
loss = LOSS.specify(Readings(), {"step": Quantity(ends_of("step"))}, ByKind())


def run_of(losses):
    """Losses (step, seed) of one network."""
    values = np.asarray(losses, dtype=np.float32)
    values = values[:, None, None] if values.ndim == 1 else values[:, None, :]
    coords = {"step": np.arange(1, len(values) + 1), "network": ["rnn"], "seed": np.arange(values.shape[2])}
    attrs = {"status": "finished", "marks": "[]", "title": ""}
    return xr.Dataset({"loss": (("step", "network", "seed"), values)}, coords, attrs)


def drawn_line(figure):
    return next(trace for trace in figure.data if trace.name == "RNN")


def thin_line(figure):
    return next(trace for trace in figure.data if trace.name == "RNN, each step")


@given(numbers, st.integers(1, 20), st.integers(0, 59), st.floats(-1e6, 1e6))
def test_nothing_later_shapes_a_point(values, width, place, other):
    place = min(place, len(values) - 1)
    changed = np.array(values)
    changed[place + 1 :] = other
    everywhere = np.arange(len(values))
    before = trailing_means(np.array(values), width, everywhere)
    np.testing.assert_array_equal(trailing_means(changed, width, everywhere)[: place + 1], before[: place + 1])


@given(numbers, st.integers(1, 20))
def test_a_point_is_the_mean_of_what_stands_before_it(values, width):
    found = trailing_means(np.array(values), width, np.arange(len(values)))
    by_hand = [np.mean(values[max(0, end - width) : end]) for end in range(1, len(values) + 1)]
    np.testing.assert_allclose(found, by_hand, rtol=1e-9, atol=1e-6)


@given(st.floats(-1e6, 1e6), st.integers(1, 50), st.integers(1, 20))
def test_a_constant_stays_what_it_is_to_both_ends(value, count, width):
    found = trailing_means(np.full(count, value), width, np.arange(count))
    np.testing.assert_allclose(found, value, rtol=1e-12)


def test_a_loss_that_exploded_does_not_haunt_the_line_after_it():
    values = np.array([1e30, *[0.5] * 40])
    assert trailing_means(values, 5, np.array([40]))[0] == 0.5


@given(numbers, st.integers(1, 20))
def test_the_lowest_and_the_highest_of_all_are_among_the_kept(values, width):
    kept = np.array(values)[extremes(np.array(values), width)]
    assert {min(values), max(values)} <= set(kept)
    assert len(kept) <= 2 * -(-len(values) // width)


@given(st.integers(1, 100_000))
def test_a_mean_is_of_a_twentieth_at_most(steps):
    assert width_of(steps) == 1 or 20 * width_of(steps) <= steps


def test_short_runs_are_drawn_as_they_are():
    losses = np.linspace(2, 1, 60)
    figure = loss(run_of(losses))
    np.testing.assert_allclose(drawn_line(figure).y, losses, rtol=1e-6)
    assert [trace.name for trace in figure.data] == ["RNN"]
    assert "ean of the last" not in str(figure.layout.title.subtitle.text)


def test_long_runs_say_how_they_are_smoothed_and_keep_each_step_behind_the_line():
    losses = np.linspace(2, 1, 400) + 0.1 * np.cos(np.arange(400) * np.pi)
    figure = loss(run_of(losses))
    assert drawn_line(figure).y[-1] == pytest.approx(losses[-20:].mean())
    np.testing.assert_allclose(thin_line(figure).y, losses, rtol=1e-6)
    assert [trace.name for trace in figure.data][-1] == "RNN", "the line lies over what it smooths"
    said = figure.layout.title.subtitle.text.replace("<br>", " ")
    assert "Mean of the last 20 steps. Thin: each." in said


def test_spikes_of_very_long_runs_are_drawn():
    losses = np.full(20_000, 0.5)
    losses[7_777] = 40
    figure = loss(run_of(losses))
    thin = thin_line(figure)
    assert len(thin.x) <= EVERY_STEP_UP_TO
    assert thin.y[list(thin.x).index(7_778)] == 40
    assert "Thin: ranges of 50 steps." in figure.layout.title.subtitle.text.replace("<br>", " ")
    assert len(figure.to_json()) < 60_000


def test_several_seeds_are_smoothed_one_by_one_and_banded():
    seeds = np.stack([np.full(100, 1.0), np.full(100, 2.0), np.full(100, 4.0)], axis=1)
    figure = loss(run_of(seeds))
    assert set(drawn_line(figure).y) == {2.0}
    low, high = [set(trace.y) for trace in figure.data if trace.line.width == 0]
    assert (low, high) == ({1.0}, {4.0})
