"""Dates as people write them, to be written as ISO 8601: "Mon, 3 September 2001" becomes 2001-09-03."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import torch
from torch import Generator

from goldviz.data.pairs.pairs import NO_WORD, Pairs, PairTask, SentenceError

FIRST, LAST = datetime.date(1950, 1, 1).toordinal(), datetime.date(2049, 12, 31).toordinal()
MONTHS = tuple(calendar.month_name)[1:]
SHORT_MONTHS = tuple(f"{name[:3]}." for name in MONTHS)
WEEKDAYS = tuple(calendar.day_name)
DIGITS = tuple("0123456789")
ENDINGS = ("st", "nd", "rd", "th")
MARKS = (",", ".", "/", "the", "of")
WORDS = (*DIGITS, *MONTHS, *SHORT_MONTHS, *WEEKDAYS, *ENDINGS, *MARKS)
ISO = (*DIGITS, "-")
PARTS = re.compile(r"\d|(?:" + "|".join(map(re.escape, SHORT_MONTHS)) + r")|[^\W\d_]+|\S")


class Piece(NamedTuple):
    """A word of a date, and the places of the ISO date that it stands for."""

    word: str
    stands_for: tuple[int, ...] = ()


def _number(value: int, places: tuple[int, ...], width: int) -> list[Piece]:
    """A number's digits; places in front of a shorter one stand for no word."""
    digits = str(value).zfill(width)
    return [Piece(digit, (place,)) for digit, place in zip(digits, places[-len(digits) :], strict=True)]


def _year(date: datetime.date) -> list[Piece]:
    return _number(date.year, (0, 1, 2, 3), 4)


def _month(date: datetime.date, width: int = 2) -> list[Piece]:
    return _number(date.month, (5, 6), width)


def _day(date: datetime.date, width: int = 1) -> list[Piece]:
    return _number(date.day, (8, 9), width)


def _named(names: Sequence[str], date: datetime.date) -> list[Piece]:
    return [Piece(names[date.month - 1], (5, 6))]


def _ordinal(date: datetime.date) -> list[Piece]:
    ending = "th" if date.day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(date.day % 10, "th")
    return [*_day(date), Piece(ending)]


def _mark(word: str) -> list[Piece]:
    return [Piece(word)]


FORMATS: dict[str, Callable[[datetime.date], list[Piece]]] = {
    "3 September 2001": lambda date: [*_day(date), *_named(MONTHS, date), *_year(date)],
    "September 3, 2001": lambda date: [*_named(MONTHS, date), *_day(date), *_mark(","), *_year(date)],
    "03.09.2001": lambda date: [*_day(date, 2), *_mark("."), *_month(date), *_mark("."), *_year(date)],
    "2001/09/03": lambda date: [*_year(date), *_mark("/"), *_month(date), *_mark("/"), *_day(date, 2)],
    "3 Sep. 2001": lambda date: [*_day(date), *_named(SHORT_MONTHS, date), *_year(date)],
    "Monday, 3 September 2001": lambda date: [
        Piece(WEEKDAYS[date.weekday()]),
        *_mark(","),
        *_day(date),
        *_named(MONTHS, date),
        *_year(date),
    ],
    "the 3rd of September 2001": lambda date: [
        *_mark("the"),
        *_ordinal(date),
        *_mark("of"),
        *_named(MONTHS, date),
        *_year(date),
    ],
}
"""How dates are written, by the way in which each writes 3 September 2001."""


def iso_dates() -> PairTask:
    """Dates from 1950 to 2049 in seven formats; a digit of the answer stands for a digit or for the month's name."""
    return PairTask(
        WORDS, ISO, tuple(sorted(_by_length())), (), _drawn, PARTS.findall, _checked, "Monday, 3 September 2001"
    )


@cache
def _by_length() -> dict[int, list[tuple[str, bool]]]:
    """Formats, and whether the day has two digits, by how many words they make."""
    lengths: dict[int, list[tuple[str, bool]]] = {}
    for name, write in FORMATS.items():
        for day, two_digits in ((9, False), (10, True)):
            length = len(write(datetime.date(2001, 9, day)))
            lengths.setdefault(length, []).append((name, two_digits))
    return lengths


def _drawn(count: int, length: int, generator: Generator) -> Pairs:
    choices = _by_length()[length]
    which = torch.randint(len(choices), (count,), generator=generator).tolist()
    days = torch.randint(FIRST, LAST + 1, (count,), generator=generator).tolist()
    parts = torch.randint(1 << 20, (count,), generator=generator).tolist()
    numbers = {word: number for number, word in enumerate(WORDS)}
    source, target, alignment = [], [], []
    for choice, day, part in zip(which, days, parts, strict=True):
        name, two_digits = choices[choice]
        date = _with_day(datetime.date.fromordinal(day), part, two_digits)
        pieces, iso = FORMATS[name](date), date.isoformat()
        places = {place: number for number, piece in enumerate(pieces) for place in piece.stands_for}
        source.append([numbers[piece.word] for piece in pieces])
        target.append([ISO.index(sign) for sign in iso])
        alignment.append([places.get(place, NO_WORD) for place in range(len(iso))])
    return Pairs(torch.tensor(source), torch.tensor(target), torch.tensor(alignment))


def _with_day(date: datetime.date, part: int, two_digits: bool) -> datetime.date:
    """A date of the same month whose day has one digit, or two."""
    days = calendar.monthrange(date.year, date.month)[1]
    return date.replace(day=10 + part % (days - 9) if two_digits else 1 + part % 9)


def _checked(words: list[str]) -> None:
    """Whether a date is written in one of the formats: each of its words in the place of one of the same sort."""
    shape = [_sort(word) for word in words]
    if not any(shape == [_sort(piece.word) for piece in pieces] for pieces in _examples()):
        raise SentenceError(
            f"The date is written in no format that the network reads; allowed is: {'; '.join(FORMATS)}.",
            "ungrammatical",
        )


def _examples() -> Iterator[list[Piece]]:
    for write in FORMATS.values():
        yield from (write(datetime.date(2001, 9, day)) for day in (9, 10))


def _sort(word: str) -> str:
    sorts = {"digit": DIGITS, "month": MONTHS, "short month": SHORT_MONTHS, "weekday": WEEKDAYS, "ending": ENDINGS}
    return next((name for name, members in sorts.items() if word in members), word)
