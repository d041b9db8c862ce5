"""A text in tokens: characters, or pieces that were learned on its training part (document 002, 2.1 and 3)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from goldviz.data.texts.byte_pieces import BytePieces
from goldviz.data.texts.corpora import CORPORA, running_text
from goldviz.data.texts.pieces import TextError

MOST_CHARACTERS = 1_000_000
FEWEST_CHARACTERS = 200
MOST_SYMBOLS = 4096
DEV_PARTS = 10
"""So many stretches of the text, evenly spread and a hundredth of it each, are not learned."""
HUNDREDTHS = 100
VISIBLE = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍"}
"""How characters are shown that nobody sees."""


@dataclass(frozen=True)
class Characters:
    """Every character that the text has is a token."""

    signs: tuple[str, ...]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {sign: number for number, sign in enumerate(self.signs)}

    def encode(self, text: str) -> list[int]:
        """The tokens of a text; raises :class:`TextError` for characters that the text to learn never had."""
        strange = sorted(set(text) - set(self._numbers))
        if strange:
            raise TextError(
                f"The text that was learned has no {', '.join(map(repr, strange[:5]))}; allowed are characters that "
                "it has. Leave out the others, or train on pieces, which know every byte.",
                "never_read",
            )
        return [self._numbers[sign] for sign in text]

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of tokens."""
        return "".join(self.signs[token] for token in tokens)

    def token_bytes(self) -> list[bytes]:
        """What each token stands for."""
        return [sign.encode("utf-8", "surrogatepass") for sign in self.signs]


@dataclass(frozen=True)
class Pieces:
    """Pieces of bytes, by merges that were learned."""

    pieces: BytePieces

    def encode(self, text: str) -> list[int]:
        """The tokens of a text; every text has some."""
        tokens: list[int] = self.pieces.encode(text).tolist()
        return tokens

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of tokens, with � for bytes that are no UTF-8."""
        return self.pieces.decode(tokens)

    def token_bytes(self) -> list[bytes]:
        """What each token stands for."""
        return list(self.pieces.vocabulary)


@dataclass(frozen=True)
class TokenText:
    """The training and the dev part in tokens, and notes on what was done."""

    tokens: Characters | Pieces
    train: Int[Tensor, " place"]
    dev: Int[Tensor, " place"]
    notes: tuple[str, ...] = ()

    @cached_property
    def signs(self) -> tuple[str, ...]:
        """Each token as it is shown; different tokens may look alike."""
        return tuple(shown(content) for content in self.tokens.token_bytes())

    @property
    def size(self) -> int:
        """V, how many tokens there are."""
        return len(self.signs)

    def in_bytes(self, tokens: Int[Tensor, " place"]) -> bytes:
        """What tokens stand for."""
        contents = self.tokens.token_bytes()
        return b"".join(contents[token] for token in tokens.tolist())


def shown(content: bytes) -> str:
    """A token as it is shown: blanks and line ends as signs, bytes that are no text as numbers.

    >>> shown(b" the"), shown(b"\\n"), shown(b"\\xc3")
    ('␣the', '⏎', '‹c3›')
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return f"‹{content.hex()}›"
    signs = (VISIBLE.get(sign, sign) for sign in text)
    return "".join(sign if sign.isprintable() else f"‹{ord(sign):x}›" for sign in signs)


def checked_text(text: str) -> tuple[str, tuple[str, ...]]:
    """The text, its beginning where it is too long, and a note that says so.

    Raises:
        TextError: it has fewer than 200 characters, or one alone.
    """
    beginning = text[:MOST_CHARACTERS]
    if len(beginning.strip()) < FEWEST_CHARACTERS:
        raise TextError(
            f"The text has {len(beginning.strip())} characters; allowed are at least {FEWEST_CHARACTERS}.", "too_short"
        )
    if len(set(beginning)) < 2:
        raise TextError(
            f"The text is made of one character, {beginning[0]!r}: there is nothing to predict.", "constant"
        )
    if len(beginning) == len(text):
        return beginning, ()
    return beginning, (f"Of {len(text) / 1e6:.1f} million characters the first {MOST_CHARACTERS:,} are read.",)


def text_of(corpus: str) -> str:
    """The text of this name; names and cities come in an order of chance, for theirs would give the next away."""
    if corpus == "python" or corpus not in CORPORA:
        return running_text(corpus)
    items = running_text(corpus).split("\n")
    random.Random(0).shuffle(items)  # noqa: S311 - which comes first is no secret
    return "\n".join(items)


def parted(text: str) -> tuple[str, str]:
    """What is learned and the dev part: ten stretches of a hundredth each, evenly spread.

    >>> parted("".join(map(chr, range(100))))[1] == "".join(chr(5 + 10 * part) for part in range(10))
    True
    """
    ends = np.linspace(0, len(text), HUNDREDTHS + 1).astype(int)
    parts = [text[start:end] for start, end in pairwise(ends)]
    every = HUNDREDTHS // DEV_PARTS
    dev = slice(every // 2, None, every)
    dev_text = "".join(parts[dev])
    del parts[dev]
    return "".join(parts), dev_text


@lru_cache(maxsize=8)
def token_text(corpus: str, kind: str, size: int) -> TokenText:
    """A text in characters, or in at most ``size`` pieces that are learned on its training part.

    Raises:
        TextError: the text is not there any more, is too short, or has too many different characters.
    """
    text, notes = checked_text(text_of(corpus))
    train, dev = parted(text)
    if kind == "pieces":
        tokens: Characters | Pieces = Pieces(BytePieces.learned_from(train, size))
    else:
        tokens = Characters(tuple(sorted(set(text))))
    if isinstance(tokens, Characters) and len(tokens.signs) > MOST_SYMBOLS:
        raise TextError(
            f"The text has {len(tokens.signs):,} different characters; allowed are at most {MOST_SYMBOLS:,}. "
            "Pieces in place of characters read any text.",
            "too_large",
        )
    return TokenText(tokens, torch.tensor(tokens.encode(train)), torch.tensor(tokens.encode(dev)), notes)


def fits(text: TokenText, block: int) -> None:
    """Raises :class:`TextError` where the dev part, the shorter one, does not hold a block and the token after it."""
    if len(text.dev) <= block:
        raise TextError(
            f"A tenth of the text, which is not learned, has {len(text.dev)} tokens; allowed are at least "
            f"{block + 1}, one more than the block. Take a longer text or a shorter block.",
            "too_short",
        )
