"""What goes into the encoder, and what it knows of order, of sentences and of a word (document 001, section 4.2.1)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from goldviz.arrays.labelled import Array, Run
from goldviz.figures.chart import at, axis, changed, colours, figure, heat, lines, rule, series
from goldviz.figures.elements import log_axis
from goldviz.figures.maps import symmetric
from goldviz.figures.plot import Plot
from goldviz.figures.reading import positive
from goldviz.labs.inside_bert import measures
from goldviz.labs.inside_bert.figures.pieces import (
    DOWN_THE_LAYERS,
    DOWNWARDS,
    Column,
    in_rows,
    numbered,
    of_pieces,
    piece_labels,
    short_piece,
)

PARTS = {"token": "#0e7ac0", "position": "#009e73", "segment": "#838383", "sum": "#d55e00"}
ADDED = ("token", "position", "segment", "sum", "normalised")
"""What is added up, from top to bottom."""
WITH, WITHOUT = "#d55e00", "#0e7ac0"
OTHER_WORDS = "#838383"
LENGTHS = {
    "token": "‖e tok‖",
    "segment": "‖e seg‖",
    "position": "‖e pos‖",
    "sum": "‖sum‖",
    "normalised": "‖after LayerNorm‖",
}
"""Columns of pieces, by the embedding whose length they have."""
UNIT_ROUNDOFF = 2.0**-24
"""By how much of its size rounding to single precision may change a number, at most (IEEE 754)."""


def _added(plot: Plot) -> Array:
    return plot.ds["embedding"].sel(part=[*ADDED])


def _scaled(plot: Plot) -> Array:
    """A LayerNorm makes numbers of size 1 of what is a tenth of that, so its row has a scale of its own."""
    parts = _added(plot)
    most = symmetric(parts[:-1])[1], symmetric(parts[-1:])[1]
    rows = ["word", "+ position", f"+ segment {plot.ds.attrs['sentence']}", "= sum", "after LayerNorm"]
    return (parts / np.repeat(most, [len(ADDED) - 1, 1])[:, None]).assign_coords(part=rows)


def near_and_far(plot: Plot) -> str:
    """The mean cosine of neighbours among the text's places, and of places far apart."""
    if plot.ds["distance_cosine"].size < 3:
        return ""
    *cosines, half = measures.cosines_near_and_far(plot.ds)
    near, far = (f"{cosine:+.2f}".replace("-", "−") for cosine in cosines)
    return f"In this text's places neighbours have a cosine of {near} on average, places {half} or more apart {far}."


def in_words(ds: Run) -> str:
    """What becomes of the word, in a sentence."""
    cosines = measures.word_going_in(ds), measures.word_coming_out(ds), ds["word_cosine"].sel(pair="other words")[-1]
    before, after, others = (f"{float(value):.2f}".replace("-", "−") for value in cosines)
    beside = "" if others == "nan" else f", other words {others}"
    return f"“{ds.attrs['word']}” in both sentences: cosine {before} going in, {after} after the last layer{beside}."


# e_tok + e_pos + e_seg
embeddings = of_pieces(
    "embeddings",
    "How long is what is added up?",
    *(
        Column(at("embedding_norm", part=part), part.capitalize(), ink, ".3f", at("embedding_norm", part=[*PARTS]))
        for part, ink in PARTS.items()
    ),
)
composition = figure(
    "composition",
    "What is added up?",
    heat(
        _scaled,
        "unit",
        "part",
        hover="number %{x}: %{customdata:.3f}",
        more=lambda plot: {"customdata": _added(plot).values.astype(np.float32), "ygap": 3},
    ),
    title=lambda plot: f"What is added up for “{short_piece(str(plot.ds.attrs['piece_of']))}”?",
    shows="One piece's three embeddings number by number, their sum, and that normalised.",
    y=axis("", autorange="reversed", ticks="", ticklabeloverflow="allow"),
    colour=colours("Value, as a share of the largest", ends=(-1, 1), scale="signed"),
    lead="The last row has a colour scale of its own.",
    height=330,
)
neighbours = in_rows(
    "neighbours",
    "Which pieces lie near?",
    numbered("cosine", "neighbour", ".2f", colour="#0e7ac0", hover="%{y}: %{x:.3f}"),
    lambda ds: piece_labels(ds["nearby"]),
    title=lambda plot: f"What lies near “{short_piece(str(plot.ds.attrs['neighbours_of']))}”?",
    x=axis(
        "Cosine of the token embeddings",
        told=lambda plot: {"nticks": 5, "range": [0, max(1.15 * float(plot.ds["cosine"].max()), 0.1)]},
    ),
)
positions = figure(
    "positions",
    "Which places are alike to the model?",
    heat("position_cosine", "other", "position", hover="positions %{y} and %{x}: cosine %{z:.2f}"),
    y=DOWNWARDS,
    colour=colours("Cosine of the two embeddings", ends=(-1, 1), scale="signed"),
    lead=near_and_far,
    height=520,
)
order = figure(
    "order",
    "What does another order change?",
    lines(
        changed("moved", lambda moved: positive(moved.median("piece"))),
        by="positions",
        looks=(
            series("with", "with positions", WITH, "solid", "circle"),
            series("without", "without positions", WITHOUT, "dash", "square"),
        ),
        mode="lines+markers",
        width=2.5,
        hover="%{y:.2g} of its length",
    ),
    rule(y=UNIT_ROUNDOFF, words="rounding in single precision"),
    shows="How far a piece's state moves when the text is read backwards.",
    x=axis(told=lambda plot: {"range": (-0.3, plot.ds.sizes["state"] - 0.7)}),
    y=axis("Distance over its length", scale="free", told=lambda plot: log_axis((-8.5, 0.8))),
    lead="Without positions a piece keeps its state to rounding: only its place in the list changes.",
    height=400,
)
across = figure(
    "across",
    "Do the two sentences look at each other?",
    heat("across", "head", "layer", hover="layer %{y}, head %{x}<br>across: %{z:.1%}", more={"xgap": 1, "ygap": 1}),
    y=DOWN_THE_LAYERS,
    colour=colours(
        "Attention on the other sentence",
        ends=lambda plot: (0.0, float(plot.ds["across"].max()) or 1.0),
        tickformat=".0%",
    ),
    lead=lambda plot: f"Even attention would give {100 * measures.across_if_even(plot.ds):.0f} %.",
    height=lambda plot: 230 + 26 * max(5, plot.ds.sizes["layer"]),
)
word_cosine = figure(
    "word_cosine",
    "Does a word keep its vector?",
    lines(
        "word_cosine",
        by="pair",
        looks=(
            series("same word", "the word in both", WITH, "solid", "circle"),
            series("other words", "with other words, median", OTHER_WORDS, "dash", "square"),
        ),
        mode="lines+markers",
        width=2.5,
        hover="%{y:.3f}",
    ),
    shows="The cosine of the word's two vectors. Dashed: with the other words of the second sentence.",
    cannot_show="What the vector means.",
    y=axis("Cosine", scale="free", range=[-1.05, 1.05]),
    lead=lambda plot: in_words(plot.ds),
    height=440,
)


def pieces_table(ds: Run, text: str) -> pd.DataFrame:
    """One row a piece: its place, its characters, its word, and the lengths of its embeddings."""
    spans = list(zip(ds["start"].values, ds["stop"].values, strict=True))
    words = [int(word) + 1 if word >= 0 else None for word in ds["word"].values]
    return pd.DataFrame(
        {
            "j": ds["piece"].values,
            "Piece": list(map(str, ds["token"].values)),
            "In the text": [text[start:stop] for start, stop in spans],
            "Word": pd.array(words, dtype="Int64"),
            "Characters": ["" if start == stop else f"{start + 1}–{stop}" for start, stop in spans],
            **{heading: ds["embedding_norm"].sel(part=part).values for part, heading in LENGTHS.items()},
        }
    )
