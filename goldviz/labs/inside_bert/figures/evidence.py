"""Figures of evidence beside attention: what pieces add, what heads do, what a masked place is expected to hold."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import theme as look
from goldviz.figures.chart import at, axis, bars, changed, colours, figure, heat, lines
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading, link
from goldviz.figures.maps import cells, colour_bar
from goldviz.figures.marks import Bars, Heat, Lines
from goldviz.figures.plot import Plot
from goldviz.figures.theme import SEQUENTIAL, Theme
from goldviz.labs.inside_bert.figures.pieces import (
    DOWN_THE_LAYERS,
    NUMBERED,
    Column,
    in_rows,
    of_pieces,
    piece_label,
    piece_labels,
)

ADDS = "#d55e00"
RECEIVES = "#0e7ac0"
FIRST, SECOND = "#0e7ac0", "#d55e00"
"""The two texts or models of a comparison."""
LONGEST_LABEL = 24
SUMMARIES = {
    "entropy_share": "Entropy over log₂ N",
    "distance": "Mean distance over N",
    "special": "Share on special pieces",
    "previous": "Share on the piece before",
}
"""Numbers of a head that texts of different lengths can be compared by; N is the number of pieces."""


def chances_in_bars(ds: Run) -> str:
    """The probability of every class as HTML: a row each, of its name, escaped, a bar, and its share."""
    chances = ds["probability"].values
    top = int(np.argmax(chances))
    rows = [
        f"<span>{html.escape(str(name)[:LONGEST_LABEL])}</span>"
        f'<span style="background:{FIRST};opacity:{1 if place == top else 0.65};width:{chance:.1%};height:1rem">'
        f'</span><span style="text-align:right">{chance:.1%}</span>'
        for place, (name, chance) in enumerate(zip(ds["label"].values, chances, strict=True))
    ]
    style = "display:grid;grid-template-columns:auto 1fr auto;align-items:center;gap:0.35rem 0.6rem;font-size:0.875rem"
    return f'<div style="{style}" translate="no">{"".join(rows)}</div>'


def _in_short(values: Array) -> Array:
    return values.assign_coords(label=[str(name)[:LONGEST_LABEL] for name in values["label"].values])


def _tones(plot: Plot, second: Run | None = None) -> Sequence[Bars]:
    """The probability of every class, of one text or of two; the largest stands out."""
    texts = (("First", FIRST, plot.ds), ("Second", SECOND, second))
    return [
        _chances(_in_short(text["probability"]), words, colour) for words, colour, text in texts if text is not None
    ]


def _chances(chances: Array, words: str, colour: str) -> Bars:
    return bars(
        lambda plot: chances,
        rows="label",
        name=words,
        colour=colour,
        hover="%{y}: %{x:.2%}<extra></extra>",
        marker={"opacity": [1.0 if one == chances.values.max() else 0.65 for one in chances.values]},
        more={"texttemplate": "%{x:.1%}", "textposition": "outside", "cliponaxis": False},
    )


def _evidence(ds: Run) -> Sequence[Column]:
    return [
        Column(ds["attribution"].values, "Adds to the logit", ADDS, "+.3~f"),
        Column(ds["attention_received"].values, "Receives of all attention", RECEIVES),
    ]


def _of_ordinary_pieces(plot: Plot) -> Sequence[Lines]:
    """Evidence against attention; named are those with most of the one or the other."""
    ordinary = plot.ds.isel(piece=np.flatnonzero(~plot.ds["special"].values))
    sizes, received = abs(ordinary["attribution"]), ordinary["attention_received"]
    named = {*np.argsort(-sizes.values, kind="stable")[:6], *np.argsort(-received.values)[:4]}
    labels = piece_labels(ordinary)
    texts = [label if place in named else "" for place, label in enumerate(labels)]
    return [
        lines(
            lambda plot: sizes,
            x=lambda plot: received,
            colour=RECEIVES,
            symbol="circle",
            mode="markers+text",
            hover="%{customdata}<br>receives %{x:.2%}<br>evidence %{y:.4f}<extra></extra>",
            more={
                "customdata": labels,
                "text": texts,
                "textposition": "top center",
                "cliponaxis": False,
                "marker_color": RECEIVES,
                "marker_opacity": 0.7,
            },
        )
    ]


def _guesses(plot: Plot) -> Sequence[Bars]:
    inks = [plot.ink.accent if word == plot.ds.attrs["truth"] else FIRST for word in plot.ds["guessed"].values]
    said = {"customdata": [piece_label(str(word)) for word in plot.ds["guessed"].values], "texttemplate": "%{x:.1%}"}
    hover = "%{customdata}: %{x:.2%}<extra></extra>"
    return [bars("guess_probability", rows="guess", hover=hover, marker={"color": inks}, more=NUMBERED | said)]


def _end_of(chances: Array) -> float:
    return min(1.12, float(chances.max()) * 1.2)


def _guessed(ds: Run) -> Sequence[str]:
    hidden = str(ds.attrs["truth"])
    return [f"{piece_label(str(one))}{' ◂ hidden' if str(one) == hidden else ''}" for one in ds["guessed"].values]


of_tones = partial(
    figure,
    title="What tone does it hear?",
    needs=("probability",),
    x=axis("", told=lambda plot: {"range": [0, 1.12], "tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1]}),
    hover="closest",
    layout={"bargap": 0.25},
)
tone = of_tones(
    "tone",
    "What tone does it hear?",
    _tones,
    shows="The softmax of the classifier's logits.",
    cannot_show="Whether the model is right.",
    height=lambda plot: 84 + 30 * plot.ds.sizes["label"],
    legend="none",
)
tones = of_tones(
    "tones",
    "What tone does each hear?",
    _tones,
    shows="The softmax of both classifiers' logits.",
    height=lambda plot: 84 + 48 * plot.ds.sizes["label"],
    looks_at={"second": None},
)
evidence = of_pieces(
    "evidence",
    "What speaks for this class?",
    _evidence,
    title=lambda plot: f"What speaks for “{plot.ds.attrs['label']}”?",
    shows="Integrated gradients (Sundararajan et al. 2017) beside attention received.",
    cannot_show="How pieces act together.",
    needs=("attribution",),
)
agreement = figure(
    "agreement",
    "Does attention find what mattered?",
    _of_ordinary_pieces,
    shows="Each ordinary piece's evidence against the attention that it receives.",
    x=axis("Share of all attention received", scale="free", tickformat=".1~%", rangemode="tozero", nticks=6),
    y=axis("|Evidence|", scale="free", rangemode="tozero", nticks=6),
    legend="none",
    hover="closest",
)
guesses = in_rows(
    "guesses",
    "What does it expect in the hidden place?",
    _guesses,
    _guessed,
    title="What does it expect there?",
    shows="The likeliest pieces; gold: the hidden one.",
    needs=("guess_probability",),
    x=axis(
        "", told=lambda plot: {"range": [0, _end_of(plot.ds["guess_probability"])], "tickformat": ".0%", "nticks": 5}
    ),
)


def _change(plot: Plot, label: str) -> Sequence[Heat]:
    change = plot.ds["change"].sel(label=label)
    hover = "layer %{y}, head %{x}<br>off: %{z:+.3f}"
    return [heat(lambda plot: change, "head", "layer", hover=hover, more={"xgap": 1, "ygap": 1})]


def _largest(plot: Plot, label: str) -> str:
    change = plot.ds["change"].sel(label=label)
    there = change[np.unravel_index(int(np.abs(change.values).argmax()), change.shape)]
    return f"The largest: layer {int(there['layer'])}, head {int(there['head'])}, {float(there):+.3f}.".replace(
        "-", "−"
    )


def _with_and_without(plot: Plot) -> Sequence[Bars]:
    hover = "%{y}: logit %{x:.3f}, probability %{customdata:.1%}"
    return [
        bars(
            changed(at("logit", state=state), _in_short),
            rows="label",
            name=words,
            colour=colour,
            hover=hover,
            more=NUMBERED | {"texttemplate": "%{x:.2f}", "customdata": plot.ds["probability"].sel(state=state).values},
        )
        for state, words, colour in (("all heads", "All heads", FIRST), ("without", "Without them", SECOND))
    ]


def _around(plot: Plot) -> Mapping[str, Any]:
    """Ends with room for the numbers."""
    low, high = min(0.0, float(plot.ds["logit"].min())), max(0.0, float(plot.ds["logit"].max()))
    room = 0.14 * (high - low) or 1.0
    return {"range": [low - room, high + room], "zeroline": True}


# All classes have one scale, so that each head's part in one may be compared with that in another.
heads_off = figure(
    "heads_off",
    "Which heads does this class need?",
    _change,
    title=lambda plot, label: f"Which heads does “{label}” need?",
    shows="Change of a logit with each head off.",
    y=DOWN_THE_LAYERS,
    colour=colours("Change of the logit with this head off", "change", scale="signed"),
    lead=_largest,
    height=lambda plot: 190 + 26 * max(6, plot.ds.sizes["layer"]),
    looks_at={"label": ""},
)
without_heads = figure(
    "without",
    "What is left without them?",
    _with_and_without,
    shows="Logits with all heads and without those that are off.",
    x=axis("Logit", told=_around),
    height=lambda plot: 110 + 48 * plot.ds.sizes["label"],
    hover="closest",
    layout={"bargap": 0.25},
)


def summary_of(ds: Run, summary: str) -> Array:
    """One of ``SUMMARIES`` (layer, head); distances, which the dataset has in pieces, are divided by their number."""
    values = ds[f"head_{summary}"]
    return values / ds.sizes["piece"] if summary == "distance" else values


def summaries(ds: Run, *, second: Run, summary: str, theme: Theme = "light") -> Figure:
    """One number of every head, of two texts or models, in the same colours."""
    words = SUMMARIES[summary]
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.12)
    maps = [summary_of(ds, summary), summary_of(second, summary)]
    for column, (array, heading) in enumerate(zip(maps, ("First", "Second"), strict=True), start=1):
        figure.add_trace(
            cells(
                array.values,
                x=array["head"].values,
                y=array["layer"].values,
                hover=f"{heading}: layer %{{y}}, head %{{x}}<br>{words}: %{{z:.3f}}",
                xgap=1,
                ygap=1,
            ),
            row=1,
            col=column,
        )
        add_heading(figure, column, f"<b>{heading}</b>", font_size=14)
    values = np.concatenate([array.values.ravel() for array in maps])
    height = 210 + 26 * max(5, *(array.sizes["layer"] for array in maps))
    look.apply(figure, theme, title="Do the heads do the same?", legend=False, height=height, hover="closest")
    figure.update_layout(margin_t=figure.layout.margin.t + 16)
    figure.update_xaxes(title_text="Head", dtick=1 if values.size < 60 else 3, showgrid=False, ticks="")
    figure.update_yaxes(dtick=1, showgrid=False, ticks="", autorange="reversed")
    figure.layout.yaxis.title.text = "Layer"
    link(figure, "x", "head")
    link(figure, "y", "layer")
    return colour_bar(figure, (min(0.0, float(values.min())), float(values.max()) or 1.0), SEQUENTIAL, words)
