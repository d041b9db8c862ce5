"""Which cases of a test belong to the ordinary suite, ``make test``; ``make test-long`` takes all."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest

REPRESENTATIVES = (
    "depth-gradients",
    "recurrent-gradients",
    "char-gpt",
    "series-attention",
    "backpropagation-by-hand",
    "jacobian-lens",
)
"""Laboratories for which the ordinary suite tests what all share: one of each family that trains, and two that answer
at once. What a laboratory itself says is tested for every one."""
TRAINED_AS_WELL = ("ode-rnn",)
"""Whose training the ordinary suite tests so too, and neither pages nor figures: solvers stop and go on otherwise."""


def thinned(cases: Iterable[Any], ordinary: int = 1) -> list[Any]:
    """The cases for ``pytest.mark.parametrize``; those after the first ``ordinary`` ones are slow."""
    rows = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*row, marks=[pytest.mark.slow] * (number >= ordinary)) for number, row in enumerate(rows)]


def represented(cases: Iterable[Any], ordinary: float = 1, also: Collection[str] = ()) -> list[Any]:
    """The same where cases begin with a laboratory, or a small run of one: the first ``ordinary`` of each
    representative, and of those that are named ``also``."""
    so_far: dict[str, int] = {}
    marked = []
    for case in cases:
        row = case if isinstance(case, tuple) else (case,)
        name = getattr(row[0], "lab", row[0]).name
        so_far[name] = so_far.get(name, 0) + 1
        slow = name not in (*REPRESENTATIVES, *also) or so_far[name] > ordinary
        marked.append(pytest.param(*row, marks=[pytest.mark.slow] * slow))
    return marked
