"""What columns of numbers are to each other: bars, constants, changes of another column, and the price.

Numbers are asked before names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.bars import Bars, bars_in
from goldviz.data.tables.column_words import (
    BAR_WORDS,
    CHANGE_WORDS,
    CLOSE_WORDS,
    HIGH_WORDS,
    LOW_WORDS,
    NO_PRICE_WORDS,
    OPEN_WORDS,
    PRICE_WORDS,
    name_words,
)
from goldviz.data.tables.daily_column import FEWEST_VALUES
from goldviz.data.tables.file_table import FileTable, plain_words
from goldviz.data.tables.printed_dates import PrintedDates
from goldviz.data.tables.printed_numbers import ReadNumbers
from goldviz.data.tables.understood import Question, Told

ROWS_FOR_CHANGES = 5_000
"""About so many rows, spread over a table, tell whether a column is the change of another."""


@dataclass(frozen=True)
class Roles:
    """What columns of numbers are to each other: bars, constants, changes of another column, and the price."""

    price: int
    bars: tuple[Bars, ...]
    named_bars: bool
    constant: tuple[int, ...]
    change_of: dict[int, str]
    notes: tuple[str, ...]
    question: Question | None
    told: bool


def column_roles(
    table: FileTable,
    numeric: Sequence[int],
    numbers: Mapping[int, ReadNumbers],
    dates: PrintedDates,
    rows: NDArray[np.int64],
    answers: Told,
) -> Roles:
    """What the ``numeric`` columns are to each other in these ``rows``; raises MarketError for a price that is none."""
    order = rows[np.argsort(dates.moments[rows], kind="stable")]
    values = {column: numbers[column].values for column in numeric if not numbers[column].wrong.any()}
    names = {column: table.names[column] for column in numeric}
    groups = [_by_words(bars, names) for bars in bars_in(values, order)]
    constant = [column for column, cells in values.items() if _constant(cells[order])]
    constant = constant if len(constant) < len(numeric) else []
    free = [column for column in numeric if column not in constant] or list(numeric)
    price_name = priced([names[column] for column in free])[0]
    by_name = next((column for column in free if names[column] == price_name), None)
    closes = [bars.close for bars in groups]
    price = by_name if by_name is not None and (not groups or by_name in closes) else None
    if price is None:
        price = closes[0] if closes else _first_price(free, table)
    if answers.price:
        price = _told_price(table, names, answers.price)
    change_of = {
        column: names[other]
        for column in free
        for other in dict.fromkeys((price, *closes))
        if column in values
        and other in values
        and column != other
        and _is_change(values[column][order], values[other][order])
    }
    notes = [f"{names[column]} is the change of {name} itself and is left out." for column, name in change_of.items()]
    notes += [
        f"{names[column]} is {values[column][order[0]]:.10g} in every row and is left out." for column in constant
    ]
    question = None
    of_price = next((bars for bars in groups if price in (bars.close, bars.open)), None)
    if of_price and not of_price.certain and not answers.price and by_name is None:
        question = Question(
            "price",
            f"Of open and close in {table.file} the numbers do not tell which is which: which column is the close?",
            {names[column]: f"last {values[column][order[-1]]:,.10g}" for column in (of_price.close, of_price.open)},
        )
    nameless = not (table.header or table.kind == "parquet") or _says_nothing(names[price])
    others = [column for column in free if column in values and column not in change_of]
    if nameless and not of_price and by_name is None and not answers.price and len(others) > 1:
        question = Question(
            "price",
            f"The columns of {table.file} do not say which one is the price: which one is to be forecast?",
            {names[column]: f"last {values[column][order[-1]]:,.10g}" for column in others[:6]},
        )
    words = set().union(*(name_words(name) for name in names.values()))
    return Roles(
        price,
        tuple(groups),
        words.issuperset(BAR_WORDS),
        tuple(constant),
        change_of,
        tuple(notes),
        question,
        bool(answers.price),
    )


def _by_words(bars: Bars, names: Mapping[int, str]) -> Bars:
    """The bars, in which a column that is named as the close is the close."""
    inner = (bars.close, bars.open, *bars.others)
    for word in (*PRICE_WORDS[:3], *CLOSE_WORDS, "last", "price"):
        matches = [column for column in inner if word in name_words(names[column])]
        if matches:
            close = min(matches, key=lambda column: _vagueness(names[column]))
            others = [column for column in inner if column != close]
            first = bars.open if bars.open != close else others[0]
            return Bars(first, bars.high, bars.low, close, tuple(one for one in others if one != first), certain=True)
    return bars


def _says_nothing(name: str) -> bool:
    """Whether a column's name does not tell what it is of: a letter alone, or a part of a day's bar."""
    return len(set(name)) < 2 or bool(name_words(name) & {*BAR_WORDS, *OPEN_WORDS, *HIGH_WORDS, *LOW_WORDS})


def _constant(values: NDArray[np.float64]) -> bool:
    present = values[np.isfinite(values)]
    return len(present) > 1 and bool((present == present[0]).all())


def _first_price(columns: Sequence[int], table: FileTable) -> int:
    """The first column that neither its name nor its unit tells to be a change, a volume or a number of rows."""
    names = {column: f"{table.names[column]} {table.units.get(table.names[column], '')}" for column in columns}
    return next((column for column in columns if not name_words(names[column]) & NO_PRICE_WORDS), columns[0])


def _told_price(table: FileTable, names: Mapping[int, str], price: str) -> int:
    for column, name in names.items():
        if name == price or price == str(column + 1):
            return column
    choices = plain_words(", ".join(names.values()), 300)
    raise MarketError(
        f"{table.file} has no numbers in {plain_words(price)!r}; allowed as price are {choices}.", "not_offered"
    )


def _is_change(values: NDArray[np.float64], prices: NDArray[np.float64]) -> bool:
    """Whether a column is another one's move: its difference, or its change in per cent or as a share."""
    every = slice(None, None, max(1, len(prices) // ROWS_FOR_CHANGES))
    before, after, values = prices[:-1][every], prices[1:][every], values[1:][every]
    with np.errstate(divide="ignore", invalid="ignore"):
        moves = after - before
        shares = moves / before
    for change in (moves, 100 * shares, shares):
        both = np.isfinite(change) & np.isfinite(values)
        size = np.median(np.abs(change[both])) if both.sum() >= FEWEST_VALUES - 2 else 0.0
        if size > 0 and (np.abs(values[both] - change[both]) <= 0.06 * size).mean() > 0.9:
            return True
    return False


def priced(names: Sequence[str]) -> tuple[str, str]:
    """The name that most clearly says price, and the word that says it; empty where none does.

    Of several the shortest is meant (Close rather than Adj Close), and gold before anything else.
    """
    for word in (*PRICE_WORDS, *CLOSE_WORDS):
        fitting = [name for name in names if word in name_words(name) and not name_words(name) & CHANGE_WORDS]
        if fitting:
            return min(fitting, key=_vagueness), word
    return "", ""


def _vagueness(name: str) -> tuple[int, bool]:
    words = name_words(name)
    return len(words - {"gold"}), "gold" not in words
