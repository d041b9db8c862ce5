"""What shape a formula's result has, found before anything is computed, so that no formula can ask for too much.

Arithmetic goes entry by entry, and an axis of length 1 is repeated where the other part is longer, as in NumPy. Sums
and maxima keep their axis with length 1, as the document does: the sum over the samples of (n, n1) is (1, n1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from goldviz.labs.backward_by_hand.formulas import (
    Call,
    Formula,
    FormulaError,
    Name,
    Negative,
    Number,
    Operation,
    Transposed,
)

LARGEST = 50_000
"""Entries of any tensor on the way."""
MOST_WORK = 5_000_000
"""Multiplications and additions of a whole formula."""

Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Kind:
    """A tensor's shape, and whether it holds places in a list (whole numbers) rather than quantities."""

    shape: Shape
    places: bool = False


@dataclass
class Scope:
    """What a formula may name: tensors with their kinds, and whole numbers such as n. Counts the work on the way."""

    tensors: Mapping[str, Kind]
    sizes: Mapping[str, int]
    work: int = field(default=0, init=False)

    def kind_of(self, formula: Formula) -> Kind:
        """The kind of a formula's result.

        Raises :class:`FormulaError` with a sentence where a name is unknown, shapes do not fit or it gets too large.
        """
        self.work = 0
        return self._kind(formula)

    def size(self, formula: Formula) -> int:
        """A whole number made of numbers and sizes by + - and *; raises :class:`FormulaError` for anything else."""
        match formula:
            case Number(value=value) if value.is_integer() and value <= LARGEST:
                return int(value)
            case Name(text=name) if name in self.sizes:
                return self.sizes[name]
            case Negative(of=of):
                return -self.size(of)
            case Operation(sign=sign, left=left, right=right) if sign in SIZES:
                size = SIZES[sign](self.size(left), self.size(right))
                if abs(size) <= LARGEST:
                    return size
        raise FormulaError(f"“{formula.text}” is no size: a whole number, or {', '.join(self.sizes)}.")

    def quantity(self, formula: Formula) -> Shape:
        """The shape of a part that holds quantities; raises :class:`FormulaError` where it holds places."""
        kind = self._kind(formula)
        if kind.places:
            text = _short(formula)
            raise FormulaError(f"{text} holds places in a list, not quantities. onehot({text}) has a 1 at each.")
        return kind.shape

    def places(self, formula: Formula) -> Shape:
        """The shape of a part that holds places; raises :class:`FormulaError` where it holds quantities."""
        kind = self._kind(formula)
        if not kind.places:
            raise FormulaError(f"{formula.text} holds quantities; X, Y and argmax(...) hold places in a list.")
        return kind.shape

    def _kind(self, formula: Formula) -> Kind:
        kind = self._of_part(formula)
        entries = math.prod(kind.shape)
        if entries > LARGEST:
            raise FormulaError(f"{_short(formula)} would have {entries:,} entries; allowed are {LARGEST:,}.")
        self._spend(entries)
        return kind

    def _spend(self, work: int) -> None:
        self.work += work
        if self.work > MOST_WORK:
            raise FormulaError(f"The formula asks for more than {MOST_WORK:,} multiplications and additions.")

    def _of_part(self, formula: Formula) -> Kind:
        match formula:
            case Number():
                return Kind(())
            case Name(text=name):
                return self._named(name)
            case Negative(of=of):
                return Kind(self.quantity(of))
            case Transposed(of=of):
                return Kind(_turned(self.quantity(of), of))
            case Operation(sign="@"):
                return self._product(formula)
            case Operation(left=left, right=right):
                return Kind(_broadcast(self.quantity(left), self.quantity(right), formula))
            case Call(function=function, arguments=arguments):
                return self._call(function, arguments)

    def _named(self, name: str) -> Kind:
        if name in self.sizes:
            return Kind(())
        if name not in self.tensors:
            raise FormulaError(f"There is nothing called “{name}” here.")
        return self.tensors[name]

    def _product(self, formula: Operation) -> Kind:
        left, right = self.quantity(formula.left), self.quantity(formula.right)
        if len(left) != 2 or len(right) != 2 or left[1] != right[0]:
            raise FormulaError(
                f"{_shaped(formula.left, left)} and {_shaped(formula.right, right)}: for @ the first needs as many "
                "columns as the second has rows."
            )
        if left[0] * right[1] <= LARGEST:
            self._spend(left[0] * left[1] * right[1])
        return Kind((left[0], right[1]))

    def _call(self, function: str, arguments: Sequence[Formula]) -> Kind:
        if function not in FUNCTIONS:
            raise FormulaError(f"There is no function “{function}”; there are {', '.join(FUNCTIONS)}.")
        signature = FUNCTIONS[function]
        if not signature.least <= len(arguments) <= signature.most:
            raise FormulaError(f"{function} is written {signature.usage}.")
        return signature.kind(self, arguments)

    def axis(self, formula: Formula, shape: Shape) -> int:
        """An axis of a tensor of this shape; raises :class:`FormulaError` where it has none of that number."""
        number = self.size(formula)
        if not 0 <= number < len(shape):
            raise FormulaError(f"A tensor of shape {written(shape)} has no axis {number}; axis 0 is the first.")
        return number


SIZES: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}


@dataclass(frozen=True)
class Function:
    """How a function is written, how many arguments it takes, and the kind of its result."""

    usage: str
    meaning: str
    least: int
    most: int
    kind: Callable[[Scope, Sequence[Formula]], Kind]


def _of_each(scope: Scope, arguments: Sequence[Formula]) -> Kind:
    return Kind(scope.quantity(arguments[0]))


def _reduced(scope: Scope, arguments: Sequence[Formula]) -> Kind:
    shape = scope.quantity(arguments[0])
    if len(arguments) == 1:
        return Kind(())
    axis = scope.axis(arguments[1], shape)
    return Kind((*shape[:axis], 1, *shape[axis + 1 :]))


def _largest_in_row(scope: Scope, arguments: Sequence[Formula]) -> Kind:
    shape = scope.quantity(arguments[0])
    if not shape:
        raise FormulaError(f"{arguments[0].text} is one number; argmax takes rows.")
    return Kind(shape[:-1], places=True)


def _one_hot(scope: Scope, arguments: Sequence[Formula]) -> Kind:
    return Kind((*scope.places(arguments[0]), scope.sizes["V"]))


def _sizes(scope: Scope, arguments: Sequence[Formula]) -> Shape:
    shape = tuple(scope.size(argument) for argument in arguments)
    if min(shape) < 1:
        raise FormulaError(f"{written(shape)} is no shape: every size is at least 1.")
    return shape


def _ones(scope: Scope, arguments: Sequence[Formula]) -> Kind:
    return Kind(_sizes(scope, arguments))


def _view(scope: Scope, arguments: Sequence[Formula]) -> Kind:
    old, new = scope.quantity(arguments[0]), _sizes(scope, arguments[1:])
    if math.prod(old) != math.prod(new):
        raise FormulaError(
            f"{_shaped(arguments[0], old)}, {math.prod(old)} entries; {written(new)} has {math.prod(new)}."
        )
    return Kind(new)


def _rows(scope: Scope, arguments: Sequence[Formula]) -> Kind:
    table, at = scope.quantity(arguments[0]), scope.places(arguments[1])
    if len(table) != 2 or table[0] != scope.sizes["V"]:
        raise FormulaError(
            f"{_shaped(arguments[0], table)}; take needs a row for each of the {scope.sizes['V']} characters."
        )
    return Kind((*at, table[1]))


def _added_rows(scope: Scope, arguments: Sequence[Formula]) -> Kind:
    at, values = scope.places(arguments[0]), scope.quantity(arguments[1])
    if values[:-1] != at or not values:
        sentence = (
            f"{_shaped(arguments[1], values)}; add_rows needs a row for each place of {_shaped(arguments[0], at)}."
        )
        raise FormulaError(sentence)
    return Kind((scope.sizes["V"], values[-1]))


FUNCTIONS: Mapping[str, Function] = {
    "sum": Function("sum(a) or sum(a, axis)", "Adds up; the axis stays, with length 1.", 1, 2, _reduced),
    "mean": Function("mean(a) or mean(a, axis)", "The sum divided by how many there are.", 1, 2, _reduced),
    "max": Function("max(a, axis)", "The largest; the axis stays, with length 1.", 2, 2, _reduced),
    "exp": Function("exp(a)", "Of every entry.", 1, 1, _of_each),
    "log": Function("log(a)", "The natural logarithm of every entry.", 1, 1, _of_each),
    "tanh": Function("tanh(a)", "Of every entry.", 1, 1, _of_each),
    "sqrt": Function("sqrt(a)", "Of every entry.", 1, 1, _of_each),
    "abs": Function("abs(a)", "Of every entry.", 1, 1, _of_each),
    "argmax": Function("argmax(a)", "The place of the largest entry of every row.", 1, 1, _largest_in_row),
    "onehot": Function("onehot(Y)", "A row of V for every place: 1 there, else 0.", 1, 1, _one_hot),
    "ones": Function("ones(n, V)", "A tensor of ones.", 1, 4, _ones),
    "view": Function("view(a, n, k, m)", "The same entries in another shape.", 2, 5, _view),
    "take": Function("take(C, X)", "The row of C at every place of X.", 2, 2, _rows),
    "add_rows": Function(
        "add_rows(X, a)", "A table of V rows: each row of a, added to the row that X names.", 2, 2, _added_rows
    ),
}


def written(shape: Shape) -> str:
    """A shape in words.

    >>> written((12, 3)), written((4,)), written(())
    ('12 × 3', '4', 'one number')
    """
    return " × ".join(map(str, shape)) or "one number"


def _shaped(part: Formula, shape: Shape) -> str:
    return f"{_short(part)} is {written(shape)}"


def _short(part: Formula) -> str:
    """A part as one would write it, cut in the middle where it is long."""
    text = part.text
    return text if len(text) <= 48 else f"{text[:22]} … {text[-22:]}"


def _turned(shape: Shape, part: Formula) -> Shape:
    if len(shape) != 2:
        raise FormulaError(f"{_shaped(part, shape)}: .T turns a matrix, which has two axes.")
    return shape[::-1]


def _broadcast(left: Shape, right: Shape, whole: Operation) -> Shape:
    axes = max(len(left), len(right))
    shapes = [(1,) * (axes - len(shape)) + shape for shape in (left, right)]
    if any(a != b and 1 not in (a, b) for a, b in zip(*shapes, strict=True)):
        raise FormulaError(
            f"{_shaped(whole.left, left)} and {_shaped(whole.right, right)}: {whole.sign} works entry by entry and "
            "needs equal lengths, or 1, on every axis."
        )
    return tuple(max(a, b) for a, b in zip(*shapes, strict=True))
