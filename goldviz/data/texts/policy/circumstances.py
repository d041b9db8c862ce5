"""The numbers, dates and votes of policy and market texts, drawn so that they are in order."""

from __future__ import annotations

import calendar

import numpy as np

from goldviz.data.texts.policy.grammar import Lexicon, Term

FIRST_YEAR, LAST_YEAR = 1994, 2032
COUNTS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
QUARTERS = ("the first quarter", "the second quarter", "the third quarter", "the fourth quarter")
ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]


def whole_number(generator: np.random.Generator, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``, both included."""
    return low + int(generator.random() * (high - low + 1))


def in_quarters(quarters: int) -> str:
    """A number of quarter points as policy statements write it.

    >>> [in_quarters(number) for number in (0, 1, 2, 4, 19)]
    ['0', '1/4', '1/2', '1', '4-3/4']
    """
    whole, rest = divmod(quarters, 4)
    fraction = ("", "1/4", "1/2", "3/4")[rest]
    if whole and fraction:
        return f"{whole}-{fraction}"
    return fraction or str(whole)


def _band(generator: np.random.Generator) -> Term:
    """A target range and the one before it, a step of one to three quarters apart; the sign is the step's."""
    step = (1, 1, 1, 2, 2, 3)[whole_number(generator, 0, 5)]
    sign = 1 if generator.random() < 0.5 else -1
    old = whole_number(generator, step if sign < 0 else 0, 24)
    return rate_band(old, old + sign * step)


def rate_band(old: int, new: int) -> Term:
    """A target range a quarter wide whose low end is ``new`` quarters of a percent, after one at ``old``."""
    step, sign = abs(new - old), (new > old) - (new < old)
    up = sign > 0
    return Term(
        {
            "": f"{in_quarters(new)} to {in_quarters(new + 1)} percent",
            "low": in_quarters(new),
            "high": in_quarters(new + 1),
            "old": f"{in_quarters(old)} to {in_quarters(old + 1)} percent",
            "step": f"{in_quarters(step)} percentage point" + ("s" if step > 4 else ""),
            "basis": f"{25 * step} basis points",
            "do": "raise" if up else "lower",
            "done": "raised" if up else "lowered",
            "doing": "raising" if up else "lowering",
            "noun": "increase" if up else "reduction",
            "adjective": "higher" if up else "lower",
            "not": "lower" if up else "raise",
            "policy": "restrictive" if up else "accommodative",
            "firming": "firming" if up else "easing",
        },
        sign,
    )


def _pair(generator: np.random.Generator) -> Term:
    """Two different rates in percent with one decimal, and which way from the first to the second."""
    first = whole_number(generator, 5, 95)
    step = whole_number(generator, 1, 12)
    sign = 1 if first <= 12 or generator.random() < 0.5 else -1
    second = first + sign * step
    return Term(
        {
            "": f"from {first / 10:.1f} percent to {second / 10:.1f} percent",
            "first": f"{first / 10:.1f} percent",
            "second": f"{second / 10:.1f} percent",
            "by": f"{step / 10:.1f} percentage point" + ("s" if step != 10 else ""),
        },
        sign,
    )


def sums_after(first: int, unit: str, generator: np.random.Generator) -> Term:
    """A sum of money and another one after it, at least 1 and different; the sign says which way."""
    step = whole_number(generator, 1, 9)
    sign = 1 if first <= step or generator.random() < 0.5 else -1
    second = first + sign * step
    return Term(
        {
            "": f"{second} {unit} dollars",
            "first": f"{first} {unit} dollars",
            "second": f"{second} {unit} dollars",
            "by": f"{step} {unit} dollars",
            "number": str(second),
        },
        sign,
    )


def prices_after(first: int, generator: np.random.Generator) -> Term:
    """A price of an ounce in whole dollars and another one after it; the sign says which way."""
    step = 5 * whole_number(generator, 1, 9)
    sign = 1 if first < 300 or generator.random() < 0.5 else -1
    second = first + sign * step
    return Term(
        {
            "": f"{second} dollars",
            "first": f"{first} dollars",
            "second": f"{second} dollars",
            "by": f"{step} dollars",
            "number": str(second),
        },
        sign,
    )


def _sums(generator: np.random.Generator) -> Term:
    return sums_after(whole_number(generator, 12, 95), "million" if generator.random() < 0.5 else "billion", generator)


def _prices(generator: np.random.Generator) -> Term:
    return prices_after(5 * whole_number(generator, 60, 560), generator)


def _range(generator: np.random.Generator) -> Term:
    low = whole_number(generator, 1, 20)
    high = low + whole_number(generator, 1, 12)
    return Term(
        {
            "": f"between {low} and {high} percent",
            "from": f"from {low} to {high} percent",
            "low": f"{low} percent",
            "high": f"{high} percent",
        }
    )


def _percent(generator: np.random.Generator) -> Term:
    style = generator.random()
    if style < 0.5:
        return Term({"": f"{whole_number(generator, 2, 99) / 10:.1f} percent"})
    if style < 0.8:
        return Term({"": f"{whole_number(generator, 2, 60)} percent"})
    return Term({"": f"{in_quarters(whole_number(generator, 1, 30))} percent"})


def _interest(generator: np.random.Generator) -> Term:
    """A rate of interest that a central bank might pay or charge."""
    if generator.random() < 0.5:
        return Term({"": f"{in_quarters(whole_number(generator, 1, 22))} percent"})
    return Term({"": f"{whole_number(generator, 5, 550) / 100:.2f} percent"})


def _amount(generator: np.random.Generator) -> Term:
    number = whole_number(generator, 2, 19) * 5
    unit = "million" if generator.random() < 0.5 else "billion"
    return Term({"": f"${number} {unit}" if generator.random() < 0.5 else f"{number} {unit} dollars"})


def _votes(generator: np.random.Generator) -> Term:
    """How many voted for and against: the majority comes first, and the words agree with the numbers."""
    against = whole_number(generator, 0, 3)
    for_it = whole_number(generator, 7, 12) - against
    one = against == 1
    return Term(
        {
            "": f"{COUNTS[for_it - 2]} to {'one' if one else 'none' if not against else COUNTS[against - 2]}",
            "for": COUNTS[for_it - 2],
            "against": "one member" if one else "no member" if not against else f"{COUNTS[against - 2]} members",
            "who": "who preferred" if against else "although some had preferred",
        }
    )


def year_of(year: int) -> Term:
    """A year, with the one before it and two after it."""
    return Term({"": str(year), "next": str(year + 1), "last": str(year - 1), "later": str(year + 3)})


def _year(generator: np.random.Generator) -> Term:
    return year_of(whole_number(generator, FIRST_YEAR, LAST_YEAR))


def _date(generator: np.random.Generator) -> Term:
    month, day = whole_number(generator, 1, 12), whole_number(generator, 1, 27)
    return meeting_day(whole_number(generator, FIRST_YEAR, LAST_YEAR), month, day)


def meeting_day(year: int, month: int, day: int) -> Term:
    """The day of a meeting, in the forms that statements use."""
    name, following = calendar.month_name[month], calendar.month_name[month % 12 + 1]
    return Term(
        {
            "": f"{name} {day}, {year}",
            "days": f"{name} {day}-{day + 1}",
            "next": following,
            "year": str(year),
            "quarter": QUARTERS[(month - 1) // 3],
        }
    )


def _count(generator: np.random.Generator) -> Term:
    number = whole_number(generator, 0, 8)
    return Term({"": COUNTS[number], "next": COUNTS[number + 1], "ordinal": ORDINALS[number + 1]})


CIRCUMSTANCES: Lexicon = {
    "year": _year,
    "date": _date,
    "count": _count,
    "band": _band,
    "pair": _pair,
    "sums": _sums,
    "prices": _prices,
    "range": _range,
    "percent": _percent,
    "interest": _interest,
    "amount": _amount,
    "votes": _votes,
}
