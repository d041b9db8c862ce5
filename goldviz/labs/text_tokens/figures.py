"""The figures of *Text into tokens*: what a larger vocabulary saves and holds, and what languages and numbers cost."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from operator import truediv
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.data.texts.byte_pieces import BYTES
from goldviz.figures import theme as look
from goldviz.figures.chart import at, axis, bars, bound, changed, dots, figure, lines, series
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.maps import cells
from goldviz.figures.marks import Bars, ChannelLike, Lines
from goldviz.figures.plot import Plot
from goldviz.figures.thumbnail import picture_svg
from goldviz.labs.text_tokens import measures
from goldviz.labs.text_tokens.entries import KINDS
from goldviz.labs.text_tokens.settings import PATTERN_LABELS, TextTokens

COLOURS = ("#0e7ac0", "#d55e00")
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


def _bytes_a_token(plot: Plot) -> list[Lines]:
    """Bytes over tokens: of the corpus, and of the text."""
    ds = plot.ds
    told = (
        ("corpus", ds.attrs["corpus_bytes"], "corpus_tokens", "solid"),
        ("your text", ds.sizes["place"], "own_tokens", "dot"),
    )
    return [
        lines(
            at(changed(tokens, partial(truediv, count)), side=side),
            name=f"{label}: {words}",
            colour=colour,
            dash=dash,
            width=width,
            hover="%{y:.2f} bytes a token",
        )
        for words, count, tokens, dash in told
        for side, label, colour, width in zip(measures.SIDES, names(ds), COLOURS, (2.5, 1.5), strict=True)
    ]


def _sizes(plot: Plot) -> Mapping[str, Any]:
    last = int(plot.ds["size"][-1])
    sizes = [BYTES, *(size for size in SIZES if size < 0.8 * last), last]
    ticks = {"tickvals": sizes, "ticktext": [f"{size:,}" for size in sizes]}
    return {"type": "log", **ticks, "unifiedhovertitle_text": "%{x:,} tokens"}


def _at_the_end(plot: Plot) -> str:
    left, right = (measures.BYTES_A_TOKEN[side](plot.ds) for side in measures.SIDES)
    first, second = names(plot.ds)
    return f"At the end: {first} {left:.2f}, {second} {right:.2f} bytes a token of the corpus."


def _beside_each_other(plot: Plot, of: ChannelLike, rows: str, **how: Any) -> Sequence[Bars]:
    looks = [
        series(side, label, colour, pattern=pattern)
        for side, label, colour, pattern in zip(measures.SIDES, names(plot.ds), COLOURS, HATCHES, strict=True)
    ]
    return [bars(of, rows=rows, by="side", looks=tuple(looks), **how)]


def _mixed(plot: Plot) -> str:
    (first, second), (left, right) = names(plot.ds), plot.ds["entries"].sel(kind="mixed").values.astype(int)
    return f"Letters and signs in one token: {first} {left:,}, {second} {right:,}."


def _costliest(plot: Plot) -> str:
    language, times = measures.costliest_language(plot.ds)
    return f"{language} takes {times:.1f} times the tokens of English: letters that the corpus lacks stay single bytes."


def _digits(plot: Plot) -> Figure:
    """Numbers in rows, right-aligned, their digits in the colours of their pieces: a table, and no axis."""
    ds, ink = plot.ds, plot.ink
    figure = make_subplots(rows=1, cols=2, shared_yaxes=True, horizontal_spacing=0.06)
    rows, width = [*range(ds.sizes["number"])], ds.sizes["digit"]
    for col, (side, label) in enumerate(zip(measures.SIDES, names(ds), strict=True), start=1):
        groups, counts = ds["group"].sel(side=side).values, ds["number_tokens"].sel(side=side).values
        digits = cells(
            np.where(np.isfinite(groups), groups % 2, np.nan),
            x=[*range(width)],
            y=rows,
            text=[list(str(number).rjust(width)) for number in ds["number"].values],
            texttemplate="%{text}",
            hover="%{text}",
            textfont={"size": 16, "color": ink.text},
        )
        figure.add_trace(digits, row=1, col=col)
        figure.scatter(
            x=[BEFORE] * len(rows),
            y=rows,
            mode="text",
            hoverinfo="skip",
            showlegend=False,
            text=[f"<i>{count:.0f}</i>" for count in counts],
            textfont={"size": 13, "color": ink.muted},
            row=1,
            col=col,
        )
        x, y = ("x", "y") if col == 1 else ("x2", "y2")
        above: dict[str, Any] = {"yref": "paper", "yanchor": "bottom", "showarrow": False, "font_size": 13}
        figure.add_annotation(text=label, x=0.5, y=1.02, xref=f"{x} domain", **above)
        for row, column in np.argwhere(np.diff(groups, axis=1) > 0):
            cut = {"x0": column + 0.5, "x1": column + 0.5, "y0": row - 0.45, "y1": row + 0.45}
            figure.add_shape(type="line", **cut, xref=x, yref=y, line={"color": ink.text, "width": 2})
    notes = ["Before each number stands how many tokens it becomes."]
    look.apply(figure, plot.theme, title=plot.title, notes=notes, legend=False, height=430, hover="closest")
    figure.update_layout(
        coloraxis={"cmin": 0, "cmax": 1, "colorscale": GROUPS, "showscale": False},
        margin={"t": figure.layout.margin.t + 16},
    )
    figure.update_xaxes(visible=False)
    return figure.update_yaxes(autorange="reversed", showgrid=False, visible=False)


side_by_side = partial(figure, legend="below", hover="closest")

FIGURES = bound(
    TextTokens,
    figure(
        "compression",
        "What does a larger vocabulary save?",
        _bytes_a_token,
        needs=("corpus_tokens", "own_tokens"),
        instead=lambda ds: "" if ds.sizes["merge"] else "No pair comes twice, so there is no merge to draw.",
        over="size",
        x=axis("Tokens in the vocabulary", scale="free", told=_sizes),
        y=axis("Bytes a token", scale="free", rangemode="tozero"),
        lead=_at_the_end,
        legend="below",
    ),
    side_by_side(
        "entries",
        "What do the learned tokens hold?",
        partial(
            _beside_each_other,
            of=changed("entries", lambda counts: counts.assign_coords(kind=[*KINDS.values()])),
            rows="kind",
            hover="%{y}: %{x:,}",
            more={"texttemplate": "%{x:,}", "textposition": "outside", "cliponaxis": False},
        ),
        shows="How many of the learned tokens hold letters, signs, and so on.",
        needs=("entries",),
        x=axis("Learned tokens", told=lambda plot: {"range": [0, 1.12 * max(1, int(plot.ds["entries"].max()))]}),
        lead=_mixed,
        height=470,
    ),
    side_by_side(
        "languages",
        "What does a language cost?",
        partial(_beside_each_other, of="sentence_tokens", rows="language", hover="%{y}: %{x} tokens"),
        dots(
            lambda plot: plot.ds["language"],
            x="sentence_characters",
            name="characters",
            colour="text",
            symbol="line-ns-open",
            size=14,
            hover="%{y}: %{x} characters<extra></extra>",
            marker={"line": {"width": 3}},
        ),
        shows="Tokens of one sentence and of its translations.",
        cannot_show="How well a model understands the language.",
        needs=("sentence_tokens", "sentence_characters"),
        x=axis("Tokens of the same sentence"),
        lead=_costliest,
        height=560,
    ),
    figure(
        "digits",
        "Where are digits cut?",
        draw=_digits,
        shows="Where each pattern cuts a number, and how many tokens it becomes.",
    ),
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
