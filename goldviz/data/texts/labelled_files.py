"""Files of labelled texts, a text and its label a row: CSV, Excel or Parquet. Nothing in a file is ever run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.column_words import name_words
from goldviz.data.tables.file_table import FileTable, is_missing, plain_words, printed
from goldviz.data.tables.parquet_table import ENCRYPTED_MARK, PARQUET_MARK, parquet_table
from goldviz.data.tables.printed_dates import date_form
from goldviz.data.tables.text_cells import cells_of_text
from goldviz.data.tables.workbook_table import is_workbook, workbook_table
from goldviz.data.texts.dated_texts import DatedTextError
from goldviz.data.texts.kept_texts import KeptText, keep_text
from goldviz.data.texts.labelled_texts import FEWEST_OF_A_CLASS, MOST_CLASSES, parted
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.uploaded_text import LARGEST_UPLOAD, decoded_text
from goldviz.plain_files import content_of, named

ENDINGS = ("csv", "tsv", "txt", "xlsx", "xls", "ods", "parquet")
MOST_TEXTS = 20_000
LONGEST_TEXT = 5_000
LONGEST_CELL = 200_000
"""Bytes."""
LONGEST_LABEL = 40
TEXT_WORDS = frozenset({"text", "texts", "review", "tweet", "sentence", "content", "comment", "message", "statement"})
LABEL_WORDS = frozenset({"label", "labels", "class", "tone", "sentiment", "stars", "rating", "category", "target"})
WHAT_A_FILE_IS = (
    f"A CSV, Excel or Parquet file with a column of texts and one of labels, 2 to {MOST_CLASSES} classes. Each has at "
    f"least {FEWEST_OF_A_CLASS} texts, all at most {MOST_TEXTS:,}. Every fifth text of a class is kept unseen."
)
Columns = tuple[pa.StringArray, pa.StringArray]


def of_a_file(content: bytes, file: str) -> tuple[bytes, tuple[str, ...]]:
    """What is kept of a person's file, a text and its label a line with a tab between, and notes on it.

    Raises:
        TextError: the file is empty or cannot be read, has no such columns, dates for labels, too many texts, or
            classes that cannot be learned.
    """
    name = plain_words(file) or "The file"
    try:
        (texts, labels), notes = _columns(content, name)
    except (MarketError, DatedTextError) as error:
        raise TextError(str(error), error.code) from None
    full = pc.invert(pc.or_(is_missing(texts), is_missing(labels)))
    rows: dict[str, str] = {}
    repeats = 0
    for text, label in zip(texts.filter(full).to_pylist(), labels.filter(full).to_pylist(), strict=True):
        words = " ".join(text.split())
        repeats += words in rows
        rows.setdefault(words, label)
    if not rows:
        raise TextError(
            f"No row of {name} has both a text and a label; at least {2 * FEWEST_OF_A_CLASS} are needed.", "no_rows"
        )
    if len(rows) > MOST_TEXTS:
        raise TextError(f"{name} has {len(rows):,} different texts; allowed are at most {MOST_TEXTS:,}.", "too_large")
    # Only now, of the few that count: a file may repeat one text millions of times.
    rows = {words: plain_words(label, LONGEST_LABEL) for words, label in rows.items()}
    try:
        split = parted(list(rows.items()))
    except TextError as error:
        raise TextError(f"{name}: {error}", error.code) from None
    empty, long = len(full) - repeats - len(rows), sum(len(text) > LONGEST_TEXT for text in rows)
    notes += (
        f"{len(split.learned):,} texts are learned, {len(split.unseen):,} stay unseen: every fifth of each class.",
        *([f"Rows left out, without a text or a label: {empty:,}."] if empty else []),
        *([f"Texts that stood in an earlier row, left out: {repeats:,}."] if repeats else []),
        *([f"Texts cut after {LONGEST_TEXT:,} letters: {long:,}."] if long else []),
    )
    return "".join(f"{text[:LONGEST_TEXT]}\t{label}\n" for text, label in rows.items()).encode(), notes


def keep_file(path: str | Path) -> KeptText:
    """Keep the labelled texts in a file, with notes on it; raises :class:`TextError` as :func:`of_a_file` does."""
    try:
        path = named(path)
        part, notes = of_a_file(content_of(path, LARGEST_UPLOAD), path.name)
    except OSError as error:
        raise TextError(f"The file {path} cannot be read: {error.strerror}.", "disk") from None
    text = keep_text(part, path.name)
    return replace(text, notes=(*notes, *text.notes))


def _columns(content: bytes, file: str) -> tuple[Columns, tuple[str, ...]]:
    """The texts and the labels, and notes; the first row of a text file is its header where its label is no other's."""
    if content[:4] in (PARQUET_MARK, ENCRYPTED_MARK):
        table = parquet_table(content, file, LONGEST_CELL)
        return _of_table(table), table.notes
    if is_workbook(content):
        table = workbook_table(content, file, longest=LONGEST_CELL)
        texts, labels = _of_table(table)
        if set(labels.to_pylist()) & set(table.names):
            raise TextError(f"Row 1 of {file} holds a text; allowed is a row of column names above texts.", "no_header")
        return (texts, labels), table.notes
    text, notes = decoded_text(content, file, "CSV, Excel, OpenDocument and Parquet files")
    _, cells = cells_of_text(text, TextError, file=file, expected="a column of texts and one of labels")
    texts, labels = _chosen([column[0].as_py() for column in cells], cells, file)
    has_header = labels[0].as_py() not in set(labels[1:].to_pylist())
    _check_no_dates(labels[has_header:], file)
    return (texts[has_header:], labels[has_header:]), notes


def _of_table(table: FileTable) -> Columns:
    for name, column in zip(table.names, table.columns, strict=True):
        if len(table.names) == 2 and (pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)):
            raise _dates(table.file, name)
    texts, labels = _chosen(list(table.names), [printed(column) for column in table.columns], table.file)
    _check_no_dates(labels, table.file)
    return texts, labels


def _chosen(names: list[str], columns: list[pa.StringArray], file: str) -> Columns:
    """Of two columns the one with longer cells are the texts; of more, columns are told by their names."""
    if len(columns) == 2:
        lengths = [pc.mean(pc.utf8_length(column)).as_py() or 0.0 for column in columns]
        text = int(lengths[1] > lengths[0])
        return columns[text], columns[1 - text]
    places = [
        place
        for words in (TEXT_WORDS, LABEL_WORDS)
        for place in [next((place for place, name in enumerate(names) if name_words(name) & words), None)]
        if place is not None
    ]
    if len(places) < 2:
        raise TextError(
            f"{file} has {len(columns)} columns; allowed are two, or more of which one is named text and one label.",
            "no_labels",
        )
    return columns[places[0]], columns[places[1]]


def _check_no_dates(labels: pa.StringArray, file: str) -> None:
    if date_form(labels):
        raise _dates(file, "of labels")


def _dates(file: str, column: str) -> TextError:
    return TextError(
        f"Column {column} in {file} holds dates; a label is a word or a number, such as positive or 5.", "no_labels"
    )
