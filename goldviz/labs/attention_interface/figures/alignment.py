"""Where the writer looks: attention as a map, and as lines between the words."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.arrays.word_labels import words_of
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Heatmap, Scatter
from goldviz.figures.elements import aligned_rings, colour_bar_below
from goldviz.figures.frames import AtStep
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, single
from goldviz.labs.attention_interface.figures.quantities import figure

NUMBERED = 0.2
"""Weights from here on stand as numbers in the map."""
STRENGTHS = (0.05, 0.15, 0.3, 0.5, 0.75)
"""Where the bands of weights begin that a line's darkness tells."""
RIGHT_ANSWER = "#e8590c"
"""Rings around the words that stand for each other."""


def no_attention(ds: Run) -> str:
    """Why there is no attention to draw; empty where there is."""
    if "loss" in ds and "attention" not in ds:
        return "This network has no attention: it looks back at nothing."
    return ""


def _answers(plot: Plot) -> AtStep:
    """What each network writes for the probe, in words, at each look."""
    words = json.loads(plot.ds.attrs["words"])

    def said(now: Any) -> str:
        sentences = []
        for network in plot.networks:
            numbers = now.sel(network=network).values
            answer = " ".join(words[int(number)] for number in numbers if number >= 0)
            sentences.append(f"{plot.look_of(network).label}: {answer or 'nothing'}.")
        return " ".join(sentences)

    return plot.say(said, plot.now["answer"])


@figure(
    "Where does the writer look back?",
    needs=("attention", "answer", "aligned"),
    shows="A row is a word written, a column a word read. Rings: the word that it stands for.",
    cannot_show="What it makes of a word.",
    instead=no_attention,
)
def alignment(plot: Plot) -> Figure:
    """Attention of one unseen sequence, with the right words told; a number stands where a weight is large."""
    read, target_words = words_of(plot.ds, "read"), words_of(plot.ds, "written")
    weights = finite(plot.now["attention"])
    values = single(weights.values)
    plot.add(
        Heatmap(
            z=AtStep("look", values),
            text=AtStep("look", [_numbers(one) for one in values]),
            texttemplate="%{text}",
            textfont={"size": 12},
            coloraxis="coloraxis",
            hovertemplate="“%{y}” looks at “%{x}”: %{z:.3f}<extra></extra>",
        )
    )
    plot.add(aligned_rings(plot.ds["aligned"].values, RIGHT_ANSWER))
    ticks: dict[str, Any] = {"tickmode": "array", "showgrid": False, "zeroline": False, "ticks": ""}
    plot.figure.update_xaxes(
        tickvals=[*range(len(read))],
        ticktext=[as_label(word) for word in read],
        range=[-0.5, len(read) - 0.5],
        title_text="Read",
        **ticks,
    )
    plot.figure.update_yaxes(
        tickvals=[*range(len(target_words))],
        ticktext=[as_label(word) for word in target_words],
        range=[len(target_words) - 0.5, -0.5],
        title_text="Written",
        **ticks,
    )
    height = 250 + 30 * len(target_words)
    plot.finish(plot.step_in_words("look"), _answers(plot), height=height, legend=False, hover="closest")
    return colour_bar_below(plot.figure, (0.0, 1.0), look.SEQUENTIAL, "Attention weight")


def _numbers(weights: NDArray[Any]) -> list[list[str]]:
    """Large weights as a person writes them in a small cell: .62."""
    return [[f"{weight:.2f}".removeprefix("0") if weight >= NUMBERED else "" for weight in row] for row in weights]


@figure(
    "Which words belong together?",
    needs=("attention",),
    shows="Left what was read, right what is written. Darker: it looks more.",
    instead=no_attention,
)
def lines(plot: Plot) -> Figure:
    """Document 004, 3.2: lines between the words of both sides; where the order turns round, they cross."""
    read, target_words = words_of(plot.ds, "read"), words_of(plot.ds, "written")
    left, right = _heights(len(read)), _heights(len(target_words))
    weights = finite(plot.now["attention"]).values.astype(np.float64)
    for strength, (low, high) in enumerate(zip(STRENGTHS, (*STRENGTHS[1:], 2.0), strict=True), start=1):
        segments = [_between(one, low, high, left, right) for one in weights]
        plot.add(
            Scatter(
                x=AtStep("look", [x for x, _ in segments]),
                y=AtStep("look", [y for _, y in segments]),
                mode="lines",
                line={"color": look.with_alpha(plot.ink.text, 0.1 + 0.18 * strength), "width": 0.5 + strength},
                hoverinfo="skip",
                showlegend=False,
                name=f"{low:.0%} and more",
            )
        )
    for x, heights, words, side in ((0.0, left, read, "middle left"), (1.0, right, target_words, "middle right")):
        plot.add(
            Scatter(
                x=[x] * len(words),
                y=heights,
                mode="markers+text",
                text=[as_label(word) for word in words],
                textposition=side,
                marker={"size": 7, "color": plot.ink.text},
                hoverinfo="skip",
                showlegend=False,
                name="read" if x == 0 else "written",
            )
        )
    hidden: dict[str, Any] = {
        "showgrid": False,
        "zeroline": False,
        "showticklabels": False,
        "ticks": "",
        "showline": False,
    }
    plot.figure.update_xaxes(range=[-0.45, 1.45], **hidden)
    plot.figure.update_yaxes(range=[-0.06, 1.06], **hidden)
    height = 170 + 32 * max(len(read), len(target_words))
    return plot.finish(plot.step_in_words("look"), height=height, legend=False, hover="closest")


def _heights(count: int) -> list[float]:
    """Where the words of a side stand, the first on top."""
    return [1.0 - place / max(count - 1, 1) for place in range(count)]


def _between(
    weights: NDArray[Any], low: float, high: float, left: list[float], right: list[float]
) -> tuple[list[float | None], list[float | None]]:
    """The lines whose weight is from ``low`` to below ``high``, each ended by a gap."""
    x: list[float | None] = []
    y: list[float | None] = []
    for row, column in zip(*np.nonzero((weights >= low) & (weights < high)), strict=True):
        x += [0.02, 0.98, None]
        y += [left[column], right[row], None]
    return x, y
