"""Texts with their days and moments."""

import doctest
from datetime import date
from types import ModuleType

import pandas as pd
import pytest

from goldviz.data import (
    dated_text_files,
    dated_text_tables,
    dated_texts,
    generated_documents,
    text_channels,
    text_difference,
    text_repair,
    uploaded_text,
)
from goldviz.data.dated_texts import MOST_TEXTS, DatedText, DatedTextError, DatedTexts, ReleaseRule, ordered

DAY = date(2024, 12, 18)
MODULES = (
    dated_texts, dated_text_tables, dated_text_files, generated_documents, text_channels, text_difference, text_repair,
    uploaded_text,
)  # fmt: skip


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rsplit(".", 1)[-1])
def test_worked_examples(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


def test_minutes_wait_and_statements_do_not() -> None:
    rule = ReleaseRule(minutes_wait=21)
    assert rule.day_out(DAY, "Statement") == DAY
    assert rule.day_out(DAY, "Minute") == rule.day_out(DAY, "minutes") == date(2025, 1, 8)


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
    texts = tuple(DatedText(date(2024, month, 1), date(2024, month, 1), kind, str(month)) for month, kind in
                  ((1, "a"), (2, "b"), (3, "a")))  # fmt: skip
    found = DatedTexts(texts, "by hand")
    assert [found.previous(number) for number in range(3)] == [None, None, 0]
    assert found.kinds == ("a", "b")


def test_none_too_many_and_disorder_are_refused() -> None:
    first, second = DatedText(DAY, DAY, "", "a"), DatedText(date(2024, 1, 1), date(2024, 1, 1), "", "b")
    with pytest.raises(DatedTextError, match="no document with a text"):
        DatedTexts((), "nothing")
    with pytest.raises(DatedTextError, match="not in the order"):
        DatedTexts((first, second), "by hand")
    with pytest.raises(DatedTextError, match="2,001 documents"):
        DatedTexts((first,) * (MOST_TEXTS + 1), "by hand")
