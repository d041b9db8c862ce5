"""The numbers that words print, each with one unit of its last digit, and whether what was measured rounds to them."""

import re
from typing import NamedTuple

CITATION = re.compile(r"\([^()]*(?:document \d{3}|eq\. \d|et al\. \d{4})[^()]*\)")
FORMULA = re.compile(
    r"dh\(t\)/dh\(t−1\)|1 − t²|near −1 and 1|(?:answer|answering|Saying|response to|almost|two is|far from) 0"
    r"|close to 1|regime 1 and 3|the calm days 3 that were 1 before"
)
"""Digits that belong to a formula, a name or an example, and are of no run."""

SPELT = {
    "two and a half times": "2.5 times",
    "ten times": "10 times",
    "four times": "4 times",
    "twice": "2 times",
    "two points": "2 points",
    "a tenth": "0.1",
    "a fifth": "0.2",
    "a quarter": "0.25",
    "half": "0.5",
}
"""Numbers that a threshold spells."""

RANGE = re.compile(r"([\d.]+) to ([\d.]+) %")
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
NUMBER = re.compile(
    r"(?P<below>less than |< )?(?<![\w.])(?P<number>1/\d+|[+−]?\d+(?:,\d{3})*(?:\.\d+)?)"
    r"(?: × 10(?P<exponent>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?(?P<percent> %)?"
)


class Printed(NamedTuple):
    """A number in words: its value, one unit of its last digit, and whether it is an upper end ("less than 1 %")."""

    value: float
    unit: float
    below: bool

    def agrees_with(self, measured: float) -> bool:
        """Whether this says what was measured: a whole number exactly, another to one unit's half."""
        if self.below:
            return 0 <= measured < self.value
        if isinstance(measured, int):
            return self.value == measured
        return abs(self.value - measured) <= 0.51 * self.unit


def numbers_in(words: str) -> list[Printed]:
    """All numbers but those of citations and formulas.

    >>> [f"{one.value:g} ± {one.unit:g}" for one in numbers_in("6,700 times, 2.8 × 10⁻⁵, −0.07 % (eq. 2)")]
    ['6700 ± 100', '2.8e-05 ± 1e-06', '-0.0007 ± 0.0001']
    """
    words = FORMULA.sub("", CITATION.sub("", words))
    words = RANGE.sub(r"\1 % to \2 %", words.replace("about as long as it was", "1.0 times as long"))
    return [_read(found) for found in NUMBER.finditer(words)]


def numbers_of_line(threshold: str) -> list[Printed]:
    """The same of a threshold, with those that it spells; "less than" belongs to the line, not to its number.

    >>> [one.value for one in numbers_of_line("a half-life of a tenth of the 47 steps back")]
    [0.1, 47.0]
    """
    for said, figure in SPELT.items():
        threshold = re.sub(rf"\b{said}\b(?!-)", figure, threshold)
    return numbers_in(threshold.replace("less than", "up to"))


def _read(found: re.Match[str]) -> Printed:
    said, below = found["number"].replace(",", "").replace("−", "-"), bool(found["below"])
    if said.startswith("1/"):
        return Printed(1 / float(said[2:]), 1e-9, below)
    scale = 10.0 ** int((found["exponent"] or "0").translate(SUPERSCRIPTS)) / (100 if found["percent"] else 1)
    return Printed(float(said) * scale, _unit(said.lstrip("+-"), found) * scale, below)


def _unit(digits: str, found: re.Match[str]) -> float:
    """Powers of ten show two digits, of which a zero is left out; so do whole numbers from a hundred on."""
    if found["exponent"]:
        return 0.1
    if "." in digits:
        return 10.0 ** -len(digits.partition(".")[2])
    rounded = not found["percent"] and len(digits) > 2 and digits.endswith("0")
    return 10.0 ** (len(digits) - 2) if rounded else 1.0
