"""What happens inside: attention under the causal triangle, places and their vectors, the stream through the blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array
from goldviz.figures import theme as look
from goldviz.figures.along_sequence import surest_head
from goldviz.figures.attention_mosaic import attention_mosaic
from goldviz.figures.draft import Figure
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.frames import AtStep
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, positive, single
from goldviz.figures.theme import style_of
from goldviz.labs.char_gpt.figures.quantities import figure, probe_of


@figure(
    "Where do the heads look?",
    needs=("attention",),
    shows="The attention of every head in a stretch of dev text.",
    cannot_show="What the network concludes from it.",
)
def attention(plot: Plot) -> Figure:
    """A bright diagonal looks at itself, a line beside it at the token before, a bright column always at one token."""
    now = finite(plot.now["attention"].transpose("close_look", "block_number", "head", "query", "key").astype(float))
    pieces = probe_of(plot)
    surest = plot.say(lambda one: surest_head(one, "block", "close_look"), now)
    return attention_mosaic(plot, now, pieces, plot.limit("attention"), surest, f"“{''.join(pieces)}”", noun="block")


@figure(
    "Does what came before help?",
    needs=("position_loss",),
    shows="The dev loss at each place in the block. Dotted: counted pairs.",
)
def position_loss(plot: Plot) -> Figure:
    """Loss by place in the block; a last place far above the others means that those see what they should guess."""
    plot.linear_axis("position_loss", "Loss (nat a token)")
    plot.number_axis("position", "Place in the block", "place %{x}")
    if not plot.lacks("bigram_position_loss"):
        pairs = finite(plot.ds["bigram_position_loss"]).expand_dims("seed")
        plot.curve(pairs, "counted pairs", style=style_of("bigram"), hover="%{y:.3f} nat", width=1.5)
    return _curve_now(plot, finite(plot.now["position_loss"]), "%{y:.3f} nat", _of_ends)


def _curve_now(plot: Plot, values: Array, hover: str, answer: Callable[[Array], str]) -> Figure:
    """A curve of the close look in view, and what it comes to in words."""
    plot.curves(values, hover=hover)
    sentence = plot.say(answer, values.median(["network", "seed"]))
    return plot.finish(sentence, plot.drawn(plot.step_in_words("close_look")))


def _of_ends(now: Array) -> str:
    quarter = max(1, now.sizes["position"] // 4)
    first, last = (float(part.mean()) for part in (now[:quarter], now[-quarter:]))
    return f"First quarter {first:.2f}, last {last:.2f} nat." if np.isfinite(first + last) else ""


@figure(
    "Which places are alike?",
    needs=("position_similarity",),
    shows="How alike two places' learned vectors are: red alike, blue opposite.",
)
def positions(plot: Plot) -> Figure:
    """Learned positions begin unrelated; training makes neighbours alike, so distance is learned, not given."""
    now = plot.now["position_similarity"].transpose("close_look", "position", "other_position")
    plot.figure.heatmap(
        x=plot.ds["other_position"].values,
        y=plot.ds["position"].values,
        coloraxis="coloraxis",
        z=AtStep("close_look", single(now.values.astype(np.float32))),
        hovertemplate="places %{y} and %{x}: %{z:.2f}<extra></extra>",
    )
    plot.figure.update_yaxes(autorange="reversed", title_text="Place", showgrid=False)
    plot.figure.update_xaxes(title_text="Place", showgrid=False)
    sentence = AtStep("close_look", [_neighbours(one) for one in now.values.astype(np.float64)])
    plot.finish(sentence, plot.step_in_words("close_look", one_seed=True), height=470, legend=False, hover="closest")
    return colour_bar_below(plot.figure, (-1.0, 1.0), f"{look.DIVERGING}_r", "Cosine", tickvals=[-1, -0.5, 0, 0.5, 1])


def _neighbours(cosines: NDArray[Any]) -> str:
    """How alike neighbours are, and places half a block apart."""
    half = len(cosines) // 2
    near, far = (float(np.diagonal(cosines, offset).mean()) for offset in (1, half))
    return f"Neighbours: {near:.2f}; {half} apart: {far:.2f}." if np.isfinite(near + far) else ""


@figure(
    "Does the signal grow block by block?",
    needs=("residual_variance",),
    shows="The variance of the states before the first block and after each.",
)
def stream(plot: Plot) -> Figure:
    """Variance of the residual stream by depth; branches over √(2n) keep it from growing with n (document 002, 3.6)."""
    plot.log_axis("residual_variance", "Variance")
    plot.number_axis("depth", "Blocks passed", "after %{x} blocks")
    return _curve_now(plot, positive(plot.now["residual_variance"]), "variance %{y:.3g}", _growth)


def _growth(now: Array) -> str:
    factor = float(now[-1] / now[0])
    return f"It grows {factor:.3g} times." if np.isfinite(factor) else ""
