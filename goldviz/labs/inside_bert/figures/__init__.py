"""The figures of *Inside BERT* that a report holds, in its order, and the home page's picture."""

from __future__ import annotations

import numpy as np
from plotly.colors import sample_colorscale

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import bound
from goldviz.figures.notes import as_label
from goldviz.figures.theme import SEQUENTIAL
from goldviz.figures.thumbnail import picture_svg
from goldviz.labs.inside_bert.figures import embeddings, evidence, head
from goldviz.labs.inside_bert.settings import InsideBert

FIGURES = bound(
    InsideBert,
    evidence.tone,
    head.network,
    head.attention_map,
    head.scores,
    head.mixing,
    head.layer_diagram,
    head.layer_lengths,
    head.neurons,
    head.shares,
    evidence.evidence,
    evidence.guesses,
    embeddings.embeddings,
    embeddings.composition,
    embeddings.neighbours,
    embeddings.positions,
    embeddings.order,
    embeddings.across,
    embeddings.word_cosine,
)
ON_PAGES = bound(
    InsideBert,
    evidence.tones,
    evidence.agreement,
    head.shares_pair,
    evidence.heads_off,
    evidence.without_heads,
    *map(evidence.of_heads, evidence.SUMMARIES),
)
"""Those of which a page has one beside others; no report holds them."""

CELLS = 16


def picture(ds: Run) -> str:
    """The home page's picture: the map of the head in view, as squares, with the first pieces beside the rows."""
    count = min(CELLS, ds.sizes["query"])
    weights = ds["attention"].values[:count, :count]
    size, left, top = 148 / count, 96.0, 6.0
    label = "Attention of one head: a row of squares for each piece of a sentence, brighter where it looks more."
    parts = []
    for row, piece in enumerate(ds["query_token"].values[:count]):
        place = f'x="{left - 6:.1f}" y="{top + (row + 0.8) * size:.1f}" font-size="{min(11.0, size):.1f}"'
        parts.append(f'<text {place} text-anchor="end" fill="currentColor">{as_label(str(piece)[:12])}</text>')
        shares = np.clip(np.sqrt(weights[row].astype(float)), 0.0, 1.0)
        for column, colour in enumerate(sample_colorscale(SEQUENTIAL, shares.tolist())):
            place = f'x="{left + column * size:.1f}" y="{top + row * size:.1f}"'
            parts.append(f'<rect {place} width="{size:.1f}" height="{size:.1f}" fill="{colour}"/>')
    return picture_svg(parts, label=label, axes=("looked at", "word"))
