"""What guesses without a network score on the very dev tokens that the network's dev loss is of.

Stretches of text differ: counted pairs score 2.35 nat on 32 stretches of 64 characters of Python's documentation, and
2.45 on all of its dev text. A difference of two losses says something of the guessers only on the same tokens.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor

from goldviz.data.texts.pair_counts import probabilities, table_of_counts
from goldviz.labs.char_gpt.texts import TokenText

Span = tuple[int, int]
"""Where bytes of a text begin and end."""


def simple_losses(
    text: TokenText, stretches: Int[Tensor, "stretch place"]
) -> dict[str, float | Float[np.ndarray, " place"]]:
    """Losses of guessing evenly, by single tokens and by pairs of the training part, with one fake count each.

    ``stretches`` are of dev text, and of each the tokens from the second on are what is guessed. In nats;
    ``bigram_position_loss`` is the mean over stretches at each place.
    """
    train = text.train.numpy()
    counts = table_of_counts(np.stack([train[:-1], train[1:]], axis=1), text.size)
    before, targets = stretches[:, :-1].cpu().numpy(), stretches[:, 1:].cpu().numpy()
    single = probabilities(counts.sum(axis=0)[None, :], 1.0)[0]
    by_place = -np.log(probabilities(counts, 1.0)[before, targets]).mean(axis=0)
    return {
        "uniform_loss": math.log(text.size),
        "unigram_dev_loss": float(-np.log(single[targets]).mean()),
        "bigram_dev_loss": float(by_place.mean()),
        "bigram_position_loss": by_place,
    }


def in_bytes(text: TokenText, starts: Int[Tensor, " stretch"], block: int) -> list[Span]:
    """Where the bytes lie that are guessed in stretches of the dev text: those of all tokens but a stretch's first."""
    lengths = np.array([len(content) for content in text.tokens.token_bytes()])
    ends = np.concatenate([[0], lengths[text.dev.numpy()].cumsum()])
    return [(int(ends[start + 1]), int(ends[start + block + 1])) for start in starts.tolist()]


def tokens_per_byte(spans: Sequence[Span], block: int) -> float:
    """Of the tokens that are guessed: what turns nats a token into nats a byte."""
    return len(spans) * block / sum(end - start for start, end in spans)


def gzip_bits(train: bytes, dev: bytes, spans: Sequence[Span]) -> float:
    """Bits a byte that gzip's method takes for parts of a text, after the training part and all that stands before.

    A part costs what the compressed text grows by when it is read. So parts that make up a text cost together what the
    text does, and gzip may copy, as everywhere, from the 32,768 bytes before: cut out of its text, a stretch of 64
    characters of Python's documentation would cost a quarter more.

    >>> round(gzip_bits(b"abcd" * 100, b"abcd" * 100, [(0, 400)]), 2)
    0.04
    """
    reader = zlib.compressobj(9)
    size, read = len(reader.compress(train)), 0
    sizes: dict[int, int] = {}
    for place in sorted({place for span in spans for place in span}):
        size += len(reader.compress(dev[read:place]))
        sizes[place], read = size + len(reader.copy().flush()), place
    return 8 * sum(sizes[end] - sizes[start] for start, end in spans) / sum(end - start for start, end in spans)
