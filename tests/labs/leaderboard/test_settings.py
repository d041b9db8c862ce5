"""What a leaderboard refuses, each in a sentence with the setting, its value and what is allowed."""

import pytest

from goldviz.declare.settings import SettingsError
from goldviz.labs.leaderboard.settings import Leaderboard

SMALL = {"rows": 300, "look_back": 12, "horizon": 6, "season": 4}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"horizon": 100}, "Horizon is 100; the test part of 300 rows has 60, so at most 60 is allowed."),
        ({"horizon": 40}, "Horizon is 40; the validation part of 300 rows has 30, so at most 30 is allowed."),
        ({"rows": 2}, "The series has 2 rows, none of them in the test part; longer ones are allowed."),
        ({"look_back": 300}, "Look-back is 300 and horizon 6; the training part has 210 rows."),
        ({"season": 24}, "Season is 24; a look-back of 12 allows at most 12."),
        ({"longer_look_back": 8}, "Longer look-back is 8; allowed is 0, or at least the look-back of 12."),
        ({"channel": 5}, "Channel is 5; a series of 4 allows at most 4."),
        ({"last_batch": "drop"}, "Test batch is 256; with the last batch dropped, 55 test windows allow at most 55."),
        ({"channels": 500}, "Channels is 500; allowed is a whole number from 1 to 64."),
    ],
)
def test_what_has_no_room_is_refused(changes, words):
    with pytest.raises(SettingsError) as refused:
        Leaderboard.checked({**SMALL, **changes})
    assert words in str(refused.value)
    assert ".." not in str(refused.value)


def test_what_fits_is_taken():
    assert Leaderboard.checked(SMALL | {"horizon": 30}).horizon == 30
