"""What a committee's statement says, part by part, for the three decisions that it may have taken.

The slots ``committee``, ``band``, ``date`` and ``year`` are the same all through a statement.
"""

from __future__ import annotations

from dataclasses import dataclass

from goldviz.data.texts.policy.grammar import Pattern, patterns
from goldviz.data.texts.policy.tables import table_of

Section = tuple[Pattern, ...]


@dataclass(frozen=True)
class Decision:
    """What a statement says before, at and after the decision; the sign is 1 for a raise, -1 for a cut, 0 for none."""

    sign: int
    reasons: tuple[Section, ...]
    action: Section
    outlook: tuple[Section, ...]


_PARTS = table_of(__name__)

DECISIONS = tuple(
    Decision(
        entry["sign"],
        reasons=tuple(patterns(**reason) for reason in entry["reasons"]),
        action=patterns(**entry["action"]),
        outlook=tuple(patterns(**view) for view in entry["outlook"]),
    )
    for entry in _PARTS["decisions"]
)
GUIDANCE: Section = patterns(**_PARTS["guidance"])
VOTES: Section = patterns(**_PARTS["votes"])
