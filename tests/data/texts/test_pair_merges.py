"""Merges of neighbouring numbers: as a recount after every merge finds them, whatever the numbers stand for."""

from collections import Counter
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.texts.pair_merges import Merge, encoded, learned

SEQUENCES = st.lists(st.lists(st.integers(0, 2), max_size=24), max_size=5)


def merged(sequence, pair, token):
    found, rest = [], list(sequence)
    while rest:
        both = tuple(rest[:2]) == pair
        found.append(token if both else rest[0])
        rest = rest[2 if both else 1 :]
    return found


def unfolded(token, pairs):
    if token < 3:
        return [token]
    return [number for half in pairs[token - 3] for number in unfolded(half, pairs)]


def recounted(sequences, times, base, most):
    """Byte-pair encoding as it is told: count every pair anew for every merge."""
    for token in range(base, base + most):
        counts = Counter()
        for sequence, count in zip(sequences, times, strict=True):
            for pair in pairwise(sequence):
                counts[pair] += count
        best = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
        if best is None or counts[best] < 2:
            return
        sequences = [merged(sequence, best, token) for sequence in sequences]
        left = sum(len(sequence) * count for sequence, count in zip(sequences, times, strict=True))
        yield Merge(best, counts[best], left)


@given(SEQUENCES, st.data())
def test_counts_brought_up_to_date_are_those_of_a_recount(sequences, data):
    times = [data.draw(st.integers(1, 3)) for _ in sequences]
    expected = list(recounted(sequences, times, 3, 12))
    assert list(islice(learned(sequences, 3, times), 12)) == expected


@given(SEQUENCES, st.lists(st.integers(0, 2), max_size=40))
def test_merges_in_their_order_make_of_any_sequence_what_it_was(sequences, sequence):
    pairs = [merge.pair for merge in learned(sequences, 3)]
    (numbers,) = encoded([sequence], pairs, 3)
    by_hand = sequence
    for token, pair in enumerate(pairs, start=3):
        by_hand = merged(by_hand, pair, token)
    assert numbers.tolist() == by_hand
    assert [number for token in numbers.tolist() for number in unfolded(token, pairs)] == sequence


def test_the_learned_sequence_is_as_short_as_the_last_merge_says():
    sequence = np.random.default_rng(0).integers(0, 4, 3000)
    merges = list(islice(learned([sequence], 4), 40))
    (numbers,) = encoded([sequence], [merge.pair for merge in merges], 4)
    assert len(numbers) == merges[-1].length
    assert len(merges) == 40


@pytest.mark.parametrize("sequences", [[], [[]], [[5]], [[0, 1, 2]], [[0, 1], [1, 2]]])
def test_where_no_pair_comes_twice_nothing_is_merged(sequences):
    assert list(learned(sequences, 10)) == []


def test_the_pairs_that_came_next_are_those_of_a_recount():
    sequence = [0, 1] * 5 + [2, 3] * 4 + [1, 2] * 3
    first = next(learned([sequence], 4, others=3))
    counts = Counter(pairwise(sequence))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    assert [(first.pair, first.times), *first.others] == ranked[:4]
    assert [merge.pair for merge in learned([sequence], 4, others=3)] == [
        merge.pair for merge in learned([sequence], 4)
    ]
