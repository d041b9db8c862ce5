"""What the page *Text into tokens* shows: both tokenisers merge by merge, on corpus, text, languages and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from goldviz.data.texts.byte_pieces import BYTES, BytePieces, read, written
from goldviz.data.texts.pair_merges import Merge
from goldviz.data.texts.split_patterns import split
from goldviz.labs.text_tokens.entries import KINDS, counted, cut_at_beginning, longest_spaces
from goldviz.labs.text_tokens.joins import counts_after, joins
from goldviz.labs.text_tokens.languages import NUMBERS, SENTENCES
from goldviz.labs.text_tokens.learning import OTHERS, Learned, Report, learned
from goldviz.labs.text_tokens.settings import TextTokens
from goldviz.labs.text_tokens.sources import source_of

NO_PAIR = -1
SIDES = ("left", "right")
Numbers = NDArray[np.float64]


def compute(settings: TextTokens) -> xr.Dataset:
    """Both tokenisers, with nobody to tell how far it is; see :func:`compute_and_report`."""
    return compute_and_report(settings, lambda done, total: None)


def compute_and_report(settings: TextTokens, report: Report) -> xr.Dataset:
    """Merges, lengths and boundaries of both tokenisers; ``pair`` is -1 and lengths are NaN where none is learned.

    ``joined`` is of the boundaries between the text's bytes; see :mod:`goldviz.labs.text_tokens.joins`. ``other_pair``
    has the pairs that came next before each merge of the left tokeniser. ``entries`` counts what was learned by kind.
    ``group`` numbers the pieces of a number's digits from the left, right-aligned.

    Raises:
        TextError: the corpus is gone, or the expression takes too long.
    """
    sides = learned(settings, report)
    merges = max(len(side.merges) for side in sides)
    tokenisers = [side.pieces for side in sides]
    joins_by_side = np.stack([joins(settings.text, pieces) for pieces in tokenisers])
    content = written(read(settings.text))
    return xr.Dataset(
        {
            "pair": (("side", "merge", "half"), np.stack([_pairs(side.merges, merges) for side in sides])),
            "times": (("side", "merge"), np.stack([_times(side.merges, merges) for side in sides])),
            **_others(sides[0].merges, merges),
            "joined": (("side", "boundary"), joins_by_side),
            "byte": ("place", np.frombuffer(content, np.uint8)),
            "corpus_tokens": (("side", "size"), np.stack([_lengths(side, merges) for side in sides])),
            "own_tokens": (("side", "size"), np.stack([counts_after(row, merges) for row in joins_by_side])),
            "sentence_tokens": (
                ("side", "language"),
                [[len(pieces.encode(text)) for text in SENTENCES.values()] for pieces in tokenisers],
            ),
            "number_tokens": (
                ("side", "number"),
                [[len(pieces.encode(number)) for number in NUMBERS] for pieces in tokenisers],
            ),
            "sentence_bytes": ("language", [len(text.encode()) for text in SENTENCES.values()]),
            "sentence_characters": ("language", [len(text) for text in SENTENCES.values()]),
            "entries": (("side", "kind"), [counted(pieces) for pieces in tokenisers]),
            "longest_spaces": ("side", [longest_spaces(pieces) for pieces in tokenisers]),
            "pieces": ("side", [len(list(split(settings.text, pieces.expression))) for pieces in tokenisers]),
            **_cuts(source_of(settings), tokenisers),
            "group": (("side", "number", "digit"), np.stack([_groups(pieces.expression) for pieces in tokenisers])),
        },
        coords={
            "side": list(SIDES),
            "merge": np.arange(1, merges + 1),
            "size": BYTES + np.arange(merges + 1),
            "language": list(SENTENCES),
            "kind": list(KINDS),
            "number": list(NUMBERS),
        },
        attrs={
            "text": settings.text,
            "patterns": list(settings.patterns),
            "expressions": [pieces.expression for pieces in tokenisers],
            "corpus_bytes": sides[0].length,
            "learned": [len(side.merges) for side in sides],
        },
    ).astype(np.float64)


def _pairs(merges: Sequence[Merge], room: int) -> NDArray[np.int64]:
    table = np.full((room, 2), NO_PAIR)
    table[: len(merges)] = np.array([merge.pair for merge in merges], np.int64).reshape(-1, 2)
    return table


def _times(merges: Sequence[Merge], room: int) -> NDArray[np.int64]:
    return np.array([merge.times for merge in merges] + [0] * (room - len(merges)), np.int64)


def _others(merges: Sequence[Merge], room: int) -> dict[str, Any]:
    pairs, times = np.full((room, OTHERS, 2), NO_PAIR), np.zeros((room, OTHERS), np.int64)
    for row, merge in enumerate(merges):
        for column, (pair, count) in enumerate(merge.others):
            pairs[row, column], times[row, column] = pair, count
    return {"other_pair": (("merge", "rank", "half"), pairs), "other_times": (("merge", "rank"), times)}


def _lengths(side: Learned, room: int) -> Numbers:
    """How many tokens the corpus has after each merge; NaN after the last one."""
    lengths = np.full(room + 1, np.nan)
    lengths[: len(side.merges) + 1] = [side.length, *(merge.length for merge in side.merges)]
    return lengths


def _cuts(source: str, tokenisers: Sequence[BytePieces]) -> dict[str, Any]:
    """The pieces of the corpus' beginning; of its signs, how many are one, and how many are in one with letters."""
    numbers = zip(*(cut_at_beginning(source, pieces.expression) for pieces in tokenisers), strict=True)
    names = ("corpus_pieces", "share_alone", "share_glued")
    return {name: ("side", list(values)) for name, values in zip(names, numbers, strict=True)}


def _groups(expression: str) -> Numbers:
    """Which piece each digit of the numbers is in, counted from the left; NaN where a number has no digit."""
    longest = max(map(len, NUMBERS))
    table = np.full((len(NUMBERS), longest), np.nan)
    for row, number in zip(table, NUMBERS, strict=True):
        lengths = [len(piece) for piece in split(number, expression)]
        row[longest - len(number) :] = np.repeat(np.arange(1, len(lengths) + 1), lengths)
    return table
