"""The task: one of many symbols is marked, and at the end it is asked for."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn.functional import one_hot

from goldviz.labs.attention_against_recurrence.networks import SYMBOLS


class Sequences(NamedTuple):
    """Inputs (time, batch, features), and the symbol that was marked in each sequence."""

    inputs: Float[Tensor, "time batch features"]
    targets: Int[Tensor, " batch"]

    def to(self, device: torch.device) -> Sequences:
        """The same on a device."""
        return Sequences(*(part.to(device) for part in self))


def marked_symbols(longest: int, back: Int[Tensor, " batch"], generator: Generator) -> Sequences:
    """``longest`` random symbols, one of them marked, and the question behind them.

    The marked one stands ``back`` steps before the question, 1 to ``longest``. Known answers: without memory the loss
    is ln 8 and an eighth of the answers are right; with memory 0 and all. Raises ``ValueError`` for another distance.
    """
    if not bool(((back >= 1) & (back <= longest)).all()):
        distances = sorted(set(back.tolist()))
        raise ValueError(f"The distances are {distances}; allowed are whole numbers from 1 to {longest}.")
    symbols = torch.randint(SYMBOLS, (longest, len(back)), generator=generator)
    rows, places = torch.arange(len(back)), longest - back
    inputs = torch.zeros(longest + 1, len(back), SYMBOLS + 2)
    inputs[:longest, :, :SYMBOLS] = one_hot(symbols, SYMBOLS).to(inputs.dtype)
    inputs[places, rows, SYMBOLS] = 1
    inputs[longest, :, SYMBOLS + 1] = 1
    return Sequences(inputs, symbols[places, rows])


def anywhere(longest: int, batch: int, generator: Generator) -> Sequences:
    """A batch whose marks stand anywhere, every distance as likely as another."""
    return marked_symbols(longest, torch.randint(1, longest + 1, (batch,), generator=generator), generator)


MOST_GROUPS = 8
"""Groups of distances in which answers are counted, at most."""
OF_EACH = 32
"""Unseen sequences of each."""


def asked_distances(longest: int) -> Int[Tensor, " sequence"]:
    """The distances of the unseen sequences, the nearest first: every distance as often as another, or nearly so."""
    count = OF_EACH * min(MOST_GROUPS, longest)
    return 1 + torch.arange(count) * longest // count


def groups(longest: int) -> list[int]:
    """The middle of the distances of each group.

    >>> groups(5), groups(40)
    ([1, 2, 3, 4, 5], [3, 8, 13, 18, 23, 28, 33, 38])
    """
    middles = asked_distances(longest).float().unflatten(0, (-1, OF_EACH)).mean(1)
    return [round(middle) for middle in middles.tolist()]


def unseen_sequences(longest: int, generator: Generator) -> Sequences:
    """Sequences that no network learns from, group by group."""
    return marked_symbols(longest, asked_distances(longest), generator)
