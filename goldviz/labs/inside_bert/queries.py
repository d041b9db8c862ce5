"""Attention that the browser fetches: a text's reading, of which it asks for the overview and for single heads.

The overview of all heads and one head's exact map travel as binary answers to HTTP requests, so that Streamlit's web
socket carries only the choice. What is fetched: four bytes with the length of a JSON header, little-endian; the
header, padded with blanks to a multiple of four; then the array, little-endian, row after row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from goldviz.figures.theme import Theme
from goldviz.labs.inside_bert.maps import block_edges, group_by_word, hide_pieces, pool_tiles, word_maps
from goldviz.labs.inside_bert.measures import habit
from goldviz.ui.serving.answers import BINARY, JSON
from goldviz.ui.serving.queries import QueryError

By = Literal["piece", "word"]
Special = Literal["shown", "hidden"]
Measure = Literal["weights", "norms", "rollout"]

LARGEST_OVERVIEW = 1_400_000
"""Bytes of tiles that one overview may have; a model with more heads than BERT-base gets smaller tiles."""


class Units(NamedTuple):
    """What the rows and columns of a map stand for: pieces, or words with each special piece as a unit of its own.

    ``first`` is the first piece of each unit; ``special`` is true at special pieces.
    """

    labels: tuple[str, ...]
    first: NDArray[np.int64]
    special: NDArray[np.bool_]


class Weights(NamedTuple):
    """A map as it is drawn, with its units, and the share of each query's weight that went to hidden pieces."""

    values: NDArray[np.float32]
    units: Units
    hidden: NDArray[np.float32]


@dataclass(frozen=True)
class AttentionExhibit:
    """One text read by one model, as the attention explorer shows it. N pieces, L layers, H heads.

    ``tiles`` (L, H, t, t) float16 by :func:`goldviz.labs.inside_bert.maps.pool_tiles`; ``summaries`` (L, H)
    each, with ``entropy`` in bits, ``distance`` in pieces, ``special`` as a share; ``words`` (N,) numbers the words
    from 0, with -1 at special pieces; ``word_texts`` names them. ``head(layer, head, measure)`` gives the exact map,
    (N, N) with queries as rows, and keeps ``held_bytes`` alive; norms by word, which norms by piece do not give, are
    ``word_norms(layer, head)``.
    ``ahead(layer, head, piece, theme)`` gives what a page shows of a query beside its maps, as
    ``PositionsPage.answer`` of ``assets/frames_page.js`` takes it; ``vectors(layer, head)`` its queries and keys,
    (2, N, d). ``ids`` are the pieces' numbers, ``segments`` 1 in sentence B.
    """

    tokens: tuple[str, ...]
    words: NDArray[np.integer[Any]]
    tiles: NDArray[np.float16]
    summaries: Mapping[str, NDArray[np.floating[Any]]]
    head: Callable[[int, int, Measure], NDArray[np.float32]]
    word_texts: tuple[str, ...]
    word_norms: Callable[[int, int], NDArray[np.float32]]
    ahead: Callable[[int, int, int, Theme], Mapping[str, Any]]
    vectors: Callable[[int, int], NDArray[np.float32]]
    ids: tuple[int, ...]
    segments: NDArray[np.integer[Any]]
    held_bytes: int = 0

    @property
    def layers(self) -> int:
        """L, the number of layers."""
        return len(self.tiles)

    @property
    def heads(self) -> int:
        """H, the heads of each layer."""
        return len(self.tiles[0])

    @property
    def nbytes(self) -> int:
        """What the exhibit keeps in memory."""
        return self.tiles.nbytes + self.held_bytes

    @cached_property
    def pieces(self) -> Units:
        """The pieces as units."""
        words = np.asarray(self.words)
        return Units(self.tokens, np.arange(len(words)), words < 0)

    @cached_property
    def spoken(self) -> Units:
        """The words as units, special pieces among them, in the order of the text."""
        words = np.asarray(self.words)
        first = np.flatnonzero(np.diff(group_by_word(words), prepend=-1))
        labels = tuple(self.tokens[i] if words[i] < 0 else self.word_texts[words[i]] for i in first)
        return Units(labels, first, words[first] < 0)

    def overview_bytes(self) -> bytes:
        """All heads' tiles, with the text and every head's summaries."""
        tiles = self.tiles
        count = len(self.tokens)
        edges = block_edges(count, tiles.shape[-1])
        fitting = int(np.sqrt(LARGEST_OVERVIEW / (2 * self.layers * self.heads)))
        if tiles.shape[-1] > fitting:
            edges = edges[block_edges(tiles.shape[-1], fitting)]
            tiles = np.stack([pool_tiles(layer.astype(np.float32), fitting) for layer in tiles])
        header = {
            "layers": self.layers,
            "heads": self.heads,
            "tile": tiles.shape[-1],
            "edges": edges.tolist(),
            "tokens": self.tokens,
            "special": self.pieces.special.tolist(),
            "ids": self.ids,
            "second": self._second(self.pieces),
            "summaries": {name: _rounded(values) for name, values in self.summaries.items()},
        }
        return payload(header, tiles.astype("<f2", copy=False))

    def head_bytes(self, layer: int, head: int, by: By, special: Special, measure: Measure) -> bytes:
        """One head's exact map as float32, with the labels of its rows and columns.

        Raises :class:`QueryError` for a layer or head that there is not.
        """
        weights = self.weights(layer, head, by, special, measure)
        header = {
            "layer": layer,
            "head": head,
            "labels": weights.units.labels,
            "first": weights.units.first.tolist(),
            "special": weights.units.special.tolist(),
            "second": self._second(weights.units),
            "hidden": _rounded(weights.hidden),
            "habit": habit(weights.values, weights.units.special)._asdict() if measure == "weights" else None,
        }
        return payload(header, weights.values.astype("<f4", copy=False))

    def _second(self, units: Units) -> list[bool]:
        """Which units stand in sentence B; nothing where there is none."""
        segments = np.asarray(self.segments)
        return (segments[units.first] > 0).tolist() if segments.any() else []

    def vector_bytes(self, layer: int, head: int) -> bytes:
        """One head's queries and keys as float32. Raises :class:`QueryError` for a layer or head that there is not."""
        self._check(layer=layer, head=head)
        vectors = self.vectors(layer, head)
        return payload({"width": vectors.shape[-1]}, vectors.astype("<f4", copy=False))

    def ahead_bytes(self, layer: int, head: int, piece: int, theme: Theme) -> bytes:
        """What ``ahead`` gives, as JSON. Raises :class:`QueryError` for a place that there is not."""
        self._check(layer=layer, head=head, piece=piece)
        return json.dumps(self.ahead(layer, head, piece, theme), separators=(",", ":"), allow_nan=False).encode()

    def part(self, name: str, query: Mapping[str, str]) -> tuple[bytes, str]:
        """``overview``, ``head/<layer>/<head>``, ``vectors/<layer>/<head>`` or ``ahead/<layer>/<head>/<piece>``, with
        its media type.

        ``query`` may set ``by``, ``special`` and ``measure`` of a head; without it: piece, shown, weights; and the
        ``theme`` of what is ahead. Raises :class:`QueryError` for what there is not.
        """
        match name.split("/"):
            case ["overview"]:
                return self.overview_bytes(), BINARY
            case ["head", layer, head]:
                by, special = _option(query, "by", By), _option(query, "special", Special)
                measure = _option(query, "measure", Measure)
                return self.head_bytes(_number(layer), _number(head), by, special, measure), BINARY
            case ["vectors", layer, head]:
                return self.vector_bytes(_number(layer), _number(head)), BINARY
            case ["ahead", *place] if len(place) == 3:
                layer_number, head_number, piece = map(_number, place)
                return self.ahead_bytes(layer_number, head_number, piece, _option(query, "theme", Theme)), JSON
        raise QueryError(
            "There is no such part; allowed is overview, head/<layer>/<head>, vectors/<layer>/<head> or "
            "ahead/<layer>/<head>/<piece>.",
            404,
        )

    def _check(self, **place: int) -> None:
        for name, value in place.items():
            count = {"layer": self.layers, "head": self.heads, "piece": len(self.tokens)}[name]
            if not 0 <= value < count:
                raise QueryError(f"There is no {name} {value}; allowed is 0 to {count - 1}.", 404)

    def weights(self, layer: int, head: int, by: By, special: Special, measure: Measure) -> Weights:
        """The map behind :meth:`head_bytes`; raises as it does."""
        self._check(layer=layer, head=head)
        if by == "piece":
            values, units = self.head(layer, head, measure), self.pieces
        elif measure == "norms":
            values, units = self.word_norms(layer, head), self.spoken
        else:
            by_word = word_maps(self.head(layer, head, measure), np.asarray(self.words))
            values, units = by_word.astype(np.float32), self.spoken
        if special == "shown":
            return Weights(values, units, np.zeros(len(values), np.float32))
        keep = ~units.special
        totals = values.sum(1, keepdims=True)
        totals[totals <= 0] = 1
        shares, hidden = hide_pieces(values / totals, units.special)
        # Lengths are no shares of anything: they stay as they are.
        visible = values[np.ix_(keep, keep)] if measure == "norms" else shares.astype(np.float32)
        labels = tuple(label for label, keeps in zip(units.labels, keep, strict=True) if keeps)
        return Weights(visible, Units(labels, units.first[keep], units.special[keep]), np.asarray(hidden, np.float32))


def payload(header: Mapping[str, Any], values: NDArray[Any]) -> bytes:
    """A header and an array in the form in which they travel."""
    words = json.dumps(header, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    words += b" " * (-len(words) % 4)
    return len(words).to_bytes(4, "little") + words + values.tobytes()


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 4):
        raise QueryError("A layer, head or piece is not a number from 0 to 9999.", 404)
    return int(text)


def _option(query: Mapping[str, str], name: str, choices: Any) -> Any:
    options = get_args(choices)
    value = query.get(name, options[0])
    if value not in options:
        raise QueryError(f"The setting {name} is {str(value)[:40]!r}; allowed is {' or '.join(options)}.", 400)
    return value


def _rounded(values: NDArray[np.floating[Any]]) -> Any:
    """Nested lists with six significant digits; what is no number becomes null."""
    numbers = np.asarray(values, np.float64)
    if numbers.ndim > 1:
        return [_rounded(row) for row in numbers]
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in numbers]
