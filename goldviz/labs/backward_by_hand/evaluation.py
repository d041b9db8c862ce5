"""Formulas carried out by torch: each sign and each function of the grammar is one operation.

A person's formula is carried out twice, first on tensors of torch's ``meta`` device, which have a shape and no entries:
so its shapes are found, and none can ask for too much, before anything is computed. Arithmetic goes entry by entry, and
an axis of length 1 is repeated where the other part is longer. Sums and maxima keep their axis with length 1, as the
document does: the sum over the samples of (n, n1) is (1, n1). "@" multiplies matrices.
"""

from __future__ import annotations

import ast
import math
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from goldviz.labs.backward_by_hand.formulas import Formula, FormulaError, parse, written, written_out

LARGEST = 50_000
"""Entries of any tensor on the way."""
MOST_WORK = 5_000_000
"""Multiplications and additions of a whole formula."""


SIGNS: Mapping[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.Pow: ("**", operator.pow),
}
OF_SIZES = (ast.Add, ast.Sub, ast.Mult)

Shape: TypeAlias = tuple[int, ...]


def shaped(part: Formula, value: Tensor) -> str:
    """A part with its shape, in words."""
    return f"{written_out(part)} is {written(value.shape)}"


_known = cache(parse)


class Board:
    """Tensors by name, and the sizes of the batch: what formulas read, and where their results go."""

    device = "cpu"

    def __init__(self, tensors: Mapping[str, Tensor], sizes: Mapping[str, int], epsilon: float) -> None:
        self.tensors = {**tensors, "eps": torch.tensor(epsilon, dtype=torch.float64)}
        self.sizes = dict(sizes)

    def value(self, text: str) -> Tensor:
        """What a formula of goldviz's own comes to; those of a person go through :meth:`foretold` first."""
        return self.carried_out(_known(text))

    def foretold(self, formula: Formula) -> Tensor:
        """The result of a formula without its entries: its shape, and whether it holds places in a list.

        Raises :class:`FormulaError` with a sentence where a name is unknown, shapes do not fit or it gets too large.
        """
        return _Outlines(self).carried_out(formula)

    def carried_out(self, formula: Formula) -> Tensor:
        """The value of a formula."""
        match formula:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return self._number(number, formula)
            case ast.Name(id=name) if name in self.sizes:
                return self._number(self.sizes[name], formula)
            case ast.Name(id=name):
                if name not in self.tensors:
                    raise FormulaError(f"There is nothing called “{name}” here.")
                return self.tensors[name]
            case ast.UnaryOp(op=ast.USub(), operand=of):
                return -self.quantity(of)
            case ast.Attribute(attr="T", value=of):
                matrix = self.quantity(of)
                if matrix.dim() != 2:
                    raise FormulaError(f"{shaped(of, matrix)}: .T turns a matrix, which has two axes.")
                return matrix.T
            case ast.BinOp(op=ast.MatMult(), left=left, right=right):
                return self._product(left, right)
            case ast.BinOp(op=op, left=left, right=right) if type(op) in SIGNS:
                return self._each(*SIGNS[type(op)], left, right)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(name, arguments)
        raise FormulaError(f"“{written_out(formula)}” is no part of a formula.")

    def quantity(self, formula: Formula) -> Tensor:
        """A part that holds quantities; raises :class:`FormulaError` where it holds places."""
        value = self.carried_out(formula)
        if not value.is_floating_point():
            text = written_out(formula)
            raise FormulaError(f"{text} holds places in a list, not quantities. onehot({text}) has a 1 at each.")
        return value

    def places(self, formula: Formula) -> Tensor:
        """A part that holds places; raises :class:`FormulaError` where it holds quantities."""
        value = self.carried_out(formula)
        if value.is_floating_point():
            text = written_out(formula)
            raise FormulaError(f"{text} holds quantities; X, Y and argmax(...) hold places in a list.")
        return value

    def size(self, formula: Formula) -> int:
        """A whole number made of numbers and sizes by + - and *; raises :class:`FormulaError` for anything else."""
        match formula:
            case ast.Constant(value=int() as number) if not isinstance(number, bool) and number <= LARGEST:
                return number
            case ast.Name(id=name) if name in self.sizes:
                return self.sizes[name]
            case ast.UnaryOp(op=ast.USub(), operand=of):
                return -self.size(of)
            case ast.BinOp(op=op, left=left, right=right) if isinstance(op, OF_SIZES):
                size = int(SIGNS[type(op)][1](self.size(left), self.size(right)))
                if abs(size) <= LARGEST:
                    return size
        raise FormulaError(f"“{written_out(formula)}” is no size: a whole number, or {', '.join(self.sizes)}.")

    def shape(self, sizes: Sequence[Formula]) -> Shape:
        """A shape of such numbers, each 1 at least."""
        shape = tuple(map(self.size, sizes))
        if min(shape) < 1:
            raise FormulaError(f"{written(shape)} is no shape: every size is at least 1.")
        return shape

    def spend(self, work: int, entries: int) -> None:
        """Note multiplications and additions that are due, and how many entries they make."""

    def _number(self, value: float, formula: Formula) -> Tensor:
        if abs(value) > sys.float_info.max:
            raise FormulaError(f"{written_out(formula)} is too large a number.")
        return torch.tensor(float(value), dtype=torch.float64, device=self.device)

    def _product(self, left: Formula, right: Formula) -> Tensor:
        a, b = self.quantity(left), self.quantity(right)
        if a.dim() != 2 or b.dim() != 2 or a.shape[1] != b.shape[0]:
            raise FormulaError(
                f"{shaped(left, a)} and {shaped(right, b)}: for @ the first needs as many columns as the second has "
                "rows."
            )
        self.spend(a.numel() * b.shape[1], a.shape[0] * b.shape[1])
        return a @ b

    def _each(self, sign: str, act: Callable[[Any, Any], Any], left: Formula, right: Formula) -> Tensor:
        a, b = self.quantity(left), self.quantity(right)
        if any(x != y and 1 not in (x, y) for x, y in zip(a.shape[::-1], b.shape[::-1], strict=False)):
            raise FormulaError(
                f"{shaped(left, a)} and {shaped(right, b)}: {sign} works entry by entry and needs equal lengths, or 1, "
                "on every axis."
            )
        result: Tensor = act(a, b)
        return result

    def _call(self, name: str, arguments: Sequence[Formula]) -> Tensor:
        if name not in FUNCTIONS:
            raise FormulaError(f"There is no function “{name}”; there are {', '.join(FUNCTIONS)}.")
        function = FUNCTIONS[name]
        if len(arguments) not in function.counts:
            raise FormulaError(f"{name} is written {function.usage}.")
        return function.value(self, *arguments)


class _Outlines(Board):
    """The board's tensors without their entries, adding up the work that a formula asks for."""

    device = "meta"

    def __init__(self, board: Board) -> None:
        self.tensors = {name: tensor.to("meta") for name, tensor in board.tensors.items()}
        self.sizes, self.work = board.sizes, 0

    def carried_out(self, formula: Formula) -> Tensor:
        value = super().carried_out(formula)
        if value.numel() > LARGEST:
            words = f"{written_out(formula)} would have {value.numel():,} entries; allowed are {LARGEST:,}."
            raise FormulaError(words)
        self.spend(value.numel(), 0)
        return value

    def spend(self, work: int, entries: int) -> None:
        # What has too many entries is told so where it is made.
        self.work += work if entries <= LARGEST else 0
        if self.work > MOST_WORK:
            raise FormulaError(f"The formula asks for more than {MOST_WORK:,} multiplications and additions.")


@dataclass(frozen=True)
class Function:
    """How a function is written, what it does, how many arguments it takes, and its value on a board."""

    usage: str
    meaning: str
    counts: range
    value: Callable[..., Tensor]


def _along(name: str) -> Callable[..., Tensor]:
    def value(board: Board, array: Formula, along: Formula | None = None) -> Tensor:
        entries = board.quantity(array)
        if along is None:
            whole: Tensor = getattr(entries, name)()
            return whole
        axis = board.size(along)
        if not 0 <= axis < entries.dim():
            raise FormulaError(f"A tensor of shape {written(entries.shape)} has no axis {axis}; axis 0 is the first.")
        reduced: Any = getattr(entries, name)(axis, keepdim=True)
        found: Tensor = reduced.values if name == "max" else reduced
        return found

    return value


def _of_each(name: str) -> Callable[..., Tensor]:
    act: Callable[[Tensor], Tensor] = getattr(torch, name)
    return lambda board, array: act(board.quantity(array))


def _largest_in_row(board: Board, array: Formula) -> Tensor:
    entries = board.quantity(array)
    if not entries.dim():
        raise FormulaError(f"{written_out(array)} is one number; argmax takes rows.")
    return entries.argmax(-1)


def _one_hot(board: Board, array: Formula) -> Tensor:
    at, symbols = board.places(array), board.sizes["V"]
    if at.is_meta:
        return torch.empty(*at.shape, symbols, device="meta", dtype=torch.float64)
    return functional.one_hot(at, symbols).double()


def _view(board: Board, array: Formula, *sizes: Formula) -> Tensor:
    entries, shape = board.quantity(array), board.shape(sizes)
    if entries.numel() != math.prod(shape):
        count = f"{shaped(array, entries)}, {entries.numel()} entries"
        raise FormulaError(f"{count}; {written(shape)} has {math.prod(shape)}.")
    return entries.reshape(shape)


def _take(board: Board, array: Formula, at: Formula) -> Tensor:
    table, places, symbols = board.quantity(array), board.places(at), board.sizes["V"]
    if table.dim() != 2 or len(table) != symbols:
        raise FormulaError(f"{shaped(array, table)}; take needs a row for each of the {symbols} characters.")
    return table[places]


def _added_rows(board: Board, at: Formula, array: Formula) -> Tensor:
    """Each row added to the row of the table that its place names."""
    places, rows = board.places(at), board.quantity(array)
    if not rows.dim() or rows.shape[:-1] != places.shape:
        raise FormulaError(f"{shaped(array, rows)}; add_rows needs a row for each place of {shaped(at, places)}.")
    table = rows.new_zeros(board.sizes["V"], rows.shape[-1])
    return table.index_add(0, places.flatten(), rows.reshape(-1, rows.shape[-1]))


def _ones(board: Board, *sizes: Formula) -> Tensor:
    return torch.ones(board.shape(sizes), dtype=torch.float64, device=board.device)


ONE, TWO = range(1, 2), range(2, 3)
FUNCTIONS: Mapping[str, Function] = {
    "sum": Function("sum(a) or sum(a, axis)", "Adds up; the axis stays, with length 1.", range(1, 3), _along("sum")),
    "mean": Function("mean(a) or mean(a, axis)", "The sum divided by how many there are.", range(1, 3), _along("mean")),
    "max": Function("max(a, axis)", "The largest; the axis stays, with length 1.", TWO, _along("max")),
    "exp": Function("exp(a)", "Of every entry.", ONE, _of_each("exp")),
    "log": Function("log(a)", "The natural logarithm of every entry.", ONE, _of_each("log")),
    "tanh": Function("tanh(a)", "Of every entry.", ONE, _of_each("tanh")),
    "sqrt": Function("sqrt(a)", "Of every entry.", ONE, _of_each("sqrt")),
    "abs": Function("abs(a)", "Of every entry.", ONE, _of_each("abs")),
    "argmax": Function("argmax(a)", "The place of the largest entry of every row.", ONE, _largest_in_row),
    "onehot": Function("onehot(Y)", "A row of V for every place: 1 there, else 0.", ONE, _one_hot),
    "ones": Function("ones(n, V)", "A tensor of ones.", range(1, 5), _ones),
    "view": Function("view(a, n, k, m)", "The same entries in another shape.", range(2, 6), _view),
    "take": Function("take(C, X)", "The row of C at every place of X.", TWO, _take),
    "add_rows": Function(
        "add_rows(X, a)", "A table of V rows: each row of a, added to the row that X names.", TWO, _added_rows
    ),
}
