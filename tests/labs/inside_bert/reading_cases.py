"""A text with made-up attention, of which every number is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldviz.labs.inside_bert.maps import pool_tiles, word_maps
from goldviz.labs.inside_bert.queries import AttentionExhibit, Measure

SCRIPT = "<script>alert(1)</script>"
TOKENS = (
    "[CLS]",
    "the",
    "committee",
    "rais",
    "##ed",
    SCRIPT,
    "שלום",
    "##ים",
    "🏦",
    "rates",
    "[SEP]",
)
WORDS = (-1, 0, 1, 2, 2, 3, 4, 4, 5, 6, -1)
WORD_TEXTS = ("the", "committee", "raised", SCRIPT, "שלוםים", "🏦", "rates")


def known_weights(layer: int, head: int, count: int) -> np.ndarray:
    """Rows that sum to 1, different in every head."""
    drawn = np.random.default_rng(1000 * layer + head).dirichlet(np.full(count, 0.3), size=count)
    return np.asarray(drawn, np.float32)


def known_exhibit(count: int = len(TOKENS), layers: int = 3, heads: int = 4, **changed: Any) -> AttentionExhibit:
    """The tokens above, repeated up to ``count``, read by a model with ``layers`` x ``heads`` heads."""
    tokens = tuple(TOKENS[place % len(TOKENS)] for place in range(count))
    rounds = -(-count // len(TOKENS))
    words = np.concatenate([np.where(np.array(WORDS) < 0, -1, np.array(WORDS) + 7 * turn) for turn in range(rounds)])
    words = words[:count]

    def head(layer: int, number: int, measure: Measure) -> np.ndarray:
        weights = known_weights(layer, number, count)
        return weights * 3 if measure == "norms" else weights

    all_weights = [np.stack([head(layer, number, "weights") for number in range(heads)]) for layer in range(layers)]
    spread = np.arange(layers * heads, dtype=float).reshape(layers, heads)
    settings: dict[str, Any] = {
        "tokens": tokens,
        "words": words,
        "tiles": np.stack([pool_tiles(weights) for weights in all_weights]),
        # The last head has the lowest entropy, so that an order by entropy turns the mosaic round.
        "summaries": {"entropy": 5 - spread / 10, "distance": spread + 0.5, "special": spread / (layers * heads)},
        "head": head,
        "word_texts": WORD_TEXTS * rounds,
        "word_norms": lambda layer, number: word_maps(head(layer, number, "norms"), words).astype(np.float32),
        "ahead": lambda *_place: {},
        # Queries and keys whose scores are the logarithms of the weights.
        "vectors": lambda layer, number: np.stack(
            [np.log(known_weights(layer, number, count)), np.sqrt(count) * np.eye(count, dtype=np.float32)]
        ),
        "ids": tuple(range(100, 100 + count)),
        "segments": np.zeros(count, int),
    }
    return AttentionExhibit(**{**settings, **changed})
