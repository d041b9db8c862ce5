"""A person's formula for one gradient, compared with autograd's: equal, where not, or which shape was expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from torch import Tensor

from goldviz.labs.backward_by_hand.evaluation import Board
from goldviz.labs.backward_by_hand.formulas import Formula, FormulaError, names_in, parse
from goldviz.labs.backward_by_hand.network import BACKWARD, Node, nodes
from goldviz.labs.backward_by_hand.passes import Passes, both_ways
from goldviz.labs.backward_by_hand.settings import BackwardByHand
from goldviz.labs.backward_by_hand.shapes import written
from goldviz.training.threads import one_thread

SHARE_APART = 1e-9
"""How far from autograd's a gradient may be, as a share of autograd's largest entry."""
ROUNDING = 1e-12
"""How far it may be where autograd's is zero."""

AXES = {
    "sample": "sample",
    "symbol": "character",
    "hidden": "hidden unit",
    "feature": "feature",
    "place": "place",
    "context_feature": "context feature",
    "row": "row",
    "column": "column",
}
"""What an axis counts, in words."""


@dataclass(frozen=True)
class Verdict:
    """What becomes of a formula: in a word, in sentences, and its difference to autograd's where it has one."""

    kind: Literal["equal", "differs", "shape", "unread"]
    words: str
    difference: Tensor | None = None


def judge(settings: BackwardByHand, asked: str, text: str) -> Verdict:
    """Read a formula for dL/d(asked), find its shape, carry it out and compare it with autograd.

    It may name every tensor of the forward pass, and the gradients that the backward pass has found before. Nothing in
    it is run as Python, and what is too long, too deep or too large is refused before anything is computed.
    """
    with one_thread():
        passes = both_ways(settings)
        try:
            formula = parse(text)
            value = _value(passes.board, formula, asked)
        except FormulaError as error:
            return Verdict("unread", str(error))
        return _compared(value, passes, nodes(settings.divisor)[asked])


def found_before(asked: str) -> list[str]:
    """The gradients that a formula for this one may name, the latest first."""
    return [f"d{name}" for name in reversed(BACKWARD[: BACKWARD.index(asked)])]


def _value(board: Board, formula: Formula, asked: str) -> Tensor:
    found_later = {f"d{name}" for name in BACKWARD[BACKWARD.index(asked) :]}
    for name in names_in(formula):
        if name == f"d{asked}":
            raise FormulaError(f"{name} is what you are asked for.")
        if name in found_later:
            raise FormulaError(f"{name} is not found yet: on the way back it comes after d{asked}.")
    kind = board.scope().kind_of(formula)
    if kind.places:
        raise FormulaError(f"{formula.text} holds places in a list, not quantities.")
    return board.carried_out(formula)


def _compared(found: Tensor, passes: Passes, node: Node) -> Verdict:
    expected = passes.autograd[node.name]
    if found.shape != expected.shape:
        return Verdict("shape", _about_shape(found, expected, node))
    difference = found - expected
    if not bool(difference.isfinite().all()):
        count = int((~difference.isfinite()).sum())
        words = f"{_of_all(count, difference)} not finite: a division by zero, or a root or logarithm of less."
        return Verdict("differs", words, difference)
    largest = float(difference.abs().max())
    allowed = SHARE_APART * float(expected.abs().max()) + ROUNDING
    if largest <= allowed:
        zero = " Both are zero but for rounding." if float(expected.abs().max()) <= ROUNDING else ""
        words = f"Equal to autograd: the largest difference of any entry is {largest:.1e}.{zero}"
        return Verdict("equal", words, difference)
    return Verdict("differs", _about_numbers(found, expected, allowed, node), difference)


def _about_shape(found: Tensor, expected: Tensor, node: Node) -> str:
    axes = " × ".join(AXES[dim] for dim in node.dims)
    words = f"Yours has the shape {written(tuple(found.shape))}. Expected is {written(tuple(expected.shape))} ({axes})."
    if found.dim() == 2 and found.T.shape == expected.shape:
        return f"{words} Its transpose would fit."
    spread = [name for axis, name in enumerate(("samples", "columns")) if _is_summed(found, expected, axis)]
    if spread:
        return f"{words} It stands once for all {spread[0]}: what each of them asks for adds up."
    return words


def _is_summed(found: Tensor, expected: Tensor, axis: int) -> bool:
    """Whether a sum along this axis would have the expected shape."""
    return found.dim() == 2 and found.shape != expected.shape == found.sum(axis, keepdim=True).shape


def _about_numbers(found: Tensor, expected: Tensor, allowed: float, node: Node) -> str:
    difference = (found - expected).abs()
    wrong = int((difference > allowed).sum())
    place = tuple(map(int, np.unravel_index(int(difference.argmax()), tuple(difference.shape))))
    where = ", ".join(f"{AXES[dim]} {index + 1}" for dim, index in zip(node.dims, place, strict=True) if dim not in ONE)
    words = f"The right shape. {_of_all(wrong, difference)} other than autograd's, the most at {where}: yours is "
    words += f"{float(found[place]):.6g}, autograd's {float(expected[place]):.6g}."
    return f"{words} {_factor(found, expected, allowed)}".rstrip()


ONE = ("row", "column")
"""Axes of length 1."""


def _of_all(count: int, entries: Tensor) -> str:
    return f"{count} of {entries.numel()} numbers {'is' if count == 1 else 'are'}"


def _factor(found: Tensor, expected: Tensor, allowed: float) -> str:
    """What a single factor would mend, in a sentence; nothing where none would."""
    size = float((found * found).sum())
    factor = float((found * expected).sum()) / size if size else 0.0
    if not factor or float((found * factor - expected).abs().max()) > allowed:
        return ""
    return "Only the sign is wrong." if abs(factor + 1) < 1e-9 else f"All of yours times {factor:.6g} would be right."
