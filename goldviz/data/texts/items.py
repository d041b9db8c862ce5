"""Lists of short texts, such as names, in symbols with a boundary around each."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from goldviz.data.texts.pieces import TextError
from goldviz.plurals import how_many

BOUNDARY = 0
"""The symbol that stands before and after every item; document 002 writes it as a dot."""
BOUNDARY_SIGNS = (".", "·", "¶", "§", "¤")
"""Its sign is the first of these that no item has."""
FEWEST_ITEMS = 20
MOST_SYMBOLS = 128
LONGEST_ITEM = 100
"""Characters; longer items are cut into pieces."""


@dataclass(frozen=True)
class Corpus:
    """Items as they are read, the signs of the symbols (the boundary's first), and what was done to the text."""

    items: tuple[str, ...]
    symbols: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, items: Iterable[str], notes: tuple[str, ...] = ()) -> Corpus:
        """The corpus of these items.

        Raises:
            TextError: there are fewer than 20 items, one symbol alone, or more than 128.

        >>> Corpus.of(["ab", "ba"] * 10).symbols
        ('.', 'a', 'b')
        """
        lines = tuple(items)
        if len(lines) < FEWEST_ITEMS:
            raise TextError(
                f"The text has {how_many(len(lines), 'line')} with something in it; "
                f"allowed are at least {FEWEST_ITEMS}, for each line is an item to learn.",
                "too_few",
            )
        signs = sorted(set("".join(lines)))
        if len(signs) < 2:
            raise TextError(
                f"The text is made of one character, {signs[0]!r}: there is nothing to predict. "
                "Allowed are at least 2 different ones.",
                "constant",
            )
        if len(signs) + 1 > MOST_SYMBOLS:
            raise TextError(
                f"The text has {len(signs):,} different characters; allowed are at most {MOST_SYMBOLS - 1}, "
                "for the table of pairs has a row and a column for each.",
                "too_large",
            )
        boundary = next(sign for sign in BOUNDARY_SIGNS if sign not in signs)
        return cls(lines, (boundary, *signs), notes)


def lines_of(text: str) -> Iterator[str]:
    """Lines with something in them, blanks made one, long ones cut.

    >>> list(lines_of("to  be\\n\\n or not"))
    ['to be', 'or not']
    """
    for line in unicodedata.normalize("NFC", text).splitlines():
        words = " ".join("".join(sign for sign in line if sign.isprintable() or sign.isspace()).split())
        for start in range(0, len(words), LONGEST_ITEM):
            yield words[start : start + LONGEST_ITEM]
