"""Dated texts out of CSV files."""

from contextlib import suppress
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.coded_errors import Code
from goldviz.data.texts.dated_tables import TextColumns, look_into_texts, texts_from_table
from goldviz.data.texts.dated_texts import ASSUMED_RELEASE, DatedTextError, DatedTexts, ReleaseRule
from goldviz.data.texts.uploaded_text import LARGEST_UPLOAD
from tests.places import REAL_DATA
from tests.refusals import refused

REAL = REAL_DATA / "fomc/communications_2019-2024.csv"
TEXT = "The Committee decided to raise the target range."


def read(content: bytes, rule: ReleaseRule = ASSUMED_RELEASE) -> DatedTexts:
    found = look_into_texts(content, "file.csv")
    return texts_from_table(content, "file.csv", TextColumns(found.date, found.text, found.release, found.kind), rule)


def test_quoted_line_breaks_quotes_and_html_stay_text() -> None:
    rows = 'Date,Text\n2024-01-31,"One ""quoted"",\n\n<script>alert(1)</script>"\n2024-03-20,Two\n'
    texts = read(rows.encode()).texts
    assert [text.text for text in texts] == ['One "quoted",\n\n<script>alert(1)</script>', "Two"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_encodings_and_separators(encoding: str, separator: str) -> None:
    rows = f'Day{separator}Statement\n2024-01-31{separator}"Jørgensen – 4½, yes; no"\n'
    [text] = read(rows.encode(encoding)).texts
    assert text.text == "Jørgensen – 4½, yes; no"


def test_release_kind_and_text_columns_are_found_by_name() -> None:
    rows = (
        "Body,Published,Meeting Date,Category\n"
        f"{TEXT},2024-02-21,2024-01-31,Minutes\n{TEXT} Again.,2024-01-31,2024-01-31,Statement\n"
    )
    found = look_into_texts(rows.encode(), "a.csv")
    assert (found.date, found.text, found.release, found.kind) == ("Meeting Date", "Body", "Published", "Category")
    assert found.unclear == ()
    assert [(text.kind, text.released) for text in read(rows.encode()).texts] == [
        ("Statement", date(2024, 1, 31)),
        ("Minutes", date(2024, 2, 21)),
    ]


def test_two_columns_of_long_texts_are_unclear() -> None:
    rows = f"Date,English,French\n2024-01-31,{TEXT},{TEXT} Oui.\n"
    assert look_into_texts(rows.encode(), "a.csv").unclear == ("text",)


def test_a_column_called_text_is_meant_though_another_is_longer() -> None:
    rows = f"Date,Text,Comment\n2024-01-31,Short.,{TEXT * 3}\n"
    found = look_into_texts(rows.encode(), "a.csv")
    assert found.text == "Text"
    assert found.unclear == ("text",)


def test_days_and_months_are_asked_and_obeyed() -> None:
    rows = f"Date,Text\n01/02/2024,{TEXT}\n03/01/2024,{TEXT} Two\n02/04/2024,{TEXT} Three\n".encode()
    found = look_into_texts(rows, "a.csv")
    assert found.date_order == "either"
    assert found.readings["day"][0] == "2024-02-01"
    assert found.readings["month"][0] == "2024-01-02"
    with refused(DatedTextError, "two_readings"):
        texts_from_table(rows, "a.csv", TextColumns("Date", "Text"))
    made = texts_from_table(rows, "a.csv", TextColumns("Date", "Text", day_first=False))
    assert made.texts[0].about == date(2024, 1, 2)


def test_rows_without_text_go_and_are_noted_even_without_a_date() -> None:
    rows = f"Date,Text\n2024-01-31,{TEXT}\n2030-01-30,\n,\n".encode()
    assert "2 rows without a text are left out, as of meetings to come." in look_into_texts(rows, "a").notes
    assert len(read(rows).texts) == 1


def test_the_latest_hour_counts_for_all() -> None:
    rows = f"Date,Release,Text\n2024-01-31,2024-01-31T19:00Z,{TEXT}\n2024-03-20,2024-03-20T18:30Z,{TEXT} b\n"
    made = read(rows.encode())
    assert (made.clock, made.zone) == ("19:00", "UTC")
    assert any("the latest, 19:00 UTC" in note for note in made.notes)


def test_an_empty_release_is_assumed_and_noted() -> None:
    rows = f"Date,Release,Type,Text\n2024-01-31,2024-02-15,Minutes,{TEXT}\n2024-03-20,,Minutes,{TEXT} b\n"
    made = read(rows.encode(), ReleaseRule(minutes_wait=20))
    assert [text.released for text in made.texts] == [date(2024, 2, 15), date(2024, 4, 9)]
    assert any("Rows with nothing in Release: 1" in note for note in made.notes)
    assert any("The day of release of 1 document is assumed" in note for note in made.notes)


def test_old_documents_without_a_release_are_out_late_and_it_is_said() -> None:
    rows = f"Date,Type,Text\n2004-11-10,Minutes,{TEXT}\n2004-11-10,Statement,{TEXT} b\n2024-01-31,Statement,c d e\n"
    made = read(rows.encode())
    assert [text.released for text in made.texts] == [date(2004, 11, 10), date(2005, 1, 9), date(2024, 1, 31)]
    assert made.clock == "14:15"
    assert sum("14:15" in note or "out of turn" in note for note in made.notes) == 2


def test_a_stamped_release_is_not_moved_by_what_is_usual() -> None:
    rows = f"Date,Release,Text\n2008-01-30,2008-01-30T14:00Z,{TEXT}\n"
    made = read(rows.encode())
    assert (made.clock, made.zone) == ("14:00", "UTC")


@pytest.mark.parametrize(
    ("content", "code", "fact"),
    [
        (b"", "empty", ""),
        (b"  \n \n", "empty", ""),
        (b"\x00\x01\x02" * 300, "other_kind", "binary"),
        (b"PK\x03\x04 and so on", "other_kind", "zip"),
        (b"%PDF-1.7 ...", "other_kind", "PDF"),
        (b"Text\nRates rose\n", "one_column", ""),
        (b"Name,Text\nA,Rates rose\n", "no_dates", ""),
        (b"Date,Text\n2024-01-31,\n2024-03-20,\n", "no_text", ""),
        (b"Date,Text\n2024-01-31,n/a\n2024-03-20,-\n", "no_text", "in Text"),
        (b"Date,Text\n2024-01-31\n", "uneven_row", "Row 2"),
        (b"Date,Text\n2024-01-31,a\n2024-02-30,b\n", "bad_date", "'2024-02-30'"),
        (b"Date,Text\n2024-01-31,a\n2024-02-28,b\n2024-03-28,c\n2024-04-28,d\n,e\n", "bad_date", "row 6"),
        (b"Date,Other\n2024-01-31,2024-02-01\n", "no_text", ""),
        (b"Date,Release,Text\n2024-01-31,2024-01-01,a\n", "released_early", "row 2"),
        (b"Date,Text\n", "no_rows", ""),
    ],
)
def test_hostile_files_are_refused(content: bytes, code: Code, fact: str) -> None:
    with refused(DatedTextError, code, fact):
        read(content)


def test_too_large_and_too_long_are_refused() -> None:
    with refused(DatedTextError, "too_large", "50 MB"):
        look_into_texts(b"a" * (LARGEST_UPLOAD + 1), "big.csv")
    with refused(DatedTextError, "too_long", "Row 2", "1,000,000", "in Text"):
        read(b"Date,Text\n2024-01-31," + b"long " * 200_001 + b"\n")


def test_fifty_thousand_words_are_read() -> None:
    [text] = read(b"Date,Text\n2024-01-31," + b"rates " * 50_000 + b"\n").texts
    assert len(text.text.split()) == 50_000


def test_a_column_that_is_not_there_is_refused() -> None:
    with refused(DatedTextError, "not_offered", "'Nothing'"):
        texts_from_table(b"Date,Text\n2024-01-31,a b\n", "a.csv", TextColumns("Date", "Nothing"))


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    with suppress(DatedTextError):
        assert read(content).texts


def test_real_communications_go_through() -> None:
    if not REAL.is_file():
        pytest.skip(f"{REAL} is not on this machine.")
    made = read(REAL.read_bytes())
    assert len(made.texts) == 98
    assert made.kinds == ("Statement", "Minute")
    assert "1,013 characters" in made.notes[0]
    assert not any("â" in text.text for text in made.texts)
    minutes = [text for text in made.texts if text.kind == "Minute"]
    assert all(14 <= (text.released - text.about).days <= 60 for text in minutes)
    assert all(text.released <= ASSUMED_RELEASE.day_out(text.about, text.kind) for text in made.texts)
    [statement] = [text for text in made.texts if text.about == date(2024, 12, 18)]
    assert "mortgage‑backed" in statement.text
