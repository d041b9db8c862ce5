"""The figures of *Attention between networks*."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.arrays.word_labels import words_of
from goldviz.figures import theme as look
from goldviz.figures.answers import longer_than_learned
from goldviz.figures.chart import axis, bars, colours, curves, figure, mean, offered
from goldviz.figures.draft import Figure, Scatter
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.frames import AtStep
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.figures.spec import drawn
from goldviz.figures.theme import Theme
from goldviz.figures.thumbnail import picture_svg, squares
from goldviz.figures.word_map import add_word_map, word_map
from goldviz.labs.attention_interface.settings import AttentionInterface

STRENGTHS = (0.05, 0.15, 0.3, 0.5, 0.75)
"""Where the bands of weights begin that a line's darkness tells."""


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


def connections(plot: Plot) -> Figure:
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


of_attention = partial(figure, instead=no_attention)
learned, beyond = longer_than_learned(lambda plot: int(plot.ds.attrs["longest_asked"]))

FIGURES, shared_limits = offered(
    AttentionInterface,
    # One unseen sequence, with the right words told.
    of_attention(
        "alignment",
        "Where does the writer look back?",
        word_map("attention", rings="aligned", numbered=0.2),
        needs=("attention", "answer", "aligned"),
        also="Rings: the word that it stands for.",
        cannot_show="What it makes of a word.",
        x=axis("Word read", scale="free"),
        y=axis("Word written", scale="free"),
        colour=colours("Attention weight", ends=(0.0, 1.0), below=True),
        notes=(_answers,),
        height=lambda plot: 250 + 30 * plot.ds.sizes["written"],
    ),
    # Document 004, 3.2: no axis is of a variable where lines join the words of both sides.
    of_attention(
        "lines",
        "Which words belong together?",
        draw=connections,
        needs=("attention",),
        shows="Left what was read, right what is written. Darker: it looks more.",
    ),
    # One vector for the whole sequence against a look back at every word.
    figure(
        "by_length",
        "Does it forget as sequences grow?",
        curves("length_accuracy"),
        learned,
        cannot_show="How many weights each network has.",
        notes=(beyond,),
    ),
    figure(
        "right",
        "How many answers are right?",
        curves("sequence_accuracy"),
    ),
    # Offsets from the known alignment; 0 is the word itself.
    of_attention(
        "peaks",
        "Is the largest weight on the right word?",
        bars(mean("peak_offset"), name="GRU with attention", colour="attention", legend=False),
        title="Does it look at the right word?",
        cannot_show="Whether the network errs.",
        legend="none",
    ),
    "loss",
)


@drawn(
    "Where did it look for your sentence?",
    name="own_sentence",
    shows="A row is a word written, a column one of your words.",
)
def own_sentence(
    source: Sequence[str], target: Sequence[str], weights: NDArray[np.floating], *, theme: Theme = "light"
) -> Figure:
    """Attention weights, (step, source place), as a map."""
    figure, title = Figure(), "Where did it look for your sentence?"
    hover = "“%{y}” looked at “%{x}”: %{z:.3f}"
    add_word_map(figure, np.asarray(weights, dtype=np.float32), target, source, hover)
    look.apply(figure, theme, title=title, legend=False, height=230 + 26 * len(target), hover="closest")
    figure.update_xaxes(title_text="Word read")
    figure.update_yaxes(title_text="Word written")
    return colour_bar_below(figure, (0.0, 1.0), look.share_scale(theme), "Attention weight")


def picture(ds: Run) -> str:
    """The home page's picture: the weights of the probe as squares."""
    return picture_svg(
        squares(ds["attention"].isel(look=-1).values, 60, 6, 200, 148),
        label="Attention weights: the first word written looks at the last word read.",
        axes=("read", "written"),
    )
