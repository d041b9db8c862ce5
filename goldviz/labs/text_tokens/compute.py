"""What the page *Text into tokens* shows: both tokenisers merge by merge, on corpus, text, languages and numbers.

Merges only ever take boundaries between bytes away. So one number for each boundary says what a text's tokens are after
any number of merges, and nobody has to encode it again.
"""

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
from goldviz.labs.text_tokens.settings import TextTokens
from goldviz.labs.text_tokens.sources import OTHERS, Learned, Report, learned, source_of

NEVER = 0
CUT = -1
"""At a boundary that the pattern cuts; no merge crosses it."""

Joins = NDArray[np.int64]


def joins(text: str, pieces: BytePieces) -> Joins:
    """The merge, counted from 1, that takes each boundary between two bytes away, or :data:`NEVER` or :data:`CUT`.

    >>> joins("aab aa", BytePieces(((97, 97),))).tolist()
    [1, 0, -1, 0, 1]
    """
    inside: dict[int, list[int]] = {token: [] for token in range(BYTES)}
    for token, (left, right) in enumerate(pieces.pairs, start=BYTES):
        inside[token] = [*inside[left], token - BYTES + 1, *inside[right]]
    merges: list[int] = []
    for _, tokens in pieces.encode_pieces(text):
        for token in tokens.tolist():
            merges += [*inside[token], NEVER]
        merges[-1] = CUT
    return np.array(merges[:-1], np.int64)


def counts_after(joins: Joins, merges: int) -> NDArray[np.int64]:
    """How many tokens the text has after 0, 1, 2 ... merges.

    >>> counts_after(np.array([1, 0, -1, 0, 1]), 2).tolist()
    [6, 4, 4]
    """
    boundaries = np.bincount(joins[joins > 0], minlength=merges + 1)
    counts: NDArray[np.int64] = len(joins) + 1 - np.cumsum(boundaries)
    return counts


# One sentence, each a translation of the English one, and numbers to cut.
SENTENCES = {
    "English": "The price of gold rose today because many people fear that money will lose its value.",
    "German": "Der Goldpreis stieg heute, weil viele Menschen fürchten, dass Geld seinen Wert verliert.",
    "French": "Le prix de l'or a augmenté aujourd'hui, car beaucoup de gens craignent que l'argent perde sa valeur.",
    "Spanish": "El precio del oro subió hoy porque mucha gente teme que el dinero pierda su valor.",
    "Finnish": "Kullan hinta nousi tänään, koska moni pelkää rahan menettävän arvonsa.",
    "Greek": "Η τιμή του χρυσού ανέβηκε σήμερα, επειδή πολλοί φοβούνται ότι το χρήμα θα χάσει την αξία του.",
    "Russian": "Цена золота сегодня выросла, потому что многие боятся, что деньги потеряют свою ценность.",
    "Hebrew": "מחיר הזהב עלה היום, כי אנשים רבים חוששים שהכסף יאבד מערכו.",
    "Arabic": "ارتفع سعر الذهب اليوم لأن كثيرا من الناس يخشون أن يفقد المال قيمته.",
    "Hindi": "आज सोने की कीमत बढ़ गई क्योंकि बहुत से लोगों को डर है कि पैसे का मूल्य घट जाएगा।",
    "Chinese": "今天金价上涨，因为许多人担心货币会贬值。",
    "Japanese": "多くの人がお金の価値が下がることを恐れているため、今日は金の価格が上がった。",
}
NUMBERS = ("7", "42", "365", "1024", "31415", "271828", "1234567", "12345678", "123456789")


NO_PAIR = -1
SIDES = ("left", "right")
Numbers = NDArray[np.float64]


def compute(settings: TextTokens) -> xr.Dataset:
    """Both tokenisers, with nobody to tell how far it is; see :func:`compute_and_report`."""
    return compute_and_report(settings, lambda done, total: None)


def compute_and_report(settings: TextTokens, report: Report) -> xr.Dataset:
    """Merges, lengths and boundaries of both tokenisers; ``pair`` is -1 and lengths are NaN where none is learned.

    ``joined`` is of the boundaries between the text's bytes; see :func:`joins`. ``other_pair``
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
