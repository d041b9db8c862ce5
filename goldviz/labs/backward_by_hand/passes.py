"""The forward pass, the backward pass by the formulas, and autograd's gradients of the same loss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from goldviz.labs.backward_by_hand import batch
from goldviz.labs.backward_by_hand.batch import Batch
from goldviz.labs.backward_by_hand.evaluation import Board
from goldviz.labs.backward_by_hand.network import BACKWARD, EPSILON, Divisor, nodes
from goldviz.labs.backward_by_hand.settings import BackwardByHand
from goldviz.training.seeds import DATA, WEIGHTS, stream

TANH_GAIN = 5 / 3
"""Spread of W1 times the square root of its rows (document 002, 1.3.2)."""
SMALL = 0.1
"""Spread of biases and of what batch norm's scale has beside its setting: zeros would let a wrong formula pass."""


@dataclass(frozen=True)
class Passes:
    """One batch through the network and back: all tensors by name, gradients as "d" and the name, and autograd's."""

    batch: Batch
    board: Board
    autograd: Mapping[str, Tensor]

    def gradient(self, name: str) -> Tensor:
        """dL/d(name) by its formula."""
        return self.board.tensors[f"d{name}"]

    def difference(self, name: str) -> float:
        """The largest difference of any entry of that gradient to autograd's."""
        return float((self.gradient(name) - self.autograd[name]).abs().max())


def both_ways(settings: BackwardByHand) -> Passes:
    """Forward and backward for these settings; raises ``ValueError`` where a number stops being finite."""
    return _both_ways(settings.model_copy(update={settings.position: 1}))


@lru_cache(maxsize=32)
def _both_ways(settings: BackwardByHand) -> Passes:
    """The same wherever one looks."""
    examples, start = beginning(settings)
    divisor = settings.divisor
    reference = {
        name: tensor.grad for name, tensor in _with_autograd(start, divisor).tensors.items() if tensor.grad is not None
    }
    with torch.no_grad():
        board = forward(start, divisor)
        for name in BACKWARD:
            board.tensors[f"d{name}"] = board.value(nodes(divisor)[name].gradient)
    if not all(bool(tensor.isfinite().all()) for tensor in board.tensors.values()):
        raise ValueError("A number of these passes is not finite any more; take smaller gains.")
    return Passes(examples, board, reference)


def beginning(settings: BackwardByHand, index: int = DATA) -> tuple[Batch, Board]:
    """The batch, and a board with what is there before the forward pass: X, Y and the parameters, in float64.

    Another ``index`` of the seed's streams draws another batch for the same parameters.
    """
    examples = batch.draw(settings.words, settings.samples, settings.context, stream(settings.seed, index))
    sizes = {
        "n": settings.samples,
        "k": settings.context,
        "m": settings.features,
        "V": len(examples.symbols),
        "n1": settings.hidden,
    }
    return examples, Board({"X": examples.X, "Y": examples.Y, **_parameters(settings, sizes)}, sizes, EPSILON)


def _parameters(settings: BackwardByHand, sizes: Mapping[str, int]) -> dict[str, Tensor]:
    symbols, inputs, hidden = sizes["V"], sizes["k"] * sizes["m"], sizes["n1"]

    def drawn(index: int, rows: int, columns: int) -> Tensor:
        return torch.randn(rows, columns, generator=stream(settings.seed, WEIGHTS + index), dtype=torch.float64)

    return {
        "C": drawn(0, symbols, sizes["m"]),
        "W1": drawn(1, inputs, hidden) * TANH_GAIN / math.sqrt(inputs),
        "b1": drawn(2, 1, hidden) * SMALL,
        "bngain": settings.gain * (1 + drawn(3, 1, hidden) * SMALL),
        "bnbias": drawn(4, 1, hidden) * SMALL,
        "W2": drawn(5, hidden, symbols) * settings.output_gain / math.sqrt(hidden),
        "b2": drawn(6, 1, symbols) * SMALL,
    }


def forward(start: Board, divisor: Divisor, constants: Mapping[str, Tensor] | None = None) -> Board:
    """All nodes after the forward pass; those in ``constants`` have these values, whatever their formulas say."""
    board = Board({**start.tensors, **(constants or {})}, start.sizes, EPSILON)
    for node in nodes(divisor).values():
        if not node.learned and node.name not in (constants or {}):
            board.tensors[node.name] = board.value(node.forward)
    return board


def _with_autograd(start: Board, divisor: Divisor) -> Board:
    """The forward pass on copies that record it, with every node's gradient kept."""
    return differentiated(start, divisor, {})


def differentiated(start: Board, divisor: Divisor, constants: Mapping[str, Tensor]) -> Board:
    """The forward pass with ``constants`` in place of those nodes; every other node's ``grad`` is autograd's."""
    graph_nodes = nodes(divisor)
    board = Board({**start.tensors, **constants}, start.sizes, EPSILON)
    for name, node in graph_nodes.items():
        if name in constants:
            continue
        if node.learned:
            board.tensors[name] = start.tensors[name].clone().requires_grad_()
        else:
            board.tensors[name] = board.value(node.forward)
            board.tensors[name].retain_grad()
    board.tensors["loss"].backward()
    return board
