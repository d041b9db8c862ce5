"""Days of release that files leave open: months, days to come, minutes that say it themselves, cities of banks."""

from datetime import date

import numpy as np
import pandas as pd
import pytest

from goldviz.data.markets.release_words import BANK_CITIES, written_release
from goldviz.data.texts.dated_files import texts_from_files
from goldviz.data.texts.dated_tables import TextColumns, look_into_texts, texts_from_table
from goldviz.data.texts.dated_texts import DatedTextError, DatedTexts
from goldviz.labs.policy_documents.document_map import cosine_change
from tests.places import REAL_DATA
from tests.refusals import refused

COLUMNS = TextColumns("Date", "Text", "Release Date", "Type")
MONTHS = [f"2016-{month:02d}-01" for month in range(1, 13)]


def read(*rows: str, columns: TextColumns = COLUMNS, header: str = "Date,Release Date,Type,Text") -> DatedTexts:
    return texts_from_table("\n".join([header, *rows]).encode(), "minutes.csv", columns)


def by_month(words: str = "Month") -> list[str]:
    return [f"{day},{day},minutes,{words} {day} says what was said on the 18th." for day in MONTHS]


def test_releases_on_the_first_of_each_month_count_from_its_end_and_a_day_to_come_is_said() -> None:
    made = read("2099-12-01,2099-12-01,minutes,These minutes will be published.", *by_month())
    assert [text.released for text in made.texts[:2]] == [date(2016, 1, 31), date(2016, 2, 29)]
    assert made.texts[0].about == date(2016, 1, 1)
    assert "1 document is dated in the future, the last on 2099-12-01: check the dates." in made.notes
    assert "All days in Release Date are the first of a month: documents count from its end." in made.notes
    assert not any("future" in note for note in read(*by_month()).notes)


def test_without_a_release_the_wait_of_minutes_begins_at_the_month_s_end() -> None:
    columns = TextColumns("Date", "Text", kind="Type")
    made = read(*by_month(), columns=columns)
    assert made.texts[0].released == date(2016, 2, 24)
    assert any("documents count from its end or later" in note for note in made.notes)


def test_days_within_months_stay() -> None:
    rows = [row.replace("-01,minutes", "-18,minutes") for row in by_month()]
    made = read(*rows)
    assert made.texts[0].released == date(2016, 1, 18)
    assert not any("first of a month" in note for note in made.notes)
    few = read(*by_month()[:4])
    assert few.texts[0].released == date(2016, 1, 1)


def test_one_text_of_eight_days_has_nothing_to_compare() -> None:
    rows = [f"2016-0{month}-15,2016-0{month}-15,statement,Menu Contact Search" for month in range(1, 9)]
    assert "All 8 documents have the same words, so there is nothing to compare." in read(*rows).notes
    vector = np.random.default_rng(0).standard_normal(64)
    assert cosine_change(np.stack([vector, vector * (1 / 3)]), [-1, 0])[1] == 0
    assert cosine_change(np.array([[1.0, 0.0], [1.0, 1e-5]]), [-1, 0])[1] > 0


def test_too_many_documents_and_a_wrong_date_are_told_at_once() -> None:
    days = [f"{day:%d-%m-%Y}" for day in pd.date_range("2016-01-01", periods=2300)]
    days[60] = "0201-04-27"
    rows = "\n".join(["Dates,News", *(f"{day},headline {number}" for number, day in enumerate(days))]).encode()
    with refused(DatedTextError, "too_large", "2,300 documents", "2,000", "row 62"):
        look_into_texts(rows, "news.csv")
    with refused(DatedTextError, "too_large", "2,000"):
        texts_from_table(rows.replace(b"0201-04-27", b"27-02-2016"), "news.csv", TextColumns("Dates", "News"))


@pytest.mark.parametrize("title", ["Minutes of the Board", "The minutes of 16 May", "Summary of the Minutes"])
def test_texts_that_call_themselves_minutes_wait_for_their_release(title: str) -> None:
    files = [(f"2016{month:02d}16.txt", f"{title}. Rates stay. Risk {month}.".encode()) for month in range(1, 7)]
    made = texts_from_files(files)
    assert {text.kind for text in made.texts} == {"Minutes"}
    assert made.texts[0].released == date(2016, 2, 9)
    assert any("The day of release of 6 documents is assumed" in note for note in made.notes)


def test_a_kind_can_be_said_of_all_files_that_say_none() -> None:
    files = [("20160116.txt", b"The Board kept rates."), ("statement_20160216.txt", b"Rates rose.")]
    assert {text.kind for text in texts_from_files(files).texts} == {"", "Statement"}
    made = texts_from_files(files, kind="Minutes")
    assert {text.kind: text.released for text in made.texts} == {
        "Minutes": date(2016, 2, 9),
        "Statement": date(2016, 2, 16),
    }


def case(name: str) -> bytes:
    path = REAL_DATA / "cases" / name
    if not path.exists():
        pytest.skip(f"needs the small file {name} beside the project")
    return path.read_bytes()


def test_each_small_file_of_texts_says_what_is_odd_of_it() -> None:
    """As files made here, which stand where the small ones are not."""
    minutes = texts_from_table(case("s40_minutes_to_come.csv"), "s40.csv", COLUMNS)
    assert (len(minutes.texts), minutes.texts[0].released) == (13, date(2016, 1, 31))
    notes = " ".join(minutes.notes)
    assert "1 document is dated in the future" in notes
    assert "All days in Release Date are the first of a month" in notes
    same = texts_from_table(case("s41_one_text_eight_days.csv"), "s41.csv", TextColumns("Date", "Text", kind="Type"))
    assert "All 8 documents have the same words, so there is nothing to compare." in same.notes
    with refused(DatedTextError, "too_large", "2,300 documents", "2,000", "row 62"):
        look_into_texts(case("s42_too_many_and_a_typo.csv"), "s42.csv")
    names = [f"2016{month:02d}16.txt" for month in range(1, 7)]
    of_days = texts_from_files([(name, case(f"s43_files_named_by_day/{name}")) for name in names])
    assert {text.kind for text in of_days.texts} == {"Minutes"}
    assert of_days.texts[0].released == date(2016, 2, 9)


@pytest.mark.parametrize("city", BANK_CITIES)
def test_the_cities_of_banks_have_clocks(city: str) -> None:
    release = written_release(f"14:15 {city}")
    assert release.moments(pd.DatetimeIndex(["2024-07-01"]))[0].tz is not None
    assert release.zone == BANK_CITIES[city]
