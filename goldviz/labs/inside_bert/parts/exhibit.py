"""A text's reading as the attention explorer shows it: every head's map on request, by piece or by word."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from numpy import asarray, float32, ndarray

from goldviz.labs.inside_bert import tasks
from goldviz.labs.inside_bert.parts import steps
from goldviz.labs.inside_bert.parts.readings import ReadText, answered
from goldviz.labs.inside_bert.queries import AttentionExhibit, Measure
from goldviz.ui.serving.queries import shelf

if TYPE_CHECKING:
    from goldviz.labs.inside_bert.reading import TextReading

_tokens: OrderedDict[tuple[str, str, int], str] = OrderedDict()
_lock = threading.Lock()


def exhibit_token(read: ReadText, reading: TextReading) -> str:
    """The secret token under which the browser fetches this reading; the same for everybody while it is kept."""
    with _lock:
        token = _tokens.get(read.key)
        if token is None or token not in shelf:
            token = _tokens[read.key] = shelf.put(exhibit(read, reading))
        for key in [key for key, old in _tokens.items() if old not in shelf]:
            del _tokens[key]
        return token


def exhibit(read: ReadText, reading: TextReading) -> AttentionExhibit:
    """The reading with its maps: raw weights, lengths of the weighted values (Kobayashi et al. 2020), and rollout."""
    from goldviz.labs.inside_bert.attention.norms import head_norms, head_word_norms
    from goldviz.labs.inside_bert.attention.words import word_texts
    from goldviz.labs.inside_bert.head import ways_down

    pieces = reading.pieces

    def head(layer: int, number: int, measure: Measure) -> ndarray:
        if measure == "norms":
            return head_norms(reading, layer, number).astype(float32)
        if measure == "rollout":
            ways = read.task("Rolling the attention out", tasks.of_reading, ways_down)
            return asarray(answered(ways)["rolled"].values[layer], float32)
        return reading.head(layer, number).weights

    def word_norms(layer: int, number: int) -> ndarray:
        task = read.task("Summing the values of words", tasks.of_reading, head_word_norms, layer, number)
        return asarray(answered(task), float32)

    return AttentionExhibit(
        tokens=pieces.tokens,
        words=pieces.words,
        tiles=reading.tiles,
        summaries={name: reading.summaries[name] for name in ("entropy", "distance", "special")},
        head=head,
        word_norms=word_norms,
        word_texts=word_texts(read.text, pieces.words, pieces.offsets),
        measures=("weights", "norms", "rollout"),
        ahead=lambda layer, number, token, theme: steps.ahead(read, reading, (layer + 1, number + 1, token + 1), theme),
        held_bytes=int(reading.hidden.numel() * 4 + 4 * len(reading.hidden) * len(pieces) ** 2),
    )
