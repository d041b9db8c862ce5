"""Reversal and sorting: sequences of letters, turned round or put in order."""

from __future__ import annotations

import string
from functools import partial

import torch
from torch import Generator

from goldviz.data.pairs.pairs import Pairs, PairTask, any_order

BEYOND = 4
"""Letters more than any training sequence that are asked for, too."""


def reversal(symbols: int, shortest: int, longest: int) -> PairTask:
    """The letters from last to first: word i of the answer stands for word L + 1 - i."""
    return _letters(symbols, shortest, longest, sort=False)


def sorting(symbols: int, shortest: int, longest: int) -> PairTask:
    """The letters in the order of the alphabet; of equal ones the first comes first."""
    return _letters(symbols, shortest, longest, sort=True)


def _letters(symbols: int, shortest: int, longest: int, *, sort: bool) -> PairTask:
    letters = tuple(string.ascii_lowercase[:symbols])
    return PairTask(
        letters,
        letters,
        tuple(range(shortest, longest + 1)),
        tuple(range(longest + 1, longest + BEYOND + 1)),
        partial(_drawn, symbols, sort),
        str.split,
        any_order,
        " ".join(letters[:3]),
    )


def _drawn(symbols: int, sort: bool, count: int, length: int, generator: Generator) -> Pairs:
    source = torch.randint(symbols, (count, length), generator=generator)
    backwards = torch.arange(length - 1, -1, -1).expand(count, length)
    alignment = torch.argsort(source, dim=1, stable=True) if sort else backwards
    return Pairs(source, source.gather(1, alignment), alignment)
