"""Attention as it forms: all heads on one sentence, and what each head's attention is like on unseen texts."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Array
from goldviz.figures.attention_mosaic import attention_mosaic
from goldviz.figures.draft import Figure
from goldviz.figures.elements import MARKERS_UP_TO, legend_above_headings
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, sentences, single
from goldviz.figures.theme import depth_colours
from goldviz.labs.bert_pretraining.figures.curves import mark_phases
from goldviz.labs.bert_pretraining.figures.quantities import figure, probe_pieces
from goldviz.labs.bert_pretraining.heads import entropies

MEASURES = {
    "head_entropy": ("Entropy (bits)", "entropy", "%{y:.2f} bit"),
    "head_distance": ("Distance (pieces)", "distance", "%{y:.2f} pieces"),
    "head_special": ("Share on [CLS] and [SEP]", "share", "%{y:.0%}"),
}
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


@figure(
    "Where do the heads look?",
    needs=("attention",),
    shows="The attention of every head in one unseen sentence.",
    cannot_show="What the network concludes from it.",
)
def attention(plot: Plot) -> Figure:
    """Attention of every head in the probe sentence at one look: layers from top to bottom, heads from left to right.

    In each small map a row is the piece that looks and a column the piece that it looks at; a row sums to 1
    (document 001, section 4.1.2 writes the transpose). At the start every map is nearly even. A bright diagonal looks
    at itself, a line beside it at a neighbour, a bright column always at the same piece, often [CLS] or [SEP].
    """
    now = finite(plot.now["attention"].transpose("look", "layer", "head", "query", "key").astype(np.float64))
    pieces = probe_pieces(plot.ds)
    sentence = f"“{' '.join(pieces)}”"
    return attention_mosaic(plot, now, pieces, plot.limit("attention"), plot.say(_sharpest, now), sentence)


def _sharpest(now: Array) -> str:
    """The answer: which head is surest where to look, beside one that looks everywhere alike."""
    bits = entropies(now.values)
    most = np.log2(now.sizes["key"])
    if not np.isfinite(bits).any():
        return ""
    layer, head = np.unravel_index(int(np.nanargmin(bits)), bits.shape)
    surest = f"layer {layer + 1}, head {head + 1}: {bits[layer, head]:.1f} of {most:.1f} bits"
    return f"Step {int(now['look'])}. Surest: {surest}."


@figure(
    "When do the heads part?",
    needs=tuple(MEASURES),
    shows="How spread, how far and how much on special pieces each head looks.",
)
def heads(plot: Plot) -> Figure:
    """Entropy, distance and share on special pieces of every head's attention on unseen texts, over training.

    All heads begin alike: even attention has the highest entropy. A head whose entropy falls has found something to
    look at; its distance tells how far away, and a high share on [CLS] and [SEP] that it mostly looks at nothing.
    """
    plot.panels([words for words, _, _ in MEASURES.values()])
    for row, (name, (_, _, hover)) in enumerate(MEASURES.items(), start=1):
        values = finite(plot.thinned(name, most=200)).median("seed").transpose("look", "layer", "head")
        _add_heads(plot, values, hover, row)
    plot.step_grid()
    for row, name in enumerate(("head_entropy", "head_distance"), start=1):
        plot.figure.update_yaxes(title_text=MEASURES[name][1].capitalize(), range=plot.limit(name), row=row)
    plot.figure.update_yaxes(title_text="Share", range=(-0.03, 1.03), tickformat=".0%", row=3)
    mark_phases(plot)
    dashes, thinning = "Colour: layer; dash: head." if plot.ds.sizes["head"] > 1 else "", plot.thinning
    plot.thinning = ""
    plot.finish(sentences(dashes, thinning), plot.drawn(), height=700, hover="closest")
    return legend_above_headings(plot.figure)


def _add_heads(plot: Plot, values: Array, hover: str, row: int) -> None:
    """One panel's curves: a colour for each layer, a dash for each head; one name a layer stands in the legend."""
    colours = depth_colours(values.sizes["layer"], plot.theme)
    for layer, colour in enumerate(colours):
        for head in range(values.sizes["head"]):
            plot.figure.scatter(
                x=values["look"].values,
                y=single(values.values[:, layer, head]),
                name=f"layer {layer + 1}",
                legendgroup=f"layer {layer + 1}",
                showlegend=row == 1 and head == 0,
                mode="lines+markers" if values.sizes["look"] <= MARKERS_UP_TO else "lines",
                line={"color": colour, "dash": DASHES[head % len(DASHES)], "width": 2},
                marker_size=5,
                hovertemplate=f"layer {layer + 1}, head {head + 1}<br>step %{{x}}: {hover}<extra></extra>",
                row=row,
            )
