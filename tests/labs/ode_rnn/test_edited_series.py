"""A sequence that a visitor changes keeps its order and can be put back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.ode_rnn.edited import EditedSeries

TIMES = st.lists(st.integers(0, 10_000), min_size=3, max_size=12, unique=True).map(sorted)
APART = st.lists(st.integers(0, 100), min_size=3, max_size=12, unique=True).map(sorted)
"""A link has six digits of a time."""


@given(TIMES, st.data())
def test_a_moved_observation_never_passes_its_neighbours(times, data):
    series = EditedSeries.of(np.array(times) / 1000, np.zeros((len(times), 1)))
    number = data.draw(st.integers(0, len(times) - 1))
    wanted = data.draw(st.floats(-100, 100))
    moved = series.moved(number, wanted, 3.0)
    kept, values = moved.kept()
    assert (np.diff(kept) > 0).all()
    assert values[number] == 3.0
    earliest, latest = series.room(number)
    if earliest <= wanted <= latest:
        assert moved.times[number] == wanted


def test_what_is_missing_or_left_out_cannot_be_dragged() -> None:
    series = EditedSeries.of(np.array([0.0, 1.0, 2.0, 3.0]), np.array([[1.0], [np.nan], [3.0], [4.0]]))
    assert series.handles() == [0, 2, 3]
    changed = series.without(frozenset({2}))
    assert changed.handles() == [0, 3]
    times, values = changed.kept()
    assert times.tolist() == [0.0, 1.0, 3.0]
    np.testing.assert_array_equal(values, [[1.0], [np.nan], [4.0]])


def test_all_can_be_put_back() -> None:
    values = np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, 4.0]])
    series = EditedSeries.of(np.array([0.0, 1.0, 2.0]), values)
    changed = series.moved(0, 0.1, 9.0).without(frozenset({1}))
    assert changed != series
    assert EditedSeries.of(np.array([0.0, 1.0, 2.0]), values) == series


@given(APART, st.data())
def test_changes_survive_a_link(times, data):
    series = EditedSeries.of(np.array(times, float), np.linspace(-1, 1, len(times))[:, None])
    changed = series
    for number in data.draw(st.lists(st.integers(0, len(times) - 1), unique=True, max_size=3)):
        earliest, latest = changed.room(number)
        changed = changed.moved(number, data.draw(st.floats(earliest, latest)), data.draw(st.floats(-100, 100)))
    left_out = data.draw(st.frozensets(st.integers(0, len(times) - 1), max_size=len(times) - 2))
    changed = changed.without(left_out)
    again = series.with_changes(changed.changes(series))
    assert again.left_out == changed.left_out
    np.testing.assert_allclose(again.times, changed.times, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(np.array(again.values), np.array(changed.values), rtol=1e-5, atol=1e-9)
    assert series.changes(series) == ""


@pytest.mark.parametrize(
    "text", ["9_1_1", "x9", "1_1", "<b>", "1_nan_1", "x0", "x1,x2", "1_1_1_1", "1_9999999_1", "1_1.5_0", "1_0_1e400"]
)
def test_a_link_s_edits_that_are_none_are_refused_in_a_sentence(text):
    series = EditedSeries.of(np.array([0.0, 1.0, 2.0]), np.zeros((3, 1)))
    with pytest.raises(ValueError, match="In the link: edits"):
        series.with_changes(text)


@pytest.mark.parametrize("text", ["3_9e9_0", "3_900_0", "1_-0.5_0", "1_-9e5_0"])
def test_a_link_brings_no_observation_far_away_for_which_the_field_would_be_solved_for_hours(text: str) -> None:
    series = EditedSeries.of(np.array([0.0, 1.0, 2.0]), np.zeros((3, 1)))
    with pytest.raises(ValueError, match=r"edits have the time .*; allowed is from -0\.4 to 2\.4\."):
        series.with_changes(text)


def test_a_link_brings_no_value_that_no_control_can_show() -> None:
    series = EditedSeries.of(np.array([0.0, 1.0, 2.0]), np.zeros((3, 1)))
    with pytest.raises(ValueError, match=r"edits have the value 9e\+99; allowed is from -1e6 to 1e6\."):
        series.with_changes("2_1.1_9e99")
    assert series.moved(1, 1.0, -9e99).values[1] == (-1e6,)


def test_dragged_again_and_again_an_observation_stays_near_and_its_link_brings_it_back() -> None:
    recorded = EditedSeries.of(np.array([0.0, 1.0, 2.0]) / 3, np.zeros((3, 1)))
    dragged = recorded
    for _ in range(9):
        dragged = dragged.moved(2, 1e9, 0.0).moved(0, -1e9, 0.0)
    assert dragged.times == pytest.approx((-0.4 / 3, 1 / 3, 2.4 / 3))
    again = recorded.with_changes(dragged.changes(recorded))
    assert again.times == pytest.approx(dragged.times, abs=1e-5)
    for number in (0, 2):
        earliest, latest = again.room(number)
        assert earliest <= again.times[number] <= latest
