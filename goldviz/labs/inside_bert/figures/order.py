"""What the encoder knows of order, of two sentences, and of one word in both (document 001, section 4.2.1)."""

from __future__ import annotations

from collections.abc import Sequence

from goldviz.arrays.labelled import Array, Run
from goldviz.figures.chart import at, axis, changed, colours, figure, heat, lines, rule, series
from goldviz.figures.elements import log_axis
from goldviz.figures.marks import Lines
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import positive
from goldviz.labs.inside_bert import measures
from goldviz.labs.inside_bert.figures.pieces import DOWN_THE_LAYERS, DOWNWARDS

WITH, WITHOUT = "#d55e00", "#0e7ac0"
OTHER_WORDS = "#838383"
UNIT_ROUNDOFF = 2.0**-24
"""By how much of its size rounding to single precision may change a number, at most (IEEE 754)."""


def near_and_far(ds: Run) -> str:
    """The mean cosine of neighbours among the text's places, and of places far apart."""
    if ds["distance_cosine"].size < 3:
        return ""
    *cosines, half = measures.cosines_near_and_far(ds)
    near, far = (f"{cosine:+.2f}".replace("-", "−") for cosine in cosines)
    return f"In this text's places neighbours have a cosine of {near} on average, places {half} or more apart {far}."


def if_even(ds: Run) -> str:
    """What attention that is spread evenly over all pieces would give."""
    return f"Even attention would give {100 * measures.across_if_even(ds):.0f} %."


def in_words(ds: Run) -> str:
    """What becomes of the word, in a sentence."""
    cosines = measures.word_going_in(ds), measures.word_coming_out(ds), ds["word_cosine"].sel(pair="other words")[-1]
    before, after, others = (f"{float(value):.2f}".replace("-", "−") for value in cosines)
    beside = "" if others == "nan" else f", other words {others}"
    return f"“{ds.attrs['word']}” in both sentences: cosine {before} going in, {after} after the last layer{beside}."


def _distance(moved: Array) -> Array:
    return positive(moved.median("piece"))


def _both(plot: Plot) -> Sequence[Lines]:
    drawn = (
        ("same word", as_label(plot.ds.attrs["word"]), WITH, "solid", "circle"),
        ("other words", "other words, median", OTHER_WORDS, "dash", "square"),
    )
    return [
        lines(
            at("word_cosine", pair=pair),
            name=name,
            colour=colour,
            dash=dash,
            symbol=symbol,
            mode="lines+markers",
            width=2.5,
            hover="%{y:.3f}",
        )
        for pair, name, colour, dash, symbol in drawn
    ]


positions = figure(
    "positions",
    "Which places are alike to the model?",
    heat("position_cosine", "other", "position", hover="positions %{y} and %{x}: cosine %{z:.2f}"),
    shows="How alike the embeddings of two places are.",
    y=DOWNWARDS,
    colour=colours("Cosine of the two embeddings", ends=(-1, 1), scale="signed"),
    lead=lambda plot: near_and_far(plot.ds),
    height=520,
)
order = figure(
    "order",
    "What does another order change?",
    lines(
        changed("moved", _distance),
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
    shows="How much each head looks at the other sentence.",
    y=DOWN_THE_LAYERS,
    colour=colours("Attention on the other sentence", from_zero=True, tickformat=".0%"),
    lead=lambda plot: if_even(plot.ds),
    height=lambda plot: 230 + 26 * max(5, plot.ds.sizes["layer"]),
)
word_cosine = figure(
    "word_cosine",
    "Does a word keep its vector?",
    _both,
    shows="The cosine of the word's two vectors. Dashed: with the other words of the second sentence.",
    cannot_show="What the vector means.",
    needs=("word_cosine",),
    y=axis("Cosine", scale="free", range=[-1.05, 1.05]),
    lead=lambda plot: in_words(plot.ds),
    height=440,
)
