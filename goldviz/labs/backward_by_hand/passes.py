"""A batch of words, its forward pass, the backward pass by the formulas, and the same by autograd and by nudges.

The batch has contexts and the characters that follow (document 002, 1.4.1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import torch
from jaxtyping import Int
from torch import Generator, Tensor

from goldviz.labs.backward_by_hand.evaluation import Board
from goldviz.labs.backward_by_hand.network import BACKWARD, EPSILON, Divisor, nodes
from goldviz.labs.backward_by_hand.settings import BackwardByHand
from goldviz.training.seeds import DATA, TEST_DATA, WEIGHTS, stream
from goldviz.training.threads import one_thread

END = "."
"""Begins and ends every word, and fills contexts that reach before a word."""


@dataclass(frozen=True)
class Batch:
    """The symbols, contexts X (n, k) and targets Y (n,) as places among the symbols."""

    symbols: tuple[str, ...]
    X: Int[Tensor, "sample place"]
    Y: Int[Tensor, " sample"]

    def contexts(self) -> list[str]:
        """Every sample's context as text."""
        return ["".join(self.symbols[place] for place in row) for row in self.X.tolist()]

    def targets(self) -> list[str]:
        """The character that follows in every sample."""
        return [self.symbols[place] for place in self.Y.tolist()]


def pairs(words: str, context: int) -> list[tuple[str, str]]:
    """Every context of the words with the character that follows it.

    >>> pairs("go", 2)
    [('..', 'g'), ('.g', 'o'), ('go', '.')]
    """
    lines = [END * context + word + END for word in words.split()]
    return [(word[at - context : at], word[at]) for word in lines for at in range(context, len(word))]


def draw(words: str, samples: int, context: int, stream: Generator) -> Batch:
    """A batch in which no pair comes again before all have come; ``ValueError`` for words that are only blanks."""
    every = pairs(words, context)
    if not every:
        raise ValueError("Words has only blanks; allowed is a text with at least one character.")
    symbols = tuple(sorted({END, *"".join(words.split())}))
    number = {symbol: at for at, symbol in enumerate(symbols)}
    rounds = -(-samples // len(every))
    order = torch.cat([torch.randperm(len(every), generator=stream) for _ in range(rounds)])[:samples]
    rows = [every[at] for at in order.tolist()]
    X = torch.tensor([[number[symbol] for symbol in before] for before, _ in rows])
    return Batch(symbols, X, torch.tensor([number[after] for _, after in rows]))


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
        name: tensor.grad
        for name, tensor in differentiated(start, divisor, {}).tensors.items()
        if tensor.grad is not None
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
    examples = draw(settings.words, settings.samples, settings.context, stream(settings.seed, index))
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


NUDGE = 1e-5
"""Size of a nudge, as a share of the entry; small entries are nudged as if they were ``NUDGED_AS``."""
NUDGED_AS = 0.01
MOST_NUDGED = 12
"""Entries of a tensor that are nudged; of a larger one the seed draws so many."""


@dataclass(frozen=True)
class Nudged:
    """How many of a tensor's entries were nudged, how far the gradient by hand is from that, and how large it is."""

    entries: int
    of: int
    difference: float
    largest: float


def nudged(settings: BackwardByHand, name: str) -> Nudged:
    """Central differences (L(t + h) - L(t - h)) / 2h of entries of the tensor ``name``, beside its gradient by hand."""
    return _nudged(settings.model_copy(update={settings.position: 1}), name)


@lru_cache(maxsize=256)
def _nudged(settings: BackwardByHand, name: str) -> Nudged:
    with one_thread():
        value, gradient = both_ways(settings).board.tensors[name], both_ways(settings).gradient(name)
        entries = torch.randperm(value.numel(), generator=stream(settings.seed, TEST_DATA))[:MOST_NUDGED]
        differences = torch.stack([_slope(settings, name, value, entry) for entry in entries.tolist()])
        apart = float((differences - gradient.flatten()[entries]).abs().max())
        return Nudged(len(entries), value.numel(), apart, float(gradient.abs().max()))


def _slope(settings: BackwardByHand, name: str, value: Tensor, entry: int) -> Tensor:
    _, start = beginning(settings)
    nudge = torch.zeros(value.numel(), dtype=value.dtype)
    size = NUDGE * max(abs(float(value.flatten()[entry])), NUDGED_AS)
    nudge[entry] = size
    up, down = (
        forward(start, settings.divisor, {name: value + way * nudge.reshape(value.shape)}).tensors["loss"]
        for way in (1, -1)
    )
    return (up - down) / (2 * size)
