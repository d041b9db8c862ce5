from dataclasses import replace
from datetime import date, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.texts.policy.circumstances import rate_band
from goldviz.data.texts.policy.meetings import LARGEST_STEP, Meeting, next_meeting

FIRST = Meeting(date(2022, 1, 26), 4, 4, tuple(range(9)), 0.0)
PARTS = 9
BODY = 3
"""The paragraph that is new at each meeting."""


def paragraphs(meeting: Meeting) -> list[str]:
    return meeting.statement().split("\n\n")


def test_the_same_meeting_says_the_same() -> None:
    assert FIRST.statement() == replace(FIRST).statement()
    assert FIRST.minutes().endswith(FIRST.statement())


@given(wanted=st.integers(0, 20), old=st.integers(0, 20), seed=st.integers(0, 99))
def test_a_rate_moves_towards_what_is_wanted_from_where_it_was(wanted: int, old: int, seed: int) -> None:
    before = replace(FIRST, old=old, new=old)
    after = next_meeting(before, date(2022, 3, 16), wanted, 0.0, np.random.default_rng(seed))
    assert after.old == old
    assert abs(after.new - old) == min(abs(wanted - old), LARGEST_STEP)
    assert (after.new - old) * (wanted - old) >= 0
    assert rate_band(after.old, after.new).forms[""] in after.statement()


def test_a_decision_of_another_kind_is_written_anew_and_one_of_the_same_kind_keeps_most_parts() -> None:
    generator = np.random.default_rng(0)
    meeting, kept = FIRST, []
    for number in range(40):
        after = next_meeting(meeting, meeting.day + timedelta(weeks=6), 4 + 3 * (number % 8 == 7), 0.0, generator)
        same = sum(new == old for new, old in zip(paragraphs(after), paragraphs(meeting), strict=True))
        if after.decision.sign == meeting.decision.sign:
            kept.append(same)
        else:
            assert same <= PARTS // 2
        assert paragraphs(after)[BODY] != paragraphs(meeting)[BODY]
        meeting = after
    assert np.mean(kept) > PARTS / 2


def test_the_body_leans_as_the_times_do() -> None:
    good = [replace(FIRST, leaning=1.0, seeds=(*range(8), seed))._discussed(4, seed) for seed in range(5)]
    bad = [replace(FIRST, leaning=-1.0, seeds=(*range(8), seed))._discussed(4, seed) for seed in range(5)]
    assert not {line for lines in good for line in lines} & {line for lines in bad for line in lines}
