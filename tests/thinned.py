"""Which cases of a test belong to the ordinary suite: its first ones; ``make test-long`` takes all."""

from collections.abc import Iterable
from typing import Any

import pytest


def thinned(cases: Iterable[Any], ordinary: int = 1) -> list[Any]:
    """The cases for ``pytest.mark.parametrize``; those after the first ``ordinary`` ones are slow."""
    rows = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*row, marks=[pytest.mark.slow] * (number >= ordinary)) for number, row in enumerate(rows)]


def thinned_by(cases: Iterable[tuple[Any, Any]], ordinary: int = 1) -> list[Any]:
    """The same where cases begin with what they belong to: the first ``ordinary`` of each."""
    seen: dict[Any, int] = {}
    marked = []
    for owner, *rest in cases:
        seen[owner] = seen.get(owner, 0) + 1
        marked.append(pytest.param(owner, *rest, marks=[pytest.mark.slow] * (seen[owner] > ordinary)))
    return marked
