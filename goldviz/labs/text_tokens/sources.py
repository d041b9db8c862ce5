"""The texts from which merges are learned, and learning both tokenisers, with word of how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import islice
from typing import Any

from goldviz.cache import Cache
from goldviz.data.texts.byte_pieces import BYTES, BytePieces, merges, read, written
from goldviz.data.texts.corpora import running_text
from goldviz.data.texts.pair_merges import Merge
from goldviz.data.texts.pieces import TextError
from goldviz.labs.text_tokens.settings import CORPORA, TextTokens

MOST_CHARACTERS = 1_000_000
MODULES = ("argparse", "inspect", "tarfile", "typing")
"""Of Python's library: some 450,000 characters of indented code."""
PARTS = 5
IN_WORDS = {
    **CORPORA,
    "words": "Python's documentation",
    "own": "Your text",
    "names": "The list of first names",
    "cities": "The list of cities",
}


def source_of(settings: TextTokens) -> str:
    """The text that these settings learn from.

    Raises:
        TextError: it is no longer there.
    """
    text = settings.text if settings.corpus == "own" else _corpus(settings.corpus)
    return _fifth(text, settings.part) if settings.part else text


@lru_cache(maxsize=8)
def _corpus(name: str) -> str:
    if name == "code":
        return python_code()
    if name == "words":
        return " ".join(running_text("python").split())
    return running_text(name)[:MOST_CHARACTERS]


def python_code() -> str:
    """The sources of some modules of the Python that runs this.

    Raises:
        TextError: this Python came without them.
    """
    sources = [_source(name) for name in MODULES]
    if None in sources:
        raise TextError("This Python came without the sources of its library; choose another corpus.", "gone")
    return "\n".join(text for text in sources if text)


def _source(name: str) -> str | None:
    spec: Any = find_spec(name)
    text: str | None = spec.loader.get_source(name)
    return text


def _fifth(text: str, part: int) -> str:
    """The part of a text, from 1 to 5.

    >>> _fifth("abcdefghij", 2)
    'cd'
    """
    return text[len(text) * (part - 1) // PARTS : len(text) * part // PARTS]


def in_words(name: str) -> str:
    """What a corpus is called at the start of a sentence.

    >>> in_words("code"), in_words("0123456789abcdef")
    ("Python's own code", 'Your file')
    """
    return IN_WORDS.get(name, "Your file")


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
