"""Sound loops as other people write them, by name: whatever is said of one of them is a false alarm."""

from __future__ import annotations

from goldviz.diagnostics.findings.finding import Finding
from tests.watching.sound import acting, generating, orders, sequences, structured, supervised
from tests.watching.sound.trained import HABITS, LOOPS, Trained

__all__ = ["HABITS", "LOOPS", "Trained", "cards_of"]

SUBJECTS = (supervised, orders, sequences, generating, structured, acting)


def cards_of(trained: Trained) -> list[Finding]:
    """All that was said of a loop."""
    return [card for record in trained.records for card in record.findings()]
