"""What claims and presets read off both tokenisers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.measure import Measure, combined, measure

SIDES = ("left", "right")


def _of_sides(name: str, words: str, unit: str, read: Callable[[Run], float]) -> dict[str, Measure]:
    """One number of each tokeniser."""

    def of(side: str) -> Measure:
        return Measure(f"{name}_{side}", words.format(side), unit, lambda run: float(read(run.sel(side=side))))

    return {side: of(side) for side in SIDES}


PIECES = _of_sides(
    "pieces", "How many pieces the {} pattern makes of the text.", "pieces", lambda run: run["pieces"].item()
)
OWN_TOKENS = _of_sides(
    "own_tokens",
    "How many tokens the text is under the {} tokeniser after its last merge.",
    "tokens",
    lambda run: run["own_tokens"].values[-1],
)
BYTES_A_TOKEN = _of_sides(
    "bytes_a_token",
    "Bytes of the corpus for each of its tokens under the {} tokeniser, after its last merge.",
    "bytes",
    lambda run: run.attrs["corpus_bytes"] / np.nanmin(run["corpus_tokens"].values),
)


@combined("pieces")
def more_pieces_right(run: Run) -> float:
    """How many pieces more the right pattern makes of the text than the left one."""
    return PIECES["right"](run) - PIECES["left"](run)


@combined("pieces")
def more_pieces_left(run: Run) -> float:
    """How many pieces more the left pattern makes of the text than the right one."""
    return -more_pieces_right(run)


@measure("characters")
def longest_spaces_left(run: Run) -> float:
    """How many spaces the left vocabulary's longest token of spaces has."""
    return float(run["longest_spaces"].sel(side="left"))


@measure("characters")
def longest_spaces_right(run: Run) -> float:
    """How many spaces the right vocabulary's longest token of spaces has."""
    return float(run["longest_spaces"].sel(side="right"))


@measure()
def glued_left(run: Run) -> float:
    """The share of the corpus' signs that the left pattern leaves in one piece with letters."""
    return float(run["share_glued"].sel(side="left"))


@measure()
def glued_right(run: Run) -> float:
    """The share of the corpus' signs that the right pattern leaves in one piece with letters."""
    return float(run["share_glued"].sel(side="right"))


@measure()
def alone_left(run: Run) -> float:
    """The share of the corpus' signs that are a piece of their own under the left pattern."""
    return float(run["share_alone"].sel(side="left"))


@measure()
def tokens_right_to_left(run: Run) -> float:
    """The corpus' tokens under the right tokeniser over those under the left one, after the last merge of both."""
    tokens = run["corpus_tokens"].transpose("side", "size").values
    left, right = tokens[:, np.isfinite(tokens).all(axis=0)][:, -1]
    return float(right / left)


@combined()
def tokens_left_to_right(run: Run) -> float:
    """The corpus' tokens under the left tokeniser over those under the right one, after the last merge of both."""
    return 1 / tokens_right_to_left(run)


@measure()
def corpus_pieces_right_to_left(run: Run) -> float:
    """Pieces of the corpus' beginning, right over left: its tokens in a vocabulary that has every piece."""
    left, right = run["corpus_pieces"].transpose("side").values
    return float(right / left)


def costliest_language(run: Run) -> tuple[str, float]:
    """Whose sentence takes most tokens under the left tokeniser, and how many times those of the English one."""
    tokens = run["sentence_tokens"].values[0]
    most = int(tokens.argmax())
    return str(run["language"].values[most]), float(tokens[most] / tokens[0])


@measure()
def mixed_left(run: Run) -> float:
    """The share of the left vocabulary's learned entries that hold letters and signs."""
    return _mixed(run.sel(side="left"))


@measure()
def mixed_right(run: Run) -> float:
    """The share of the right vocabulary's learned entries that hold letters and signs."""
    return _mixed(run.sel(side="right"))


def _mixed(run: Run) -> float:
    return float(run["entries"].sel(kind="mixed") / run["entries"].sum())
