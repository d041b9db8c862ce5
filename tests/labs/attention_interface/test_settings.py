"""Settings that cannot be carried out are refused in a sentence that says what is allowed."""

import pytest

from goldviz.declare.settings import SettingsError
from goldviz.labs.attention_interface.settings import AttentionInterface


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"width": 7}, "Width is 7; allowed is an even number"),
        ({"shortest": 9, "longest": 5}, "Shortest is 9; allowed are at most the 5 words of the longest"),
    ],
)
def test_settings_that_do_not_fit_are_refused(changes, words) -> None:
    with pytest.raises(SettingsError, match=words):
        AttentionInterface.checked(changes)
