"""Texts with their days and moments."""

from datetime import date

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goldviz.data.texts.dated_texts import (
    MOST_TEXTS,
    DatedText,
    DatedTextError,
    DatedTexts,
    ReleaseRule,
    ordered,
)
from tests.refusals import refused

DAY = date(2024, 12, 18)


def test_minutes_wait_and_statements_do_not() -> None:
    rule = ReleaseRule(minutes_wait=21)
    assert rule.day_out(DAY, "Statement") == DAY
    assert rule.day_out(DAY, "Minute") == rule.day_out(DAY, "minutes") == date(2025, 1, 8)


@pytest.mark.parametrize(
    ("meeting", "published"),
    [
        (date(2004, 11, 10), date(2004, 12, 16)),
        (date(2004, 12, 14), date(2005, 1, 4)),
        (date(1996, 1, 31), date(1996, 3, 28)),
        (date(2019, 12, 11), date(2020, 1, 3)),
        (date(2020, 3, 15), date(2020, 4, 8)),
    ],
)
def test_minutes_are_never_assumed_to_be_out_before_they_were(meeting: date, published: date) -> None:
    assert published <= ReleaseRule().day_out(meeting, "Minutes")


@given(st.dates(date(1980, 1, 1), date(2030, 1, 1)), st.integers(0, 120))
@example(date(2004, 12, 13), 21)
@example(date(2004, 12, 14), 21)
def test_old_minutes_wait_for_the_next_meeting_whatever_is_asked_for(meeting: date, wait: int) -> None:
    waited = (ReleaseRule(minutes_wait=wait).day_out(meeting, "minutes") - meeting).days
    assert waited >= wait
    assert waited >= 60 or meeting >= date(2004, 12, 14)
    assert waited == wait or meeting < date(2004, 12, 14)


def document(about: date, kind: str = "Statement") -> DatedText:
    return DatedText(about, ReleaseRule().day_out(about, kind), kind, "Rates rose.")


def test_one_statement_from_before_march_2013_moves_the_hour_of_all() -> None:
    rule = ReleaseRule()
    old, new = document(date(2013, 1, 30)), document(date(2013, 3, 20))
    assert rule.clock_for([old, new]) == "14:15"
    assert rule.clock_for([new]) == "14:00"
    assert rule.clock_for([document(date(2008, 1, 30), "Minutes"), new]) == "14:00"
    assert any("14:15" in note for note in rule.doubts([old, new], []))
    assert rule.doubts([new], [new]) == ()


def test_an_hour_of_the_visitors_own_stays() -> None:
    old = document(date(2008, 1, 30))
    assert ReleaseRule(clock="12:30").clock_for([old]) == "12:30"
    assert ReleaseRule(zone="Europe/Frankfurt").clock_for([old]) == "14:00"
    assert ReleaseRule(zone="Europe/Frankfurt").doubts([old], [old]) == ()


def test_what_may_be_assumed_too_early_is_said() -> None:
    minutes, ancient = document(date(2020, 3, 3), "Minutes"), document(date(1970, 3, 10), "Memorandum")
    [said] = ReleaseRule(clock="15:00").doubts([minutes], [minutes])
    assert "out of turn" in said
    [said] = ReleaseRule(clock="15:00").doubts([ancient, minutes], [ancient])
    assert "before 1976" in said


def test_documents_are_known_at_their_hour_in_summer_and_winter() -> None:
    found = DatedTexts(
        (DatedText(date(2024, 7, 31), date(2024, 7, 31), "", "a"), DatedText(DAY, DAY, "", "b")), "by hand"
    )
    moments = found.release.moments(found.release_days)
    assert list(moments) == [pd.Timestamp("2024-07-31 18:00Z"), pd.Timestamp("2024-12-18 19:00Z")]


def test_twins_count_once_and_repeated_words_are_noted() -> None:
    one, other = DatedText(DAY, DAY, "Statement", "Rates rose."), DatedText(DAY, DAY, "Minutes", "Rates rose.")
    texts, notes = ordered([one, other, one])
    assert texts == (other, one)
    assert len(notes) == 2
    assert "twice" in notes[0]
    assert "same words" in notes[1]


def test_the_one_before_is_of_the_same_kind() -> None:
    texts = tuple(
        DatedText(date(2024, month, 1), date(2024, month, 1), kind, str(month))
        for month, kind in ((1, "a"), (2, "b"), (3, "a"))
    )
    found = DatedTexts(texts, "by hand")
    assert [found.previous(number) for number in range(3)] == [None, None, 0]
    assert found.kinds == ("a", "b")


def test_none_too_many_and_disorder_are_refused() -> None:
    first, second = DatedText(DAY, DAY, "", "a"), DatedText(date(2024, 1, 1), date(2024, 1, 1), "", "b")
    with refused(DatedTextError, "empty"):
        DatedTexts((), "nothing")
    with refused(DatedTextError, "not_ascending"):
        DatedTexts((first, second), "by hand")
    with refused(DatedTextError, "too_large", "2,001 documents"):
        DatedTexts((first,) * (MOST_TEXTS + 1), "by hand")
