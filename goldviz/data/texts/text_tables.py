"""Tables whose cells are whole documents: CSV with quoted line breaks, in any of the usual dialects."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldviz.data.tables.file_table import MOST_COLUMNS, FileTable, distinct_names, plain_words
from goldviz.data.tables.printed_dates import date_form
from goldviz.data.tables.text_cells import cells_of_text
from goldviz.data.texts.dated_texts import LONGEST_TEXT, DatedTextError
from goldviz.data.texts.uploaded_text import LARGEST_UPLOAD, decoded_text

MOST_ROWS_OF_TEXTS = 20_000


def text_table(content: bytes, name: str) -> FileTable:
    """The table in a text file, all its cells as text.

    Raises :class:`DatedTextError` for anything that is not such a table, in one sentence that
    names the file, the row where there is one, and what is allowed.
    """
    file = plain_words(name) or "The file"
    if len(content) > LARGEST_UPLOAD:
        raise DatedTextError(
            f"{file} has {len(content) / 1e6:,.1f} MB; allowed are at most {LARGEST_UPLOAD / 1e6:.0f} MB.", "too_large"
        )
    text, notes = decoded_text(content, file)
    separator, cells = cells_of_text(text, DatedTextError, file=file, expected="a column of dates and one of texts")
    first = [column[0].as_py() for column in cells]
    if len(first) > MOST_COLUMNS:
        raise DatedTextError(f"{file} has {len(first):,} columns; allowed are at most {MOST_COLUMNS}.", "too_large")
    headless = any(date_form(pa.array([cell])) for cell in first)
    names = distinct_names([""] * len(first) if headless else first)
    if headless:
        notes += ("There is no header; the columns are named by their places.",)
    columns = [column.slice(0 if headless else 1) for column in cells]
    rows = np.arange(len(columns[0])) + (1 if headless else 2)
    if not len(rows):
        raise DatedTextError(f"{file} has no rows under its header; expected are dates with texts.", "no_rows")
    if len(rows) > MOST_ROWS_OF_TEXTS:
        raise DatedTextError(f"{file} has {len(rows):,} rows; allowed are at most {MOST_ROWS_OF_TEXTS:,}.", "too_large")
    for place, column in enumerate(columns):
        lengths = pc.utf8_length(column)
        if pc.max(lengths).as_py() > LONGEST_TEXT:
            row = rows[pc.index(lengths, pc.max(lengths)).as_py()]
            raise DatedTextError(
                f"Row {row} of {file} has more than {LONGEST_TEXT:,} characters in {names[place]}; shorten it.",
                "too_long",
            )
    return FileTable(file, "text", names, tuple(columns), rows, separator, notes)
