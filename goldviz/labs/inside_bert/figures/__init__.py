"""The figures of *Inside BERT* that a report holds, in its order, and the home page's picture."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import bound
from goldviz.figures.notes import as_label
from goldviz.figures.thumbnail import FRAMES, frames, picture_svg
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

WORDS = 8
"""On either side of the home page's picture."""
LEAST_SEEN = 0.03
"""Attention of which a line is drawn."""


def picture(ds: Run) -> str:
    """The home page's picture: a sentence twice, and lines from each of its pieces to where the head in view looks, one
    piece after the other, and at last all."""
    count = min(WORDS, ds.sizes["query"])
    weights = ds["attention"].values[:count, :count]
    heights = [10 + row * 140 / max(count - 1, 1) for row in range(count)]
    label = "Attention of one head: lines from each piece of a sentence to where it looks, wider where it looks more."
    words = [
        f'<text x="{x}" y="{at + 4:.1f}" font-size="13" text-anchor="{anchor}" fill="currentColor">'
        f"{as_label(str(piece)[:12])}</text>"
        for x, anchor in ((112, "end"), (208, "start"))
        for at, piece in zip(heights, ds["query_token"].values, strict=False)
    ]
    lines = [
        "".join(
            f'<line x1="118" y1="{heights[row]:.1f}" x2="202" y2="{heights[column]:.1f}" stroke="currentColor" '
            f'stroke-width="{1 + 4 * weights[row, column]:.1f}" stroke-opacity="{weights[row, column]:.2f}"/>'
            for column in range(count)
            if weights[row, column] >= LEAST_SEEN
        )
        for row in range(count)
    ]
    one_by_one = [lines[place * count // (FRAMES - 1)] for place in range(FRAMES - 1)]
    return picture_svg([*words, *frames([*one_by_one, "".join(lines)])], label=label)
