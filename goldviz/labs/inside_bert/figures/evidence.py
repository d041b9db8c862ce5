"""Figures of evidence beside attention: what pieces add, what heads do, what a masked place is expected to hold."""

from __future__ import annotations

import html

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading, link
from goldviz.figures.maps import SIGNED, cells, colour_bar, symmetric
from goldviz.figures.notes import as_label
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, SEQUENTIAL, Theme
from goldviz.labs.inside_bert.figures.pieces import ROW_HEIGHT, Column, beside_pieces, piece_label, rows_down

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


@drawn(
    "What tone does it hear?",
    shows="The softmax of the classifier's logits.",
    cannot_show="Whether the model is right.",
    needs=("probability",),
)
def tone(ds: Run, *, theme: Theme = "light", second: Run | None = None) -> Figure:
    """The probability of every class, of one text or of two."""
    figure = Figure()
    texts = [(ds, "First", FIRST)] if second is None else [(ds, "First", FIRST), (second, "Second", SECOND)]
    for text, words, colour in texts:
        chances = text["probability"].values
        top = int(np.argmax(chances))
        figure.bar(
            x=chances,
            y=label_texts(text),
            name=words,
            orientation="h",
            texttemplate="%{x:.1%}",
            textposition="outside",
            cliponaxis=False,
            marker={"color": colour, "opacity": [1.0 if i == top else 0.65 for i in range(len(chances))]},
            hovertemplate="%{y}: %{x:.2%}<extra></extra>",
        )
    rows = max(text.sizes["label"] for text, _, _ in texts)
    height = 84 + (30 if second is None else 48) * rows
    look.apply(
        figure, theme, title="What tone does it hear?", legend=second is not None, height=height, hover="closest"
    )
    figure.update_xaxes(range=[0, 1.12], tickformat=".0%", tickvals=[0, 0.25, 0.5, 0.75, 1])
    figure.update_yaxes(autorange="reversed", showgrid=False, ticks="")
    return figure.update_layout(bargap=0.25)


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


def label_texts(ds: Run) -> list[str]:
    """The classes' names, shortened and escaped."""
    return [as_label(str(name)[:LONGEST_LABEL]) for name in ds["label"].values]


@drawn(
    "What speaks for this class?",
    shows="Integrated gradients (Sundararajan et al. 2017) beside attention received.",
    cannot_show="How pieces act together.",
    needs=("attribution",),
)
def evidence(ds: Run, *, theme: Theme = "light") -> Figure:
    """What every piece adds to the logit, beside the attention that it receives."""
    columns = [
        Column(ds["attribution"].values, "Adds to the logit", ADDS, "+.3~f"),
        Column(ds["attention_received"].values, "Receives of all attention", RECEIVES),
    ]
    return beside_pieces(ds, columns, title=f"What speaks for “{ds.attrs['label']}”?", theme=theme)


def agreement(ds: Run, *, theme: Theme = "light") -> Figure:
    """Each ordinary piece's evidence against the attention that it receives."""
    ordinary = ds.isel(piece=np.flatnonzero(~ds["special"].values))
    labels = [piece_label(str(token)) for token in ordinary["token"].values]
    sizes = np.abs(ordinary["attribution"].values)
    labelled_pieces = set(np.argsort(-sizes, kind="stable")[:6]) | set(
        np.argsort(-ordinary["attention_received"].values)[:4]
    )
    figure = Figure().scatter(
        x=ordinary["attention_received"].values,
        y=sizes,
        mode="markers+text",
        customdata=labels,
        cliponaxis=False,
        text=[label if place in labelled_pieces else "" for place, label in enumerate(labels)],
        textposition="top center",
        marker={"color": RECEIVES, "size": 8, "opacity": 0.7},
        hovertemplate="%{customdata}<br>receives %{x:.2%}<br>evidence %{y:.4f}<extra></extra>",
    )
    title = "Does attention find what mattered?"
    look.apply(figure, theme, title=title, legend=False, height=430, hover="closest")
    figure.update_xaxes(title_text="Share of all attention received", tickformat=".1~%", rangemode="tozero", nticks=6)
    return figure.update_yaxes(title_text="|Evidence|", rangemode="tozero", nticks=6)


def heads_off(ds: Run, *, label: str, theme: Theme = "light") -> Figure:
    """How a logit changes when one head after another is switched off."""
    changes = ds["change"].sel(label=label)
    figure = Figure(
        cells(
            changes.values,
            x=ds["head"].values,
            y=ds["layer"].values,
            hover="layer %{y}, head %{x}<br>off: %{z:+.3f}",
            xgap=1,
            ygap=1,
        )
    )
    largest = np.unravel_index(int(np.abs(changes.values).argmax()), changes.shape)
    summary = (
        f"The largest: layer {int(ds['layer'][largest[0]])}, head {int(ds['head'][largest[1]])}, "
        f"{float(changes.values[largest]):+.3f}.".replace("-", "−")
    )
    height = 190 + 26 * max(6, ds.sizes["layer"])
    title = f"Which heads does “{label}” need?"
    look.apply(figure, theme, title=title, notes=[summary], legend=False, height=height, hover="closest")
    head_axes(figure)
    return colour_bar(figure, symmetric(changes.values), SIGNED, "Change of the logit with this head off")


def head_axes(figure: Figure, every: int = 1) -> None:
    """A place for each head of each layer, the first layer at the top; pages mark a head in all figures."""
    figure.update_xaxes(title_text="Head", dtick=every, showgrid=False, ticks="")
    figure.update_yaxes(dtick=1, showgrid=False, ticks="", autorange="reversed")
    figure.update_layout(yaxis_title_text="Layer")
    link(figure, "x", "head")
    link(figure, "y", "layer")


def tone_without(ds: Run, *, theme: Theme = "light") -> Figure:
    """Logits with all heads and without the chosen ones."""
    figure = Figure()
    for state, words, colour in (("all heads", "All heads", FIRST), ("without", "Without them", SECOND)):
        at = ds.sel(state=state)
        figure.bar(
            x=at["logit"].values,
            y=label_texts(ds),
            orientation="h",
            name=words,
            marker={"color": colour, "line_width": 0},
            texttemplate="%{x:.2f}",
            textposition="outside",
            customdata=at["probability"].values,
            cliponaxis=False,
            hovertemplate="%{y}: logit %{x:.3f}, probability %{customdata:.1%}<extra>" + words + "</extra>",
        )
    height = 110 + 48 * ds.sizes["label"]
    look.apply(figure, theme, title="What is left without them?", height=height, hover="closest")
    low, high = min(0.0, float(ds["logit"].min())), max(0.0, float(ds["logit"].max()))
    room = 0.14 * (high - low) or 1.0
    figure.update_xaxes(title_text="Logit", zeroline=True, range=[low - room, high + room])
    figure.update_yaxes(autorange="reversed", showgrid=False, ticks="")
    return figure.update_layout(bargap=0.25)


@drawn(
    "What does it expect in the hidden place?",
    shows="The likeliest pieces; gold: the hidden one.",
    needs=("guess_probability",),
)
def guesses(ds: Run, *, theme: Theme = "light") -> Figure:
    """The pieces that the model expects in the masked place; the hidden one is marked."""
    words = [str(piece) for piece in ds["guessed"].values]
    truth = str(ds.attrs["truth"])
    figure = Figure().bar(
        x=ds["guess_probability"].values,
        y=np.arange(len(words)),
        orientation="h",
        texttemplate="%{x:.1%}",
        textposition="outside",
        cliponaxis=False,
        customdata=[piece_label(word) for word in words],
        marker={"color": [INKS[theme].accent if word == truth else FIRST for word in words], "line_width": 0},
        hovertemplate="%{customdata}: %{x:.2%}<extra></extra>",
    )
    height = 110 + (ROW_HEIGHT + 4) * len(words)
    look.apply(figure, theme, title="What does it expect there?", legend=False, height=height, hover="closest")
    figure.update_xaxes(range=[0, min(1.12, float(ds["guess_probability"].max()) * 1.2)], tickformat=".0%", nticks=5)
    rows_down(figure, [f"{piece_label(word)} ◂ hidden" if word == truth else piece_label(word) for word in words])
    return figure.update_layout(bargap=0.25)


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
    head_axes(figure, every=1 if values.size < 60 else 3)
    return colour_bar(figure, (min(0.0, float(values.min())), float(values.max()) or 1.0), SEQUENTIAL, words)
