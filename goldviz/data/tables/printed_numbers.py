"""Numbers as people and programs print them: 1,234.5 and 1.234,5 and 1 234,5, 188.17K, 4.06%, $1,925.45.

Which mark is the decimal one is told from all columns together, because a single number often cannot say it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from goldviz.data.tables.file_table import MISSING, is_missing, printed

SUFFIXES = {"k": 3, "m": 6, "b": 9}
"""Thousands, millions and billions, as powers of ten."""

READ_FOR_MARK = 2_000
"""Rows from which the decimal mark is told, if they can tell it."""

MONEY = r"(?:(?:US|R|A|C)?\$|[€£¥₹₽₩]|zł|Kč|kr|USD|EUR|GBP|JPY|CHF|CNY|PLN|BRL|CAD|AUD|INR|RUB|TRY|KRW|SEK|NOK|DKK)"
"""Currencies, as they stand before a number or behind it."""

_NUMBER = r"[-+]?\d[\d.,' ]*?"
_BEHIND = re.compile(rf"{_NUMBER} ?(?P<unit>[^\W\d_]\D{{0,19}}|[€$£¥]\D{{0,19}})")

MARKS_BEHIND = r"(\d) ?(?:[*†‡¹²³]+|\([a-z\d]\)|[epr])$"
"""What refers to a footnote, as offices of statistics write it: 508.0*, 508.0 (p) and 508.0 p are 508.0."""

OTHER_CHARACTERS = (("[\u00a0\u2009\u202f]", " "), ("\u2019", "'"), ("\u2212", "-"))
"""Blanks, apostrophes and minus signs of typesetters, and the plain ones that stand for them here."""


@dataclass(frozen=True)
class ReadNumbers:
    """``values`` (n,) are NaN where nothing is given; ``wrong`` (n,) marks cells that are neither number nor gap.

    ``percent`` says that some carry a percent sign, which is left off: 4.06% is 4.06.
    """

    values: NDArray[np.float64]
    wrong: NDArray[np.bool_]
    percent: bool = False

    @property
    def numeric(self) -> bool:
        """Whether at least half of what is given is a number."""
        count = np.isfinite(self.values).sum()
        return bool(count > 0 and count >= self.wrong.sum())


def number_pattern(decimal: str) -> str:
    """The regular expression of all numbers with this decimal mark."""
    groups = "|".join(
        rf"[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{2,3}})*{re.escape(mark)}\d{{3}}"
        for mark in (_other(decimal), " ", "'")
    )
    mark = re.escape(decimal)
    return (
        rf"^[+-]?(?:{MONEY} ?)?(?:(?:\d+|{groups})(?:{mark}\d*)?|{mark}\d+)(?:[eE][+-]?\d{{1,3}})?"
        rf" ?(?:%|[{''.join(SUFFIXES)}{''.join(SUFFIXES).upper()}]|{MONEY})?$"
    )


def unit_behind(column: pa.Array) -> str:
    """What stands behind the number in every cell with a value, such as points; empty where nothing does.

    >>> unit_behind(pa.array(["1.925,5 USD/oz", "-", "1.930 USD/oz"])), unit_behind(pa.array(["5.1 M", "5.3 M"]))
    ('USD/oz', '')
    """
    beginning = _plain_marks(column[:READ_FOR_MARK]).to_pylist()
    match = _BEHIND.fullmatch(next((cell for cell in beginning if cell.lower() not in MISSING), ""))
    if match is None or match["unit"].lower() in SUFFIXES:
        return ""
    cells = _plain_marks(column)
    alike = pc.match_substring_regex(cells, f"^{_NUMBER} ?{re.escape(match['unit'])}$")
    return match["unit"] if pc.all(pc.or_(alike, is_missing(cells))).as_py() else ""


def without_unit(column: pa.Array, unit: str) -> pa.Array:
    """The cells without the unit behind their numbers."""
    return pc.replace_substring_regex(_plain_marks(column), rf"(\d) ?{re.escape(unit)}$", r"\1")


def decimal_mark(columns: Sequence[pa.Array], separator: str) -> tuple[str, str]:
    """The decimal mark of a whole table, and a cell that could be read both ways where no other cell decides.

    >>> decimal_mark([pa.array(["1.925,45", "1.930,10"])], ";")
    (',', '')
    >>> decimal_mark([pa.array(["1,925", "1,930"])], ",")
    ('.', '1,925')
    """
    for rows in (slice(READ_FOR_MARK), slice(None)):
        only_point, only_comma, unclear = _evidence([column[rows] for column in columns])
        if only_point or only_comma:
            return ("," if only_comma > only_point else "."), ""
    # Where semicolons separate, commas were wanted inside numbers.
    return ("," if separator == ";" and "," in unclear else "."), unclear


def _evidence(columns: Sequence[pa.StringArray]) -> tuple[int, int, str]:
    """How many cells are numbers with a decimal point only, with a decimal comma only, and one that is both."""
    only_point = only_comma = 0
    unclear = ""
    for column in columns:
        cells = _plain_marks(column)
        point = pc.match_substring_regex(cells, number_pattern("."))
        comma = pc.match_substring_regex(cells, number_pattern(","))
        only_point += pc.sum(pc.and_not(point, comma)).as_py() or 0
        only_comma += pc.sum(pc.and_not(comma, point)).as_py() or 0
        if not unclear:
            both = cells.filter(pc.and_(pc.and_(point, comma), pc.match_substring_regex(cells, "[.,]")))
            unclear = both[0].as_py() if len(both) else ""
    return only_point, only_comma, unclear


def read_numbers(column: pa.Array, decimal: str) -> ReadNumbers:
    """The numbers of a column, exactly as far as they are printed."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return ReadNumbers(values, np.zeros(len(values), bool))
    cells = _plain_marks(column)
    values = _without_marks(cells, decimal)
    if values is not None:
        return ReadNumbers(values, np.zeros(len(values), bool))
    cells = pc.replace_substring_regex(cells, MARKS_BEHIND, r"\1")
    # As accountants write numbers below zero.
    cells = pc.replace_substring_regex(cells, r"^\((.+)\)$|^(\d.*)-$", r"-\1\2")
    missing = is_missing(cells)
    fits = pc.match_substring_regex(cells, number_pattern(decimal))
    wrong = pc.invert(pc.or_(fits, missing))
    percent = pc.any(pc.and_(fits, pc.ends_with(cells, "%"))).as_py() or False
    plain = pc.replace_substring_regex(cells, f"{MONEY}|[ '%+{_other(decimal)}]", "")
    plain = pc.replace_substring(plain, decimal, ".")
    for suffix, power in SUFFIXES.items():
        plain = pc.replace_substring_regex(plain, f"(?i){suffix}$", f"e{power}")
    return ReadNumbers(_cast(plain, fits), wrong.to_numpy(zero_copy_only=False), percent)


def _without_marks(cells: pa.StringArray, decimal: str) -> NDArray[np.float64] | None:
    """The values of a column with no marks but the decimal one, which is most columns; None for any other."""
    if decimal != ".":
        if pc.any(pc.match_substring(cells, ".")).as_py():
            return None
        cells = pc.replace_substring(cells, decimal, ".")
    with suppress(pa.ArrowInvalid):
        values: NDArray[np.float64] = cells.cast(pa.float64()).to_numpy(zero_copy_only=False)
        if np.isfinite(values).all():
            return values
    missing = is_missing(cells)
    with suppress(pa.ArrowInvalid):
        values = _cast(cells, pc.invert(missing))
        if np.isfinite(values).sum() + pc.sum(missing).as_py() == len(values):
            return values
    return None


def _cast(cells: pa.StringArray, has_text: pa.BooleanArray) -> NDArray[np.float64]:
    values: NDArray[np.float64] = (
        pc.if_else(has_text, cells, pa.scalar(None, pa.string())).cast(pa.float64()).to_numpy(zero_copy_only=False)
    )
    return values


def _other(decimal: str) -> str:
    return "." if decimal == "," else ","


def _plain_marks(column: pa.Array) -> pa.StringArray:
    cells = printed(column)
    if pc.all(pc.string_is_ascii(cells)).as_py():
        return cells
    for strange, plain in OTHER_CHARACTERS:
        cells = pc.replace_substring_regex(cells, strange, plain)
    return cells
