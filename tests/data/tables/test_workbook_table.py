"""Workbooks read back to what a person sees in them, and what cannot be read is refused in a sentence."""

import io
import os
import struct
import subprocess
import sys
from contextlib import suppress
from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from goldviz.data.markets.file_channel import Choices
from goldviz.data.markets.files import look_into, market_from_file
from goldviz.data.markets.market import MarketError
from goldviz.data.tables import workbook_table as workbook_table_module
from goldviz.data.tables.workbook_table import is_workbook, workbook_table
from tests import hostile_workbooks, old_workbooks
from tests.hostile_workbooks import SHEET, exchanged, packed, sound_parts, sound_rows, xml_of_sheet
from tests.places import ROOT
from tests.refusals import refused

DAYS = pd.bdate_range("2024-01-01", periods=40)
NOW = pd.Timestamp("2026-11-20", tz="UTC")


def saved(workbook):
    sink = io.BytesIO()
    workbook.save(sink)
    return sink.getvalue()


def workbook(**sheets):
    """A workbook of these sheets, each a list of rows."""
    made = Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return made


def rows_of(first=1900.0):
    return [["Date", "Close", "Volume"], *([day.to_pydatetime(), first + n, f"{n}.17K"] for n, day in enumerate(DAYS))]


def test_numbers_days_and_printed_text_are_read():
    content = saved(workbook(Gold=rows_of()))
    assert is_workbook(content)
    found = market_from_file(content, "gold.xlsx", retrieved=NOW)
    assert [channel.name for channel in found.channels] == ["Close", "Volume"]
    np.testing.assert_array_equal(found.target.values.to_numpy(), 1900 + np.arange(40.0))
    assert list(found.target.values.index) == list(DAYS)
    assert found.channel("Volume").values.iloc[3] == 3170


def test_the_first_sheet_with_cells_is_read_and_another_can_be_chosen():
    content = saved(workbook(Empty=[], Gold=rows_of(), Silver=rows_of(20.0)))
    seen = look_into(content, "metals.xlsx")
    assert (seen.sheets, seen.sheet) == (("Empty", "Gold", "Silver"), "Gold")
    assert "The workbook has 3 sheets; Gold was read." in seen.notes
    other = market_from_file(content, "metals.xlsx", Choices(sheet="Silver"), retrieved=NOW)
    assert other.target.values.iloc[0] == 20
    with refused(MarketError, "not_offered", "metals.xlsx", "'Copper'", "Empty, Gold, Silver"):
        look_into(content, "metals.xlsx", Choices(sheet="Copper"))
    with refused(MarketError, "empty", "metals.xlsx", "sheet Empty"):
        look_into(content, "metals.xlsx", Choices(sheet="Empty"))


def test_titles_gaps_errors_and_percentages_are_read_as_they_look():
    rows = [["Prices of gold. " * 200], [], ["Date", None, "Close", "Yield"]]
    rows += [[day.date(), None, 1900.5 + n, 0.0406] for n, day in enumerate(DAYS)]
    rows[5][2], rows[6][2] = None, "#N/A"
    made = workbook(Gold=rows)
    for (cell,) in made["Gold"]["D4:D43"]:
        cell.number_format = "0.00%"
    seen = look_into(saved(made), "gold.xlsx")
    assert seen.columns == ("Date", "Close", "Yield")
    assert "1 filled row was left out above the names." in seen.notes
    found = market_from_file(saved(made), "gold.xlsx", Choices(("Close", "Yield")), retrieved=NOW)
    assert len(found.target.observed) == 38
    assert (found.channel("Yield").values == 4.06).all()
    assert found.channel("Yield").unit == "percent"


def test_a_future_without_values_and_empty_cells_below_are_no_rows():
    rows = rows_of()
    rows += [[day.to_pydatetime(), None, None] for day in pd.bdate_range(DAYS[-1] + pd.offsets.BDay(), periods=4)]
    made = workbook(Gold=rows)
    made["Gold"].cell(5000, 9).value = " "
    seen = look_into(saved(made), "gold.xlsx")
    assert seen.rows == 44
    assert seen.readings_of["Close"].missing == 4
    assert "4 rows after the last value are empty." in seen.notes


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.dates(date(1950, 1, 1), date(2100, 1, 1)),
    st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)),
    st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF), max_size=8),
    st.sampled_from(["4%", "#DIV/0!"]),
)


@pytest.mark.slow
@given(st.lists(st.lists(CELLS, max_size=4), max_size=6), st.integers(1, 8))
@settings(max_examples=15, deadline=None)
def test_any_cells_are_read_or_refused(rows, times):
    content = saved(workbook(Cells=rows * times))
    with suppress(MarketError):
        look_into(content, "cells.xlsx")


@pytest.mark.slow
@given(st.integers(0, 6000), st.integers(0, 255), st.integers(0, 6000))
@settings(max_examples=15, deadline=None)
def test_damage_is_read_or_refused(place, byte, cut):
    content = bytearray(saved(workbook(Gold=rows_of())))
    content[place % len(content)] = byte
    for damaged in (bytes(content), bytes(content[: cut % len(content)])):
        with suppress(MarketError):
            look_into(damaged, "gold.xlsx")


def of_rows(rows):
    """A workbook whose sheet has these rows after the sound ones."""
    return packed(exchanged(sound_parts(), SHEET, xml_of_sheet(sound_rows() + rows)))


@pytest.mark.parametrize(
    ("content", "code", "fact"),
    [
        (of_rows('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'), "too_large", "memory or time"),
        (of_rows('<row r="100000"><c r="BZ100000"><v>1</v></c></row>'), "too_large", "far from each other"),
        (
            of_rows(f'<row><c s="1"><v>45100</v></c><c t="str"><v>{"gold" * 30_000}</v></c></row>'),
            "too_long",
            "120,000 bytes in column 2",
        ),
        (hostile_workbooks.empty_sheets(rows=5), "empty", "sheet Gold 2"),
        (packed(exchanged(sound_parts(), SHEET, xml_of_sheet("<row><c><v>1</v></c></row>"))), "one_column", ""),
        (packed([*sound_parts()[:-1], (SHEET, b"<worksheet><sheetData><row><c><v>")]), "damaged", ""),
    ],
    ids=str.split("corner far text empty narrow damaged"),
)
def test_a_workbook_that_cannot_be_used_is_refused_with_the_reason(content, code, fact):
    with refused(MarketError, code, "gold.xlsx", fact):
        workbook_table(content, "gold.xlsx", "Gold 2" if "Gold 2" in fact else "")


def test_what_a_part_says_of_its_own_size_does_no_harm():
    sheet = xml_of_sheet(sound_rows()).replace(b"<sheetData>", b'<dimension ref="A1:XFD1048576"/><sheetData>')
    assert workbook_table(packed(exchanged(sound_parts(), SHEET, sheet)), "gold.xlsx").names == ("Date", "Close")


@pytest.mark.parametrize(("limit", "most"), [("MOST_MEMORY", 10**6), ("MOST_SECONDS", 0.01)])
def test_a_reader_that_takes_too_much_is_ended(limit, most, monkeypatch):
    monkeypatch.setattr(workbook_table_module, limit, most)
    # Long enough to be looked at while it is read, on any machine: a small one can be done before the second look.
    long = of_rows('<row><c s="1"><v>45100</v></c><c><v>2000.5</v></c></row>' * 100_000)
    with refused(MarketError, "too_large", "memory or time"):
        workbook_table(long, "gold.xlsx")


def old_rows(count=40):
    days = pd.bdate_range("2024-01-01", periods=count)
    rows = [["Prices", None, None, None], ["Date", "Close", "Umsatz €", "Yield"]]
    return rows + [[day.date(), 1900.5 + n, n, old_workbooks.Share(0.0406)] for n, day in enumerate(days)]


@pytest.mark.parametrize("count", [40, 1500])
def test_a_workbook_of_the_old_format_is_read(count):
    """Its stream stands in sectors of 64 bytes, or of 512."""
    content = old_workbooks.old_workbook(Empty=[], Gold=old_rows(count))
    made = market_from_file(content, "gold.xls", Choices(("Close", "Umsatz €", "Yield")), retrieved=NOW)
    np.testing.assert_array_equal(made.target.values.to_numpy(), 1900.5 + np.arange(count))
    np.testing.assert_array_equal(made.channel("Umsatz €").values.to_numpy(), np.arange(count))
    assert (made.channel("Yield").values == 4.06).all()
    assert made.target.values.index[-1] == pd.bdate_range("2024-01-01", periods=count)[-1]
    seen = look_into(content, "gold.xls")
    assert (seen.sheets, seen.sheet, seen.header) == (("Empty", "Gold"), "Gold", 2)


def bof(kind=0x10):
    return old_workbooks.record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 0))


@pytest.mark.parametrize(
    "stream",
    [old_workbooks.records({"Gold": old_rows()})[:-300], bof(5) + old_workbooks.record(0x2F, b"\1\0"), bytes(640)],
    ids=str.split("cut password nothing"),
)
def test_an_old_workbook_that_is_damaged_or_locked_is_refused(stream):
    with refused(MarketError, "damaged", "gold.xls"):
        workbook_table(old_workbooks.compound(stream), "gold.xls")


@pytest.mark.parametrize("digits", [300, 400, 5000])
@pytest.mark.parametrize("sign", ["", "-"])
def test_a_number_beyond_all_others_is_refused(digits, sign):
    content = of_rows(f'<row r="99"><c r="A99" s="1"><v>45200</v></c><c r="B99"><v>{sign}{"9" * digits}</v></c></row>')
    with refused(MarketError, "bad_column", "row 99", "1e+15"):
        look_into(content, "gold.xlsx")


def test_a_short_sheet_in_front_is_about_the_others():
    made = workbook(About=[["Source", "nobody"], ["Updated", "2024-05-01"]], Gold=rows_of(), Silver=rows_of(5.0))
    assert look_into(saved(made), "gold.xlsx").sheet == "Gold"
    made["Gold"].sheet_state = made["Silver"].sheet_state = "hidden"
    with refused(MarketError, "too_few", "30"):
        look_into(saved(made), "gold.xlsx")


def test_reading_tells_how_far_it_is_and_can_be_ended():
    told = []

    class Enough(Exception):  # noqa: N818 - an order, as a job's stop is
        pass

    def report(done, total):
        told.append((done, total))
        if len(told) == 2:
            raise Enough

    content = saved(workbook(Gold=rows_of()))
    with pytest.raises(Enough):
        workbook_table(content, "gold.xlsx", report=report)
    assert told == sorted(told), "a bar that goes back says nothing"
    assert all(0 < done <= total for done, total in told)


def read_in_a_child(count, seconds):
    """What a process of its own says of so many hostile workbooks; it fails for one beyond the limits."""
    limits = [str(count), "34", str(seconds), "100"]
    command = [sys.executable, "-W", "ignore", "-m", hostile_workbooks.__name__, *limits]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=3500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the most that a process had in memory is read from /proc")


@LINUX
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_thousand_hostile_workbooks_end_soon_and_in_little_memory():
    assert "0 over the limits" in read_in_a_child(2000, 14)
