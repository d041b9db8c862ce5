"""The figures of *Inside BERT* that a report holds, in its order, and the home page's picture."""

from __future__ import annotations

import numpy as np
from plotly.colors import sample_colorscale

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import bound
from goldviz.figures.notes import as_label
from goldviz.figures.theme import SEQUENTIAL
from goldviz.figures.thumbnail import picture_svg
from goldviz.labs.inside_bert.figures.embeddings import composition, embeddings, neighbours
from goldviz.labs.inside_bert.figures.evidence import (
    agreement,
    evidence,
    guesses,
    heads_off,
    tone,
    tones,
    without_heads,
)
from goldviz.labs.inside_bert.figures.head import attention_map, mixing, scores, shares, shares_pair
from goldviz.labs.inside_bert.figures.layer import layer_diagram, layer_lengths, neurons
from goldviz.labs.inside_bert.figures.network import network
from goldviz.labs.inside_bert.figures.order import across, order, positions, word_cosine
from goldviz.labs.inside_bert.settings import InsideBert

FIGURES = bound(
    InsideBert,
    tone,
    network,
    attention_map,
    scores,
    mixing,
    layer_diagram,
    layer_lengths,
    neurons,
    shares,
    evidence,
    guesses,
    embeddings,
    composition,
    neighbours,
    positions,
    order,
    across,
    word_cosine,
)
ON_PAGES = bound(InsideBert, tones, agreement, shares_pair, heads_off, without_heads)
"""Those of which a page has one beside others; no report holds them."""

CELLS = 16


def picture(ds: Run) -> str:
    """The home page's picture: the map of the head in view, as squares, with the first pieces beside the rows."""
    count = min(CELLS, ds.sizes["query"])
    weights = ds["attention"].values[:count, :count]
    size, left, top = 148 / count, 96.0, 6.0
    label = "Attention of one head: a row of squares for each piece of a sentence, brighter where it looks more."
    parts = []
    for row in range(count):
        parts.append(_label(str(ds["query_token"].values[row]), left - 6, top + (row + 0.8) * size, size))
        for column in range(count):
            share = float(np.sqrt(weights[row, column]))
            colour = str(sample_colorscale(SEQUENTIAL, [min(max(share, 0.0), 1.0)])[0])
            parts.append(
                f'<rect x="{left + column * size:.1f}" y="{top + row * size:.1f}" width="{size:.1f}" '
                f'height="{size:.1f}" fill="{colour}"/>'
            )
    return picture_svg(parts, label=label, axes=("looked at", "word"))


def _label(text: str, x: float, y: float, size: float) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{min(11.0, size):.1f}" text-anchor="end" fill="currentColor">'
        f"{as_label(text[:12])}</text>"
    )
