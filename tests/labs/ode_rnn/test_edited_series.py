"""A sequence that a visitor changes keeps its order and can be put back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from goldviz.labs.ode_rnn.edited import EditedSeries

TIMES = st.lists(st.integers(0, 10_000), min_size=3, max_size=12, unique=True).map(sorted)


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


def test_what_is_missing_or_left_out_cannot_be_dragged():
    series = EditedSeries.of(np.array([0.0, 1.0, 2.0, 3.0]), np.array([[1.0], [np.nan], [3.0], [4.0]]))
    assert series.handles() == [0, 2, 3]
    changed = series.without(frozenset({2}))
    assert changed.handles() == [0, 3]
    times, values = changed.kept()
    assert times.tolist() == [0.0, 1.0, 3.0]
    np.testing.assert_array_equal(values, [[1.0], [np.nan], [4.0]])


def test_all_can_be_put_back():
    values = np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, 4.0]])
    series = EditedSeries.of(np.array([0.0, 1.0, 2.0]), values)
    changed = series.moved(0, 0.1, 9.0).without(frozenset({1}))
    assert changed != series
    assert EditedSeries.of(np.array([0.0, 1.0, 2.0]), values) == series
