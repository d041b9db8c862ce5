"""What the long way and the closed form of a gradient cost: formulas, memory that they ask for, and time.

Document 002, 1.4.4 and 1.4.5. Both ways are the formulas of :mod:`goldviz.labs.backward_by_hand.network` as they stand,
carried out by the same code, at a size at which memory and arithmetic count.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from statistics import median

import torch
from torch import Tensor

from goldviz.labs.backward_by_hand.evaluation import Board
from goldviz.labs.backward_by_hand.formulas import Formula, names_in, parse
from goldviz.labs.backward_by_hand.network import BACKWARD, EPSILON, closed_forms, nodes
from goldviz.labs.backward_by_hand.passes import forward
from goldviz.training.threads import one_thread

SIZES = {"n": 128, "k": 3, "m": 10, "V": 1000, "n1": 1000}
"""A batch of 128 with 1,000 characters and 1,000 hidden units."""
REPEATS = 7

SOFTMAX = BACKWARD[: BACKWARD.index("logits") + 1]
BATCH_NORM = ("bnraw", "bnvar_inv", "bnvar", "bndiff2", "bndiff", "bmean", "h_prebn")
STRETCHES = {"logits": ("Softmax and loss (1.4.4)", SOFTMAX), "h_prebn": ("Batch norm (1.4.5)", BATCH_NORM)}
"""What each closed form stands in place of: its words, and the gradients of the long way."""


@dataclass(frozen=True)
class Cost:
    """How many formulas, bytes kept from the forward pass, bytes asked for on the way, and seconds."""

    formulas: int
    kept: int
    made: int
    seconds: float


class _Counted(Board):
    """A board that adds up the bytes of what its formulas make, all that comes between included."""

    made = 0

    def carried_out(self, formula: Formula) -> Tensor:
        """The value of a formula, counted where it is a tensor of its own."""
        result = super().carried_out(formula)
        if isinstance(formula, (ast.BinOp, ast.UnaryOp, ast.Call)):
            self.made += result.nbytes
        return result


@cache
def compared() -> Mapping[str, tuple[Cost, Cost]]:
    """The costs of the long way and of the closed form, by the gradient that both give; measured once a process.

    The seconds are the median of seven rounds in which both take their turns.
    """
    with one_thread(), torch.no_grad():
        board = _passed()
        return {name: _both(board, name, stretch) for name, (_, stretch) in STRETCHES.items()}


def _passed() -> Board:
    """Random tensors of these sizes, forward and backward."""
    random = torch.Generator().manual_seed(0)

    def drawn(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=random, dtype=torch.float64)

    n, k, m, V, n1 = SIZES.values()
    start = {
        "X": torch.randint(V, (n, k), generator=random),
        "Y": torch.randint(V, (n,), generator=random),
        "C": drawn(V, m),
        "W1": drawn(k * m, n1),
        "b1": drawn(1, n1),
        "bngain": drawn(1, n1),
        "bnbias": drawn(1, n1),
        "W2": drawn(n1, V) / n1**0.5,
        "b2": drawn(1, V),
    }
    board = forward(Board(start, SIZES, EPSILON), "n - 1")
    for name in BACKWARD:
        board.tensors[f"d{name}"] = board.value(nodes("n - 1")[name].gradient)
    return board


def _both(board: Board, name: str, stretch: tuple[str, ...]) -> tuple[Cost, Cost]:
    ways = {f"d{one}": nodes("n - 1")[one].gradient for one in stretch}, {f"d{name}": closed_forms("n - 1")[name]}
    for way in ways:
        _carry_out(board, way)
    times = [[_seconds(board, way) for way in ways] for _ in range(REPEATS)]
    long, short = (
        _cost(board, way, median(seconds)) for way, seconds in zip(ways, zip(*times, strict=True), strict=True)
    )
    return long, short


def _carry_out(board: Board, way: Mapping[str, str]) -> None:
    for name, formula in way.items():
        board.tensors[name] = board.value(formula)


def _seconds(board: Board, way: Mapping[str, str]) -> float:
    began = time.perf_counter()
    _carry_out(board, way)
    return time.perf_counter() - began


def _cost(board: Board, way: Mapping[str, str], seconds: float) -> Cost:
    read = {name for formula in way.values() for name in names_in(parse(formula)) if name in nodes("n - 1")}
    counter = _Counted(board.tensors, board.sizes, EPSILON)
    _carry_out(counter, way)
    return Cost(len(way), sum(board.tensors[name].nbytes for name in read), counter.made, seconds)
