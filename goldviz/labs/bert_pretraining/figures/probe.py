"""The probe sentence: what is guessed at its masked place, where heads look in it, and who may see whom."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array
from goldviz.diagnostics.findings import percent, times
from goldviz.figures import theme as look
from goldviz.figures.attention_mosaic import attention_mosaic
from goldviz.figures.draft import Figure
from goldviz.figures.elements import colour_bar_below, power, power_ticks
from goldviz.figures.frames import AtStep
from goldviz.figures.limits import log10
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, positive, seeds_in_words, single
from goldviz.labs.bert_pretraining.figures.reading import UNSEEN, ToneBegins, answer_of, probe_pieces
from goldviz.labs.bert_pretraining.heads import entropies

WIDEST_NAME = 14
ROW = 20
"""Pixels of a piece in the drawn order."""
SIGHT = ("later in the order, not seen", "seen by the content stream alone", "earlier in the order, seen")


def masked_place(plot: Plot) -> Figure:
    """Probability of some words at the probe's mask over training, as log10 colour; below, the hidden word's rank.

    The words are sorted by their probability at the last look. At first all have the same small one; then frequent
    words light up wherever the mask stands; last come those that fit the context. Fine-tuning reads no masks: what
    happens after it begins is forgetting.
    """
    ds = plot.ds
    chances = log10(plot.thinned("probe_probability", most=200)).transpose("candidate", "look")
    if not bool(chances.notnull().any()):
        return plot.instead("Every probability recorded so far is exactly 0.")
    order = np.argsort(np.nan_to_num(chances.isel(look=-1).values, nan=-np.inf), kind="stable")
    chances = chances.isel(candidate=order)
    answer = answer_of(ds)
    plot.panels(["Probability of a word", "Rank of the hidden word"])
    plot.figure.layout.yaxis.domain, plot.figure.layout.yaxis2.domain = (0.4, 1.0), (0.0, 0.26)
    names = [_name(str(word), answer) for word in chances["candidate"].values]
    plot.figure.heatmap(
        x=chances["look"].values,
        y=np.arange(len(names)),
        z=single(chances.values),
        coloraxis="coloraxis",
        customdata=single(10.0**chances.values),
        hoverongaps=False,
        hovertemplate="step %{x}, %{y}<br>probability %{customdata:.3g}<extra></extra>",
        row=1,
    )
    plot.figure.update_yaxes(tickvals=np.arange(len(names)), ticktext=names, showgrid=False, tickfont_size=12, row=1)
    if not plot.lacks("probe_rank"):
        ranks = positive(plot.thinned("probe_rank", most=200))
        plot.curve(ranks, UNSEEN.label, style=UNSEEN, hover="rank %{y:.0f}", row=2)
    plot.log_axis("probe_rank", "Rank", row=2)
    plot.step_axis()
    ToneBegins().on(plot)
    sentence = f"“{' '.join(probe_pieces(ds))}”" if "key" in ds.coords else ""
    surest = plot.say(lambda now: _surest(now, answer), plot.now["probe_probability"])
    plot.finish(surest, sentence, plot.thinning, seeds_in_words(ds), height=640, legend=False, hover="closest")
    low, high = plot.limit("probe_probability")
    words = f"Probability, from {power(low)} to {power(high)}"
    colour_bar_below(plot.figure, (low, high), look.SEQUENTIAL, words, **power_ticks(low, high))
    plot.figure.update_layout(margin_t=plot.figure.layout.margin.t + 4)
    return plot.figure.update_layout(plot_bgcolor=plot.ink.gap if bool(chances.isnull().any()) else None)


def _name(word: str, answer: str) -> str:
    """A candidate as a tick: shortened, escaped, the hidden word in bold with a mark of its own."""
    short = as_label(word if len(word) <= WIDEST_NAME else f"{word[: WIDEST_NAME - 1]}…")
    return f"<b>▸ {short}</b>" if word == answer else short


def _surest(now: Array, answer: str) -> str:
    """The answer: the likeliest of these words now, and where the hidden one stands."""
    if not np.isfinite(now.values).any():
        return ""
    best = str(now["candidate"].values[int(np.nanargmax(now.values))])
    words = f"Step {int(now['look'])}: “{best}” {_chance(float(now.max()))}"
    if answer and answer != best:
        words += f", hidden: “{answer}” {_chance(float(now.sel(candidate=answer)))}"
    elif answer:
        words += ", the hidden word"
    return f"{words}."


def _chance(probability: float) -> str:
    return percent(probability) if probability >= 0.01 else times(probability)


def attention(plot: Plot) -> Figure:
    """Attention of every head in the probe sentence at one look: layers from top to bottom, heads from left to right.

    In each small map a row is the piece that looks and a column the piece that it looks at; a row sums to 1
    (document 001, section 4.1.2 writes the transpose). At the start every map is nearly even. A bright diagonal looks
    at itself, a line beside it at a neighbour, a bright column always at the same piece, often [CLS] or [SEP].
    """
    now = finite(plot.now["attention"].transpose("look", "layer", "head", "query", "key").astype(np.float64))
    pieces = probe_pieces(plot.ds)
    sentence = f"“{' '.join(pieces)}”"
    return attention_mosaic(plot, now, pieces, plot.limit("attention"), plot.say(_sharpest, now), sentence)


def _sharpest(now: Array) -> str:
    """The answer: which head is surest where to look, beside one that looks everywhere alike."""
    bits = entropies(now.values)
    most = np.log2(now.sizes["key"])
    if not np.isfinite(bits).any():
        return ""
    layer, head = np.unravel_index(int(np.nanargmin(bits)), bits.shape)
    surest = f"layer {layer + 1}, head {head + 1}: {bits[layer, head]:.1f} of {most:.1f} bits"
    return f"Step {int(now['look'])}. Surest: {surest}."


def order(plot: Plot) -> Figure:
    """A factorisation order, another one at each look (Yang et al. 2019, section 2.2).

    A row is the piece that is guessed, its own cell has its place in the order. Filled cells are earlier in the order,
    wherever they stand in the sentence. A left-to-right model would fill the lower triangle.
    """
    places, pieces = plot.now["factorisation_order"].transpose("look", "key"), _pieces(plot)
    rows = places.values.astype(int)
    own, sight = np.eye(len(pieces), dtype=bool), [_sight(row) for row in rows]
    plot.figure.heatmap(
        z=AtStep("look", [one.astype(np.float64) for one in sight]),
        text=AtStep("look", [np.where(own, row.astype(str), "").tolist() for row in rows]),
        texttemplate="%{text}",
        textfont={"size": 12, "color": "#1e1e1c"},
        xgap=1,
        ygap=1,
        zmin=0,
        zmax=2,
        colorscale=[[0, plot.ink.grid], [0.5, "#9a9fa6"], [1, UNSEEN.colour]],
        showscale=False,
        hovertemplate="“%{y}” looks at “%{x}”: %{customdata}<extra></extra>",
        customdata=AtStep("look", [np.array(SIGHT)[one].tolist() for one in sight]),
    )
    end = len(pieces) - 0.5
    ticks: dict[str, Any] = {"tickvals": np.arange(len(pieces)), "ticktext": [as_label(piece) for piece in pieces]}
    look_of_axes: dict[str, Any] = {"ticks": "", "tickfont_size": 12, "showgrid": False, **ticks}
    plot.figure.update_xaxes(tickangle=-90, range=[-0.5, end], **look_of_axes)
    plot.figure.update_yaxes(range=[end, -0.5], **look_of_axes)
    key = "Blue: seen. Number: its place in the order, 0 is only read. Empty: later, so out of sight."
    answer = plot.say(lambda now: _ends(now, pieces), places)
    return plot.finish(answer, key, height=230 + ROW * len(pieces), legend=False, hover="closest")


def _pieces(plot: Plot) -> list[str]:
    """The probe's pieces with the hidden one in its place: this objective masks nothing."""
    pieces, place = probe_pieces(plot.ds), int(plot.ds.attrs.get("probe_place", -1))
    return [str(plot.ds.attrs["probe_answer"]) if number == place else one for number, one in enumerate(pieces)]


def _sight(row: NDArray[Any]) -> NDArray[Any]:
    """2 where the query stream sees a key, 1 where the content stream alone does, 0 where neither may."""
    earlier, not_later = row[None, :] < row[:, None], row[None, :] <= row[:, None]
    return earlier.astype(int) + not_later


def _ends(now: Array, pieces: list[str]) -> str:
    places = now.values
    first, last = (pieces[int(np.flatnonzero(places == place)[0])] for place in (1, places.max()))
    return f"Step {int(now['look'])}: “{first}” comes first, from its position; “{last}” last, from all others."
