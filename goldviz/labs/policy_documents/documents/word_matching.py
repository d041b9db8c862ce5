"""Which words two texts have in common, found in a bounded number of steps whatever the texts are."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, count, pairwise
from typing import NamedTuple

WORDS_AT_ONCE = 2_000
"""Words up to which texts are compared word by word at once; of longer ones the sentences are matched first."""

MOST_WORD_STEPS = 1_000_000
"""Pairs of equal words that are looked at in all, about 0.1 s; a statement of a central bank needs under 30,000."""

SENTENCE_ENDS = frozenset(".!?")


class Stretch(NamedTuple):
    """Words ``b0`` to ``b1``, without the last, of the earlier text, and ``a0`` to ``a1`` of the later one."""

    b0: int
    b1: int
    a0: int
    a1: int


class WordRun(NamedTuple):
    """A stretch that both texts have, or that ``changed``.

    It is not ``compared`` where that would have taken too many steps and some of its words are in both texts.
    """

    changed: bool
    words: Stretch
    compared: bool = True


def word_runs(old: Sequence[str], new: Sequence[str]) -> list[WordRun]:
    """What both texts have and what not, in turn, from the first word to the last of both.

    The longest run of words that both have is matched first, then what is left and right of it (Ratcliff and Metzener
    1988, as in Python's difflib). That takes steps like the cube of the words where words repeat. So in texts longer
    than :data:`WORDS_AT_ONCE` the sentences that stand once in each are matched before, as many as come in the same
    order (patience difference, as in Bazaar and git), and words only between them. Each stretch between them may take
    its share of :data:`MOST_WORD_STEPS`; after that only words that stand once in it in each text are matched, and
    what lies between those changed in one piece.

    >>> word_runs(["a", "b", "c"], ["a", "x", "c"])[1]
    WordRun(changed=True, words=Stretch(b0=1, b1=2, a0=1, a1=2), compared=True)
    """
    whole = Stretch(0, len(old), 0, len(new))
    same = _same_sentences(old, new) if max(len(old), len(new)) > WORDS_AT_ONCE else []
    gaps = sorted(_gaps(same, whole), key=lambda gap: gap.b1 - gap.b0 + gap.a1 - gap.a0)
    steps = MOST_WORD_STEPS
    for number, gap in enumerate(gaps):
        runs, cost = _same_words(old[gap.b0 : gap.b1], new[gap.a0 : gap.a1], steps // (len(gaps) - number))
        same += _shifted(runs, gap)
        steps -= cost
    return _runs(_joined(sorted(same)), old, new)


def _gaps(same: Sequence[Stretch], whole: Stretch) -> Iterator[Stretch]:
    """What lies before, between and after stretches that stand in order."""
    b0, a0 = whole.b0, whole.a0
    for part in [*same, Stretch(whole.b1, whole.b1, whole.a1, whole.a1)]:
        if b0 < part.b0 or a0 < part.a0:
            yield Stretch(b0, part.b0, a0, part.a0)
        b0, a0 = part.b1, part.a1


def _joined(same: Sequence[Stretch]) -> list[Stretch]:
    stretches: list[Stretch] = []
    for part in same:
        if stretches and (stretches[-1].b1, stretches[-1].a1) == (part.b0, part.a0):
            stretches[-1] = Stretch(stretches[-1].b0, part.b1, stretches[-1].a0, part.a1)
        else:
            stretches.append(part)
    return stretches


def _runs(same: Sequence[Stretch], old: Sequence[str], new: Sequence[str]) -> list[WordRun]:
    runs = [WordRun(False, part) for part in same]
    for gap in _gaps(same, Stretch(0, len(old), 0, len(new))):
        runs.append(WordRun(True, gap, set(old[gap.b0 : gap.b1]).isdisjoint(new[gap.a0 : gap.a1])))
    return sorted(runs, key=lambda run: run.words)


def _same_words(old: Sequence[str], new: Sequence[str], steps: int) -> tuple[list[Stretch], int]:
    """Stretches of two lists that are the same, in no order, and how many steps were taken of those allowed."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    # A search looks at each word of its stretch, and at all places that have the word in the later text.
    places = Counter(new)
    looks = [0, *accumulate(1 + places[word] for word in old)]
    same: list[Stretch] = []
    waiting = deque([Stretch(0, len(old), 0, len(new))])
    steps_taken = 0
    while waiting:
        part = waiting.popleft()
        if part.b0 == part.b1 or part.a0 == part.a1:
            continue
        steps_needed = looks[part.b1] - looks[part.b0]
        if steps_taken + steps_needed > steps:
            same += _shifted(_anchored(old[part.b0 : part.b1], new[part.a0 : part.a1]), part)
            continue
        steps_taken += steps_needed
        first, second, size = matcher.find_longest_match(*part)
        if size:
            same.append(Stretch(first, first + size, second, second + size))
            waiting.append(Stretch(part.b0, first, part.a0, second))
            waiting.append(Stretch(first + size, part.b1, second + size, part.a1))
    return same, steps_taken


def _shifted(parts: Sequence[Stretch], gap: Stretch) -> list[Stretch]:
    return [Stretch(b0 + gap.b0, b1 + gap.b0, a0 + gap.a0, a1 + gap.a0) for b0, b1, a0, a1 in parts]


def _same_ends(old: Sequence[str], new: Sequence[str]) -> list[Stretch]:
    """With what both begin and with what, after that, both end."""
    b1, a1 = len(old), len(new)
    shorter = min(b1, a1)
    start = next((place for place in range(shorter) if old[place] != new[place]), shorter)
    end = next(place for place in count() if place == shorter - start or old[-1 - place] != new[-1 - place])
    parts = [Stretch(0, start, 0, start), Stretch(b1 - end, b1, a1 - end, a1)]
    return [part for part in parts if part.b0 < part.b1]


def _anchored(old: Sequence[str], new: Sequence[str]) -> list[Stretch]:
    """What stands once in each of two lists and comes in the same order, and equal neighbours of that."""
    anchors = _in_both_orders(_standing_once_in_both(old, new))
    stretches = [Stretch(first, first + 1, second, second + 1) for first, second in anchors]
    for gap in list(_gaps(stretches, Stretch(0, len(old), 0, len(new)))):
        stretches += _shifted(_same_ends(old[gap.b0 : gap.b1], new[gap.a0 : gap.a1]), gap)
    return stretches


def _same_sentences(old: Sequence[str], new: Sequence[str]) -> list[Stretch]:
    """Stretches of words, in order, that are the same sentences."""
    starts_old, starts_new = _sentence_starts(old), _sentence_starts(new)
    stretches = _anchored(_sentences(old, starts_old), _sentences(new, starts_new))
    return [
        Stretch(starts_old[b0], starts_old[b1], starts_new[a0], starts_new[a1]) for b0, b1, a0, a1 in sorted(stretches)
    ]


def _sentence_starts(words: Sequence[str]) -> list[int]:
    """The numbers of the first words of all sentences, and of the word after the last."""
    ends = [place for place, word in enumerate(words, start=1) if word in SENTENCE_ENDS]
    return list(dict.fromkeys([0, *ends, len(words)]))


def _sentences(words: Sequence[str], starts: Sequence[int]) -> list[str]:
    return [" ".join(words[first:end]) for first, end in pairwise(starts)]


def _standing_once_in_both(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The places, in the order of the earlier text."""
    counts_old, counts_new = Counter(old), Counter(new)
    places = {item: place for place, item in enumerate(new) if counts_new[item] == 1}
    return [(place, places[item]) for place, item in enumerate(old) if counts_old[item] == 1 and item in places]


def _in_both_orders(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Most of the pairs, whose first numbers ascend, such that the second ones do too (patience sorting)."""
    tops: list[int] = []
    on_top: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        pile = bisect_left(tops, place)
        before.append(on_top[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(place)
            on_top.append(number)
        else:
            tops[pile], on_top[pile] = place, number
    chain: list[tuple[int, int]] = []
    number = on_top[-1] if on_top else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]
