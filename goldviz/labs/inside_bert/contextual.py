"""Contextual vectors: what becomes of one word in two sentences (document 001, section 4.2.1).

A word's vector in X^(l) is the mean of its pieces'; in X^(0) it differs by its place and its segment alone.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from torch.nn.functional import cosine_similarity

from goldviz.data.texts.pieces import SPECIAL_WORD, Pieces
from goldviz.labs.inside_bert.reading import TextReading

FEWEST_LETTERS = 2


def words_of(pieces: Pieces, text: str) -> dict[str, np.ndarray]:
    """The words of a chunk in small letters, in order, with their pieces; signs and single letters are none."""
    words: dict[str, np.ndarray] = {}
    for number in dict.fromkeys(pieces.words.tolist()):
        places = np.flatnonzero(pieces.words == number)
        word = text[int(pieces.offsets[places[0]][0]) : int(pieces.offsets[places[-1]][1])].lower()
        if number != SPECIAL_WORD and len(word) >= FEWEST_LETTERS and word.isalpha():
            words.setdefault(word, places)
    return words


def words_of_both(first: Pieces, first_text: str, second: Pieces, second_text: str) -> list[str]:
    """The words that stand in both, in the order of the first."""
    others = words_of(second, second_text)
    return [word for word in words_of(first, first_text) if word in others]


def same_word(first: TextReading, first_text: str, second: TextReading, second_text: str, word: str) -> xr.Dataset:
    """``word_cosine`` (pair, state): between the word's vectors in the two sentences, X^(0) to X^(L), in float64.

    Beside it, as *other words*, the median cosine between the word in the first sentence and each other word of the
    second; NaN where there is none. Raises ``KeyError`` for a word that does not stand in both.
    """
    places, others = words_of(first.pieces, first_text), words_of(second.pieces, second_text)
    own = first.hidden[:, places[word]].double().mean(1)
    means = {other: second.hidden[:, where].double().mean(1) for other, where in others.items()}
    cosines = {other: cosine_similarity(own, mean, dim=-1).cpu().numpy() for other, mean in means.items()}
    rest = [cosine for other, cosine in cosines.items() if other != word]
    median = np.median(rest, axis=0) if rest else np.full(len(own), np.nan)
    return xr.Dataset(
        {"word_cosine": (("pair", "state"), np.stack([cosines[word], median]))},
        coords={"pair": ["same word", "other words"], "state": np.arange(len(own))},
        attrs={"word": word, "others": len(rest)},
    )
