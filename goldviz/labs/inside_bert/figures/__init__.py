"""The figures of *Inside BERT* that a report holds, in its order, and the home page's picture."""

from __future__ import annotations

import numpy as np
import xarray as xr
from plotly.colors import sample_colorscale

from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import SEQUENTIAL, as_label
from goldviz.labs.inside_bert.figures.embeddings import embeddings, neighbours
from goldviz.labs.inside_bert.figures.evidence import evidence, guesses, tone
from goldviz.labs.inside_bert.figures.head import attention_map, mixing, scores, shares

FIGURES: dict[str, FigureSpec] = {
    "tone": FigureSpec(
        tone,
        "What tone does it hear?",
        "The softmax of the classifier's logits, with the names that the model has for its classes.",
        "Whether the model is right, and how it would judge texts unlike those that it was trained on.",
    ),
    "map": FigureSpec(
        attention_map,
        "Where does this head look?",
        "A row for each query, a column for each key; every row sums to 1 (document 001, section 4.1.2, transposed).",
        "How long the values are that the weights mix, and what later layers do with them.",
    ),
    "scores": FigureSpec(
        scores,
        "Whom does the query find?",
        "q k by dimension over the root of d_k; the sums are scores, and their softmax the weights.",
        "Why the matrices are as they are.",
    ),
    "mixing": FigureSpec(
        mixing,
        "What does the head bring back?",
        "Each value times its weight, and their sum z.",
        "What W_O and the other heads make of z.",
    ),
    "shares": FigureSpec(
        shares,
        "Do the other measures agree?",
        "Raw weights, lengths of weighted values (Kobayashi et al. 2020), rollout and flow (Abnar and Zuidema 2020).",
        "The feed-forward networks, which none of the five knows.",
    ),
    "evidence": FigureSpec(
        evidence,
        "What speaks for this class?",
        "Integrated gradients (Sundararajan et al. 2017) beside the attention that a piece receives.",
        "How pieces act together: what two do only jointly is shared out between them.",
    ),
    "guesses": FigureSpec(
        guesses,
        "What does it expect in the hidden place?",
        "The likeliest pieces of the vocabulary, the hidden one in gold if it is among them.",
        "Words of several pieces.",
    ),
    "embeddings": FigureSpec(
        embeddings,
        "How long is what is added up?",
        "Lengths of token, position and segment embedding, and of their sum (document 001, section 4.2.1).",
        "Their directions: long vectors may cancel.",
    ),
    "neighbours": FigureSpec(
        neighbours,
        "Which pieces lie near?",
        "Cosines of token embeddings, before any context.",
        "What the piece means in this text.",
    ),
}

CELLS = 16


def picture(ds: xr.Dataset) -> str:
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
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 160" width="100%" role="img"'
        f' font-family="sans-serif" aria-label="{as_label(label)}"><title>{as_label(label)}</title>'
        + "".join(parts)
        + "</svg>"
    )


def _label(text: str, x: float, y: float, size: float) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{min(11.0, size):.1f}" text-anchor="end" fill="currentColor">'
        f"{as_label(text[:12])}</text>"
    )
