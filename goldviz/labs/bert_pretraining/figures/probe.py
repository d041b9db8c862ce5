"""The probe sentence: what is guessed at its masked place, where heads look in it, and who may see whom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import percent, times
from goldviz.figures.along_sequence import tokens_of
from goldviz.figures.chart import Channel, axis, bars, changed, colours, curves, figure, heat, panel, thinned
from goldviz.figures.elements import log_axis
from goldviz.figures.frames import Words
from goldviz.figures.limits import Quantity, Values, log10, log_of, padded
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot, unless_zero
from goldviz.figures.reading import finite, single
from goldviz.labs.bert_pretraining.figures.reading import TONE_BEGINS, UNSEEN, answer_of, tone_begins
from goldviz.labs.bert_pretraining.measures import entropies

WIDEST_NAME = 14
LIKELIEST = 8
"""Words whose probabilities are drawn as bars."""
ROW = 20
"""Pixels of a piece in the drawn order."""
SIGHT = ("later in the order, not seen", "seen by the content stream alone", "earlier in the order, seen")


def _chances(plot: Plot) -> Array:
    """The logarithms of the words' probabilities, in rows: the likeliest at the last look on top."""
    chances = log10(plot.thinned("probe_probability", most=200)).transpose("candidate", "look")
    return chances.isel(candidate=np.argsort(np.nan_to_num(chances.values[:, -1], nan=-np.inf), kind="stable"))


def _rows(plot: Plot) -> Array:
    return plot.once(_chances).assign_coords(candidate=np.arange(plot.ds.sizes["candidate"]))


def _words(plot: Plot) -> dict[str, Any]:
    """The words at their rows: shortened, escaped, the hidden one in bold with a mark of its own."""
    words = [str(word) for word in plot.once(_chances)["candidate"].values]
    short = [as_label(word if len(word) <= WIDEST_NAME else f"{word[: WIDEST_NAME - 1]}…") for word in words]
    answer = answer_of(plot.ds)
    names = [f"<b>▸ {one}</b>" if word == answer else one for word, one in zip(words, short, strict=True)]
    return {"tickvals": np.arange(len(names)), "ticktext": names, "tickfont_size": 13}


def _most_sure(ds: Run) -> Values:
    return np.append(log_of("probe_probability")(ds), 0.0) if "probe_probability" in ds else np.array([])


def _surest(plot: Plot) -> Words:
    """The likeliest of these words now, and where the hidden one stands."""
    answer = answer_of(plot.ds)

    def said(now: Array) -> str:
        if not np.isfinite(now.values).any():
            return ""
        best = str(now["candidate"].values[int(np.nanargmax(now.values))])
        words = f"Step {int(now['look'])}: “{best}” {_chance(float(now.max()))}"
        if answer == best:
            return f"{words}, the hidden word."
        hidden = f", hidden: “{answer}” {_chance(float(now.sel(candidate=answer)))}" if answer else ""
        return f"{words}{hidden}."

    return plot.say(said, plot.now["probe_probability"])


def _chance(probability: float) -> str:
    return percent(probability) if probability >= 0.01 else times(probability)


# Layers from top to bottom, heads from left to right. A row sums to 1 (document 001, section 4.1.2 writes the
# transpose). At the start every map is nearly even. A strong diagonal looks at itself, a line beside it at a neighbour,
# a strong column always at the same piece, often [CLS] or [SEP].
ATTENTION = changed(
    "attention", lambda maps: finite(maps.transpose("look", "layer", "head", "query", "key").astype(np.float64))
)


def surest(plot: Plot) -> Words:
    """Of every look, which head is surest where to look."""
    return plot.say(_sharpest, ATTENTION.read(plot))


def sentence(plot: Plot) -> str:
    """The probe sentence, as it is read."""
    return f"“{' '.join(tokens_of(plot.ds))}”" if "query" in plot.ds.coords else ""


def _sharpest(now: Array) -> str:
    """The answer: which head is surest where to look, beside one that looks everywhere alike."""
    bits = entropies(now.values)
    most = np.log2(now.sizes["key"])
    if not np.isfinite(bits).any():
        return ""
    layer, head = np.unravel_index(int(np.nanargmin(bits)), bits.shape)
    surest = f"layer {layer + 1}, head {head + 1}: {bits[layer, head]:.1f} of {most:.1f} bits"
    return f"Step {int(now['look'])}. Surest: {surest}."


def _pieces(plot: Plot) -> list[str]:
    """The probe's pieces with the hidden one in its place: this objective masks nothing."""
    pieces, place = tokens_of(plot.ds), int(plot.ds.attrs.get("probe_place", -1))
    return [str(plot.ds.attrs["probe_answer"]) if number == place else one for number, one in enumerate(pieces)]


def _sight(plot: Plot) -> Array:
    """2 where the query stream sees a key, 1 where the content stream alone does, 0 where neither may."""
    keys = plot.now["factorisation_order"]
    queries, places = keys.rename(key="query"), np.arange(keys.sizes["key"])
    return ((keys < queries).astype(float) + (keys <= queries)).assign_coords(key=places, query=places)


def _in_cells(plot: Plot) -> dict[str, Any]:
    """Each piece's place in its own cell, and what every cell says to a pointer."""
    order, own = plot.now["factorisation_order"], np.eye(plot.ds.sizes["key"], dtype=bool)
    sight = _sight(plot).transpose("look", "query", "key")
    return {
        "text": plot.at_step(order, lambda row: np.where(own, row.astype(int).astype(str), "").tolist()),
        "texttemplate": "%{text}",
        "textfont": {"size": 13, "color": "#1e1e1c"},
        "customdata": plot.at_step(sight, lambda one: np.array(SIGHT)[one.astype(int)].tolist()),
        "xgap": 1,
        "ygap": 1,
    }


def _ticks(plot: Plot) -> dict[str, Any]:
    pieces = [as_label(piece) for piece in _pieces(plot)]
    return {"ticks": "", "tickfont_size": 13, "tickvals": np.arange(len(pieces)), "ticktext": pieces}


def _ends(plot: Plot) -> Words:
    pieces = _pieces(plot)

    def said(now: Array) -> str:
        places = now.values
        first, last = (pieces[int(np.flatnonzero(places == place)[0])] for place in (1, places.max()))
        return f"Step {int(now['look'])}: “{first}” comes first, from its position; “{last}” last, from all others."

    return plot.say(said, plot.now["factorisation_order"])


# At first all words have the same small probability; then frequent ones light up wherever the mask stands; last come
# those that fit the context. Fine-tuning reads no masks: what happens after it begins is forgetting.
masked_place = figure(
    "masked_place",
    "What would fill the gap?",
    panel(
        heat(
            Channel("probe_probability", _rows, _rows),
            "look",
            "candidate",
            hover="step %{x}, %{y}<br>probability %{customdata:.3g}",
            more=lambda plot: {"customdata": single(10.0 ** _rows(plot).values), "hoverongaps": False},
        ),
        y=axis("", told=_words),
        height=2.3,
    ),
    panel(
        curves(thinned("probe_rank", most=200), over="look", style=UNSEEN, hover="rank %{y:.0f}"),
        y=axis("Rank", scale="free", told=lambda plot: log_axis(plot.limit("probe_rank"))),
    ),
    replace(TONE_BEGINS, foot=""),
    instead=unless_zero("probe_probability", "Every probability recorded so far is exactly 0."),
    limits={
        "probe_probability": Quantity(_most_sure, lambda low, _: (min(float(np.floor(low)), -1.0), 0.0)),
        "probe_rank": Quantity(lambda ds: np.append(log_of("probe_rank")(ds), [0.0, 1.0]), padded),
    },
    colour=colours(ends=lambda plot: plot.limit("probe_probability"), powers=True),
    lead=tone_begins,
    notes=(_surest, sentence),
    height=640,
    layout=lambda plot: {"plot_bgcolor": plot.ink.gap if bool(_rows(plot).isnull().any()) else None},
)

# A row is the piece that is guessed, another order at each look (Yang et al. 2019, section 2.2). A left-to-right model
# would fill the lower triangle.
order = figure(
    "order",
    "Who may see whom?",
    heat(
        Channel("factorisation_order", _sight, _sight),
        "key",
        "query",
        hover="“%{y}” looks at “%{x}”: %{customdata}",
        more=_in_cells,
    ),
    shows="A drawn order of guessing, and what each piece sees.",
    x=axis("", told=lambda plot: {"tickangle": -90, "showgrid": False, **_ticks(plot)}),
    y=axis("", told=lambda plot: {"autorange": "reversed", **_ticks(plot)}),
    notes=(_ends,),
    lead="Blue: seen. Number: its place in the order, 0 is only read. Empty: later, so out of sight.",
    says_step=False,
    height=lambda plot: 230 + ROW * plot.ds.sizes["key"],
    layout=lambda plot: {
        "coloraxis": {
            "cmin": 0,
            "cmax": 2,
            "colorscale": [[0, plot.ink.grid], [0.5, "#9a9fa6"], [1, UNSEEN.colour]],
            "showscale": False,
        }
    },
)


def _likeliest(values: Array) -> Array:
    """Of the recorded words those that were likeliest at any look, the likeliest at the last one first."""
    every = np.nan_to_num(values.transpose("look", "candidate").values, nan=-1.0)
    best = np.argsort(-every.max(axis=0), kind="stable")[:LIKELIEST]
    return values.isel(candidate=best[np.argsort(-every[-1, best], kind="stable")])


def _bars(plot: Plot) -> list[Any]:
    """A bar for each of these words, the hidden one in colour."""
    order = _likeliest(plot.ds["probe_probability"])["candidate"].values.tolist()
    hidden = [word == answer_of(plot.ds) for word in order]
    guesses = changed("probe_probability", lambda values: values.sel(candidate=order))
    inks = [UNSEEN.colour if one else plot.ink.muted for one in hidden]
    return [bars(guesses, rows="candidate", marker={"color": inks}, hover="%{y}: %{x:.1%}", legend=False)]


guesses = figure(
    "guesses",
    "Which word is behind the mask?",
    _bars,
    needs=("probe_probability",),
    shows="How likely the network takes each of these words at the mask. Blue: the hidden one.",
    x=axis("Probability", scale="free", range=(0, 1), tickformat=".0%"),
    lead=sentence,
    notes=(_surest,),
    height=440,
    legend="none",
    hover="closest",
)
