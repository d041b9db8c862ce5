"""Noun phrases whose adjectives follow, to be written before it: document 004's "European Economic Area" as a grammar.

A sentence is phrases with links between them. Inside a phrase the order turns round, between phrases it stays.
"""

from __future__ import annotations

from itertools import cycle

import torch
from torch import Generator

from goldviz.data.pairs.pairs import Pairs, PairTask, SentenceError

NOUNS = ("area", "bank", "council", "market", "policy", "treaty", "agency", "fund", "court", "report")
ADJECTIVES = ("economic", "european", "central", "monetary", "common", "annual", "national", "new", "public", "open")
LINKS = ("and", "of", "with", "for")
WORDS = (*NOUNS, *ADJECTIVES, *LINKS)
OF_THE_DOCUMENT = (("area", "economic", "european", "common"), ("bank", "central", "european", "common"))
"""Nouns with their adjectives; the last adjective comes only where a link would end the sentence."""
MOST_ADJECTIVES = 3
BEYOND = 3
"""Words more than any training sentence that are asked for, too."""
GRAMMAR = "a noun, up to three adjectives behind it, and a link before the next noun"


def noun_phrases(shortest: int, longest: int) -> PairTask:
    """Sentences of so many words; a word of the answer stands for one of the source."""
    target_words = tuple(word if word in LINKS else word.capitalize() for word in WORDS)
    return PairTask(
        WORDS,
        target_words,
        tuple(range(shortest, longest + 1)),
        tuple(range(longest + 1, longest + BEYOND + 1)),
        _drawn,
        lambda sentence: sentence.lower().split(),
        _checked,
        "area economic european",
        _known_by,
    )


def _known_by(length: int) -> Pairs:
    """The document's phrase, and on from it: so many words, of which the answer begins "European Economic Area".

    >>> [WORDS[word] for word in _known_by(6).source[0]]
    ['area', 'economic', 'european', 'and', 'bank', 'central']
    """
    longest = len(OF_THE_DOCUMENT[0])
    whole, left = divmod(length - 1, longest)
    sizes = [longest - 1] * whole + [left + 1]
    phrases = [phrase[:size] for phrase, size in zip(cycle(OF_THE_DOCUMENT), sizes, strict=False)]
    words = [word for phrase in phrases for word in (*phrase, LINKS[0])][:-1]
    _, order = _sentence(sizes, [0] * length)
    source, places = torch.tensor([[WORDS.index(word) for word in words]]), torch.tensor([order])
    return Pairs(source, source.gather(1, places), places)


def _drawn(count: int, length: int, generator: Generator) -> Pairs:
    sources, alignment = [], []
    chances = torch.randint(1 << 20, (count, 2 * length), generator=generator).tolist()
    for own in chances:
        sizes = _phrase_sizes(length, own[:length])
        source, order = _sentence(sizes, own[length:])
        sources.append(source)
        alignment.append(order)
    places, words = torch.tensor(alignment), torch.tensor(sources)
    return Pairs(words, words.gather(1, places), places)


def _phrase_sizes(length: int, chances: list[int]) -> list[int]:
    """Words of each phrase, which with a link between any two of them make so many words.

    >>> _phrase_sizes(6, [2, 0, 0, 0, 0, 0]), _phrase_sizes(4, [3, 0, 0, 0])
    ([3, 2], [1, 2])
    """
    sizes, left = [], length
    for chance in chances:
        most = min(1 + MOST_ADJECTIVES, left)
        # A phrase and its link may not leave one word alone that would have to be a link.
        choices = [size for size in range(1, most + 1) if left - size != 1]
        sizes.append(choices[chance % len(choices)])
        left -= sizes[-1] + 1
        if left <= 0:
            break
    return sizes


def _sentence(sizes: list[int], chances: list[int]) -> tuple[list[int], list[int]]:
    """The numbers of the source's words, and from which of them each word of the answer comes."""
    source: list[int] = []
    order: list[int] = []
    for size in sizes:
        if source:
            order.append(len(source))
            source.append(len(NOUNS) + len(ADJECTIVES) + chances[len(source)] % len(LINKS))
        first = len(source)
        source.append(chances[first] % len(NOUNS))
        source += [len(NOUNS) + chances[place] % len(ADJECTIVES) for place in range(first + 1, first + size)]
        order += range(first + size - 1, first - 1, -1)
    return source, order


def _checked(words: list[str]) -> None:
    """Whether the words are a sentence of the grammar."""
    before, adjectives = "link", 0
    for word in words:
        sort = "noun" if word in NOUNS else "adjective" if word in ADJECTIVES else "link"
        adjectives = adjectives + 1 if sort == "adjective" else 0
        if (sort == "noun") != (before == "link") or adjectives > MOST_ADJECTIVES:
            raise SentenceError(
                f"The sentence is outside the grammar at {word!r}; allowed is {GRAMMAR}.", "ungrammatical"
            )
        before = sort
    if before == "link":
        raise SentenceError(f"The sentence ends with {words[-1]!r}; allowed is {GRAMMAR}.", "ungrammatical")
