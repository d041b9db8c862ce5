"""What to try: changes of settings that are relative to what they are, held within the bounds that they declare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

Candidate = tuple[str, Mapping[str, Any]]
"""A sentence, in which ``{clip:g}`` prints the value that comes out, and the settings that it asks for.

A setting's value is a plain one, a :class:`Change` of what it is, or a function of all the settings.
"""


class Check(NamedTuple):
    """A candidate that is no cure: something to look at beside, which is offered without having been tried."""

    words: str
    changes: Mapping[str, Any]


class Mend(NamedTuple):
    """A candidate that mends how something is measured: it promises that the complaint goes, and no lower loss.

    An honest measurement may well show a higher one.
    """

    words: str
    changes: Mapping[str, Any]


Suited = Callable[[Any], Candidate]
"""A candidate that depends on the settings."""


class Change(Protocol):
    """A new value from the old one."""

    def of(self, value: Any) -> Any:
        """The new value."""


@dataclass(frozen=True)
class Times:
    """So many times the value; a whole number stays one."""

    factor: float

    def of(self, value: Any) -> Any:
        """The product."""
        return type(value)(value * self.factor)


@dataclass(frozen=True)
class Scaled:
    """So many times the value, to three digits."""

    factor: float

    def of(self, value: Any) -> Any:
        """The rounded product."""
        return float(f"{value * self.factor:.3g}")


@dataclass(frozen=True)
class DividedBy:
    """The value divided by so much; a whole number is rounded down."""

    divisor: float

    def of(self, value: Any) -> Any:
        """The quotient."""
        return type(value)(value / self.divisor)


class Bound(Change, Protocol):
    """A change that only holds a value within a bound, and can say so."""

    def in_words(self) -> str:
        """The bound."""


@dataclass(frozen=True)
class RaisedTo:
    """At least so much: what is larger stays."""

    least: float

    def of(self, value: Any) -> Any:
        """The larger of the two."""
        return max(self.least, value)

    def in_words(self) -> str:
        """'at least 20'."""
        return f"at least {self.least:g}"


@dataclass(frozen=True)
class LoweredTo:
    """At most so much: what is smaller stays."""

    most: float

    def of(self, value: Any) -> Any:
        """The smaller of the two."""
        return min(self.most, value)

    def in_words(self) -> str:
        """'at most 300'."""
        return f"at most {self.most:g}"


@dataclass(frozen=True)
class IfZero:
    """So much where the setting is zero, which switches it off; anything else stays."""

    value: Any

    def of(self, value: Any) -> Any:
        """The value in force, or this one."""
        return value or self.value


@dataclass(frozen=True)
class Remedy:
    """A candidate made out for some settings: its words as they stand in the rule, and filled in; what it changes.

    A ``check`` promises nothing, and what ``mends`` the measuring no lower loss. One that ``switches_off`` its rule,
    which does not apply to the settings that it makes, cannot promise that the complaint goes.
    """

    words: str
    advice: str
    changes: Mapping[str, Any]
    check: bool = False
    mends: bool = False
    switches_off: bool = False


def remedies(settings: object, *candidates: Candidate | Suited) -> tuple[Remedy, ...]:
    """The candidates that change something in the settings, in their order.

    Changes and functions are held within the declared bounds of the setting; values that the settings have already
    are left out.
    """
    useful = []
    for candidate in candidates:
        choice = candidate(settings) if callable(candidate) else candidate
        words, new_values = choice
        values = {name: _value(settings, name, change) for name, change in new_values.items()}
        changes = {name: value for name, value in values.items() if getattr(settings, name) != value}
        if changes:
            kind = {"check": isinstance(choice, Check), "mends": isinstance(choice, Mend)}
            useful.append(Remedy(words, words.format_map(values), changes, **kind))
    return tuple(useful)


MEASURED_BY = {"learning_rate": "optimiser", "gain": "initialisation"}
"""Settings whose numbers compare only where these are alike: another optimiser's rate is another size of step."""


def opposed(settings: object, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two changes go opposite ways: one raises what the other lowers, or they make different choices."""
    return any(_opposed_in(name, getattr(settings, name), one, other) for name in one.keys() & other.keys())


def _opposed_in(name: str, old: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    first, second, measure = one[name], other[name], MEASURED_BY.get(name)
    if measure and one.get(measure) != other.get(measure):
        return False
    if isinstance(old, bool) or not isinstance(old, int | float):
        return bool(first != second)
    return bool((first - old) * (second - old) < 0)


def _value(settings: object, name: str, change: Any) -> Any:
    if hasattr(change, "of"):
        return _within_bounds(settings, name, change.of(getattr(settings, name)))
    return _within_bounds(settings, name, change(settings)) if callable(change) else change


def _within_bounds(settings: Any, name: str, value: Any) -> Any:
    """The value within ``ge`` and ``le`` of the setting, of the type that it had."""
    kind = type(value)
    for bound in type(settings).model_fields[name].metadata:
        value = max(getattr(bound, "ge", value), value)
        value = min(getattr(bound, "le", value), value)
    return kind(value)


SLOWER: Candidate = ("Take a tenth of the learning rate.", {"learning_rate": DividedBy(10)})
A_THIRD: Candidate = ("Take a third of the learning rate.", {"learning_rate": DividedBy(3)})
FASTER: Candidate = ("Take ten times the learning rate.", {"learning_rate": Times(10)})
LONGER: Candidate = ("Train three times as long.", {"steps": Times(3)})
CLIPPED: Candidate = ("Cap the gradient's norm at 1.", {"clip": IfZero(1.0)})
SLOWER_AND_CLIPPED: Candidate = (
    "Take a tenth of the learning rate, and cap the gradient's norm.",
    {"learning_rate": DividedBy(10), "clip": IfZero(1.0)},
)
