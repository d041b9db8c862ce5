"""Numbers are read as they were printed, whatever marks they carry."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.tables.printed_numbers import decimal_mark, read_numbers


@pytest.mark.parametrize(
    ("cell", "decimal", "value"),
    [
        ("1,234.5", ".", 1234.5),
        ("1.234,5", ",", 1234.5),
        ("1 234,5", ",", 1234.5),
        ("1\u202f234\u202f567,5", ",", 1234567.5),
        ("1'234.5", ".", 1234.5),
        ("1\u2019234.5", ".", 1234.5),
        ("1,50,000.20", ".", 150_000.2),
        ("(37.63)", ".", -37.63),
        ("37.63-", ".", -37.63),
        ("508.0p", ".", 508),
        ("508.0 r", ".", 508),
        ("508,0 (1)", ",", 508),
        ("508.0**", ".", 508),
        ("508.0²", ".", 508),
        ("R$ 91.450,5", ",", 91_450.5),
        ("1.925,45 €", ",", 1925.45),
        ("188.17K", ".", 188_170),
        ("1.2M", ".", 1.2e6),
        ("1,2 m", ",", 1.2e6),
        ("3B", ".", 3e9),
        ("-0.45%", ".", -0.45),
        ("\u22125", ".", -5),
        ("+5.", ".", 5),
        (".5", ".", 0.5),
        ("$1,925.45", ".", 1925.45),
        ("€1.925,45", ",", 1925.45),
        ("1.5e-3", ".", 1.5e-3),
        ("1e999", ".", np.inf),
        *[(cell, ".", None) for cell in ("", ".", "-", "NA", "n/a", "#N/A", "NaN", "null", "ND", "n.v.", ":")],
        *[
            (cell, ".", "wrong")
            for cell in (
                "1,23.5",
                "01,234",
                "1,2345",
                "12 34",
                "inf",
                "0x10",
                "1_000",
                "5 dollars",
                "5c",
                "1.2.3",
                "--5",
                "٣",
            )
        ],
    ],
)
def test_a_cell_is_a_number_a_gap_or_wrong(cell, decimal, value):
    found = read_numbers(pa.array([cell]), decimal)
    assert found.wrong[0] == (value == "wrong")
    if value in (None, "wrong"):
        assert np.isnan(found.values[0])
    else:
        assert found.values[0] == value
    assert found.percent == cell.endswith("%")


@pytest.mark.parametrize(
    ("cells", "separator", "decimal", "unclear"),
    [
        (["1,234.5", "5"], ",", ".", ""),
        (["1.234.567", "5"], ";", ",", ""),
        (["0,123", "1,234"], ";", ",", ""),
        (["1,234", "5"], ",", ".", "1,234"),
        (["1,234", "5"], ";", ",", "1,234"),
        (["18.930", "5"], ";", ".", "18.930"),
        (["5", "6"], ",", ".", ""),
    ],
)
def test_the_decimal_mark_is_told_from_the_whole_table(cells, separator, decimal, unclear):
    assert decimal_mark([pa.array(cells), pa.array(["a word"])], separator) == (decimal, unclear)


@given(st.lists(st.floats(-1e15, 1e15), min_size=1))
def test_what_python_prints_reads_back_exactly(values):
    found = read_numbers(pa.array([repr(value) for value in values]), ".")
    assert not found.wrong.any()
    np.testing.assert_array_equal(found.values, values)
