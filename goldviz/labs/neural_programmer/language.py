"""What a program is made of, the tiny language of questions, and tables as a person types them.

A question is ``sum``, ``count`` or ``print``, its column, and after ``where`` up to two conditions: "sum a where b
greater 0.4 and c lesser 0.8". A condition compares with the number behind it; a question has each comparison once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

OPERATIONS = ("keep", "greater", "lesser", "and", "sum", "count", "print")
"""In the order in which the controller weighs them."""
KEEP, GREATER, LESSER, AND, SUM, COUNT, PRINT = range(len(OPERATIONS))
READ_A_COLUMN = (GREATER, LESSER, SUM, PRINT)
CHANGE_ROWS = (GREATER, LESSER, AND)
COLUMNS = "abcde"
"""Names of columns, of which a table has the first."""


def in_words(operation: int, column: int) -> str:
    """A step of a program: the operation, and the column where it reads one.

    >>> in_words(GREATER, 1), in_words(COUNT, 1)
    ('greater b', 'count')
    """
    name = OPERATIONS[operation]
    return f"{name} {COLUMNS[column]}" if operation in READ_A_COLUMN else name


AGGREGATES = ("sum", "count", "print")
COMPARISONS = ("greater", "lesser")
WORDS = (*AGGREGATES, "where", "and", *COMPARISONS)
NO_PIVOT = 0.5
"""What a comparison takes that the question has no number for."""
MOST_ROWS, LONGEST = 20, 12
"""Rows of a table of one's own, and words of a question, at most."""


class QuestionError(ValueError):
    """A question or a table that is not understood, in one sentence: what it is, and what is allowed."""

    for_a_person = True


class Condition(NamedTuple):
    """A column, ``greater`` or ``lesser``, and the number that it is compared with."""

    column: int
    comparison: str
    pivot: float


class Question(NamedTuple):
    """What is asked for, of which column (None for ``count``), and which rows."""

    aggregate: str
    column: int | None
    conditions: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        select_clause = self.aggregate if self.column is None else f"{self.aggregate} {COLUMNS[self.column]}"
        conditions = " and ".join(f"{COLUMNS[own.column]} {own.comparison} {own.pivot:.2f}" for own in self.conditions)
        return f"{select_clause} where {conditions}" if conditions else select_clause

    @property
    def pivots(self) -> tuple[float, float]:
        """The numbers behind ``greater`` and ``lesser``; a single number serves both."""
        by_name = {own.comparison: own.pivot for own in self.conditions}
        default = self.conditions[0].pivot if len(self.conditions) == 1 else NO_PIVOT
        return by_name.get("greater", default), by_name.get("lesser", default)


def understood(sentence: str, columns: int, conditions: int) -> Question:
    """The question that a sentence asks of a table with so many columns.

    >>> str(understood("Sum a where b greater 0.4", 2, 1))
    'sum a where b greater 0.40'

    Raises :class:`QuestionError` for an empty or a long sentence, a word that the language does not have, a column
    beyond the table, more conditions than the network has learned, and words in another order.
    """
    words = sentence.lower().split()
    if not 0 < len(words) <= LONGEST:
        raise QuestionError(f"The question has {len(words):,} words; allowed are 1 to {LONGEST}, such as count.")
    for word in words:
        _check(word, columns)
    reader = iter(words)
    question = _question(reader, sentence.strip())
    if len(question.conditions) > conditions:
        raise QuestionError(
            f"The question has {len(question.conditions)} conditions; allowed is what was learned: {conditions}."
        )
    return question


def _check(word: str, columns: int) -> None:
    """Whether the language and the table have the word."""
    if word in WORDS or word in COLUMNS[:columns] or _number(word) is not None:
        return
    if len(word) == 1 and word in COLUMNS:
        raise QuestionError(f"The question asks for column {word}; the table has {_listed(COLUMNS[:columns])}.")
    vocabulary = _listed((*WORDS, *COLUMNS[:columns]))
    raise QuestionError(f"The word {_short(word)!r} is unknown; allowed are {vocabulary} and numbers.")


def _question(words: Iterator[str], sentence: str) -> Question:
    aggregate = next(words)
    if aggregate not in AGGREGATES:
        raise _order(sentence)
    column = None if aggregate == "count" else _column(next(words, ""), sentence)
    conditions: list[Condition] = []
    for link in words:
        if link != ("and" if conditions else "where"):
            raise _order(sentence)
        place, comparison, pivot = _column(next(words, ""), sentence), next(words, ""), _number(next(words, ""))
        if comparison not in COMPARISONS or pivot is None or comparison in [own.comparison for own in conditions]:
            raise _order(sentence)
        conditions.append(Condition(place, comparison, pivot))
    return Question(aggregate, column, tuple(conditions))


def _column(word: str, sentence: str) -> int:
    if len(word) != 1 or word not in COLUMNS:
        raise _order(sentence)
    return COLUMNS.index(word)


def _order(sentence: str) -> QuestionError:
    return QuestionError(
        f"The words of {_short(sentence)!r} are in no order that is read; allowed is: sum a where b greater 0.4 and "
        "c lesser 0.8."
    )


def _number(word: str) -> float | None:
    """The number that a word is; None for another word, infinity or what is no number."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def table_of(text: str, columns: int) -> list[list[float]]:
    """The table that a person typed: a row a line, numbers from 0 to 1 with blanks or commas between them.

    >>> table_of("0.1 0.2; 0.3 0.4", 2)
    [[0.1, 0.2], [0.3, 0.4]]

    Raises :class:`QuestionError` for an empty table, one that is too long or has rows of another width, and for cells
    that are no number from 0 to 1.
    """
    lines = [line.replace(",", " ").split() for line in text.replace(";", "\n").splitlines()]
    rows = [line for line in lines if line]
    if not 0 < len(rows) <= MOST_ROWS:
        raise QuestionError(f"The table has {len(rows):,} rows; allowed are 1 to {MOST_ROWS}.")
    return [_row(place, cells, columns) for place, cells in enumerate(rows, start=1)]


def _row(place: int, cells: list[str], columns: int) -> list[float]:
    if len(cells) != columns:
        raise QuestionError(f"Row {place} has {len(cells):,} numbers; allowed is one for each column: {columns}.")
    values = []
    for cell in cells:
        value = _number(cell)
        if value is None or not 0 <= value <= 1:
            raise QuestionError(f"Row {place} holds {_short(cell)!r}; allowed are numbers from 0 to 1, such as 0.25.")
        values.append(value)
    return values


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _short(words: str) -> str:
    return words if len(words) <= 40 else f"{words[:39]}…"
