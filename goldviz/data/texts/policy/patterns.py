"""The sentence patterns: those with a tone, those without one, and those that no labelled text has."""

from __future__ import annotations

from goldviz.data.texts.policy.grammar import Pattern, patterns
from goldviz.data.texts.policy.tables import table_of

_PATTERNS: dict[str, tuple[Pattern, ...]] = {
    name: tuple(pattern for entry in entries for pattern in patterns(**entry))
    for name, entries in table_of(__name__).items()
}
TONED_PATTERNS = _PATTERNS["toned"]
NEUTRAL_PATTERNS = _PATTERNS["neutral"]
UNSEEN_PATTERNS = _PATTERNS["unseen"]
