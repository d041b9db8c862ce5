"""The figures of *Text into tokens*: what a larger vocabulary saves and holds, and what languages and numbers cost."""

from __future__ import annotations

import html
from itertools import pairwise
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.data.texts.byte_pieces import BYTES
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import worded
from goldviz.figures.maps import cells, legend_below
from goldviz.figures.spec import by_name, drawn
from goldviz.figures.theme import INKS, Theme
from goldviz.figures.thumbnail import picture_svg
from goldviz.labs.text_tokens import measures
from goldviz.labs.text_tokens.entries import KINDS
from goldviz.labs.text_tokens.settings import PATTERN_LABELS

COLOURS = ("#0e7ac0", "#d55e00")
SYMBOLS = ("circle", "diamond")
HATCHES = ("", "/")
SIZES = (512, 1024, 2048)
PICTURED = 14
"""Bytes of the home page's picture: four spaces and print(dog)."""
BEFORE = -1.3
"""Where the counts of tokens stand, in digits from the longest number's first."""
GROUPS = [[0.0, "rgba(14, 122, 192, 0.18)"], [1.0, "rgba(213, 94, 0, 0.30)"]]


def names(ds: Run) -> tuple[str, str]:
    """What both sides are called, each by another name."""
    left, right = (PATTERN_LABELS[pattern] for pattern in ds.attrs["patterns"])
    return (left, right) if left != right else (f"{left}, left", f"{right}, right")


@drawn(
    "What does a larger vocabulary save?",
    shows="How many bytes a token stands for, as the vocabulary grows.",
)
def compression(ds: Run, *, theme: Theme = "light") -> Figure:
    """Bytes a token of corpus and text after each merge, for both sides."""
    title = "What does a larger vocabulary save?"
    if not ds.sizes["merge"]:
        return worded("No pair comes twice, so there is no merge to draw.", title=title, theme=theme)
    figure = Figure()
    bytes_of = {"corpus_tokens": ds.attrs["corpus_bytes"], "own_tokens": ds.sizes["place"]}
    for (name, length), dash, words in zip(bytes_of.items(), ("solid", "dot"), ("corpus", "your text"), strict=True):
        for side, label in enumerate(names(ds)):
            figure.scatter(
                x=np.log2(ds["size"].values),
                y=length / ds[name].values[side],
                mode="lines",
                name=f"{label}: {words}",
                line={"color": COLOURS[side], "dash": dash, "width": 2.5 - side},
                hovertemplate="%{y:.2f} bytes a token",
            )
    look.apply(figure, theme, title=title, notes=[_compression_note(ds)])
    legend_below(figure)
    last = int(ds["size"][-1])
    sizes = [BYTES, *(size for size in SIZES if size < 0.8 * last), last]
    figure.update_xaxes(
        title_text="Tokens in the vocabulary",
        tickvals=np.log2(sizes).tolist(),
        ticktext=[f"{size:,}" for size in sizes],
        showgrid=False,
    )
    return figure.update_yaxes(title_text="Bytes a token", rangemode="tozero")


def _compression_note(ds: Run) -> str:
    left, right = (measures.BYTES_A_TOKEN[side](ds) for side in measures.SIDES)
    first, second = names(ds)
    return f"At the end: {first} {left:.2f}, {second} {right:.2f} bytes a token of the corpus."


@drawn(
    "What do the learned tokens hold?",
    name="entries",
    shows="How many of the learned tokens hold letters, signs, and so on.",
)
def entries(ds: Run, *, theme: Theme = "light") -> Figure:
    """Counts of learned entries by kind, both sides beside each other."""
    figure = Figure()
    for side, label in enumerate(names(ds)):
        counts = ds["entries"].values[side].astype(int)
        figure.bar(
            x=counts,
            y=list(KINDS.values()),
            orientation="h",
            name=label,
            marker={"color": COLOURS[side], "pattern": {"shape": HATCHES[side]}},
            text=[f"{count:,}" for count in counts],
            textposition="outside",
            cliponaxis=False,
            hovertemplate=f"{label}, %{{y}}: %{{x:,}}<extra></extra>",
        )
    counts_of_mixed = ds["entries"].sel(kind="mixed").values.astype(int)
    first, second = names(ds)
    notes = [f"Letters and signs in one token: {first} {counts_of_mixed[0]:,}, {second} {counts_of_mixed[1]:,}."]
    look.apply(figure, theme, title="What do the learned tokens hold?", notes=notes, height=470, hover="closest")
    legend_below(figure)
    figure.update_xaxes(title_text="Learned tokens", range=[0, 1.12 * max(1, int(ds["entries"].max()))])
    return figure.update_yaxes(autorange="reversed", showgrid=False)


@drawn(
    "What does a language cost?",
    shows="Tokens of one sentence and of its translations.",
    cannot_show="How well a model understands the language.",
)
def languages(ds: Run, *, theme: Theme = "light") -> Figure:
    """Tokens of the same sentence in every language, and its characters as marks."""
    figure = Figure()
    for side, label in enumerate(names(ds)):
        figure.bar(
            x=ds["sentence_tokens"].values[side],
            y=ds["language"].values,
            orientation="h",
            name=label,
            marker={"color": COLOURS[side], "pattern": {"shape": HATCHES[side]}},
            hovertemplate=f"%{{y}}, {label}: %{{x}} tokens<extra></extra>",
        )
    figure.scatter(
        x=ds["sentence_characters"].values,
        y=ds["language"].values,
        mode="markers",
        name="characters",
        marker={"symbol": "line-ns-open", "size": 14, "color": INKS[theme].text, "line": {"width": 3}},
        hovertemplate="%{y}: %{x} characters<extra></extra>",
    )
    look.apply(
        figure, theme, title="What does a language cost?", notes=[_language_note(ds)], height=560, hover="closest"
    )
    legend_below(figure)
    figure.update_xaxes(title_text="Tokens of the same sentence")
    return figure.update_yaxes(autorange="reversed", showgrid=False)


def _language_note(ds: Run) -> str:
    language, times = measures.costliest_language(ds)
    return f"{language} takes {times:.1f} times the tokens of English: letters that the corpus lacks stay single bytes."


@drawn(
    "Where are digits cut?",
    shows="Where each pattern cuts a number, and how many tokens it becomes.",
)
def digits(ds: Run, *, theme: Theme = "light") -> Figure:
    """Numbers in rows, right-aligned, their digits in the colours of their pieces."""
    figure = make_subplots(rows=1, cols=2, shared_yaxes=True, horizontal_spacing=0.06)
    numbers = ds["number"].values
    for side, label in enumerate(names(ds)):
        groups = ds["group"].values[side]
        _number_map(figure, side, numbers, groups, INKS[theme].text)
        _token_counts(figure, side, ds["number_tokens"].values[side], INKS[theme].muted)
        figure.add_annotation(
            text=label,
            x=0.5,
            y=1.02,
            xref=f"x{side + 1 if side else ''} domain",
            yref="paper",
            showarrow=False,
            yanchor="bottom",
            font_size=13,
        )
        _cuts(figure, side, groups, INKS[theme].text)
    notes = ["Before each number stands how many tokens it becomes."]
    look.apply(figure, theme, title="Where are digits cut?", notes=notes, legend=False, height=430, hover="closest")
    figure.update_layout(
        coloraxis={"cmin": 0, "cmax": 1, "colorscale": GROUPS, "showscale": False},
        margin={"t": figure.layout.margin.t + 16},
    )
    figure.update_xaxes(visible=False)
    return figure.update_yaxes(autorange="reversed", showgrid=False, visible=False)


def _number_map(figure: Figure, side: int, numbers: Any, groups: Any, colour: str) -> None:
    width = groups.shape[1]
    text = [list(number.rjust(width)) for number in numbers]
    figure.add_trace(
        cells(
            np.where(np.isfinite(groups), groups % 2, np.nan),
            x=list(range(width)),
            y=list(range(len(numbers))),
            text=text,
            texttemplate="%{text}",
            hover="%{text}",
            textfont={"size": 15, "color": colour},
        ),
        row=1,
        col=side + 1,
    )


def _token_counts(figure: Figure, side: int, counts: Any, colour: str) -> None:
    figure.scatter(
        x=[BEFORE] * len(counts),
        y=list(range(len(counts))),
        mode="text",
        hoverinfo="skip",
        showlegend=False,
        text=[f"<i>{count:.0f}</i>" for count in counts],
        textfont={"size": 14, "color": colour},
        row=1,
        col=side + 1,
    )


def _cuts(figure: Figure, side: int, groups: Any, colour: str) -> None:
    axis = str(side + 1) if side else ""
    for row, column in np.argwhere(np.diff(groups, axis=1) > 0):
        figure.add_shape(
            type="line",
            x0=column + 0.5,
            x1=column + 0.5,
            y0=row - 0.45,
            y1=row + 0.45,
            xref=f"x{axis}",
            yref=f"y{axis}",
            line={"color": colour, "width": 2},
        )


def picture(ds: Run) -> str:
    """The home page's picture: the text's last bytes before the first merge, after some, and after all."""
    last = ds.sizes["merge"]
    rows = [_picture_row(ds, step, 14 + 48 * row) for row, step in enumerate((0, last // 8, last))]
    label = "The end of a line of code, in single bytes, then in fewer and longer tokens."
    return picture_svg([part for row in rows for part in row], label=label, axes=("text", "merges"))


def _picture_row(ds: Run, step: int, top: float) -> list[str]:
    text = "".join(map(chr, ds["byte"].values[-PICTURED:].astype(int)))
    merge_at = ds["joined"].values[0, 1 - PICTURED :]
    edges = [0, *(np.flatnonzero((merge_at <= 0) | (merge_at > step)) + 1).tolist(), PICTURED]
    width = 300 / PICTURED
    boxes = [
        f'<rect x="{10 + width * start:.1f}" y="{top}" width="{width * (end - start) - 3:.1f}" height="34" rx="5" '
        f'fill="{COLOURS[number % 2]}" fill-opacity="0.35"/>'
        for number, (start, end) in enumerate(pairwise(edges))
    ]
    signs = [
        f'<text x="{10 + width * (at + 0.5) - 1.5:.1f}" y="{top + 23}" font-size="16" text-anchor="middle" '
        f'fill="currentColor">{html.escape(sign)}</text>'
        for at, sign in enumerate(text)
        if sign != " "
    ]
    return boxes + signs


FIGURES = by_name(compression, entries, languages, digits)
