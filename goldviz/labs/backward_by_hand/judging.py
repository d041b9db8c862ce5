"""A person's formula for one gradient, compared with autograd's: equal, where not, or which shape was expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from torch import Tensor

from goldviz.labs.backward_by_hand.evaluation import Board
from goldviz.labs.backward_by_hand.formulas import Formula, FormulaError, names_in, parse, written, written_out
from goldviz.labs.backward_by_hand.network import BACKWARD, Node, nodes
from goldviz.labs.backward_by_hand.passes import Passes, both_ways
from goldviz.labs.backward_by_hand.settings import BackwardByHand
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


def judge(settings: BackwardByHand, target: str, text: str) -> Verdict:
    """Read a formula for dL/d(target), find its shape, carry it out and compare it with autograd.

    It may name every tensor of the forward pass, and the gradients that the backward pass has found before. Nothing in
    it is run as Python, and what is too long, too deep or too large is refused before anything is computed.
    """
    with one_thread():
        passes = both_ways(settings)
        try:
            formula = parse(text)
            value = _value(passes.board, formula, target)
        except FormulaError as error:
            return Verdict("unread", str(error))
        return _compared(value, passes, nodes(settings.divisor)[target])


def found_before(target: str) -> list[str]:
    """The gradients that a formula for this one may name, the latest first."""
    return [f"d{name}" for name in reversed(BACKWARD[: BACKWARD.index(target)])]


def _value(board: Board, formula: Formula, target: str) -> Tensor:
    found_later = {f"d{name}" for name in BACKWARD[BACKWARD.index(target) :]}
    for name in names_in(formula):
        if name == f"d{target}":
            raise FormulaError(f"{name} is what you are asked for.")
        if name in found_later:
            raise FormulaError(f"{name} is not found yet: on the way back it comes after d{target}.")
    if not board.foretold(formula).is_floating_point():
        raise FormulaError(f"{written_out(formula)} holds places in a list, not quantities.")
    return board.carried_out(formula)


def _compared(gradient: Tensor, passes: Passes, node: Node) -> Verdict:
    reference = passes.autograd[node.name]
    if gradient.shape != reference.shape:
        return Verdict("shape", _about_shape(gradient, reference, node))
    difference = gradient - reference
    if not bool(difference.isfinite().all()):
        count = int((~difference.isfinite()).sum())
        words = f"{_of_all(count, difference)} not finite: a division by zero, or a root or logarithm of less."
        return Verdict("differs", words, difference)
    largest = float(difference.abs().max())
    tolerance = SHARE_APART * float(reference.abs().max()) + ROUNDING
    if largest <= tolerance:
        zero = " Both are zero but for rounding." if float(reference.abs().max()) <= ROUNDING else ""
        words = f"Equal to autograd: the largest difference of any entry is {largest:.1e}.{zero}"
        return Verdict("equal", words, difference)
    return Verdict("differs", _about_numbers(gradient, reference, tolerance, node), difference)


def _about_shape(gradient: Tensor, reference: Tensor, node: Node) -> str:
    axes = " × ".join(AXES[dim] for dim in node.dims)
    words = (
        f"Yours has the shape {written(tuple(gradient.shape))}. Expected is {written(tuple(reference.shape))} ({axes})."
    )
    if gradient.dim() == 2 and gradient.T.shape == reference.shape:
        return f"{words} Its transpose would fit."
    spread = [name for axis, name in enumerate(("samples", "columns")) if _is_summed(gradient, reference, axis)]
    if spread:
        return f"{words} It stands once for all {spread[0]}: what each of them asks for adds up."
    return words


def _is_summed(gradient: Tensor, reference: Tensor, axis: int) -> bool:
    """Whether a sum along this axis would have the expected shape."""
    return gradient.dim() == 2 and gradient.shape != reference.shape == gradient.sum(axis, keepdim=True).shape


def _about_numbers(gradient: Tensor, reference: Tensor, tolerance: float, node: Node) -> str:
    difference = (gradient - reference).abs()
    wrong = int((difference > tolerance).sum())
    place = tuple(map(int, np.unravel_index(int(difference.argmax()), tuple(difference.shape))))
    where = ", ".join(f"{AXES[dim]} {index + 1}" for dim, index in zip(node.dims, place, strict=True) if dim not in ONE)
    words = f"The right shape. {_of_all(wrong, difference)} other than autograd's, the most at {where}: yours is "
    words += f"{float(gradient[place]):.6g}, autograd's {float(reference[place]):.6g}."
    return f"{words} {_factor(gradient, reference, tolerance)}".rstrip()


ONE = ("row", "column")
"""Axes of length 1."""


def _of_all(count: int, entries: Tensor) -> str:
    return f"{count} of {entries.numel()} numbers {'is' if count == 1 else 'are'}"


def _factor(gradient: Tensor, reference: Tensor, tolerance: float) -> str:
    """What a single factor would mend, in a sentence; nothing where none would."""
    size = float((gradient * gradient).sum())
    factor = float((gradient * reference).sum()) / size if size else 0.0
    if not factor or float((gradient * factor - reference).abs().max()) > tolerance:
        return ""
    return "Only the sign is wrong." if abs(factor + 1) < 1e-9 else f"All of yours times {factor:.6g} would be right."
