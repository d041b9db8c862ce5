"""Parquet files from strangers: what their headers say is checked before anything is unpacked.

Compression and dictionaries let a small file stand for a huge table, and its footer may say that it does not: it is
unpacked by a process of its own (:mod:`goldviz.data.tables.parquet_process`), which may take so much memory and time
and no more. Text is read there as references to its dictionary and weighed before it is written out. No note of pandas
in a file is believed, and nothing is unpickled.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from goldviz.data.markets.market import MarketError
from goldviz.data.tables import parquet_process
from goldviz.data.tables.file_table import LONGEST_CELL, FileTable, check_extent, distinct_names, plain_words
from goldviz.data.tables.parquet_process import MOST_MEMORY, MOST_SECONDS, MOST_UNPACKED, textual
from goldviz.data.tables.read_apart import read_apart

PARQUET_MARK = b"PAR1"
ENCRYPTED_MARK = b"PARE"

PAIR = re.compile(r"^\('([^']*)', '([^']*)'\)$")
PLAIN_TYPES = re.compile(r"u?int\d+|float|double|halffloat|decimal\d+\(.*|bool|date\d+.*|time(stamp|\d+)\[.*|null")
"""What columns can hold beside text, as Arrow names it."""


def parquet_table(content: bytes, file: str, longest: int = LONGEST_CELL) -> FileTable:
    """The table in the bytes of a Parquet file, whose cells have at most ``longest`` bytes.

    Raises :class:`MarketError` where it is damaged, too large once unpacked, or holds nested or
    binary columns, in one sentence that names the file, the column where there is one, and what is allowed.
    """
    if content.startswith(ENCRYPTED_MARK):
        raise MarketError(
            f"{file} is an encrypted Parquet file; allowed are Parquet files that are not encrypted.", "other_kind"
        )
    try:
        return _read(content, file, longest)
    except (MarketError, MemoryError):  # one of Arrow's errors is both its own and Python's
        raise
    # Damage shows itself in many ways: bad lengths, unknown types, text that is not UTF-8.
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError) as error:
        raise MarketError(
            f"{file} begins as a Parquet file but cannot be read as one; allowed are whole CSV, Excel and Parquet "
            "files.",
            "damaged",
        ) from error


def _read(content: bytes, file: str, limit: int) -> FileTable:
    parquet = pq.ParquetFile(pa.BufferReader(content))
    schema = parquet.schema_arrow
    groups = [parquet.metadata.row_group(number) for number in range(parquet.metadata.num_row_groups)]
    rows = sum(group.num_rows for group in groups)
    check_extent(file, len(schema), max(parquet.metadata.num_rows, rows))
    for field in schema:
        if not _plain(field.type):
            raise MarketError(
                f"Column {plain_words(field.name)} of {file} holds {plain_words(str(field.type))}; allowed are dates, "
                "numbers and text.",
                "other_kind",
            )
    total_size = sum(group.total_byte_size for group in groups)
    if total_size > MOST_UNPACKED or total_size < 0:
        raise MarketError(
            f"{file} says that it unpacks to {total_size:,} bytes; allowed are at most {MOST_UNPACKED:,}.", "too_large"
        )
    too_much = f"{file} takes more memory or time than a table of prices needs. Take out what you do not need."
    limits = (MOST_MEMORY, MOST_SECONDS)
    about, streams = read_apart(parquet_process, content, [str(limit)], limits, file, too_much)
    # As pandas names an index without a name, and columns by field and symbol.
    pairs = (PAIR.sub(r"\2 \1", name).strip() for name in schema.names)
    names = distinct_names("index" if name.startswith("__index_level_") else name for name in pairs)
    if "refused" in about:
        raise MarketError(f"Column {names[about['column']]} of {file} {about['refused']}", about["code"])
    source = pa.BufferReader(streams)
    columns = tuple(pa.ipc.open_stream(source).read_all().column(0).combine_chunks() for _ in names)
    return FileTable(file, "parquet", names, columns, np.arange(1, rows + 1))


def _plain(kind: pa.DataType) -> bool:
    return textual(kind) or bool(PLAIN_TYPES.fullmatch(str(kind)))
