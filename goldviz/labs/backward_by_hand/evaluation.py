"""Formulas carried out on tensors: each sign and each function of the grammar is one operation of torch."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from goldviz.labs.backward_by_hand.formulas import Call, Formula, Name, Negative, Number, Operation, Transposed, parse
from goldviz.labs.backward_by_hand.shapes import Kind, Scope

SIGNS: Mapping[str, Callable[[Any, Any], Tensor]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "@": operator.matmul,
    "**": operator.pow,
}
EACH: Mapping[str, Callable[[Tensor], Tensor]] = {
    "exp": torch.exp,
    "log": torch.log,
    "tanh": torch.tanh,
    "sqrt": torch.sqrt,
    "abs": torch.abs,
}
ALONG: Mapping[str, Callable[[Tensor, int], Tensor]] = {
    "sum": lambda a, axis: a.sum(axis, keepdim=True),
    "mean": lambda a, axis: a.mean(axis, keepdim=True),
    "max": lambda a, axis: a.max(axis, keepdim=True).values,
}


_known = cache(parse)


class Board:
    """Tensors by name, and the sizes of the batch: what formulas read, and where their results go."""

    def __init__(self, tensors: Mapping[str, Tensor], sizes: Mapping[str, int], epsilon: float) -> None:
        self.tensors = {**tensors, "eps": torch.tensor(epsilon, dtype=torch.float64)}
        self.sizes = dict(sizes)

    def value(self, text: str) -> Tensor:
        """What a formula of goldviz's own comes to; those of a person go through :meth:`scope` first."""
        return self.carried_out(_known(text))

    def scope(self) -> Scope:
        """The names on the board, for finding shapes."""
        kinds = {
            name: Kind(tuple(tensor.shape), places=not tensor.is_floating_point())
            for name, tensor in self.tensors.items()
        }
        return Scope(kinds, self.sizes)

    def carried_out(self, formula: Formula) -> Tensor:
        """The value of a formula whose shapes are known to fit."""
        match formula:
            case Number(value=value):
                return torch.tensor(value, dtype=torch.float64)
            case Name(text=name):
                return self._named(name)
            case Negative(of=of):
                return -self.carried_out(of)
            case Transposed(of=of):
                return self.carried_out(of).T
            case Operation(sign=sign, left=left, right=right):
                return SIGNS[sign](self.carried_out(left), self.carried_out(right))
            case Call(function=function, arguments=arguments):
                return self._call(function, arguments)

    def _named(self, name: str) -> Tensor:
        if name in self.sizes:
            return torch.tensor(self.sizes[name], dtype=torch.float64)
        return self.tensors[name]

    def _call(self, function: str, arguments: Sequence[Formula]) -> Tensor:
        if function == "ones":
            return torch.ones(self._sizes(arguments), dtype=torch.float64)
        first, rest = self.carried_out(arguments[0]), arguments[1:]
        if function in EACH:
            return EACH[function](first)
        match function:
            case "sum" | "mean" if not rest:
                return first.sum() if function == "sum" else first.mean()
            case "sum" | "mean" | "max":
                return ALONG[function](first, *self._sizes(rest))
            case "argmax":
                return first.argmax(-1)
            case "onehot":
                return functional.one_hot(first, self.sizes["V"]).double()
            case "view":
                return first.reshape(self._sizes(rest))
            case "take":
                return first[self.carried_out(rest[0])]
            case "add_rows":
                return self._added(first, self.carried_out(rest[0]))
        raise LookupError(f"The function {function} has a shape and no value.")

    def _sizes(self, arguments: Sequence[Formula]) -> tuple[int, ...]:
        return tuple(map(Scope({}, self.sizes).size, arguments))

    def _added(self, places: Tensor, rows: Tensor) -> Tensor:
        """Each row added to the row of the table that its place names."""
        table = rows.new_zeros(self.sizes["V"], rows.shape[-1])
        return table.index_add(0, places.flatten(), rows.reshape(-1, rows.shape[-1]))
