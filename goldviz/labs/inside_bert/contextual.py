"""Contextual vectors: what becomes of one word in two sentences (document 001, section 4.2.1).

A word's vector in X^(l) is the mean of its pieces'. In X^(0) it differs by its place alone, and its segment; from the
first layer on by what stands beside it.
"""

from __future__ import annotations

import numpy as np
import torch
import xarray as xr
from jaxtyping import Float
from torch import Tensor

from goldviz.data.texts.pieces import SPECIAL_WORD, Pieces
from goldviz.labs.inside_bert.reading import TextReading

PAIRS = ("same word", "other words")
FEWEST_LETTERS = 2


def words_of(pieces: Pieces, text: str) -> dict[str, np.ndarray]:
    """The different words of a chunk of ``text`` in small letters, in their order, and the pieces of the first of each.

    Signs and single letters are none.
    """
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
    own = _vector(first.hidden, places[word])
    cosines = {other: _cosine(own, _vector(second.hidden, where)) for other, where in others.items()}
    rest = [cosine for other, cosine in cosines.items() if other != word]
    median = np.median(rest, axis=0) if rest else np.full(len(own), np.nan)
    return xr.Dataset(
        {"word_cosine": (("pair", "state"), np.stack([cosines[word], median]))},
        coords={"pair": list(PAIRS), "state": np.arange(len(own))},
        attrs={"word": word, "others": len(rest)},
    )


def _vector(hidden: Float[Tensor, "state piece width"], places: np.ndarray) -> Float[Tensor, "state width"]:
    return hidden[:, torch.as_tensor(places)].double().mean(1)


def _cosine(one: Float[Tensor, "state width"], other: Float[Tensor, "state width"]) -> Float[np.ndarray, " state"]:
    return np.asarray(torch.nn.functional.cosine_similarity(one, other, dim=-1).cpu().numpy())
