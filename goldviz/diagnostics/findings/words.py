"""How numbers and networks stand in a sentence: "3,700 times", "63 %", "a tenth", "the RNN, LSTM and GRU"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PARTS = {0.01: "a hundredth", 0.1: "a tenth", 0.2: "a fifth", 0.25: "a quarter", 0.5: "half", 10: "ten times"}
COUNTS = {"2": "two", "3": "three"}
MOST_PERCENT = 10.0
LARGEST_EXPONENT = 300
"""Of ten, that a number holds well."""
MOST_DIGITS = 9
"""More than usual, after which a number that is next to its limit is printed like it."""
_LIMITS: ContextVar[Sequence[float]] = ContextVar("limits", default=())


@contextmanager
def apart_from(limits: Sequence[float]) -> Iterator[None]:
    """Numbers are printed with as many digits as it takes to tell them from these: 2.3 % beside a limit of 2 %.

    >>> with apart_from([0.02]):
    ...     print(percent(0.023), percent(0.02), percent(0.3))
    2.3 % 2 % 30 %
    """
    token = _LIMITS.set(limits)
    try:
        yield
    finally:
        _LIMITS.reset(token)


def unlike_limits(words: Callable[[float, int], str]) -> Callable[[float], str]:
    """A number in words, with more digits where it would else read like a limit that it is not."""

    @wraps(words)
    def printed(number: float) -> str:
        for more in range(MOST_DIGITS):
            text = words(number, more)
            if all(limit == number or words(limit, more) != text for limit in _LIMITS.get()):
                break
        return text

    return printed


@unlike_limits
def times(factor: float, more: int = 0) -> str:
    """A factor as a person reads it: about two digits, and powers of ten for what is very large or small.

    >>> times(3704.2), times(1.42), times(3.2e9), times(0.0002)
    ('3,700', '1.4', '3.2 × 10⁹', '2 × 10⁻⁴')
    """
    if not np.isfinite(factor):
        return "infinitely many"
    if factor >= 1e6 or 0 < factor < 1e-3:
        mantissa, exponent = f"{factor:.{1 + more}e}".split("e")
        return f"{mantissa.removesuffix('.0')} × 10{str(int(exponent)).translate(SUPERSCRIPT)}"
    if factor >= 100:
        return f"{float(f'{factor:.{2 + more}g}'):,.{max(0, 2 + more - len(str(int(factor))))}f}"
    return f"{factor:.{1 + more}f}" if 1 <= factor < 10 else f"{factor:.{2 + more}g}"


@unlike_limits
def percent(share: float, more: int = 0) -> str:
    """A share as a percentage; what is ten times the whole or more is no share, see :func:`share_of`.

    >>> percent(0.634), percent(108.8)
    ('63 %', 'more than 1,000 %')
    """
    return "more than 1,000 %" if share > MOST_PERCENT else f"{100 * share:.{more}f} %"


@unlike_limits
def fine_percent(share: float, more: int = 0) -> str:
    """A share as a percentage, with two digits where it is small.

    >>> fine_percent(0.634), fine_percent(0.00015)
    ('63 %', '0.015 %')
    """
    if share > MOST_PERCENT:
        return percent(share)
    return f"{100 * share:.{more}f} %" if share >= 0.1 else f"{100 * share:.{2 + more}g} %"


def share_of(share: float) -> str:
    """A share, or a multiple, with the word that what it is of takes after it.

    >>> f"{share_of(0.634)} the loss", f"{share_of(1.04)} the loss", f"{share_of(108.8)} the loss"
    ('63 % of the loss', '104 % of the loss', '110 times the loss')
    """
    return f"{percent(share)} of" if share < 2 else f"{times(share)} times"


def part(share: float) -> str:
    """A share or a multiple in words where it has common ones, else as a percentage or in figures.

    >>> part(0.1), part(0.12), part(10), part(7)
    ('a tenth', '12 %', 'ten times', '7.0 times')
    """
    return PARTS.get(round(share, 6), percent(share) if share < 1 else f"{times(share)} times")


def counted(verdicts: NDArray[np.bool_], noun: str) -> str:
    """How many of all a verdict holds for.

    >>> counted(np.array([True, False, True]), "fits")
    '2 of 3 fits'
    """
    return f"{int(verdicts.sum())} of {verdicts.size} {noun}"


@unlike_limits
def points(share: float, more: int = 0) -> str:
    """A difference of two shares.

    >>> points(0.15), points(0.02)
    ('15 points', 'two points')
    """
    count = f"{100 * share:.{more}f}"
    return f"{COUNTS.get(count, count)} points"


def quantity(share: float) -> str:
    """A share as a word that says no less and no more.

    >>> [quantity(share) for share in (1.0, 0.99, 0.6, 0.3, 0.04, 0.0)]
    ['all', 'nearly all', 'most', 'many', 'some', 'no']
    """
    at_least = {1.0: "all", 0.9: "nearly all", np.nextafter(0.5, 1): "most", 0.2: "many", np.nextafter(0.0, 1): "some"}
    return next((word for least, word in at_least.items() if share >= least), "no")


def power(exponent: float) -> str:
    """A power of ten from its exponent; below one as a fraction.

    >>> power(2), power(-2), power(900), power(-900)
    ('100', '1/100', 'more than 1 × 10³⁰⁰', 'less than 1 × 10⁻³⁰⁰')
    """
    if abs(exponent) >= LARGEST_EXPONENT:
        return f"more than {times(1e300)}" if exponent > 0 else f"less than {times(1e-300)}"
    return times(10.0**exponent) if exponent >= 0 else f"1/{times(10.0**-exponent)}"


FORMATS = {
    "times": times,
    "percent": percent,
    "fine_percent": fine_percent,
    "share_of": share_of,
    "part": part,
    "points": points,
    "quantity": quantity,
    "Quantity": lambda share: quantity(share).capitalize(),
    "Every": lambda share: "Every" if share == 1 else "Nearly every",
    "power": power,
}


class Printed(float):
    """A number for a template, which the format after the colon puts into words; Python's own formats hold, too.

    >>> "{0}, {0:times}, {0:.1f}; {1:percent}, {1:.1%}; {2:power}".format(Printed(1000), Printed(0.2), Printed(-2))
    '1,000, 1,000, 1000.0; 20 %, 20.0 %; 1/100'
    """

    limits: Sequence[float] = ()

    def beside(self, limits: Sequence[float]) -> Printed:
        """The same number, told apart from these: see :func:`apart_from`."""
        self.limits = limits
        return self

    def __format__(self, form: str) -> str:
        with apart_from(self.limits or _LIMITS.get()):
            return (FORMATS.get(form) or _formatted(form or ",g"))(float(self))


class Least(Printed):
    """The smallest of a measure of several networks, of all of which a :func:`quantity` alone can be said."""

    def __format__(self, form: str) -> str:
        if form not in ("quantity", "Quantity", "Every"):
            raise KeyError(form)
        return super().__format__(form)


def _formatted(form: str) -> Callable[[float], str]:
    """A number by one of Python's own formats."""

    @unlike_limits
    def words(number: float, more: int) -> str:
        finer = re.sub(r"\.(\d+)", lambda digits: f".{int(digits[1]) + more}", form)
        return re.sub("^-", "−", format(number, finer).replace("%", " %").replace("inf", "infinitely many"))

    return words


class Later(dict[str, Any]):
    """Fields of a template that others are filled into later: those stay as they are written.

    >>> "{own:percent} of {at}, {learning.early}".format_map(Later(at=Printed(3)))
    '{own:percent} of 3, {learning.early}'
    """

    def __missing__(self, field: str) -> Field:
        return Field(field)


@dataclass(frozen=True)
class Field:
    """A field of a template, or a part of it, that formats to itself."""

    path: str

    def __getattr__(self, part: str) -> Field:
        return Field(f"{self.path}.{part}")

    def __format__(self, form: str) -> str:
        return f"{{{self.path}:{form}}}" if form else f"{{{self.path}}}"


class Networks(dict[str, Any]):
    """Fields of a sentence about some networks: subject, verb and pronoun agree with how many there are.

    ``{subject}`` and ``{Subject}`` list them ("the RNN and GRU"); ``{one|many}`` chooses between two words. Names that
    are more than a word have each an article of their own, and one that no list could hold stands in quotation marks.

    >>> sentence = "{Subject} network{|s} keep{s its| their} gradient"
    >>> sentence.format_map(Networks(["plain"])), sentence.format_map(Networks(["plain", "residual"]))
    ('The plain network keeps its gradient', 'The plain and residual networks keep their gradient')
    """

    def __init__(self, names: Sequence[str], **fields: Any) -> None:
        said = [f"network “{name}”" if "," in name else name for name in names]
        if any(" with" in name or "“" in name for name in said):
            said = [said[0], *(f"the {name}" for name in said[1:])]
        listing = " and ".join([part for part in (", ".join(said[:-1]), *said[-1:]) if part])
        super().__init__(subject=f"the {listing}", Subject=f"The {listing}", **fields)
        self.several = len(names) > 1

    def __missing__(self, field: str) -> str:
        one, bar, many = field.partition("|")
        if not bar:
            raise KeyError(field)
        return many if self.several else one
