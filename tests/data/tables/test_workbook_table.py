"""Workbooks read back to what a person sees in them, and what cannot be read is refused in a sentence."""

import io
import os
import subprocess
import sys
import zipfile
from contextlib import suppress
from datetime import date, datetime
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from goldviz.data.markets.files import Choices, look_into, market_from_file
from goldviz.data.markets.market import MarketError
from goldviz.data.tables import workbook_parts
from goldviz.data.tables import workbook_table as workbook_table_module
from goldviz.data.tables.workbook_table import is_workbook, workbook_table
from tests import hostile_workbooks
from tests.hostile_workbooks import SHEET, exchanged, packed, sound_parts, sound_rows, xml_of_sheet
from tests.places import ROOT

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
    assert (seen.kind, seen.sheets, seen.sheet) == ("workbook", ("Empty", "Gold", "Silver"), "Gold")
    assert "Sheet Gold of 3 was read." in seen.notes
    other = market_from_file(content, "metals.xlsx", Choices(sheet="Silver"), retrieved=NOW)
    assert other.target.values.iloc[0] == 20
    for sheet, sentence in {
        "Copper": "metals.xlsx has no sheet 'Copper'; allowed are Empty, Gold, Silver.",
        "Empty": "Sheet Empty of metals.xlsx is empty; allowed are sheets with a header, dates and numbers.",
    }.items():
        with pytest.raises(MarketError) as caught:
            look_into(content, "metals.xlsx", Choices(sheet=sheet))
        assert str(caught.value) == sentence


def test_titles_gaps_errors_and_percentages_are_read_as_they_look():
    rows = [["Prices of gold"], [], ["Date", None, "Close", "Yield"]]
    rows += [[day.date(), None, 1900.5 + n, 0.0406] for n, day in enumerate(DAYS)]
    rows[5][2], rows[6][2] = None, "#N/A"
    made = workbook(Gold=rows)
    for (cell,) in made["Gold"]["D4:D43"]:
        cell.number_format = "0.00%"
    seen = look_into(saved(made), "gold.xlsx")
    assert seen.columns == ("Date", "Close", "Yield")
    assert "1 row above the header was left out." in seen.notes
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


@given(st.lists(st.lists(CELLS, max_size=4), max_size=6), st.integers(1, 8))
@settings(max_examples=15)
def test_any_cells_are_read_or_refused(rows, times):
    content = saved(workbook(Cells=rows * times))
    with suppress(MarketError):
        look_into(content, "cells.xlsx")


@given(st.integers(0, 6000), st.integers(0, 255), st.integers(0, 6000))
@settings(max_examples=15)
def test_damage_is_read_or_refused(place, byte, cut):
    content = bytearray(saved(workbook(Gold=rows_of())))
    content[place % len(content)] = byte
    for damaged in (bytes(content), bytes(content[: cut % len(content)])):
        with suppress(MarketError):
            look_into(damaged, "gold.xlsx")


def test_what_unpacks_to_too_much_or_declares_entities_is_refused(monkeypatch):
    content = saved(workbook(Gold=rows_of()))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/workbook.xml"] = b'<!DOCTYPE lolz [<!ENTITY lol "lol">]>' + parts["xl/workbook.xml"]
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    with pytest.raises(MarketError, match=r"^gold\.xlsx declares a document type"):
        workbook_table(sink.getvalue(), "gold.xlsx")
    monkeypatch.setattr(workbook_parts, "MOST_CELLS", 50)
    with pytest.raises(MarketError, match=r"^gold\.xlsx has more than 50 cells"):
        workbook_table(content, "gold.xlsx")
    monkeypatch.setattr(workbook_parts, "MOST_UNPACKED", 1000)
    with pytest.raises(MarketError, match=r"^gold\.xlsx unpacks to [\d,]+ bytes; allowed are at most 1,000\.$"):
        workbook_table(content, "gold.xlsx")


def of_rows(rows):
    """A workbook whose sheet has these rows after the sound ones."""
    return packed(exchanged(sound_parts(), SHEET, xml_of_sheet(sound_rows() + rows)))


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ('<row r="999999999999"/>', "has a row 999999999999; a sheet has at most 1,048,576 rows."),
        ("<row>" + "<c/>" * 20_000 + "</row>", "has a column 16,385; a sheet has at most 16,384 columns."),
        ('<row><c r="XFE70"><v>1</v></c></row>', "has a column 16,385; a sheet has at most 16,384 columns."),
        ("<row/>" * 1_000_100, "has more than 1,000,000 empty cells; delete its empty rows and columns"),
        ("<row><c><v>1</v></c></row>" + "<d/>" * 400_000, "more elements beside its cells than a workbook of prices"),
        (f"<!--{' ' * 2_000_000}-->", "longer texts than a workbook of prices needs"),
        (f'<row><c t="str"><v>{"gold" * 30_000}</v></c></row>', "has a cell of more than 100,000 characters"),
    ],
)
def test_what_a_sheet_says_of_itself_is_checked_before_anything_is_built(rows, sentence):
    with pytest.raises(MarketError) as caught:
        workbook_table(of_rows(rows), "gold.xlsx")
    assert sentence in str(caught.value)


def test_a_document_type_behind_a_long_comment_an_archive_that_lies_and_a_second_part_are_refused():
    declared = b"<!--" + b" " * 5000 + b"--><!DOCTYPE lolz [<!ENTITY lol 'lol'>]>" + xml_of_sheet(sound_rows())
    with pytest.raises(MarketError, match="declares a document type"):
        workbook_table(packed(exchanged(sound_parts(), SHEET, declared)), "gold.xlsx")
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = packed([*sound_parts(), (SHEET, xml_of_sheet(""))])
    with pytest.raises(MarketError, match="has two parts of one name"):
        workbook_table(twice, "gold.xlsx")
    many = packed([*sound_parts(), *((f"xl/media/{place}.png", b"") for place in range(6000))])
    with pytest.raises(MarketError, match="has more than 5,000 parts"):
        workbook_table(many, "gold.xlsx")


def test_what_parts_say_of_their_own_size_is_not_handed_on():
    from goldviz.data.tables.workbook_parts import looked_through, unheard

    strings = dict(sound_parts())["xl/sharedStrings.xml"].replace(
        b"<sst ", b'<sst count="9" uniqueCount="999999999999" '
    )
    sheet = xml_of_sheet(sound_rows()).replace(b"<sheetData>", b'<dimension ref="A1:XFD1048576"/><sheetData>')
    content = packed(exchanged(exchanged(sound_parts(), "xl/sharedStrings.xml", strings), SHEET, sheet))
    parts = looked_through(content, "gold.xlsx", unheard)
    assert b"999999999999" not in b"".join(parts.values())
    assert b"XFD1048576" not in b"".join(parts.values())
    assert workbook_table(content, "gold.xlsx").names == ("Date", "Close")


def test_many_sheets_of_one_empty_part_are_never_given_to_the_library(monkeypatch):
    class NeverReadWorkbook:
        sheet_names = tuple(f"Gold {place}" for place in range(1, 501))
        sheets_metadata = ()

        def get_sheet_by_name(self, name):
            raise AssertionError(f"{name} was read.")

    monkeypatch.setattr(
        workbook_table_module, "CalamineWorkbook", SimpleNamespace(from_path=lambda _: NeverReadWorkbook())
    )
    content = hostile_workbooks.many_sheets_of_one_part(rows=2, columns=9)
    with pytest.raises(MarketError, match=r"^gold\.xlsx is empty"):
        workbook_table(content, "gold.xlsx")


def test_empty_cells_of_all_sheets_count_together():
    with pytest.raises(MarketError, match="has more than 1,000,000 empty cells"):
        workbook_table(hostile_workbooks.empty_sheets(), "gold.xlsx")


@pytest.mark.parametrize("digits", [300, 400, 5000])
@pytest.mark.parametrize("sign", ["", "-"])
def test_a_number_beyond_all_others_is_refused_in_a_sentence(digits, sign):
    content = of_rows(f'<row r="99"><c r="A99" s="1"><v>45200</v></c><c r="B99"><v>{sign}{"9" * digits}</v></c></row>')
    with pytest.raises(MarketError, match="in row 99; allowed are sizes up to"):
        look_into(content, "gold.xlsx")


def test_a_shortage_of_memory_is_no_damage(monkeypatch):
    def short(*_):
        raise MemoryError

    content = saved(workbook(Gold=rows_of()))
    monkeypatch.setattr(workbook_table_module, "looked_through", short)
    with pytest.raises(MemoryError):
        workbook_table(content, "gold.xlsx")


def test_reading_tells_how_far_it_is_and_can_be_ended():
    told = []

    class Enough(Exception):  # noqa: N818 - an order, as a job's stop is
        pass

    def report(done, total):
        told.append((done, total))
        if len(told) == 9:
            raise Enough

    content = of_rows("<row><c><v>1</v></c></row>" * 30_000)
    with pytest.raises(Enough):
        workbook_table(content, "gold.xlsx", report=report)
    assert told == sorted(told), "a bar that goes back says nothing"
    assert all(0 < done <= total for done, total in told)


def read_in_a_child(count, seconds):
    """What a process of its own says of so many hostile workbooks; it fails for one beyond the limits."""
    limits = [str(count), "34", str(seconds), "200"]
    command = [sys.executable, "-W", "ignore", "-m", hostile_workbooks.__name__, *limits]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the most that a process had in memory is read from /proc")


@LINUX
def test_hostile_workbooks_end_soon_and_in_little_memory():
    assert "0 over the limits" in read_in_a_child(12, 8)


@LINUX
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_thousand_hostile_workbooks_end_soon_and_in_little_memory():
    assert "0 over the limits" in read_in_a_child(2000, 8)
