"""Attention as it forms: all heads on one sentence, and what each head's attention is like on unseen texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import xarray as xr
from numpy.typing import NDArray

from goldviz.figures import theme as look
from goldviz.figures.elements import (
    MARKERS_UP_TO,
    colour_bar_below,
    epoch_axis,
    legend_above_headings,
    mark_epochs,
    panels,
    worded,
)
from goldviz.figures.limits import Limits
from goldviz.figures.reading import (
    absence,
    finite,
    recorded,
    run_label,
    seeds_in_words,
    sentences,
    single,
    thinned,
)
from goldviz.figures.theme import Theme, as_label, depth_colours
from goldviz.labs.bert_pretraining.figures.curves import mark_phases
from goldviz.labs.bert_pretraining.figures.quantities import limit_of, probe_pieces
from goldviz.labs.bert_pretraining.findings.heads import entropies

GAP = 1
"""Empty cells between two maps."""

ROW, TALLEST = 150, 660
"""Height of a layer's maps in pixels, and of all of them."""

MEASURES = {
    "head_entropy": ("Entropy (bits)", "entropy", "%{y:.2f} bit"),
    "head_distance": ("Distance (pieces)", "distance", "%{y:.2f} pieces"),
    "head_special": ("Share on [CLS] and [SEP]", "share", "%{y:.0%}"),
}
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def attention(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Attention of every head in the probe sentence at one look: layers from top to bottom, heads from left to right.

    In each small map a row is the piece that looks and a column the piece that it looks at; a row sums to 1
    (document 001, section 4.1.2 writes the transpose). At the start every map is nearly even. A bright diagonal looks
    at itself, a line beside it at a neighbour, a bright column always at the same piece, often [CLS] or [SEP].
    """
    title = "Where do the heads look?"
    if words := absence(ds, "attention"):
        return worded(words, title=title, theme=theme)
    at = recorded(ds, epoch, "look")
    now = ds["attention"].sel(look=at).transpose("layer", "head", "query", "key").astype(np.float64)
    now = finite(now)
    layers, heads = now.sizes["layer"], now.sizes["head"]
    pieces = probe_pieces(ds)
    figure = go.Figure(
        go.Heatmap(
            z=single(_mosaic(now.values)), coloraxis="coloraxis", hoverongaps=False,
            hovertemplate="%{y} → %{x}: %{z:.3f}<extra></extra>",
        )
    )  # fmt: skip
    _axes(figure, pieces, layers, heads)
    low, high = limit_of("attention", ds, limits)
    key = "Rows look at columns; each row sums to 1. First seed."
    notes = [run_label(ds), _sharpest(now, at), f"“{' '.join(pieces)}”", key]
    alone = layers == heads == 1
    height = (280 + 18 * len(pieces)) if alone else 200 + min(TALLEST, ROW * layers)
    look.apply(figure, theme, title=title, notes=notes, height=height, legend=False, hover="closest")
    figure.update_layout(margin_l=34, margin_t=figure.layout.margin.t + 6)
    colour_bar_below(figure, (low, high), look.SEQUENTIAL, "Attention weight")
    low_down = 98 if alone else 26
    figure.update_layout(margin_b=66 + low_down)
    return figure.update_annotations(selector={"text": "Attention weight"}, yshift=-low_down)


def _mosaic(weights: NDArray[Any]) -> NDArray[Any]:
    """The maps (layer, head, query, key) beside and below each other in one, with empty cells between them."""
    layers, heads, size, _ = weights.shape
    step = size + GAP
    whole = np.full((layers * step - GAP, heads * step - GAP), np.nan)
    for layer in range(layers):
        for head in range(heads):
            top, left = layer * step, head * step
            whole[top : top + size, left : left + size] = weights[layer, head]
    return whole


def _axes(figure: go.Figure, pieces: list[str], layers: int, heads: int) -> None:
    """Every cell's piece as the tick that a hover reads; on the plot itself, only a single head has room for them."""
    step = len(pieces) + GAP
    labels = [as_label(piece) for piece in pieces]
    alone = layers == heads == 1
    for axis, count, noun in (("x", heads, "head"), ("y", layers, "layer")):
        before = [f"{noun} {number} · " for number in range(1, count + 1)] if not alone else [""]
        texts = [f"{words}{label}" for words in before for label in [*labels, ""]]
        figure.update_layout({
            f"{axis}axis": {
                "tickmode": "array", "tickvals": list(range(count * step)), "ticktext": texts,
                "showticklabels": alone, "showgrid": False, "ticks": "", "showline": False,
            }
        })  # fmt: skip
        for number in range(count if not alone else 0):
            _heading(figure, axis, number * step + (len(pieces) - 1) / 2, number + 1, noun, count)
    figure.update_xaxes(range=[-0.5, heads * step - GAP - 0.5], tickangle=-90)
    figure.update_yaxes(range=[layers * step - GAP - 0.5, -0.5])


def _heading(figure: go.Figure, axis: str, at: float, number: int, noun: str, count: int) -> None:
    words = f"{noun} {number}" if count <= 5 or axis == "y" else str(number)
    place: dict[str, Any] = {"x": at, "xref": "x", "y": 1, "yref": "y domain", "yanchor": "bottom"}
    if axis == "y":
        place = {"x": 0, "xref": "x domain", "xanchor": "right", "y": at, "yref": "y", "textangle": -90}
    figure.add_annotation(text=words, showarrow=False, font_size=12, **place)


def _sharpest(now: xr.DataArray, at: int) -> str:
    """The answer: which head is surest where to look, beside one that looks everywhere alike."""
    bits = entropies(now.values)
    most = np.log2(now.sizes["key"])
    if not np.isfinite(bits).any():
        return ""
    layer, head = np.unravel_index(int(np.nanargmin(bits)), bits.shape)
    return f"Step {at}. Surest: layer {layer + 1}, head {head + 1}: {bits[layer, head]:.1f} of {most:.1f} bits."


def heads(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Entropy, distance and share on special pieces of every head's attention on unseen texts, over training.

    All heads begin alike: even attention has the highest entropy. A head whose entropy falls has found something to
    look at; its distance tells how far away, and a high share on [CLS] and [SEP] that it mostly looks at nothing.
    """
    title = "When do the heads part?"
    if words := absence(ds, *MEASURES):
        return worded(words, title=title, theme=theme)
    kept, thinning = thinned(ds.sizes["look"], most=200, noun="look")
    figure = panels([words for words, _, _ in MEASURES.values()], theme)
    for row, (name, (_, _, hover)) in enumerate(MEASURES.items(), start=1):
        values = finite(ds[name].isel(look=kept)).median("seed").transpose("look", "layer", "head")
        _add_heads(figure, values, hover, row, theme)
    epoch_axis(figure, limit_of("step", ds, limits), "Step")
    figure.update_xaxes(unifiedhovertitle_text="step %{x}", showgrid=True)
    for row, name in enumerate(("head_entropy", "head_distance"), start=1):
        figure.update_yaxes(title_text=MEASURES[name][1].capitalize(), range=limit_of(name, ds, limits), row=row)
    figure.update_yaxes(title_text="Share", range=(-0.03, 1.03), tickformat=".0%", row=3)
    mark_phases(figure, ds, theme)
    mark_epochs(figure, ds, epoch, theme)
    dashes = "Colour: layer; dash: head." if ds.sizes["head"] > 1 else ""
    seeds = seeds_in_words(ds, band=False)
    notes = [run_label(ds), _parted(ds, epoch), sentences(dashes, thinning), seeds]
    look.apply(figure, theme, title=title, notes=notes, height=700, hover="closest")
    return legend_above_headings(figure)


def _add_heads(figure: go.Figure, values: xr.DataArray, hover: str, row: int, theme: Theme) -> None:
    """One panel's curves: a colour for each layer, a dash for each head; one name a layer stands in the legend."""
    colours = depth_colours(values.sizes["layer"], theme)
    for layer, colour in enumerate(colours):
        for head in range(values.sizes["head"]):
            figure.add_trace(
                go.Scatter(
                    x=values["look"].values, y=single(values.values[:, layer, head]), name=f"layer {layer + 1}",
                    legendgroup=f"layer {layer + 1}", showlegend=row == 1 and head == 0,
                    mode="lines+markers" if values.sizes["look"] <= MARKERS_UP_TO else "lines",
                    line={"color": colour, "dash": DASHES[head % len(DASHES)], "width": 2}, marker_size=5,
                    hovertemplate=f"layer {layer + 1}, head {head + 1}<br>step %{{x}}: {hover}<extra></extra>",
                ),
                row=row, col=1,
            )  # fmt: skip


def _parted(ds: xr.Dataset, epoch: int | None) -> str:
    """The answer: how far apart the heads' entropies are at this look."""
    at = recorded(ds, epoch, "look")
    bits = finite(ds["head_entropy"].sel(look=at)).median("seed")
    low, high = float(bits.min()), float(bits.max())
    return f"Entropies at step {at}: {low:.2f} to {high:.2f} bits." if np.isfinite(low) else ""
