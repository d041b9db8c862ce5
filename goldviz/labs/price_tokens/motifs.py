"""Byte-pair encoding of days: which tokens stand together so often that they earn a name of their own.

Document 002, section 2.4, hopes for motifs. Merges are learned on the past and judged on later days: bits a day by the
past's shares, with the tokens in their order and, as a comparison, shuffled.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
from jaxtyping import Float

from goldviz.data.texts.pair_merges import encoded, learned
from goldviz.labs.price_tokens.tokenisers import Tokens

SHUFFLING_STREAM = 5
ORDERS = ("as it came", "shuffled")


def motifs(
    past: Tokens, later: Tokens, count: int, merges: int, seed: int
) -> tuple[Float[np.ndarray, "order merge"], list[tuple[str, int]], list[int]]:
    """Bits a later day after 0, 1, ... merges in both orders; the merged motifs with their counts; those shuffled.

    The shuffled counts are those of the same number of merges, most frequent first.
    """
    generator = np.random.default_rng([seed, SHUFFLING_STREAM])
    dealt = generator.permutation(past), generator.permutation(later)
    ways = [(past, later), dealt]
    merge_lists = [list(islice(learned([before], count), merges)) for before, _ in ways]
    most = min(map(len, merge_lists))
    bits = np.array(
        [
            [bits_a_day(before, after, [merge.pair for merge in each[:number]], count) for number in range(most + 1)]
            for (before, after), each in zip(ways, merge_lists, strict=True)
        ]
    )
    pairs = [merge.pair for merge in merge_lists[0]]
    names = [
        ("-".join(map(str, _unfolded(count + i, pairs, count))), merge.times) for i, merge in enumerate(merge_lists[0])
    ]
    return bits, names[:most], [merge.times for merge in merge_lists[1][:most]]


def bits_a_day(past: Tokens, later: Tokens, pairs: list[tuple[int, int]], count: int) -> float:
    """The length of a code for later days, in bits a day: -log2 of each piece's share in the past, one fake count."""
    before, after = encoded([past], pairs, count)[0], encoded([later], pairs, count)[0]
    counts = np.bincount(before, minlength=count + len(pairs)) + 1.0
    return float(-np.log2(counts / counts.sum())[after].sum() / len(later))


def _unfolded(number: int, pairs: list[tuple[int, int]], count: int) -> list[int]:
    """The tokens that a merged number stands for, counted from 1."""
    if number < count:
        return [number + 1]
    left, right = pairs[number - count]
    return _unfolded(left, pairs, count) + _unfolded(right, pairs, count)
