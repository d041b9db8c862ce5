"""Learning both tokenisers, with word of how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from goldviz.cache import Cache
from goldviz.data.texts.byte_pieces import BYTES, BytePieces, merges, read, written
from goldviz.data.texts.pair_merges import Merge
from goldviz.labs.text_tokens.settings import TextTokens
from goldviz.labs.text_tokens.sources import source_of

OTHERS = 7
"""Pairs that are shown beside the one that is merged."""
TOLD_EVERY = 32
"""Merges."""
KEPT = 12

Report = Callable[[float, float], None]
"""Told how much is done of how much."""


@dataclass(frozen=True)
class Learned:
    """What was learned of a text: its merges in order, and how many bytes it has."""

    merges: tuple[Merge, ...]
    expression: str
    length: int

    @property
    def pieces(self) -> BytePieces:
        """The tokeniser."""
        return BytePieces(tuple(merge.pair for merge in self.merges), self.expression)


_learned: Cache[Learned] = Cache(KEPT, lambda _: 1)


def learned(settings: TextTokens, report: Report) -> tuple[Learned, Learned]:
    """The left and the right tokeniser.

    Raises:
        TextError: the corpus is gone, or the expression takes too long.
    """
    count = settings.vocabulary - BYTES
    left = _one(settings, settings.pattern, lambda number: report(number, 2 * count))
    return left, _one(settings, settings.beside, lambda number: report(count + number, 2 * count))


def _one(settings: TextTokens, pattern: str, report: Callable[[int], None]) -> Learned:
    expression = settings.expression_of(pattern)
    own = settings.text if settings.corpus == "own" else ""

    def make() -> Learned:
        text = source_of(settings)
        in_order = islice(merges(text, expression, others=OTHERS), settings.vocabulary - BYTES)
        return Learned(tuple(_told(in_order, report)), expression, len(written(read(text))))

    return _learned.get((settings.corpus, own, settings.part, settings.vocabulary, expression), make)


def _told(in_order: Iterator[Merge], report: Callable[[int], None]) -> Iterator[Merge]:
    for number, merge in enumerate(in_order):
        if number % TOLD_EVERY == 0:
            report(number)
        yield merge
