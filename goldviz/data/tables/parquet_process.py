"""Unpacks a Parquet file in a process of its own: ``python parquet_process.py PARQUET RESULT LONGEST``.

What a page says of itself, and not what the footer says of it, is what Arrow asks memory for: that ends with the
process. It imports nothing of goldviz, so it begins in a fifth of a second.
"""

from __future__ import annotations

import json
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

MOST_UNPACKED = 400 * 10**6
"""Bytes; what a file says of itself, and what its text columns take together."""

MOST_MEMORY = 1_100 * 10**6
MOST_SECONDS = 20.0
"""Of a core."""

ROWS_AT_ONCE = 2**16


class Unfit(Exception):  # noqa: N818 - an answer, not a fault
    """Why a column cannot be read, in words that follow the file's name, and the code of the error."""


def textual(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value) or pa.types.is_string_view(value))


def size_of_text(column: pa.ChunkedArray, limit: int) -> int:
    """The bytes of a column's text once it is written out; raises :class:`Unfit` for a cell of more than ``limit``."""
    total = 0
    for chunk in column.chunks:
        is_packed = pa.types.is_dictionary(chunk.type)
        lengths = pc.binary_length(chunk.dictionary if is_packed else chunk)
        longest = pc.max(lengths).as_py() or 0
        if longest > limit:
            raise Unfit(f"has a cell of {longest:,} bytes; allowed are at most {limit:,}.", "too_long")
        total += pc.sum(lengths.take(chunk.indices) if is_packed else lengths).as_py() or 0
    return total


def main(path: str, result: str, longest: int) -> None:
    """Write a line of JSON and then each column in Arrow's own format, one behind the other, text as text.

    Where a column cannot be read the line says which and why, and nothing follows.
    """
    schema = pq.read_schema(path)
    text = [field.name for field in schema if textual(field.type)]
    total, place = 0, 0
    with open(result, "wb") as file, pq.ParquetFile(path, read_dictionary=text, pre_buffer=False) as parquet:
        file.write(b"{}\n")
        rows = sum(parquet.metadata.row_group(number).num_rows for number in range(parquet.num_row_groups))
        try:
            for place in range(len(schema)):
                # By its place, as several may have one name.
                column = parquet.reader.read_column(place)
                column.validate(full=True)
                if len(column) != rows:
                    raise ValueError(f"{len(column)} values in {rows} rows")
                is_text = textual(column.type)
                if is_text:
                    total += size_of_text(column, longest)
                    if total > MOST_UNPACKED:
                        raise Unfit(
                            f"brings its text to {total:,} bytes; allowed are at most {MOST_UNPACKED:,}.", "too_large"
                        )
                kind = pa.string() if is_text else column.type
                with pa.ipc.new_stream(file, pa.schema([("", kind)])) as stream:
                    for start in range(0, rows, ROWS_AT_ONCE):
                        cells = column.slice(start, ROWS_AT_ONCE)
                        cells = pc.utf8_trim_whitespace(cells.cast(kind)) if is_text else cells
                        stream.write_table(pa.table([cells], names=[""]))
        except Unfit as why:
            file.seek(0)
            file.truncate()
            file.write(json.dumps({"column": place, "refused": why.args[0], "code": why.args[1]}).encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
