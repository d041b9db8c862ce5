"""Parquet files are weighed before they are unpacked."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goldviz.data.markets.files import look_into, market_from_file
from goldviz.data.markets.market import MarketError
from goldviz.data.tables import parquet_table as parquet_table_module
from goldviz.data.tables.parquet_table import parquet_table
from tests.refusals import refused

DAYS = pd.date_range("2024-01-01", periods=40)


def parquet(table, **options):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    return sink.getvalue().to_pybytes()


def refused_table(content, code, *facts):
    with refused(MarketError, code, "gold.parquet", *facts):
        parquet_table(content, "gold.parquet")


DATES = [
    pa.array(DAYS.date),
    pa.array(DAYS, pa.timestamp("ns")),
    pa.array(DAYS.tz_localize("America/New_York"), pa.timestamp("us", "America/New_York")),
    pa.array([f"{day:%Y-%m-%d}" for day in DAYS]),
    pa.array([f"{day:%Y-%m-%d}" for day in DAYS]).dictionary_encode(),
    pa.array([int(day.timestamp()) for day in DAYS]),
    pa.array([f"{day:%Y-%m-%d}" for day in DAYS], pa.large_string()),
]
VALUES = [
    pa.array(np.arange(1.5, 41.5)),
    pa.array(np.arange(1.5, 41.5, dtype="float32")),
    pa.array([Decimal(place) + Decimal("1.5") for place in range(40)], pa.decimal128(9, 2)),
    pa.array([f"{place + 1.5:.2f}" for place in range(40)]),
    pa.array(np.arange(1.5, 41.5, dtype="float16")),
]


@pytest.mark.parametrize(
    ("dates", "values"),
    [*((dates, VALUES[0]) for dates in DATES), *((DATES[0], values) for values in VALUES[1:])],
    ids=lambda cells: str(cells.type),
)
def test_dates_and_numbers_of_every_type_are_read(dates, values):
    others = {
        "flag": pa.array([True] * 40),
        "clock": pa.array([1] * 40, pa.time64("us")),
        "empty": pa.nulls(40),
    }
    content = parquet(pa.table({"Date": dates, "Close": values, **others}))
    look_into(content, "gold.parquet")
    found = market_from_file(content, "gold.parquet", retrieved=pd.Timestamp("2026-11-20", tz="UTC")).target.values
    assert found.index.equals(DAYS.as_unit("s"))
    assert found.tolist() == [place + 1.5 for place in range(40)]


def test_an_index_of_pandas_is_a_column_like_others(tmp_path):
    frame = pd.DataFrame({"Close": np.arange(1.0, 41.0)}, index=pd.DatetimeIndex(DAYS, name="Date"))
    frame.to_parquet(tmp_path / "gold.parquet")
    assert look_into((tmp_path / "gold.parquet").read_bytes(), "x").dates.column == "Date"


def test_columns_by_field_and_symbol_are_named_by_both(tmp_path):
    columns = {("Close", "GC=F"): np.arange(1.0, 41.0), ("Volume", "GC=F"): np.arange(40) % 7}
    pd.DataFrame(columns, index=pd.DatetimeIndex(DAYS, name="Date")).to_parquet(tmp_path / "gold.parquet")
    names = look_into((tmp_path / "gold.parquet").read_bytes(), "x").columns
    assert names == ("GC=F Close", "GC=F Volume", "Date")


def test_columns_of_one_name_get_two():
    table = pa.Table.from_arrays([pa.array(DAYS), *[pa.array(np.arange(40.0))] * 2], names=["Date", "Close", "Close"])
    assert parquet_table(parquet(table), "gold.parquet").names == ("Date", "Close", "Close (2)")


@pytest.mark.parametrize(
    ("table", "code", "facts"),
    [
        (pa.table({"a": [[1], [2]]}), "other_kind", ("Column a", "list<element: int64>")),
        (pa.table({"a": [{"b": 1}]}), "other_kind", ("Column a", "struct<b: int64>")),
        (pa.table({"a": [b"x"]}), "other_kind", ("Column a", "binary")),
        (pa.table({"a": pa.nulls(0)}), "no_rows", ()),
        (pa.table({str(place): [1] for place in range(201)}), "too_large", ("201 columns", "200.")),
        (pa.table({"a": ["x" * 5_000_000, "y"]}), "too_long", ("Column a", "5,000,000", "1,000.")),
        (pa.table({"a": pa.array(np.zeros(2_000_001, np.int8))}), "too_large", ("2,000,001 rows", "2,000,000.")),
    ],
)
def test_bad_tables_are_refused(table, code, facts):
    refused_table(parquet(table), code, *facts)


def test_an_encrypted_file_is_named_as_one():
    refused_table(b"PARE" + bytes(20), "other_kind", "encrypted")


def test_a_small_file_that_stands_for_much_text_is_refused_before_it_is_written_out():
    one = pa.array(["x" * 999])
    bomb = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_000_000, np.int32)), one)
    content = parquet(pa.table({"a": bomb}))
    assert len(content) < 200_000
    refused_table(content, "too_large", "Column a", "999,000,000", "400,000,000")


def test_the_text_of_all_columns_is_weighed_together():
    one = pa.DictionaryArray.from_arrays(pa.array(np.zeros(300_000, np.int32)), pa.array(["x" * 999]))
    content = parquet(pa.table({"a": one, "b": one}))
    refused_table(content, "too_large", "Column b", "599,400,000", "400,000,000")


def test_pages_that_unpack_to_more_than_the_footer_says_take_no_more_memory_than_there_may_be(monkeypatch):
    monkeypatch.setattr(parquet_table_module, "MOST_MEMORY", 200 * 10**6)
    table = pa.table({"a": ["x" * 2 * 10**8]})
    content = parquet(table, compression="zstd", use_dictionary=False, write_statistics=False, store_schema=False)
    said = varint(2 * pq.read_metadata(pa.BufferReader(content)).row_group(0).total_byte_size)
    small = bytes([128 + 20, *[128] * (len(said) - 2), 0])
    length = int.from_bytes(content[-8:-4], "little")
    content = content[: -8 - length] + content[-8 - length :].replace(said, small)
    assert pq.read_metadata(pa.BufferReader(content)).row_group(0).total_byte_size == 10
    refused_table(content, "too_large", "memory or time")


def test_a_header_that_speaks_of_billions_of_rows_is_refused():
    content = parquet(pa.table({"a": np.zeros(3)}), compression="none")
    refused_table(with_rows(content, 3, 10**9), "too_large", "2,000,000")


def test_a_shortage_of_memory_is_no_damage(monkeypatch):
    def short(*_):
        raise pa.ArrowMemoryError("malloc of size 64 failed")

    monkeypatch.setattr(pq, "ParquetFile", short)
    with pytest.raises(MemoryError):
        parquet_table(b"PAR1", "gold.parquet")


def with_rows(content, rows, claimed):
    """The file with another number of rows in its footer: field 3 of FileMetaData, a zigzag number of Thrift."""
    length = int.from_bytes(content[-8:-4], "little")
    footer = content[-8 - length : -8]
    small, large = b"\x16" + varint(2 * rows) + b"\x19", b"\x16" + varint(2 * claimed) + b"\x19"
    changed = footer.replace(small, large, 1)
    assert changed != footer
    return content[: -8 - length] + changed + len(changed).to_bytes(4, "little") + b"PAR1"


def varint(number):
    digits = bytearray()
    while number >= 128:
        digits.append(number % 128 + 128)
        number //= 128
    return bytes([*digits, number])
