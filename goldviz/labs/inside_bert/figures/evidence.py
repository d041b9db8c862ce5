"""Figures of evidence beside attention: what pieces add, what heads do, what a masked place is expected to hold."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.figures.chart import Chart, Panel, at, axis, changed, colours, figure, heat, lines, panel
from goldviz.figures.marks import Bars
from goldviz.figures.plot import Plot
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.inside_bert.figures.pieces import (
    DOWN_THE_LAYERS,
    LYING,
    Column,
    in_rows,
    numbered,
    of_pieces,
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
CELLS = {"xgap": 1, "ygap": 1}
POINT = (0.012, 0.018)
"""Half of a point's width and height, as shares of a plot's."""
RAISES, LOWERS = (213, 94, 0), (14, 122, 192)
"""Red for more and blue for less, of Okabe and Ito's palette, as bars and maps have them."""
SIDES = {"top center": (0, 1), "bottom center": (0, -1), "middle right": (1, 0), "middle left": (-1, 0)}


def _in_short(values: Array) -> Array:
    return values.assign_coords(label=[str(name)[:LONGEST_LABEL] for name in values["label"].values])


def _chances(of: Callable[[Plot], Run], words: str = "", colour: str = FIRST) -> Bars:
    """The probability of every class; the largest stands out."""

    def chances(plot: Plot) -> Array:
        return _in_short(of(plot)["probability"])

    def largest(plot: Plot) -> Mapping[str, Any]:
        values = chances(plot).values
        return {"marker_opacity": [1.0 if one == values.max() else 0.65 for one in values]}

    hover = "%{y}: %{x:.2%}<extra></extra>"
    return numbered(chances, "label", ".1%", largest, name=words, colour=colour, hover=hover)


def _ordinary(plot: Plot) -> Run:
    return plot.ds.isel(piece=np.flatnonzero(~plot.ds["special"].values))


def _named(plot: Plot) -> Mapping[str, Any]:
    """The names of all pieces where a pointer is; written are those with most evidence or attention."""
    ordinary = _ordinary(plot)
    labels, sizes = piece_labels(ordinary["token"]), abs(ordinary["attribution"].values)
    received = ordinary["attention_received"].values
    named = dict.fromkeys([*np.argsort(-sizes, kind="stable")[:6].tolist(), *np.argsort(-received)[:4].tolist()])
    sides = beside_points(labels, received, sizes, [*named])
    return {
        "customdata": labels,
        "text": [label if place in sides else "" for place, label in enumerate(labels)],
        "textposition": [sides.get(place, "top center") for place in range(len(labels))],
        "cliponaxis": False,
        "marker_color": RECEIVES,
        "marker_opacity": 0.7,
    }


def beside_points(labels: Sequence[str], x: NDArray[Any], y: NDArray[Any], named: Sequence[int]) -> dict[int, str]:
    """On which side of its point each name stands, so that none lies on another; those without room are left out.

    Boxes are shares of a plot of some 460 by 300 pixels from zero to the largest numbers.
    """
    at = np.stack([x / (x.max(initial=0) or 1), y / (y.max(initial=0) or 1)], axis=1)
    taken, sides = [(one, np.array(POINT)) for one in at], {}
    for place in named:
        half = np.array([0.0062 * len(labels[place]), 0.026])
        for side, way in SIDES.items():
            middle = at[place] + np.array(way) * (half + 1.5 * np.array(POINT))
            inside = (middle >= half).all() and middle[0] + half[0] < 1.05
            if inside and all((abs(middle - one) >= half + size).any() for one, size in taken):
                taken.append((middle, half))
                sides[place] = side
                break
    return sides


def _guessed(ds: Run) -> Sequence[str]:
    names = zip(piece_labels(ds["guessed"]), ds["guessed"].values, strict=True)
    return [f"{label}{' ◂ hidden' if str(one) == ds.attrs['truth'] else ''}" for label, one in names]


def _gold_where_hidden(plot: Plot) -> Mapping[str, Any]:
    guessed = plot.ds["guessed"]
    inks = [plot.ink.accent if str(word) == plot.ds.attrs["truth"] else FIRST for word in guessed.values]
    return {"customdata": piece_labels(guessed), "marker_color": inks}


of_tones = partial(
    figure,
    title="What tone does it hear?",
    needs=("probability",),
    x=axis("", told=lambda plot: {"range": [0, 1.12], "tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1]}),
    hover="closest",
    layout=LYING["layout"],
)
tone = of_tones(
    "tone",
    "What tone does it hear?",
    _chances(lambda plot: plot.ds),
    shows="The softmax of the classifier's logits.",
    cannot_show="Whether the model is right.",
    height=lambda plot: 84 + 30 * plot.ds.sizes["label"],
    legend="none",
)
tones = of_tones(
    "tones",
    "What tone does each hear?",
    lambda plot, second: [_chances(lambda plot: plot.ds, "First"), _chances(lambda plot: second, "Second", SECOND)],
    shows="The softmax of both classifiers' logits.",
    height=lambda plot: 84 + 48 * plot.ds.sizes["label"],
)
evidence = of_pieces(
    "evidence",
    "What speaks for this class?",
    Column("attribution", "Adds to the logit", ADDS, "+.3~f"),
    Column("attention_received", "Receives of all attention", RECEIVES),
    title=lambda plot: f"What speaks for “{plot.ds.attrs['label']}”?",
    shows="Integrated gradients (Sundararajan et al. 2017) beside attention received.",
    cannot_show="How pieces act together.",
    needs=("attribution",),
)
agreement = figure(
    "agreement",
    "Does attention find what mattered?",
    lines(
        lambda plot: abs(_ordinary(plot)["attribution"]),
        x=lambda plot: _ordinary(plot)["attention_received"],
        colour=RECEIVES,
        symbol="circle",
        mode="markers+text",
        hover="%{customdata}<br>receives %{x:.2%}<br>evidence %{y:.4f}<extra></extra>",
        more=_named,
    ),
    x=axis("Share of all attention received", scale="free", tickformat=".1~%", rangemode="tozero", nticks=6),
    y=axis("|Evidence|", scale="free", rangemode="tozero", nticks=6),
    legend="none",
    hover="closest",
)
guesses = in_rows(
    "guesses",
    "What does it expect in the hidden place?",
    numbered("guess_probability", "guess", ".1%", _gold_where_hidden, hover="%{customdata}: %{x:.2%}<extra></extra>"),
    _guessed,
    title="What does it expect there?",
    shows="The likeliest pieces; gold: the hidden one.",
    x=axis(
        "",
        told=lambda plot: {
            "range": [0, min(1.12, 1.2 * float(plot.ds["guess_probability"].max()))],
            "tickformat": ".0%",
            "nticks": 5,
        },
    ),
)


def _change(plot: Plot, label: str) -> Array:
    return plot.ds["change"].sel(label=label)


def _largest(plot: Plot, label: str) -> str:
    change = _change(plot, label)
    there = change[np.unravel_index(int(np.abs(change.values).argmax()), change.shape)]
    words = f"The largest: layer {int(there['layer'])}, head {int(there['head'])}, {float(there):+.3f}."
    return words.replace("-", "−")


def _logits(state: str, words: str, colour: str) -> Bars:
    return numbered(
        changed(at("logit", state=state), _in_short),
        "label",
        ".2f",
        lambda plot: {"customdata": plot.ds["probability"].sel(state=state).values},
        name=words,
        colour=colour,
        hover="%{y}: logit %{x:.3f}, probability %{customdata:.1%}",
    )


def _around(plot: Plot) -> Mapping[str, Any]:
    """Ends with room for the numbers."""
    low, high = min(0.0, float(plot.ds["logit"].min())), max(0.0, float(plot.ds["logit"].max()))
    room = 0.14 * (high - low) or 1.0
    return {"range": [low - room, high + room], "zeroline": True}


# All classes have one scale, so that each head's part in one may be compared with that in another.
heads_off = figure(
    "heads_off",
    "Which heads does this class need?",
    lambda plot, label: [
        heat(
            lambda plot: _change(plot, label),
            "head",
            "layer",
            hover="layer %{y}, head %{x}<br>off: %{z:+.3f}",
            more=CELLS,
        ),
    ],
    title=lambda plot, label: f"Which heads does “{label}” need?",
    y=DOWN_THE_LAYERS,
    colour=colours("Change of the logit with this head off", "change", scale="signed"),
    lead=_largest,
    height=lambda plot: 190 + 26 * max(6, plot.ds.sizes["layer"]),
    looks_at={"label": ""},
)
without_heads = figure(
    "without",
    "What is left without them?",
    _logits("all heads", "All heads", FIRST),
    _logits("without", "Without them", SECOND),
    x=axis("Logit", told=_around),
    height=lambda plot: 110 + 48 * plot.ds.sizes["label"],
    **LYING,
)


def _map(of: Callable[[Plot], Run], heading: str, summary: str, **how: Any) -> Panel:
    def values(plot: Plot) -> Array:
        # Distances, which the dataset has in pieces, are divided by their number.
        return of(plot)[f"head_{summary}"] / (of(plot).sizes["piece"] if summary == "distance" else 1)

    hover = f"{heading}: layer %{{y}}, head %{{x}}<br>{SUMMARIES[summary]}: %{{z:.3f}}"
    drawn = heat(values, "head", "layer", hover=hover, more=CELLS)
    return panel(drawn, heading=heading, x=axis("Head", showgrid=False), **how)


def _drawn_ends(plot: Plot) -> tuple[float, float]:
    values = np.concatenate([np.ravel(trace["z"]) for trace in plot.figure.data])
    return min(0.0, float(values.min())), float(values.max()) or 1.0


def of_heads(summary: str) -> Chart:
    """One number of every head, of two texts or models, in the same colours."""
    return figure(
        f"heads_{summary}",
        "Do the heads do the same?",
        lambda plot, second: [
            _map(lambda plot: plot.ds, "First", summary),
            _map(lambda plot: second, "Second", summary, y=axis("", told=DOWN_THE_LAYERS.read)),
        ],
        beside=True,
        x=axis(scale="free", told=lambda plot: {"dtick": 1 if plot.ds["head"].size < 6 else 3}),
        y=DOWN_THE_LAYERS,
        colour=colours(SUMMARIES[summary], ends=_drawn_ends, below=False),
        height=lambda plot: 210 + 26 * max(5, *(len(trace["y"]) for trace in plot.figure.data)),
    )


def coloured_text(text: str, starts: ArrayLike, stops: ArrayLike, values: ArrayLike, *, theme: Theme) -> str:
    """``text`` with the characters from each start to each stop on a shade of its value: red above 0, blue below.

    The shade is full at the largest absolute value. Pieces that stand nowhere in the text (start = stop) are left out.
    Every character of the text is there once and escaped; a minus or plus in the title tells what the colour tells.

    >>> coloured_text("a<b", [0], [1], [2.0], theme="light").count("&lt;")
    1
    """
    numbers = np.nan_to_num(np.asarray(values, dtype=float))
    most = float(np.abs(numbers).max(initial=0.0)) or 1.0
    parts, at = [], 0
    spans = zip(np.asarray(starts).tolist(), np.asarray(stops).tolist(), numbers.tolist(), strict=True)
    for start, stop, value in spans:
        first = max(start, at)
        if stop > first:
            red, green, blue = RAISES if value > 0 else LOWERS
            style = (
                f"background:rgba({red},{green},{blue},{0.75 * abs(value / most):.2f});border-radius:3px;padding:2px 0"
            )
            span = f'<span style="{style}" title="{value:+.3g}">{html.escape(text[first:stop])}</span>'
            parts += [html.escape(text[at:first]), span]
            at = stop
    parts.append(html.escape(text[at:]))
    style = f"white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.9;color:{INKS[theme].text}"
    return f'<div style="{style}" dir="auto" translate="no">{"".join(parts)}</div>'


BARS = {"moved": FIRST, "attention_received": "#838383"}
"""What :func:`words_in_bars` shows, in which colour."""


def words_in_bars(ds: Run) -> str:
    """What a text loses without each word, beside the attention that the word receives: a row each, in its order."""
    columns = [(ds[name].values, ds[f"{name}_of_most"].values, ink) for name, ink in BARS.items()]
    rows = ["<span></span><b>Vector moves without it</b><b>Attention it receives</b>"]
    for row, name in enumerate(ds["spoken"].values):
        bars = "".join(
            '<span style="display:flex;align-items:center;gap:0.4rem">'
            f'<span style="background:{ink};height:0.7rem;width:{75 * shares[row]:.1f}%"></span>'
            f"{values[row]:.3f}</span>"
            for values, shares, ink in columns
        )
        rows.append(f'<bdi style="text-align:right">{html.escape(str(name)[:LONGEST_LABEL])}</bdi>{bars}')
    style = "display:grid;grid-template-columns:auto 1fr 1fr;gap:0.15rem 0.8rem;font-size:0.8125rem"
    return f'<div style="{style}" translate="no">{"".join(rows)}</div>'


def whole_percent(chance: float) -> str:
    """A probability in whole percents, of which none is certain.

    >>> [whole_percent(chance) for chance in (0.0002, 0.4, 0.9996)]
    ['under 1 %', '40 %', 'over 99 %']
    """
    if chance < 0.005:
        return "under 1 %"
    return "over 99 %" if chance >= 0.995 else f"{100 * chance:.0f} %"


def chances_in_bars(ds: Run) -> str:
    """The probability of every class: a row each, of its name, a bar, and its share."""
    chances = ds["probability"].values
    *_, likeliest = sorted(chances)
    rows = [
        f"<span>{html.escape(str(name)[:LONGEST_LABEL])}</span>"
        f'<span style="background:{FIRST};opacity:{1 if chance == likeliest else 0.65};width:{chance:.1%};'
        f'height:1rem"></span><span style="text-align:right">{whole_percent(chance)}</span>'
        for name, chance in zip(ds["label"].values, chances, strict=True)
    ]
    style = "display:grid;grid-template-columns:auto 1fr auto;align-items:center;gap:0.35rem 0.6rem;font-size:0.875rem"
    return f'<div style="{style}" translate="no">{"".join(rows)}</div>'
