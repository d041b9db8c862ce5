"""Rules of laboratories whose answers are right or wrong: whether nearly all, some or half of them are right.

Their kinds, lines and severities are said here, with the share of a length where answers are sequences; what is asked,
and what stands beside it, is a laboratory's.
"""

from __future__ import annotations

from typing import Any

from goldviz.diagnostics.findings.finding import Floats
from goldviz.diagnostics.findings.line import at_least, below
from goldviz.diagnostics.findings.recorded import NetworkReading
from goldviz.diagnostics.findings.rule import Rule
from goldviz.diagnostics.findings.words import quantity

NEARLY_ALL = 0.99
HALF = 0.5


def right_at_length(n: NetworkReading, length: int | None) -> Floats:
    """The share of sequences of this length that are answered without a fault, at the last close look."""
    lengths = [int(known) for known in n.dataset["length"].values] if "length" in n.dataset.coords else []
    if length not in lengths:
        return n.nothing
    place = lengths.index(length)
    return n.at_last("length_accuracy", "close_look", "length", by=lambda shares: shares[place])


def of_answers(
    measure: str, what: str, *, where: str = "", subject: str = "{Subject}", number: str = "", **own: Any
) -> tuple[Rule, Rule, Rule]:
    """Rules on the share of ``what`` that is answered without a fault, which is the ``measure``.

    ``where`` ends the lines: "at the longest length". ``number`` is a template for what is told of a network.
    """
    by_guessing = own.pop("silenced_by", ())
    of = f"{{at:percent}} of {what}{f', {where}' if where else ''}"
    common: dict[str, Any] = {"number": number or f"{{{measure}:percent}} of {what} right", **own}
    be = f"{subject} {{is|are}}"
    return (
        Rule("learned", "good", f"{be} right on nearly all {what}", line=at_least(measure, NEARLY_ALL, of), **common),
        Rule(
            "some_wrong",
            "warning",
            f"{be} wrong on some {what}",
            line=below(measure, NEARLY_ALL, of) & at_least(measure, HALF, "{at:percent} of them"),
            at_end=True,
            silenced_by=by_guessing,
            **common,
        ),
        Rule(
            "most_wrong",
            lambda case: "bad" if len(case.names) == len(case.everything) else "warning",
            lambda case: f"{be} wrong on {quantity(1 - case.largest(measure))} {what}",
            line=below(measure, HALF, of),
            at_end=True,
            silenced_by=by_guessing,
            **common,
        ),
    )
