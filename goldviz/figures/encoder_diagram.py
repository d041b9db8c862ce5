"""An encoder as a diagram: its embeddings, and for each layer the attention heads and the feed-forward network."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from goldviz.figures.diagram import Colour, Node, Part, Wire

FEED_FORWARD = 1.8
"""Its height, in heads."""
APART = 0.3
ROW = 20
COLOUR = "#0e7ac0"
HEADS = (
    Colour("head_entropy", "How widely heads look (entropy)", "linear", "bit"),
    Colour("head_distance", "How far heads look", "linear", "pieces"),
    Colour("head_special", "Heads' attention to special pieces", "share"),
)
"""What may colour heads; :mod:`goldviz.diagnostics.text.attention_heads` measures it."""


def read_outs(layers: int, heads: int, outputs: Sequence[tuple[str, str]]) -> list[Node]:
    """What reads the last state, by label and name, which is its ``part``: one above the other after the last layer."""
    high = FEED_FORWARD / max(len(outputs), 1)
    return [
        Node(label, part, layers + 1.4, heads + APART + place * high, at={"part": part}, wide=1.4, high=high)
        for place, (label, part) in enumerate(outputs)
    ]


def encoder(layers: int, heads: int, ends: Sequence[Node] = (), heading: str = "Encoder") -> Part:
    """Layers as columns, counted from 1; each is its heads, one above the other, over its feed-forward network.

    A head is at its ``layer`` and ``head``, the feed-forward network at the ``state`` that its layer puts out and at
    the ``part`` *block l*, as what was measured of the layer as a whole; the embeddings are state 0. ``ends`` read the
    last state.
    """
    low = heads + APART
    nodes = [
        Node("emb", "embeddings", 0, low, at={"state": 0, "part": "embeddings"}, high=FEED_FORWARD, wide=1.2),
        *(
            Node(
                str(head),
                f"head {head} of layer {layer}",
                layer + 0.2,
                head - 1.0,
                "gate",
                {"layer": layer, "head": head},
            )
            for layer in range(1, layers + 1)
            for head in range(1, heads + 1)
        ),
    ]
    first = len(nodes)
    nodes += [
        Node(
            f"FFN {layer}",
            f"feed-forward network of layer {layer}",
            layer + 0.2,
            low,
            at={"state": layer, "part": f"block {layer}"},
            high=FEED_FORWARD,
        )
        for layer in range(1, layers + 1)
    ]
    nodes += ends
    along = [0, *range(first, len(nodes) - len(ends))]
    wires = [Wire(start, end) for start, end in pairwise(along)]
    wires += [Wire(along[-1], end) for end in range(len(nodes) - len(ends), len(nodes))]
    return Part(heading, nodes, wires, colour=COLOUR, row=ROW)
