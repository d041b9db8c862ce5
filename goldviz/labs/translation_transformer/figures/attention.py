"""Three kinds of attention for one sentence: in the encoder, in the decoder, and from the decoder to the encoder."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from goldviz.arrays.word_labels import words_of
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Heatmap, make_subplots
from goldviz.figures.elements import add_heading, aligned_rings, colour_bar_below
from goldviz.figures.frames import AtStep
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, single
from goldviz.labs.translation_transformer.figures.quantities import figure

RIGHT_ANSWER = "#e8590c"
"""Rings around the words that stand for each other."""
TICKS: dict[str, Any] = {"tickmode": "array", "showgrid": False, "zeroline": False, "ticks": ""}


def _weights(plot: Plot, name: str) -> AtStep:
    """Mean over the heads of the last block, at every look that is drawn."""
    now = finite(plot.now[name]).isel(block_number=-1).mean("head")
    return AtStep("look", single(now.values.astype(np.float32)))


def _map(plot: Plot, name: str, rows: list[str], columns: list[str], panel: int | None = None) -> None:
    """A map of weights with its words at both sides."""
    place = {} if panel is None else {"row": 1, "col": panel}
    plot.figure.add_trace(
        Heatmap(
            z=_weights(plot, name),
            coloraxis="coloraxis",
            hovertemplate="“%{y}” looks at “%{x}”: %{z:.3f}<extra></extra>",
        ),
        **place,
    )
    for words, ends, update in (
        (columns, [-0.5, len(columns) - 0.5], plot.figure.update_xaxes),
        (rows, [len(rows) - 0.5, -0.5], plot.figure.update_yaxes),
    ):
        labels = [as_label(word) for word in words]
        update(tickvals=[*range(len(words))], ticktext=labels, range=ends, **TICKS, **place)


@figure(
    "Who looks at whom on its own side?",
    needs=("encoder_attention", "decoder_attention", "read", "told"),
    shows="Rows look at columns. Left: words read. Right: a word written looks back alone.",
)
def own_side(plot: Plot) -> Figure:
    """Self-attention of the encoder and causal self-attention of the decoder, for the same pair."""
    plot.figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.16)
    read, decoder_inputs = words_of(plot.ds, "read"), words_of(plot.ds, "told")
    _map(plot, "encoder_attention", read, read, 1)
    _map(plot, "decoder_attention", decoder_inputs, decoder_inputs, 2)
    for panel, words in ((1, "Encoder"), (2, "Decoder")):
        add_heading(plot.figure, panel, f"<b>{words}</b>")
    height = 250 + 30 * max(len(read), len(decoder_inputs))
    plot.finish(plot.step_in_words("look"), height=height, legend=False, hover="closest")
    plot.figure.update_layout(margin_t=plot.figure.layout.margin.t + 16)
    return colour_bar_below(plot.figure, (0.0, 1.0), look.SEQUENTIAL, "Attention weight")


@figure(
    "Where does the decoder look back?",
    needs=("cross_attention", "answer", "aligned", "read", "written"),
    shows="A row is a word written, a column a word read. Rings: the word that it stands for.",
)
def alignment(plot: Plot) -> Figure:
    """Cross-attention with the right words told: the mean over the heads of the last block."""
    target_words = words_of(plot.ds, "written")
    _map(plot, "cross_attention", target_words, words_of(plot.ds, "read"))
    plot.figure.update_xaxes(title_text="Read")
    plot.figure.update_yaxes(title_text="Written")
    plot.add(aligned_rings(plot.ds["aligned"].values, RIGHT_ANSWER))
    height = 250 + 30 * len(target_words)
    plot.finish(plot.step_in_words("look"), _answer(plot), height=height, legend=False, hover="closest")
    return colour_bar_below(plot.figure, (0.0, 1.0), look.SEQUENTIAL, "Attention weight")


def _answer(plot: Plot) -> AtStep:
    """What the network writes for the probe, in words, at each look."""
    words = json.loads(plot.ds.attrs["words"])

    def said(now: Any) -> str:
        answer = " ".join(words[int(number)] for number in now.values if number >= 0)
        return f"It writes: {answer or 'nothing'}."

    return plot.say(said, plot.now["answer"])
