"""What claims and presets read off both tokenisers."""

from __future__ import annotations

import xarray as xr


def more_pieces_right(run: xr.Dataset) -> float:
    """How many pieces more the right pattern makes of the text than the left one."""
    left, right = run["pieces"].values
    return float(right - left)


def more_pieces_left(run: xr.Dataset) -> float:
    """How many pieces more the left pattern makes of the text than the right one."""
    return -more_pieces_right(run)


def longest_spaces_left(run: xr.Dataset) -> float:
    """How many spaces the left vocabulary's longest token of spaces has."""
    return float(run["longest_spaces"].sel(side="left"))


def longest_spaces_right(run: xr.Dataset) -> float:
    """How many spaces the right vocabulary's longest token of spaces has."""
    return float(run["longest_spaces"].sel(side="right"))


def glued_left(run: xr.Dataset) -> float:
    """The share of the corpus' signs that the left pattern leaves in one piece with letters."""
    return float(run["share_glued"].sel(side="left"))


def glued_right(run: xr.Dataset) -> float:
    """The share of the corpus' signs that the right pattern leaves in one piece with letters."""
    return float(run["share_glued"].sel(side="right"))


def alone_left(run: xr.Dataset) -> float:
    """The share of the corpus' signs that are a piece of their own under the left pattern."""
    return float(run["share_alone"].sel(side="left"))


def tokens_right_to_left(run: xr.Dataset) -> float:
    """The corpus' tokens under the right tokeniser over those under the left one, after the last merge of both."""
    left, right = run["corpus_tokens"].dropna("size").values[:, -1]
    return float(right / left)


def tokens_left_to_right(run: xr.Dataset) -> float:
    """The corpus' tokens under the left tokeniser over those under the right one, after the last merge of both."""
    return 1 / tokens_right_to_left(run)


def mixed_left(run: xr.Dataset) -> float:
    """The share of the left vocabulary's learned entries that hold letters and signs."""
    return _mixed(run.sel(side="left"))


def mixed_right(run: xr.Dataset) -> float:
    """The share of the right vocabulary's learned entries that hold letters and signs."""
    return _mixed(run.sel(side="right"))


def _mixed(run: xr.Dataset) -> float:
    return float(run["entries"].sel(kind="mixed") / run["entries"].sum())
