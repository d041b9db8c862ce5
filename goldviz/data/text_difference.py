"""What changed between two texts, word by word, and what the later one would be with a change taken back."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from difflib import SequenceMatcher

WORD = re.compile(r"\w+(?:[-‑'’./]\w+)*|[^\w\s]")
"""Words with what holds their parts together (4-1/4, mortgage-backed); every other sign is a word of its own."""

CLOSING = re.compile(r"[,.;:!?)](?!\S)")
"""A sign that ends a clause stands at its last word."""

LEAST_BETWEEN = 3
"""Changes with fewer words between them are one: nobody reads single words that happen to be the same."""

LONG = 4_000
"""Words from which frequent words are no anchors, so that two long minutes take seconds and not minutes."""


@dataclass(frozen=True)
class Passage:
    """A stretch of the later text that is the same as before, or took the place of other words.

    ``before`` and ``after`` are the characters that it covers in the two texts, first and one after the last.
    ``words_before`` and ``words_after`` count the words.
    """

    changed: bool
    before: tuple[int, int]
    after: tuple[int, int]
    words_before: int
    words_after: int

    @property
    def words(self) -> int:
        """The words that went and came."""
        return self.words_before + self.words_after


def text_difference(before: str, after: str, least_between: int = LEAST_BETWEEN) -> list[Passage]:
    """Passages that are the same and that changed, in turn, from the first word to the last.

    The longest run of words that both texts have is matched first, then what is left and right of it (Ratcliff and
    Metzener 1988, as in Python's difflib). Blanks and line breaks do not count.

    >>> old, new = "Inflation remains elevated.", "Inflation has eased but remains somewhat elevated."
    >>> [new[slice(*part.after)] for part in text_difference(old, new, least_between=1) if part.changed]
    ['has eased but', 'somewhat']
    """
    old, new = [list(WORD.finditer(text)) for text in (before, after)]
    matcher = SequenceMatcher(
        None, [word.group() for word in old], [word.group() for word in new],
        autojunk=max(len(old), len(new)) > LONG,
    )  # fmt: skip
    spans: list[tuple[bool, int, int, int, int]] = []
    for tag, b0, b1, a0, a1 in matcher.get_opcodes():
        changed = tag != "equal"
        inside = not changed and b1 - b0 < least_between and a1 < len(new) and b1 < len(old)
        if spans and (inside or changed == spans[-1][0]):
            _, first_before, _, first_after, _ = spans.pop()
            spans.append((True, first_before, b1, first_after, a1))
        else:
            spans.append((changed, b0, b1, a0, a1))
    spans = _at_sentence_starts(spans, [word.group() for word in new], [word.group() for word in old])
    return [
        Passage(changed, _characters(old, b0, b1), _characters(new, a0, a1), b1 - b0, a1 - a0)
        for changed, b0, b1, a0, a1 in spans
    ]


def _at_sentence_starts(
    spans: list[tuple[bool, int, int, int, int]], new: list[str], old: list[str]
) -> list[tuple[bool, int, int, int, int]]:
    """The same spans, but ". More words" that came or went before a full stop is "More words." after one."""
    moved = list(spans)
    for number in range(1, len(spans) - 1):
        (_, p0, _, q0, _), (changed, b0, b1, a0, a1), (_, b2, b3, a2, a3) = moved[number - 1 : number + 2]
        if not changed or (b0 < b1 and a0 < a1) or b3 - b2 < 2:
            continue
        first, after = (new[a0], new[a1]) if a0 < a1 else (old[b0], old[b1])
        if first == after and CLOSING.match(first):
            moved[number - 1 : number + 2] = [
                (False, p0, b0 + 1, q0, a0 + 1),
                (True, b0 + 1, b1 + 1, a0 + 1, a1 + 1),
                (False, b2 + 1, b3, a2 + 1, a3),
            ]
    return moved


def _characters(words: list[re.Match[str]], first: int, end: int) -> tuple[int, int]:
    """The characters of these words; where there is none, the place after the word in front of it."""
    if first < end:
        return words[first].start(), words[end - 1].end()
    place = words[first - 1].end() if first else 0
    return place, place


def with_changes_put_back(before: str, after: str, passages: list[Passage], numbers: Collection[int]) -> str:
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


def share_changed(passages: list[Passage]) -> float:
    """Of all words of both texts, the part that went or came; 0 for the same words.

    >>> share_changed(text_difference("a b c", "a x c", least_between=1))
    0.3333333333333333
    """
    total = sum(part.words for part in passages)
    return sum(part.words for part in passages if part.changed) / total if total else 0.0
