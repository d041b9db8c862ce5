"""Text files are cut into the cells that were meant, and rows keep the numbers that an editor shows."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.delimited_text import delimited_table
from goldviz.data.tables.file_table import distinct_names, plain_words
from tests.refusals import refused


def cells(content):
    table = delimited_table(content, "gold.csv")
    return [list(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("Date,Close\n2024-01-01,5\n", ","),
        ("Date;Close\n2024-01-01;1,5\n2024-01-02;2,5\n", ";"),
        ("Date\tClose\nJan 02, 2024\t1,925.45\n", "\t"),
        ("Date|Close\n2024-01-01|1,5\n", "|"),
        ('Date,Close\n"Jan 02, 2024","1,925.45"\n', ","),
        ('"Date; local","Close"\n2024-01-01,5\n2024-01-02,6\n', ","),
        ("sep=;\nDate;Close\n2024-01-01;5\n", ";"),
    ],
)
def test_the_separator_is_told_from_the_lines(text, separator):
    table = delimited_table(text.encode(), "gold.csv")
    assert table.separator == separator
    assert len(table.names) == 2


@pytest.mark.parametrize("lines", ["\n", "\r\n", "\r"])
def test_blank_rows_are_left_out_and_counted(lines):
    text = lines.join(["", "Date,Close", "", "2024-01-01,5", ",", "2024-01-02,6", ".,NA", ""])
    table = delimited_table(text.encode(), "gold.csv")
    assert table.rows.tolist() == [4, 6]
    assert table.columns[1].to_pylist() == ["5", "6"]


def test_quoted_cells_may_hold_separators_quotes_and_line_ends():
    assert cells(b'Date,Note\n2024-01-01,"a, ""b""\nc"\n') == [["2024-01-01", 'a, "b"\nc']]


@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8), min_size=3, max_size=3),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_cells_come_back_as_they_were_quoted_but_for_blanks_around_them(rows, separator, encoding):
    # A first cell that is no gap, so that no row counts as blank.
    rows = [["x" + row[0], *row[1:]] for row in rows]
    lines = [["date", "close", "note"], *rows]
    text = "".join(separator.join('"' + cell.replace('"', '""') + '"' for cell in line) + "\n" for line in lines)
    assert cells(text.encode(encoding)) == [[cell.strip() for cell in row] for row in rows]


@pytest.mark.parametrize(
    ("content", "code", "fact"),
    [
        (b'Date,Close\n"2024-01-01,5\n', "uneven_row", "Row 2"),
        (b"%PDF-1.7", "other_kind", "PDF"),
        (b"\x1f\x8b\x08", "damaged", "gzip"),
        (gzip.compress(bytes(60 * 10**6)), "too_large", "50 MB"),
        (b'\n {"a": 1}', "other_kind", "JSON"),
        (b"sep=;\n", "empty", ""),
        (b"Date,Close\n2024-01-01,5\x00\n", "other_kind", "binary"),
    ],
)
def test_what_is_no_table_is_refused(content, code, fact):
    with refused(MarketError, code, "gold.csv", fact):
        delimited_table(content, "gold.csv")


@given(st.lists(st.text(max_size=80), max_size=20))
@settings(max_examples=25)
def test_names_are_distinct_short_and_control_nothing(names):
    found = distinct_names(names)
    assert len(set(found)) == len(names)
    for name in found:
        assert 0 < len(name) <= 60
        assert name.isprintable()
        assert plain_words(name) == name


def test_a_name_that_thousands_of_columns_have_is_told_apart():
    """Counted from the start for each, it would take hours."""
    assert distinct_names(["Close"] * 20_000)[-1] == "Close (20000)"
