"""Workbooks read back to what a person sees in them, and what cannot be read is refused in a sentence."""

import io
import os
import struct
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
from goldviz.data.tables import old_workbook, workbook_parts
from goldviz.data.tables import workbook_table as workbook_table_module
from goldviz.data.tables.old_workbook import sound_records
from goldviz.data.tables.workbook_parts import unheard
from goldviz.data.tables.workbook_table import is_workbook, workbook_table
from tests import hostile_workbooks, old_workbooks
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
    from goldviz.data.tables.workbook_parts import looked_through

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


def places_of(stream, kind):
    """Where the records of a kind begin."""
    place = 0
    while place + 4 <= len(stream):
        of_kind, size = struct.unpack_from("<HH", stream, place)
        if of_kind == kind:
            yield place
        place += 4 + size


def lying(kind, lie):
    """The records of a sound old workbook, of which the first of this kind begins with other bytes."""
    stream = bytearray(old_workbooks.records({"Gold": old_rows()}))
    place = next(places_of(stream, kind)) + 4
    stream[place : place + len(lie)] = lie
    return bytes(stream)


@pytest.mark.parametrize(
    ("stream", "sentence"),
    [
        (lying(0xFC, b"\xff" * 8), "cannot be read as one"),
        (lying(0x85, bytes(4)), "cannot be read as one"),
        (lying(0x203, b"\xff" * 4), "cells far from each other"),
        (lying(0x42, b"")[:-9], "cannot be read as one"),
        (old_workbooks.record(0x2F, b"\1\0"), "cannot be read as one"),
        (b"\0\0\0\0" * 160, "has more records than a workbook of prices needs"),
        (bof(5) + old_workbooks.record(0xBD, bytes(7806)), "has more cells than a workbook of prices needs"),
        (
            bof(5)
            + old_workbooks.record(0xFC, struct.pack("<II", 1, 1) + old_workbooks.text("gold" * 100))
            + old_workbooks.record(0xFD, bytes(10)) * 100,
            "has more text than a workbook of prices needs",
        ),
    ],
    ids=str.split("strings sheet far cut password records cells text"),
)
def test_what_an_old_workbook_says_of_itself_is_checked_before_anything_is_built(stream, sentence, monkeypatch):
    for limit, least in {"MOST_CELLS": 1000, "MOST_OTHERS": 150, "MOST_TEXT": 30_000}.items():
        monkeypatch.setattr(old_workbook, limit, least)
    with pytest.raises(MarketError, match=sentence):
        workbook_table(old_workbooks.compound(stream), "gold.xls")


def test_sheets_inside_one_another_and_sectors_without_an_end_are_refused():
    begins = len(bof(5)) + 2 * 11 + 4
    inside = bof(5) + b"".join(
        old_workbooks.record(0x85, struct.pack("<IH", begins + 20 * place, 0) + b"\1\0" + letter)
        for place, letter in enumerate((b"A", b"B"))
    )
    inside += old_workbooks.record(0x0A, b"") + 2 * bof() + 2 * old_workbooks.record(0x0A, b"")
    content = bytearray(old_workbooks.compound(lying(0x42, b"") + bytes(4096)))
    content[-512:-508] = struct.pack("<I", 0)
    for hostile in (old_workbooks.compound(inside), bytes(content), content[:600]):
        with pytest.raises(MarketError, match="cannot be read as one"):
            workbook_table(bytes(hostile), "gold.xls")


def test_sizes_and_formulas_of_an_old_workbook_are_not_handed_on():
    formula = old_workbooks.record(0x06, struct.pack("<HHHd6xH", 50, 1, 0, 7.0, 9) + b"\xff" * 9)
    stream = lying(0x200, b"\xff" * 14)[:-4] + formula + old_workbooks.record(0x0A, b"")
    sound, [sheet] = sound_records(old_workbooks.compound(stream), "gold.xls", unheard)
    assert list(places_of(stream, 0x200))
    assert not list(places_of(sound, 0x200))
    [place] = places_of(sound, 0x06)
    assert sound[place + 24 : place + 26] == b"\0\0"
    assert sheet.spanned == 4 * 51
    table = workbook_table(old_workbooks.compound(stream), "gold.xls")
    assert (table.rows[-1], table.columns[1][-1].as_py()) == (51, 7.0)


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
    assert "0 over the limits" in read_in_a_child(5, 8)


@LINUX
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_thousand_hostile_workbooks_end_soon_and_in_little_memory():
    assert "0 over the limits" in read_in_a_child(2000, 8)
