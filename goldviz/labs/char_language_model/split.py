"""Items into those to learn from, those to choose by and those kept to the end, and what a model sees of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from numpy import ndarray
from torch import Generator, Tensor

from goldviz.data.texts.items import BOUNDARY, Corpus

SHARES = (0.8, 0.1)
"""Of the items: training and dev; the rest is the test set."""


@dataclass(frozen=True)
class Windows:
    """Contexts with the symbol that follows each."""

    contexts: Int[Tensor, "window place"]
    targets: Int[Tensor, " window"]

    def __len__(self) -> int:
        return len(self.targets)

    def first(self, most: int) -> Windows:
        """At most so many of them; items were put in random order before."""
        return Windows(self.contexts[:most], self.targets[:most])

    def pairs(self) -> Int[ndarray, "window two"]:
        """The last symbol of every context with the one that follows it."""
        return torch.stack([self.contexts[:, -1], self.targets], 1).cpu().numpy()

    def to(self, device: torch.device) -> Windows:
        """The same on a device."""
        return Windows(self.contexts.to(device), self.targets.to(device))

    def distinct(self) -> tuple[Windows, Float[Tensor, " window"]]:
        """Every different window once, and its share of all of them."""
        rows = torch.cat([self.contexts, self.targets[:, None]], dim=1)
        unique, counts = rows.unique(dim=0, return_counts=True)
        return Windows(unique[:, :-1], unique[:, -1]), counts / len(rows)


def windows(items: Sequence[str], symbols: Sequence[str], context: int) -> Windows:
    """Every symbol of every item, and the boundary after it, with the ``context`` symbols before.

    Where an item has fewer, boundaries stand in their place, so a context may be longer than any item.

    >>> windows(["ab"], [".", "a", "b"], 3).contexts.tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 2]]
    """
    number = {sign: place for place, sign in enumerate(symbols)}
    row: list[int] = []
    ends: list[int] = []
    for item in items:
        row += [BOUNDARY] * context
        ends += range(len(row), len(row) + len(item) + 1)
        row += [*(number[sign] for sign in item), BOUNDARY]
    numbers, places = torch.tensor(row), torch.tensor(ends)
    return Windows(numbers[places[:, None] + torch.arange(-context, 0)], numbers[places])


@dataclass(frozen=True)
class Split:
    """One seed's items."""

    train: tuple[str, ...]
    dev: tuple[str, ...]
    test: tuple[str, ...]


def split(corpus: Corpus, most: int, order: Generator) -> Split:
    """The items in random order, eight tenths to learn, one to choose by and one to test; at most ``most`` in all."""
    shuffled = [corpus.items[place] for place in torch.randperm(len(corpus.items), generator=order).tolist()]
    items = tuple(shuffled[: most or len(shuffled)])
    first, second = (round(len(items) * share) for share in (SHARES[0], sum(SHARES)))
    return Split(items[:first], items[first:second], items[second:])
