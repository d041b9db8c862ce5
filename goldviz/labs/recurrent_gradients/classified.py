"""Labelled texts as sequences of words: what the read-out is to say is the class of the text, after its last word.

Words are one-hot in a vocabulary of those that stand most often in the texts that are learned. A shorter text stands at
the end of its sequence, after steps at which nothing comes in, and so does a word that is not in the vocabulary.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import torch
from jaxtyping import Int
from torch import Generator, Tensor
from torch.nn import functional

from goldviz.data.problems.sequences import ClassificationBatch
from goldviz.data.texts.labelled_texts import LabelledTexts, labelled_texts
from goldviz.labs.recurrent_gradients.settings import MOST_WORDS

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def words_in(text: str) -> tuple[str, ...]:
    """The words of a text, in small letters.

    >>> words_in("What a wonderful day!")
    ('what', 'a', 'wonderful', 'day')
    """
    return tuple(WORD.findall(text.lower()))


@dataclass(frozen=True)
class ClassifiedTexts:
    """Texts in numbers of ``words``, -1 where nothing comes in, and their classes."""

    texts: LabelledTexts
    words: tuple[str, ...]
    learned: Int[Tensor, "text time"]
    unseen: Int[Tensor, "text time"]

    def drawn(self, count: int, generator: Generator) -> ClassificationBatch:
        """So many of the texts that are learned, drawn with replacement."""
        rows = torch.randint(len(self.learned), (count,), generator=generator)
        return self._batch(self.learned[rows], [self.texts.learned[row][1] for row in rows.tolist()])

    def asked(self, count: int, generator: Generator) -> ClassificationBatch:
        """So many of those that are not learned, each once where there are enough."""
        rows = torch.randperm(len(self.unseen), generator=generator)
        rows = rows.repeat(-(-count // len(rows)))[:count]
        return self._batch(self.unseen[rows], [self.texts.unseen[row][1] for row in rows.tolist()])

    def _batch(self, numbers: Int[Tensor, "text time"], labels: list[int]) -> ClassificationBatch:
        # Number 0 stands for nothing, and its column is left out.
        inputs = functional.one_hot(numbers.t().long() + 1, len(self.words) + 1)[..., 1:]
        targets = torch.zeros(inputs.shape[:2], dtype=torch.long)
        targets[-1] = torch.tensor(labels)
        last = torch.arange(len(targets)) == len(targets) - 1
        return ClassificationBatch(inputs.to(torch.get_default_dtype()), targets, last, len(self.texts.classes))


@lru_cache(maxsize=2)
def classified(name: str, length: int) -> ClassifiedTexts:
    """The labelled texts of this name, the first ``length`` words of each.

    Raises :class:`goldviz.data.texts.pieces.TextError` where they are gone.
    """
    texts = labelled_texts(name)
    counts = Counter(word for text, _ in texts.learned for word in words_in(text))
    words = tuple(sorted(counts, key=lambda word: (-counts[word], word))[:MOST_WORDS])
    numbers = {word: number for number, word in enumerate(words)}

    def rows(pairs: tuple[tuple[str, int], ...]) -> Tensor:
        table = torch.full((len(pairs), length), -1, dtype=torch.int16)
        for row, (text, _) in enumerate(pairs):
            read = [numbers.get(word, -1) for word in words_in(text)[:length]]
            if read:
                table[row, -len(read) :] = torch.tensor(read, dtype=torch.int16)
        return table

    return ClassifiedTexts(texts, words, rows(texts.learned), rows(texts.unseen))


def shares_loss(texts: LabelledTexts, batch: ClassificationBatch) -> float:
    """The loss of answering with the classes' shares among the texts that are learned, whatever a text says."""
    shares = torch.as_tensor(texts.shares, dtype=torch.float64)
    return float(-shares[batch.targets[-1].cpu()].log().mean())


def majority_share(texts: LabelledTexts, batch: ClassificationBatch) -> float:
    """The share of these texts that are of the class that most learned texts have."""
    return float((batch.targets[-1].cpu() == int(texts.shares.argmax())).double().mean())
