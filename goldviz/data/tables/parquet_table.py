"""Parquet files from strangers: what their headers say is checked before anything is unpacked.

Compression and dictionaries let a small file stand for a huge table, so text is read as references to its dictionary
and weighed before it is written out. No note of pandas in a file is believed, and nothing is unpickled.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.file_table import LONGEST_CELL, FileTable, check_extent, distinct_names, plain_words

PARQUET_MARK = b"PAR1"
ENCRYPTED_MARK = b"PARE"
MOST_UNPACKED = 400 * 10**6
"""Bytes; what a file says of itself, and what its text columns would take together."""

PAIR = re.compile(r"^\('([^']*)', '([^']*)'\)$")
PLAIN_TYPES = re.compile(r"u?int\d+|float|double|halffloat|decimal\d+\(.*|bool|date\d+.*|time(stamp|\d+)\[.*|null")
"""What columns can hold beside text, as Arrow names it."""


def parquet_table(content: bytes, file: str, longest: int = LONGEST_CELL) -> FileTable:
    """The table in the bytes of a Parquet file, whose cells have at most ``longest`` bytes.

    Raises :class:`MarketError` where it is damaged, too large once unpacked, or holds nested or
    binary columns, in one sentence that names the file, the column where there is one, and what is allowed.
    """
    if content.startswith(ENCRYPTED_MARK):
        raise MarketError(f"{file} is an encrypted Parquet file; allowed are Parquet files that are not encrypted.")
    try:
        return _read(content, file, longest)
    except (MarketError, MemoryError):  # one of Arrow's errors is both its own and Python's
        raise
    # Damage shows itself in many ways: bad lengths, unknown types, text that is not UTF-8.
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError) as error:
        raise MarketError(
            f"{file} begins as a Parquet file but cannot be read as one; allowed are whole CSV, Excel and Parquet "
            "files."
        ) from error


def _read(content: bytes, file: str, limit: int) -> FileTable:
    parquet = pq.ParquetFile(pa.BufferReader(content))
    schema = parquet.schema_arrow
    groups = [parquet.metadata.row_group(number) for number in range(parquet.metadata.num_row_groups)]
    check_extent(file, len(schema), max(parquet.metadata.num_rows, sum(group.num_rows for group in groups)))
    for field in schema:
        if not _plain(field.type):
            raise MarketError(
                f"Column {plain_words(field.name)} of {file} holds {plain_words(str(field.type))}; allowed are dates, "
                "numbers and text."
            )
    total_size = sum(group.total_byte_size for group in groups)
    if total_size > MOST_UNPACKED or total_size < 0:
        raise MarketError(
            f"{file} says that it unpacks to {total_size:,} bytes; allowed are at most {MOST_UNPACKED:,}."
        )
    text = [field.name for field in schema if _textual(field.type)]
    # One thread, so that no more than one column is unpacked at a time.
    table = pq.ParquetFile(pa.BufferReader(content), read_dictionary=text, pre_buffer=False).read(use_threads=False)
    check_extent(file, table.num_columns, table.num_rows)
    # As pandas names an index without a name, and columns by field and symbol.
    pairs = (PAIR.sub(r"\2 \1", name).strip() for name in schema.names)
    names = distinct_names("index" if name.startswith("__index_level_") else name for name in pairs)
    columns = [_written_out(column, name, file, limit) for name, column in zip(names, table.columns, strict=True)]
    return FileTable(file, "parquet", names, tuple(columns), np.arange(1, table.num_rows + 1))


def _plain(kind: pa.DataType) -> bool:
    return _textual(kind) or bool(PLAIN_TYPES.fullmatch(str(kind)))


def _textual(kind: pa.DataType) -> bool:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value) or pa.types.is_string_view(value))


def _written_out(column: pa.ChunkedArray, name: str, file: str, limit: int) -> pa.Array:
    """The column in one piece; text as text, once it is known to be short enough."""
    column.validate(full=True)
    kind = column.type
    if not _textual(kind):
        return column.combine_chunks()
    total = 0
    for chunk in column.chunks:
        lengths = pc.binary_length(chunk.dictionary if pa.types.is_dictionary(kind) else chunk)
        longest = pc.max(lengths).as_py() or 0
        if longest > limit:
            raise MarketError(
                f"Column {name} of {file} has a cell of {longest:,} bytes; allowed are at most {limit:,}."
            )
        cell_lengths = lengths.take(chunk.indices) if pa.types.is_dictionary(kind) else lengths
        total += pc.sum(cell_lengths).as_py() or 0
    if total > MOST_UNPACKED:
        raise MarketError(f"Column {name} of {file} holds {total:,} bytes; allowed are at most {MOST_UNPACKED:,}.")
    return pc.utf8_trim_whitespace(column.cast(pa.string())).combine_chunks()
