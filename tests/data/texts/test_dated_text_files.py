"""Dated texts out of files of their own."""

from datetime import date

import pytest

from goldviz.coded_errors import Code
from goldviz.data.texts.dated_files import texts_from_files
from goldviz.data.texts.dated_texts import DatedTextError
from tests.refusals import refused

WORDS = b"The Committee decided to raise the target range."


@pytest.mark.parametrize(
    "name", ["2024-12-18.txt", "fomc_statement_20241218.txt", "Statement 2024.12.18 final.md", "a/2024_12_18 b.txt"]
)
def test_the_date_in_the_name(name: str) -> None:
    [text] = texts_from_files([(name, WORDS)]).texts
    assert text.about == date(2024, 12, 18)


def test_front_matter_counts_before_the_name() -> None:
    content = b'---\r\ntitle: "x"\r\ndate: 2024-11-07\r\nrelease_date: Nov 26, 2024\r\ntype: Minutes\r\n---\r\n' + WORDS
    [text] = texts_from_files([("2020-01-01.md", content)]).texts
    assert (text.about, text.released, text.kind) == (date(2024, 11, 7), date(2024, 11, 26), "Minutes")
    assert text.text == WORDS.decode()


def test_minutes_are_assumed_to_come_later() -> None:
    found = texts_from_files([("minutes-2024-11-07.txt", WORDS)])
    assert found.texts[0].released == date(2024, 12, 1)
    assert any("1 document is assumed" in note for note in found.notes)


def test_old_documents_are_out_late_and_it_is_said() -> None:
    found = texts_from_files([("minutes-2003-06-25.txt", WORDS), ("statement-2003-06-25.txt", WORDS + b" b")])
    assert [text.released for text in found.texts] == [date(2003, 6, 25), date(2003, 8, 24)]
    assert found.clock == "14:15"
    assert any("14:15" in note for note in found.notes)


def test_a_day_of_release_that_is_said_is_not_called_assumed() -> None:
    found = texts_from_files([("a.md", b"---\ndate: 2003-06-25\nreleased: 2003-08-14\ntype: Minutes\n---\n" + WORDS)])
    assert found.texts[0].released == date(2003, 8, 14)
    assert found.notes == ()


def test_yaml_is_never_evaluated() -> None:
    content = b"---\ndate: 2024-11-07\nkind: !!python/object/apply:os.system ['false']\n---\n" + WORDS
    [text] = texts_from_files([("a.md", content)]).texts
    assert text.kind.startswith("!!python/object")


def test_empty_files_are_left_out_and_named() -> None:
    found = texts_from_files(
        [("2024-12-18.txt", WORDS), ("2024-12-19.txt", b" \n"), ("b.md", b"---\ndate: 2024-01-01\n---\n")]
    )
    assert len(found.texts) == 1
    assert [note.split(" ")[0] for note in found.notes] == ["2024-12-19.txt", "b.md"]


@pytest.mark.parametrize(
    ("name", "content", "code", "fact"),
    [
        ("statement.txt", WORDS, "no_dates", ""),
        ("2024-13-45.txt", WORDS, "no_dates", ""),
        ("a.md", b"---\ndate: soon\n---\n" + WORDS, "bad_date", "'soon'"),
        ("a.md", b"---\ndate: 01/02/2024\n---\n" + WORDS, "two_readings", "'01/02/2024'"),
        ("a.md", b"---\ndate: 2024-02-30\n---\n" + WORDS, "bad_date", "'2024-02-30'"),
        ("2024-01-01.md", b"---\nreleased: 2023-01-01\n---\n" + WORDS, "released_early", "2023-01-01"),
        ("2024-01-01.txt", b"\x00\xff" * 99, "other_kind", "binary"),
        ("2024-01-01.txt", b"a " * 600_000, "too_long", "1,000,000"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(name: str, content: bytes, code: Code, fact: str) -> None:
    with refused(DatedTextError, code, name, fact):
        texts_from_files([(name, content)])


def test_files_of_nothing_are_refused() -> None:
    with refused(DatedTextError, "empty"):
        texts_from_files([("2024-01-01.txt", b"")])
