"""Sentence pairs for next-sentence prediction: half of the time B follows A, else B is from elsewhere.

Devlin et al. 2019, section 3.1 and appendix A.2; document 001, section 4.2.1, for the segments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, pairwise

import numpy as np
from jaxtyping import Int
from torch import Tensor

NEXT, RANDOM = 0, 1
"""What the next-sentence head tells apart, numbered as BERT numbers them: B follows A, or was drawn at random."""
PARAGRAPH_END = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class WrittenPairs:
    """Sentences A and B as they were written, and what B is: ``NEXT`` or ``RANDOM``."""

    first: list[str]
    second: list[str]
    labels: list[int]

    def __len__(self) -> int:
        return len(self.labels)

    def first_of(self, count: int) -> WrittenPairs:
        """So many of them, from the first on."""
        return WrittenPairs(self.first[:count], self.second[:count], self.labels[:count])

    def parted(self, texts: set[str]) -> tuple[WrittenPairs, WrittenPairs]:
        """Pairs without any of these texts, and those with one."""
        held_out = [one in texts or other in texts for one, other in zip(self.first, self.second, strict=True)]
        return self._where([not one for one in held_out]), self._where(held_out)

    def _where(self, selection: list[bool]) -> WrittenPairs:
        return WrittenPairs(
            [*compress(self.first, selection)], [*compress(self.second, selection)], [*compress(self.labels, selection)]
        )


def sentence_pairs(documents: Sequence[Sequence[str]], generator: np.random.Generator) -> WrittenPairs:
    """Every sentence A that another one follows in its document, twice: with that one, and with a random one.

    The random one is from another document, or, where there is one document alone, any that does not follow A. A
    document of a single sentence has no pair of its own, but its sentence may come as a random B.

    >>> pairs = sentence_pairs([["Gold rose.", "Silver fell."], ["Output grew."]], np.random.default_rng(0))
    >>> list(zip(pairs.first, pairs.second, pairs.labels))
    [('Gold rose.', 'Silver fell.', 0), ('Gold rose.', 'Output grew.', 1)]
    """
    first, second, labels = [], [], []
    for number, sentences in enumerate(documents):
        for place, (sentence, following) in enumerate(pairwise(sentences)):
            others = _elsewhere(documents, number, place, generator)
            if others:
                first += [sentence] * 2
                second += [following, others[int(generator.integers(len(others)))]]
                labels += [NEXT, RANDOM]
    return WrittenPairs(first, second, labels)


def paragraphs_of(text: str, sentence_end: re.Pattern[str]) -> list[list[str]]:
    """The sentences of each paragraph; a blank line ends one.

    >>> paragraphs_of("Gold rose. It fell.\\n\\nOutput grew.", re.compile(r"(?<=[.])\\s+"))
    [['Gold rose.', 'It fell.'], ['Output grew.']]
    """
    paragraphs = (sentence_end.split(part) for part in PARAGRAPH_END.split(text))
    stripped_paragraphs = ([one.strip() for one in part if any(map(str.isalnum, one))] for part in paragraphs)
    return [part for part in stripped_paragraphs if part]


def joined_pair(first: Sequence[int], second: Sequence[int], room: int) -> tuple[list[int], list[int]]:
    """A and B with at most ``room`` pieces together: the longer one loses its end, down to half of the room.

    >>> joined_pair([1] * 9, [2] * 3, 8), joined_pair([1] * 9, [2] * 9, 8)
    (([1, 1, 1, 1, 1], [2, 2, 2]), ([1, 1, 1, 1], [2, 2, 2, 2]))
    """
    of_second = min(len(second), max(room - len(first), room // 2))
    return list(first[: room - of_second]), list(second[:of_second])


def segments_of(pieces: Int[Tensor, "text token"], separator: int) -> Int[Tensor, "text token"]:
    """0 up to the first [SEP] and 1 behind it (Devlin et al. 2019, figure 2); padding behind the last is 1, too.

    >>> import torch
    >>> segments_of(torch.tensor([[2, 7, 3, 8, 9, 3]]), 3).tolist()
    [[0, 0, 0, 1, 1, 1]]
    """
    ends = (pieces == separator).long()
    return ((ends.cumsum(1) - ends) > 0).long()


def _elsewhere(
    documents: Sequence[Sequence[str]], number: int, place: int, generator: np.random.Generator
) -> Sequence[str]:
    """Sentences among which a random B is drawn: those of another document, each document as likely as another."""
    if len(documents) == 1:
        return [*documents[0][:place], *documents[0][place + 2 :]]
    other = int(generator.integers(len(documents) - 1))
    return documents[other + (other >= number)]
