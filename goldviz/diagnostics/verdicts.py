"""A verdict on a claim: numbers of several seeds against a declared line, by an interval and never by a word.

A claim has one part or more. A part *holds* where the whole 95 % interval lies inside its line, *does not hold* where
it lies outside, and is *undecided* where it reaches over the line. The interval is of the mean that as many other
cases would have, so that a verdict does not hang on the cases that were drawn. It speaks of a mean, which is nobody's
number where seeds fall into two groups: so the share of the seeds on its side has to be above half, too, by its own
interval. The claim holds where all parts do, *in part* where some do and others do not; one that says *always* holds
only whole. A *control* is shown beside the parts and decides nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from goldviz.diagnostics.findings.words import SUPERSCRIPT
from goldviz.diagnostics.noise import mean_interval, wilson_interval

Floats = NDArray[np.float64]
Word = Literal["holds", "holds in part", "does not hold", "undecided"]
Scale = Literal["difference", "ratio", "share"]

WORDS: tuple[Word, ...] = ("holds", "holds in part", "does not hold", "undecided")
PLURAL = {"holds": "hold", "holds in part": "hold in part", "does not hold": "do not hold"}
DEFAULT_FORMAT = ".3g"
HALF = 0.5


@dataclass(frozen=True)
class Interval:
    """A mean over cases, and where the mean of as many others lies in 95 % of draws."""

    centre: float
    low: float
    high: float


def interval(values: Sequence[float], scale: Scale) -> Interval:
    """The mean over cases, with the 95 % interval of the mean of as many others.

    By Student's t for a ``difference``, t s √(2/n): both means have their spread. By Student's t of the
    logarithms for a ``ratio``, whose mean is then the geometric one; by Wilson's interval for a ``share``, whose values
    are 1 (yes) and 0 (no). One case, or one that gave no number, leaves the interval unbounded.

    >>> interval([1.0, 2.0, 3.0], "difference")
    Interval(centre=2.0, low=-1.513..., high=5.513...)
    """
    numbers = np.asarray(values, dtype=np.float64)
    if scale == "share":
        return _wilson(numbers)
    if scale == "ratio":
        with np.errstate(divide="ignore", invalid="ignore"):
            logarithmic = _student(np.log(numbers))
        return Interval(*(float(np.exp(x)) for x in (logarithmic.centre, logarithmic.low, logarithmic.high)))
    return _student(numbers)


def _student(numbers: Floats) -> Interval:
    count = len(numbers)
    if count < 2 or not np.isfinite(numbers).all():
        # All seeds alike are one number, even where it is infinite; else nothing is known.
        same = count > 1 and bool((numbers == numbers[0]).all())
        centre = float(numbers[0]) if same or count == 1 else math.nan
        return Interval(centre, centre if same else -math.inf, centre if same else math.inf)
    return Interval(float(numbers.mean()), *mean_interval(numbers, others=True))


def _wilson(numbers: Floats) -> Interval:
    share = float(numbers.mean())
    if not math.isfinite(share):
        return Interval(share, 0.0, 1.0)
    return Interval(share, *wilson_interval(float(numbers.sum()), len(numbers)))


@dataclass(frozen=True)
class Line:
    """Where a number has to lie: above one bound, below another, or between two."""

    above: float = -math.inf
    below: float = math.inf

    def holds(self, number: float) -> bool:
        """Whether a number lies inside."""
        over = self.above == -math.inf or number > self.above
        return over and (self.below == math.inf or number < self.below) and not math.isnan(number)

    def judge(self, interval: Interval) -> Word:
        """What an interval comes to."""
        if self.holds(interval.low) and self.holds(interval.high):
            return "holds"
        outside = -math.inf < self.above >= interval.high or math.inf > self.below <= interval.low
        return "does not hold" if outside else "undecided"

    def words(self, spec: str = DEFAULT_FORMAT) -> str:
        """The line as a person reads it.

        >>> Line(below=1).words(), Line(0.9, 1.1).words(), Line(above=0.5).words(".0%")
        ('below 1', 'between 0.9 and 1.1', 'above 50 %')
        """
        low, high = printed(self.above, spec), printed(self.below, spec)
        if math.isinf(self.above):
            return f"below {high}"
        return f"above {low}" if math.isinf(self.below) else f"between {low} and {high}"


@dataclass(frozen=True)
class Judged:
    """One part of a claim with its numbers: ``words`` say what was measured and hold a place for the mean, ``{}``.

    ``called`` names what the numbers are of: seeds, markets, texts. A ``control`` decides nothing.
    """

    words: str
    line: Line
    scale: Scale
    values: Sequence[float]
    called: str = "seeds"
    control: bool = False

    @property
    def interval(self) -> Interval:
        """The mean and its interval."""
        return interval(self.values, self.scale)

    @property
    def word(self) -> Word:
        """What the interval comes to; where seeds are on both sides, if most are on its own."""
        word = self.line.judge(self.interval)
        alike = [float(self.line.holds(value) == (word == "holds")) for value in self.values]
        if word == "undecided" or self.scale == "share" or all(alike):
            return word
        return word if interval(alike, "share").low > HALF else "undecided"

    @property
    def sentence(self) -> str:
        """The number, the line, how many seeds are inside it, and the interval."""
        before, _, spec, _ = next(part for part in Formatter().parse(self.words) if part[1] is not None)
        spec, interval = spec or DEFAULT_FORMAT, self.interval
        after = self.words[self.words.index("}") + 1 :]
        inside = sum(self.line.holds(value) for value in self.values)
        among, line = f"{len(self.values)} {self.called}", self.line.words(spec)
        among = f"{among}, line {line}" if self.scale == "share" else f"{inside} of {among} {line}"
        low, high = printed(interval.low, spec), printed(interval.high, spec)
        reach = "all alike" if interval.low == interval.high else f"95 % interval {low} to {high}"
        if low == high and reach != "all alike":
            reach = "alike to the last digit shown"
        return f"{before}{printed(interval.centre, spec)}{after} ({among}, {reach})"


def printed(number: float, spec: str) -> str:
    """A number in a format of Python's, as it stands in a sentence.

    >>> printed(0.123, ".0%"), printed(-0.5, ".2f"), printed(3.7e-5, ".2g"), printed(-1e-4, ".0%")
    ('12 %', '−0.50', '3.7 × 10⁻⁵', '0 %')
    """
    text, times, exponent = format(number, spec).replace("%", " %").partition("e")
    if times:
        text = f"{text} × 10{str(int(exponent)).translate(SUPERSCRIPT)}" if number else "0"
    if text.startswith("-") and not any(digit in text for digit in "123456789"):
        return text[1:]
    return f"−{text[1:]}" if text.startswith("-") else text


def counted(words: Iterable[str]) -> str:
    """How many verdicts there are of each word.

    >>> counted(["holds", "undecided", "holds", "does not hold", "not tested"])
    '2 hold, 1 does not hold, 1 undecided, 1 not tested'
    """
    counts = Counter(words)
    order = [*WORDS, *(word for word in counts if word not in WORDS)]
    phrases = [(counts[word], word if counts[word] == 1 else PLURAL.get(word, word)) for word in order]
    return ", ".join(f"{count} {words}" for count, words in phrases if count)


@dataclass(frozen=True)
class Verdict:
    """What the parts of a claim come to together."""

    parts: tuple[Judged, ...]
    whole: bool = False
    """Whether one part that does not hold refutes all, as of what is said to be so always."""

    @property
    def deciding(self) -> tuple[Judged, ...]:
        """The parts that the claim makes; controls are none."""
        return tuple(part for part in self.parts if not part.control)

    @property
    def word(self) -> Word:
        """One of :data:`WORDS`."""
        words = {part.word for part in self.deciding}
        if self.whole and "does not hold" in words:
            return "does not hold"
        if len(words) == 1:
            return words.pop()
        return "undecided" if "undecided" in words else "holds in part"

    @property
    def numbers(self) -> str:
        """What was measured; parts that differ say which way each went, and a control says that it is one."""
        alike = len({part.word for part in self.deciding}) == 1
        own = [part.sentence if alike else f"{part.sentence[:-1]}: {part.word})" for part in self.deciding]
        controls = [f"{part.sentence[:-1]}: a control)" for part in self.parts if part.control]
        return "; ".join([*own, *controls])

    @property
    def sentence(self) -> str:
        """The verdict with its numbers."""
        return f"{self.word}: {self.numbers}"
