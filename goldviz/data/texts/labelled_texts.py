"""Texts with the class of each: generated statements with their tone, or a file of a person's own.

Document 004 trains classifiers on reviews and on tweets. Every fifth text of a class is not learned, but asked for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from goldviz.data.texts.kept_texts import load_text
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.policy.sentences import policy_sentences

GENERATED = "generated"
GENERATED_COUNT = 2500
FIFTH = 5
MOST_CLASSES = 20
FEWEST_OF_A_CLASS = FIFTH
"""So that each class has a text that is not learned."""


@dataclass(frozen=True)
class LabelledTexts:
    """Texts and the numbers of their ``classes``, those that are learned and those that are not."""

    classes: tuple[str, ...]
    learned: tuple[tuple[str, int], ...]
    unseen: tuple[tuple[str, int], ...]


@lru_cache(maxsize=4)
def labelled_texts(name: str) -> LabelledTexts:
    """The generated statements, or the kept texts of this name.

    Raises:
        TextError: they are not there any more, or no list of labelled texts.
    """
    if name == GENERATED:
        sentences = policy_sentences(GENERATED_COUNT, np.random.default_rng(0))
        return parted(list({one.text: one.tone for one in sentences}.items()))
    rows = [line.split("\t") for line in load_text(name).splitlines()]
    if any(len(row) != 2 for row in rows):
        raise TextError(
            "The text is no list of labelled texts; allowed is a file of two columns, text and label.", "other_kind"
        )
    return parted([(text, label) for text, label in rows])


def parted(rows: list[tuple[str, str]]) -> LabelledTexts:
    """Classes in the order of their names, and of each class every fifth text left unseen.

    Raises :class:`TextError` for one class, too many, and one with too few texts.

    >>> texts = parted([(f"text {n}", "bad" if n % 2 else "good") for n in range(10)])
    >>> texts.classes, texts.unseen
    (('bad', 'good'), (('text 8', 1), ('text 9', 0)))
    """
    counts = Counter(label for _, label in rows)
    if not 2 <= len(counts) <= MOST_CLASSES:
        number = f"{len(counts):,} classes" if len(counts) != 1 else f"one class, {next(iter(counts))!r}"
        raise TextError(f"The texts have {number}; allowed are 2 to {MOST_CLASSES}.", "classes")
    rarest, fewest = min(counts.items(), key=lambda item: item[1])
    if fewest < FEWEST_OF_A_CLASS:
        texts = "1 text" if fewest == 1 else f"{fewest} texts"
        raise TextError(f"Class {rarest!r} has {texts}; allowed are at least {FEWEST_OF_A_CLASS} of each.", "classes")
    classes = tuple(sorted(counts))
    numbers = {label: number for number, label in enumerate(classes)}
    train: list[tuple[str, int]] = []
    test: list[tuple[str, int]] = []
    so_far: Counter[str] = Counter()
    for text, label in rows:
        so_far[label] += 1
        (train if so_far[label] % FIFTH else test).append((text, numbers[label]))
    return LabelledTexts(classes, tuple(train), tuple(test))
