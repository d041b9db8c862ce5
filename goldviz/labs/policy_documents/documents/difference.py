"""What changed between two texts, word by word, and what the later one would be with a change taken back."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from goldviz.labs.policy_documents.documents.word_matching import Stretch, WordRun, word_runs

WORD = re.compile(r"\w+(?:[-‑'’./]\w+)*|[^\w\s]")
"""Words with what holds their parts together (4-1/4, mortgage-backed); every other sign is a word of its own."""

CLOSING = re.compile(r"[,.;:!?)](?!\S)")
"""A sign that ends a clause stands at its last word."""

LEAST_BETWEEN = 3
"""Changes with fewer words between them are one: nobody reads single words that happen to be the same."""


@dataclass(frozen=True)
class Passage:
    """A stretch of the later text that is the same as before, or took the place of other words.

    ``before`` and ``after`` are the characters that it covers in the two texts, first and one after the last.
    ``words_before`` and ``words_after`` count the words. Where it is not ``compared``, the texts were too long and too
    unlike for that, and the stretch counts as changed in one piece: some of its words may be in both.
    """

    changed: bool
    before: tuple[int, int]
    after: tuple[int, int]
    words_before: int
    words_after: int
    compared: bool = True

    @property
    def words(self) -> int:
        """The words that went and came."""
        return self.words_before + self.words_after


def text_difference(before: str, after: str, least_between: int = LEAST_BETWEEN) -> list[Passage]:
    """Passages that are the same and that changed, in turn, from the first word to the last.

    Words are matched by :func:`word_runs`, in a bounded time. Blanks and line breaks do not
    count.

    >>> old, new = "Inflation remains elevated.", "Inflation has eased but remains somewhat elevated."
    >>> [new[slice(*part.after)] for part in text_difference(old, new, least_between=1) if part.changed]
    ['has eased but', 'somewhat']
    """
    old, new = [list(WORD.finditer(text)) for text in (before, after)]
    words_old, words_new = [[word.group() for word in words] for words in (old, new)]
    runs: list[WordRun] = []
    for run in word_runs(words_old, words_new):
        b0, b1, _, a1 = run.words
        inside = not run.changed and b1 - b0 < least_between and a1 < len(new) and b1 < len(old)
        if runs and (inside or run.changed == runs[-1].changed):
            last = runs.pop()
            runs.append(WordRun(True, Stretch(last.words.b0, b1, last.words.a0, a1), last.compared and run.compared))
        else:
            runs.append(run)
    return [
        Passage(run.changed, _characters(old, b0, b1), _characters(new, a0, a1), b1 - b0, a1 - a0, run.compared)
        for run in _at_sentence_starts(runs, words_new, words_old)
        for b0, b1, a0, a1 in [run.words]
    ]


def _at_sentence_starts(runs: list[WordRun], new: list[str], old: list[str]) -> list[WordRun]:
    """The same runs, but ". More words" that came or went before a full stop is "More words." after one."""
    runs_there = list(runs)
    for number in range(1, len(runs) - 1):
        (p0, _, q0, _), (b0, b1, a0, a1), (b2, b3, a2, a3) = [run.words for run in runs_there[number - 1 : number + 2]]
        if not runs_there[number].changed or (b0 < b1 and a0 < a1) or b3 - b2 < 2:
            continue
        first, after = (new[a0], new[a1]) if a0 < a1 else (old[b0], old[b1])
        if first == after and CLOSING.match(first):
            runs_there[number - 1 : number + 2] = [
                WordRun(False, Stretch(p0, b0 + 1, q0, a0 + 1)),
                WordRun(True, Stretch(b0 + 1, b1 + 1, a0 + 1, a1 + 1)),
                WordRun(False, Stretch(b2 + 1, b3, a2 + 1, a3)),
            ]
    return runs_there


def _characters(words: list[re.Match[str]], first: int, end: int) -> tuple[int, int]:
    """The characters of these words; where there is none, the place after the word in front of it."""
    if first < end:
        return words[first].start(), words[end - 1].end()
    place = words[first - 1].end() if first else 0
    return place, place


def with_changes_put_back(before: str, after: str, passages: Sequence[Passage], numbers: Collection[int]) -> str:
    """The later text with the passages of these numbers, counted from 0 among all, as they were before.

    >>> old, new = "Rates rose to 4 percent.", "Rates fell to 3 percent."
    >>> parts = text_difference(old, new, least_between=1)
    >>> with_changes_put_back(old, new, parts, [1])
    'Rates rose to 3 percent.'
    """
    pieces: list[str] = []
    place = 0
    for number, part in enumerate(passages):
        if part.changed and number in numbers:
            pieces += [after[place : part.after[0]], _apart(before[slice(*part.before)], after, part.after)]
            place = part.after[1]
    return "".join([*pieces, after[place:]])


def _apart(words: str, after: str, hole: tuple[int, int]) -> str:
    """Words for a hole in a text, with blanks where they would otherwise grow together with a neighbour."""
    if not words:
        return ""
    left, right = after[: hole[0]][-1:], after[hole[1] :][:2]
    closing = CLOSING.match(right) is not None
    return f"{' ' if left.strip() else ''}{words}{' ' if right[:1].strip() and not closing else ''}"


def share_changed(passages: Sequence[Passage]) -> float:
    """Of all words of both texts, the part that went or came; 0 for the same words.

    >>> share_changed(text_difference("a b c", "a x c", least_between=1))
    0.3333333333333333
    """
    total = sum(part.words for part in passages)
    return sum(part.words for part in passages if part.changed) / total if total else 0.0
