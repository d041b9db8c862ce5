"""What a file of sentence pairs may be: two columns, a sentence and its answer, with a tab, a semicolon or a comma
between."""

from __future__ import annotations

import csv
import io

from goldviz.data.tables.text_cells import SEPARATORS, columns_of_text
from goldviz.data.texts.dated_texts import DatedTextError
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.uploaded_text import decoded_text

ENDINGS = ("txt", "csv", "tsv")
FEWEST_PAIRS, MOST_PAIRS = 20, 20_000
LONGEST_WORDS, LONGEST_LETTERS = 30, 200
WHAT_A_FILE_IS = (
    f"A file of two columns, a sentence and its answer, {FEWEST_PAIRS} to {MOST_PAIRS:,} pairs. A tab, semicolon, bar "
    f"or comma stands between them. A sentence has at most {LONGEST_WORDS} words."
)


def of_a_file(content: bytes, file: str) -> tuple[bytes, tuple[str, ...]]:
    """What is kept of a person's file, a pair a line with a tab between, and notes on it.

    Raises:
        TextError: the file is empty or no text, has a row without its answer, too few or too many pairs, or a sentence
            that is too long.
    """
    try:
        text, notes = decoded_text(content, file, "TXT, CSV and TSV files")
    except DatedTextError as error:
        raise TextError(str(error), error.code) from None
    separator = _separator(text, file)
    columns = columns_of_text(
        text.encode("utf-8", errors="replace"),
        separator,
        2,
        TextError,
        file=file,
        limit="are two columns of sentences",
        hint=", a sentence and its answer",
        ignore_empty_lines=True,
    )
    pairs = list(zip(*([" ".join(cell.split()) for cell in column.to_pylist()] for column in columns), strict=True))
    for number, pair in enumerate(pairs, start=1):
        _check(number, pair, file)
    if not FEWEST_PAIRS <= len(pairs) <= MOST_PAIRS:
        raise TextError(
            f"{file} has {len(pairs):,} pairs; allowed are {FEWEST_PAIRS} to {MOST_PAIRS:,}.",
            "too_few" if len(pairs) < FEWEST_PAIRS else "too_large",
        )
    return "".join(f"{source}\t{target}\n" for source, target in pairs).encode(), notes


def _separator(text: str, file: str) -> str:
    """What stands in the first row that is not empty, once."""
    first = next(line for line in text.splitlines() if line.strip())
    for separator in SEPARATORS:
        try:
            cells = len(next(csv.reader(io.StringIO(first), delimiter=separator)))
        except csv.Error:
            continue
        if cells == 2:
            return separator
    raise TextError(
        f"Row 1 of {file} has no two columns; allowed are a sentence and its answer, with a tab, semicolon, bar or "
        "comma between.",
        "one_column",
    )


def _check(number: int, pair: tuple[str, str], file: str) -> None:
    for sentence in pair:
        words = len(sentence.split())
        if not words:
            raise TextError(f"Row {number} of {file} has an empty sentence; every sentence needs its answer.", "empty")
        for length, most, units in ((words, LONGEST_WORDS, "words"), (len(sentence), LONGEST_LETTERS, "letters")):
            if length > most:
                raise TextError(
                    f"Row {number} of {file} has a sentence of {length:,} {units}; allowed are at most {most}.",
                    "too_long",
                )


def pairs_in(text: str) -> list[tuple[str, str]]:
    """The pairs of a kept text; raises :class:`TextError` for a text that holds none."""
    rows = [line.split("\t") for line in text.splitlines()]
    if len(rows) < FEWEST_PAIRS or any(len(row) != 2 for row in rows):
        raise TextError("The text is no list of sentence pairs; allowed is a file of two columns.", "other_kind")
    return [(source, target) for source, target in rows]
