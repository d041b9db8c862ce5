"""Byte-pair encoding over any whole numbers: the pair of neighbours that is found most often becomes a new number.

Document 002, 2.1; Sennrich et al. 2016, algorithm 1. Nothing here knows of bytes: the numbers may stand for letters or
for a day's return. Counts of pairs are kept and brought up to date around each merge, and every pair knows its places,
so a merge costs what it changes and not what the text is long.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Places = NDArray[np.int64]
Pair = tuple[int, int]

FEWEST = 2
"""A pair that is found less often is not merged: nothing would become shorter."""
NOTHING = -1
"""Stands between two sequences, and where a merge took a number away."""


class Merge(NamedTuple):
    """The pair that was merged, how often it was counted, and how many numbers are left of all sequences.

    ``others`` are the pairs that came next before this merge, each with its count.
    """

    pair: Pair
    times: int
    length: int
    others: tuple[tuple[Pair, int], ...] = ()


class Row:
    """Sequences of numbers from 0 up, with the places of each pair of neighbours and how often it is counted.

    ``times`` says how often each sequence is there; its pairs count so many times. In "aaa" the pair (a, a) counts
    twice, though only one of the two can be merged.

    >>> row = Row([[0, 0, 1, 0, 0, 1]])
    >>> row.counts
    {(0, 0): 2, (0, 1): 2, (1, 0): 1}
    >>> row.merge((0, 0), 2), row.sequences()[0].tolist()
    ({(1, 2): 1, (2, 1): 2}, [2, 1, 2, 1])
    """

    def __init__(self, sequences: Sequence[ArrayLike], times: ArrayLike | None = None) -> None:
        arrays = [np.asarray(sequence, np.int64) for sequence in sequences]
        lengths = np.array([len(array) for array in arrays], np.int64)
        self._ends = np.cumsum(lengths + 1)
        self._numbers = np.full(int(lengths.sum()) + len(arrays) + 1, NOTHING)
        inside = np.ones(len(self._numbers), bool)
        inside[[0, *self._ends]] = False
        self._numbers[inside] = np.concatenate([*arrays, np.empty(0, np.int64)])
        self._before = np.arange(-1, len(self._numbers) - 1)
        self._after = np.arange(1, len(self._numbers) + 1)
        weights = np.ones(len(arrays), np.int64) if times is None else np.asarray(times, np.int64)
        self._times = np.concatenate([np.repeat(weights, lengths + 1), [0]])
        self.length = int((weights * lengths).sum())
        self.counts: dict[Pair, int] = {}
        self._places: dict[Pair, list[Places]] = {}
        self._enter(np.flatnonzero(inside))

    def merge(self, pair: Pair, token: int) -> dict[Pair, int]:
        """Put ``token`` wherever the pair stands, from the left; the counts of the pairs that come of it."""
        if pair not in self.counts:
            return {}
        left = self._found(pair)
        right, before = self._after[left], self._before[left]
        # Where two that are merged are neighbours, the pair between them is one and not two.
        apart = np.concatenate([[True], before[1:] != right[:-1]])
        self._take_away(np.concatenate([before[apart], right]))
        self._numbers[left], self._numbers[right] = token, NOTHING
        after = self._after[right]
        self._after[left], self._before[after] = after, left
        self.length -= int(self._times[left].sum())
        del self.counts[pair], self._places[pair]
        return self._enter(np.concatenate([before[apart], left]))

    def sequences(self) -> list[Places]:
        """What the sequences are now."""
        starts = np.concatenate([[0], self._ends[:-1]])
        return [part[part != NOTHING] for part in map(self._slice, starts, self._ends)]

    def _slice(self, start: int, end: int) -> Places:
        return self._numbers[start + 1 : end]

    def _found(self, pair: Pair) -> Places:
        """The left places of the pair, in order; of those that overlap every other one, as in aaa."""
        places = np.concatenate(self._places[pair])
        first, second = pair
        there = (self._numbers[places] == first) & (self._numbers[self._after[places]] == second)
        places = np.sort(places[there])
        if first != second or not len(places):
            return places
        numbers = np.arange(len(places))
        begins = np.concatenate([[True], places[1:] != self._after[places[:-1]]])
        since = numbers - np.maximum.accumulate(np.where(begins, numbers, 0))
        apart: Places = places[since % 2 == 0]
        return apart

    def _take_away(self, left: Places) -> None:
        for pair, times, _ in self._pairs(left):
            self.counts[pair] -= times
            if not self.counts[pair]:
                del self.counts[pair], self._places[pair]

    def _enter(self, left: Places) -> dict[Pair, int]:
        sums = {}
        for pair, times, places in self._pairs(left):
            sums[pair] = self.counts[pair] = self.counts.get(pair, 0) + times
            self._places.setdefault(pair, []).append(places)
        return sums

    def _pairs(self, left: Places) -> Iterator[tuple[Pair, int, Places]]:
        """The pairs that begin at these places, with counts and places, in the order in which they come."""
        first, second = self._numbers[left], self._numbers[self._after[left]]
        both = (first != NOTHING) & (second != NOTHING)
        left, codes = left[both], (first[both] << 32) | second[both]
        order = np.argsort(codes, kind="stable")
        left, codes = left[order], codes[order]
        starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]])) if len(codes) else np.empty(0, int)
        counts = np.add.reduceat(self._times[left], starts) if len(starts) else starts
        ends = [*starts[1:].tolist(), len(left)]
        runs = zip(codes[starts].tolist(), counts.tolist(), starts.tolist(), ends, strict=False)
        for code, times, start, end in runs:
            yield (code >> 32, code & 0xFFFFFFFF), times, left[start:end]


def learned(
    sequences: Sequence[ArrayLike], base: int, times: ArrayLike | None = None, *, others: int = 0
) -> Iterator[Merge]:
    """One merge after another, as long as a pair is found at least twice; the first makes the number ``base``.

    Of pairs that are found equally often the one with the smaller numbers comes first, as in the tokenizers library.
    Each merge tells so many ``others`` that came next.

    >>> [merge.pair for merge in learned([list(b"aaabdaaabac")], 256)]
    [(97, 97), (97, 98), (256, 257)]
    """
    row = Row(sequences, times)
    waiting = [(-count, pair) for pair, count in row.counts.items()]
    heapq.heapify(waiting)
    for token in count(base):
        best = _taken_off(waiting, row.counts, 1 + others)
        if not best:
            return
        (pair, now), *rest = best
        for new, times_made in (*rest, *row.merge(pair, token).items()):
            heapq.heappush(waiting, (-times_made, new))
        yield Merge(pair, now, row.length, tuple(rest))


def _taken_off(waiting: list[tuple[int, Pair]], counts: dict[Pair, int], most: int) -> list[tuple[Pair, int]]:
    """The pairs that are found most often, at least twice, taken off the line."""
    pairs: list[tuple[Pair, int]] = []
    while waiting and len(pairs) < most:
        negative, pair = heapq.heappop(waiting)
        now = counts.get(pair, 0)
        if now < FEWEST:
            continue
        if now == -negative:
            pairs.append((pair, now))
        else:
            # Counts of a pair only fall once it is in line.
            heapq.heappush(waiting, (-now, pair))
    return pairs


def encoded(sequences: Sequence[ArrayLike], pairs: Sequence[Pair], base: int) -> list[Places]:
    """The sequences after all merges in the order in which they were learned.

    >>> encoded([list(b"aaabdaaabac")], [(97, 97), (97, 98), (256, 257)], 256)[0].tolist()
    [258, 100, 258, 97, 99]
    """
    row = Row(sequences)
    for token, pair in enumerate(pairs, start=base):
        row.merge(pair, token)
    return row.sequences()
