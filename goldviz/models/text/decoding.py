"""How an answer is chosen: the likeliest word at every step, or the best of several beginnings that are kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

MORE_WORDS = 8
"""Words that an answer may have beyond the sentence."""


class SourceRead(Protocol):
    """What a network made of sequences that it read, and the state in which it begins to write."""

    @property
    def state(self) -> Tensor:
        """A row for each sequence."""

    def chosen(self, rows: Int[Tensor, " chosen"]) -> Self:
        """The same of some sequences, each as often as it is named."""


class WriterStep(Protocol):
    """One step of writing: logits of the next word, the state after it, and where it looked, if it looks anywhere."""

    @property
    def logits(self) -> Float[Tensor, "batch word"]:
        """Of every word, the boundary included."""

    @property
    def state(self) -> Tensor:
        """A row for each sequence."""

    @property
    def weights(self) -> Float[Tensor, "batch source_place"] | None:
        """Attention to what was read."""


Read = TypeVar("Read", bound=SourceRead)


class Writer(Protocol[Read]):
    """A network that reads sequences and writes, word by word; ``boundary`` stands before the first and after the last
    word."""

    @property
    def boundary(self) -> int:
        """Its number."""

    def read(self, source: Int[Tensor, "batch source_place"]) -> Read:
        """What it makes of sequences."""

    def step(self, word: Int[Tensor, " batch"], state: Tensor, source: Read) -> WriterStep:
        """One word on: ``word`` was written last."""


@dataclass(frozen=True)
class Written:
    """An answer: its words, the logarithm of its probability, and the weights of each step, its end included.

    ``weights`` are (step, source place), empty without attention. ``ended`` is whether the network wrote the end.
    """

    words: tuple[int, ...]
    log_probability: float
    weights: Float[np.ndarray, "step source_place"]
    ended: bool

    def in_words(self, words: Sequence[str]) -> Answer:
        """The same in words, by their numbers."""
        own = tuple(words[word] for word in self.words)
        return Answer(own, math.exp(self.log_probability), self.weights, self.ended)


@dataclass(frozen=True)
class Answer:
    """An answer in words: its probability, the weights of each step, and whether it was ended, as :class:`Written`."""

    words: tuple[str, ...]
    probability: float
    weights: Float[np.ndarray, "step source_place"]
    ended: bool


@torch.no_grad()
def greedy(network: Writer[Read], source: Int[Tensor, "batch source_place"], steps: int) -> Int[Tensor, "batch step"]:
    """The likeliest word at each of so many steps; what follows an end means nothing."""
    read = network.read(source)
    word, state, words = source.new_full((len(source),), network.boundary), read.state, []
    for _ in range(steps):
        step = network.step(word, state, read)
        word, state = step.logits.argmax(-1), step.state
        words.append(word)
    return torch.stack(words, 1)


def ended(network: Writer[Read], words: Int[Tensor, " step"]) -> Float[Tensor, " step"]:
    """A greedy answer with -1 from its end on."""
    over = (words == network.boundary).cumsum(0) > 0
    return words.masked_fill(over, -1).float()


@torch.no_grad()
def beam(network: Writer[Read], source: Int[Tensor, " source_place"], width: int, most: int) -> list[Written]:
    """The likeliest answers that are found when ``width`` beginnings are kept at every step, the best first.

    At most ``most`` words are written. With a width of 1 it is the greedy answer. That one is among the answers of
    every width: a beginning that is dropped may have gone on better.
    """
    answers = _kept_beginnings(network, source, width, most)
    if width > 1:
        answers += _kept_beginnings(network, source, 1, most)
    distinct = {answer.words: answer for answer in answers}
    return sorted(distinct.values(), key=lambda one: -one.log_probability)


def greedy_and_beam(network: Writer[Read], source: Sequence[int], width: int) -> tuple[Written, list[Written]]:
    """The greedy answer to a sentence, and those of a beam, each of at most :data:`MORE_WORDS` words more than it."""
    numbers, most = torch.tensor(source), len(source) + MORE_WORDS
    [first] = beam(network, numbers, 1, most)
    return first, beam(network, numbers, width, most)[:width]


def _kept_beginnings(
    network: Writer[Read], source: Int[Tensor, " source_place"], width: int, most: int
) -> list[Written]:
    read = network.read(source[None])
    word, state = source.new_full((1,), network.boundary), read.state
    totals = torch.zeros(1, dtype=torch.float64)
    words: list[tuple[int, ...]] = [()]
    looks: list[tuple[Tensor, ...]] = [()]
    complete: list[Written] = []
    for _ in range(most + 1):
        step = network.step(word, state, read.chosen(word.new_zeros(len(word))))
        sums = totals[:, None] + step.logits.double().log_softmax(-1)
        best = sums.flatten().topk(min(width, sums.numel()))
        going: list[tuple[int, int, float]] = []
        beams = words, looks
        words, looks = [], []
        for place, total in zip(best.indices.tolist(), best.values.tolist(), strict=True):
            row, next_word = divmod(place, sums.shape[1])
            look = beams[1][row] if step.weights is None else (*beams[1][row], step.weights[row])
            if next_word == network.boundary:
                complete.append(Written(beams[0][row], total, _stacked(look), ended=True))
                continue
            going.append((row, next_word, total))
            words.append((*beams[0][row], next_word))
            looks.append(look)
        best_end = max((one.log_probability for one in complete), default=-float("inf"))
        # No beginning can become the best: each further word only lowers its probability.
        if not going or (len(complete) >= width and best_end >= going[0][2]):
            break
        rows = source.new_tensor([row for row, _, _ in going])
        word, state = source.new_tensor([one for _, one, _ in going]), step.state[rows]
        totals = torch.tensor([total for _, _, total in going], dtype=torch.float64)
    else:
        complete += [
            Written(own, total, _stacked(look), ended=False)
            for own, look, (_, _, total) in zip(words, looks, going, strict=True)
        ]
    return complete


def _stacked(look: tuple[Tensor, ...]) -> Float[np.ndarray, "step source_place"]:
    return torch.stack(look).double().numpy() if look else np.zeros((0, 0))
