"""What the page answers while a person types a gradient."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from goldviz.labs.backward_by_hand.judging import judge
from goldviz.labs.backward_by_hand.network import BACKWARD
from goldviz.labs.backward_by_hand.settings import BackwardByHand


def answer(settings: BackwardByHand, question: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on ``question["formula"]`` for the gradient of ``question["asked"]``.

    ``kind`` and ``words`` are the verdict's; ``wrong`` the difference to autograd's as rows of numbers, where a
    gradient of the right shape has other numbers. What is not finite is null. Raises ``ValueError`` for anything else.
    """
    target, formula = question.get("asked"), question.get("formula")
    if target not in BACKWARD or not isinstance(formula, str):
        raise ValueError("The question names no gradient of this network, or has no formula.")
    verdict = judge(settings, str(target), formula)
    wrong = None if verdict.difference is None or verdict.kind == "equal" else _rows(verdict.difference)
    return {"kind": verdict.kind, "words": verdict.words, "wrong": wrong}


def _rows(difference: Tensor) -> list[list[float | None]]:
    """A matrix row by row; of three axes, the last two side by side."""
    finite = difference.isfinite()
    rows = difference.reshape(difference.shape[0], -1).tolist()
    return [
        [value if good else None for value, good in zip(*pair, strict=True)]
        for pair in zip(rows, finite.reshape(difference.shape[0], -1).tolist(), strict=True)
    ]
