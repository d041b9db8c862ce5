"""What claims and presets read off both tokenisers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.measure import Measure, each, measure

SIDES = {"left": "left", "right": "right"}


def _of_sides(name: str, words: str, unit: str, read: Callable[[Run], Any]) -> dict[str, Measure]:
    """One number of each tokeniser."""
    return each(SIDES, name, words, lambda run, side: read(run.sel(side=side)), unit)


PIECES = _of_sides(
    "pieces_{}", "How many pieces the {} pattern makes of the text.", "pieces", lambda run: run["pieces"]
)
OWN_TOKENS = _of_sides(
    "own_tokens_{}",
    "How many tokens the text is under the {} tokeniser after its last merge.",
    "tokens",
    lambda run: run["own_tokens"].values[-1],
)
BYTES_A_TOKEN = _of_sides(
    "bytes_a_token_{}",
    "Bytes of the corpus for each of its tokens under the {} tokeniser, after its last merge.",
    "bytes",
    lambda run: run.attrs["corpus_bytes"] / np.nanmin(run["corpus_tokens"].values),
)
LONGEST_SPACES = _of_sides(
    "longest_spaces_{}",
    "How many spaces the {} vocabulary's longest token of spaces has.",
    "characters",
    lambda run: run["longest_spaces"],
)
GLUED = _of_sides(
    "glued_{}",
    "The share of the corpus' signs that the {} pattern leaves in one piece with letters.",
    "",
    lambda run: run["share_glued"],
)
MIXED = _of_sides(
    "mixed_{}",
    "The share of the {} vocabulary's learned entries that hold letters and signs.",
    "",
    lambda run: run["entries"].sel(kind="mixed") / run["entries"].sum(),
)
more_pieces_right = measure(lambda run: PIECES["right"](run) - PIECES["left"](run), "pieces")
"""How many pieces more the right pattern makes of the text than the left one."""
more_pieces_left = measure(lambda run: -more_pieces_right(run), "pieces")
"""How many pieces more the left pattern makes of the text than the right one."""
alone_left = measure(lambda run: run["share_alone"].sel(side="left"))
"""The share of the corpus' signs that are a piece of their own under the left pattern."""


@measure
def tokens_right_to_left(run: Run) -> float:
    """The corpus' tokens under the right tokeniser over those under the left one, after the last merge of both."""
    tokens = run["corpus_tokens"].transpose("side", "size").values
    left, right = tokens[:, np.isfinite(tokens).all(axis=0)][:, -1]
    return float(right / left)


tokens_left_to_right = measure(lambda run: 1 / tokens_right_to_left(run))
"""The corpus' tokens under the left tokeniser over those under the right one, after the last merge of both."""


@measure
def corpus_pieces_right_to_left(run: Run) -> float:
    """Pieces of the corpus' beginning, right over left: its tokens in a vocabulary that has every piece."""
    left, right = run["corpus_pieces"].transpose("side").values
    return float(right / left)


def costliest_language(run: Run) -> tuple[str, float]:
    """Whose sentence takes most tokens under the left tokeniser, and how many times those of the English one."""
    tokens = run["sentence_tokens"].values[0]
    most = int(tokens.argmax())
    return str(run["language"].values[most]), float(tokens[most] / tokens[0])
