import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.training.joined_states import joined_states, separate_states
from goldviz.training.state import StateError


@given(st.dictionaries(st.text("abc ,/0123", min_size=1), st.binary(min_size=1), min_size=1))
def test_states_come_back_under_their_names(states):
    data = joined_states(list(states), list(states.values()))
    backwards = list(reversed(states))
    assert separate_states(data, backwards) == [states[name] for name in backwards]


@pytest.mark.parametrize("names", [["fold 0"], ["fold 0", "fold 2"], ["fold 0", "fold 1", "fold 2"]])
def test_states_of_other_parts_are_refused(names):
    data = joined_states(["fold 0", "fold 1"], [b"one", b"other"])
    with pytest.raises(StateError, match=r"^The joined states are those of fold 0, fold 1; allowed are fold 0"):
        separate_states(data, names)
