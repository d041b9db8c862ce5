"""The figures of *What does attention cost?*"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures.chart import (
    Chart,
    at,
    attribute,
    axis,
    bars,
    bound,
    changed,
    colours,
    dots,
    doubling,
    figure,
    heat,
    lines,
    rule,
)
from goldviz.figures.elements import log_axis
from goldviz.figures.limits import log10
from goldviz.figures.marks import Mark, Series, given
from goldviz.figures.plot import Plot
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.attention_cost import measures
from goldviz.labs.attention_cost.settings import AttentionCost
from goldviz.models.series.attention import ATTENTIONS
from goldviz.models.style import NetworkStyle

STYLES = {name: kind.style for name, kind in ATTENTIONS.items()} | {
    "full_map": NetworkStyle("Full, written out", "#8a7f6a", "dot", "x")
}
FUSED = {"full": "Full, fused"}
SCORE, CHANCE = STYLES["prob_sparse"], NetworkStyle("as many random rows", "#8a7f6a", "dot", "x")
REST = "#a9a79f"
UNDER: dict[str, Any] = {"legend": "below", "layout": {"margin_b": 150, "legend_y": -0.22}, "height": 460}


def savings(ds: Run) -> str:
    """What the sparse kinds need of full attention's multiplications, at the longest series."""
    log_sparse, exact, sampled = (measures.SHARES[name](ds) for name in measures.SHARES)
    crossing = measures.CROSSINGS["prob_sparse"](ds)
    return (
        f"At 8,192 rows LogSparse needs {log_sparse:.1%} of full attention's, ProbSparse {exact:.0%} or, sampled, "
        f"{sampled:.1%}. With the exact score it needs fewer from {crossing:,.0f} rows on."
    ).replace("%", " %")


def held_growth(ds: Run) -> str:
    """How counted bytes grow, in a sentence."""
    with_map, kernel = (measures.HELD_GROWTHS[how](ds) for how in ("map", "kernel"))
    return (
        f"Counted, not by formula: with the map kept bytes grow as t to the power {with_map:.2f}, "
        f"with PyTorch's kernel {kernel:.2f}."
    )


def lost(ds: Run) -> str:
    """What is lost at u, in a sentence."""
    return (
        f"u = {ds.attrs['active']}, gold: {measures.rows_that_attend(ds):.0f} of {measures.rows(ds):.0f} rows attend. "
        f"Lost: {measures.lost_by_score(ds):.0%}; by chance {measures.lost_by_chance(ds):.0%}."
    ).replace("%", " %")


def leaks(ds: Run) -> str:
    """How many of the rows before a change move, in a sentence."""
    share = measures.EARLIER_MOVED["prob_sparse"](ds)
    if not share:
        return "Above the diagonal nothing moves: no row sees the future."
    return f"Above the diagonal is the past: {share:.0%} of it moves, so rows see the future.".replace("%", " %")


def quicker(ds: Run) -> str:
    """From which length on sparse kinds are quicker than full attention, in a sentence."""
    parts = []
    for name, kind in ATTENTIONS.items():
        if name != "full":
            length = measures.quicker_from(ds, name)
            parts.append(f"{kind.label} {f'from {length:,.0f} rows' if math.isfinite(length) else 'never'}")
    return f"Quicker than full attention: {', '.join(parts)}."


def fused(ds: Run) -> str:
    """What PyTorch's fused kernel took beside full attention that is written out, in a sentence."""
    length, share = measures.fused_share(ds)
    if math.isnan(share):
        return ""
    return f"PyTorch's fused kernel took {share:.2f} of the time of the written-out one at {length:,.0f} rows."


def _look(entry: str, style: NetworkStyle, name: str = "") -> Series:
    return Series(entry, name or style.label, style.colour, style.dash, style.symbol)


def _of(words: Callable[[Run], str]) -> Callable[[Plot], str]:
    return lambda plot: words(plot.ds)


def _reach_of(values: Array) -> tuple[float, float]:
    logs = np.log10(values.values[np.isfinite(values.values)])
    room = 0.05 * (logs.max() - logs.min())
    return float(logs.min() - room), float(logs.max() + room)


def _over_length(name: str, question: str, of: str, by: str, title: str, hover: str, **how: Any) -> Chart:
    """Lines over the length of the series, kind by kind, both axes logarithmic."""

    def kinds(plot: Plot) -> Sequence[Mark]:
        names = FUSED if by == "timed" else {}
        looks = tuple(_look(kind, STYLES[kind], names.get(kind, "")) for kind in plot.ds[by].values.astype(str))
        return [lines(of, over="series_length", by=by, looks=looks, mode="lines+markers", width=2.5, hover=hover)]

    return figure(
        name,
        question,
        kinds,
        needs=(of,),
        x=axis("Length t of the series (rows)", scale="free", told=doubling("series_length")),
        y=axis(title, scale="free", told=lambda plot: log_axis(_reach_of(plot.ds[of]))),
        **UNDER,
        **how,
    )


def _sorted(plot: Plot) -> Sequence[Mark]:
    """The scores of the rows that attend and of the others, the highest first."""
    order = np.argsort(-plot.ds["ranked_by"].values, kind="stable")
    scores, attends, rows = (plot.ds[name].values[order] for name in ("ranked_by", "attends", "row"))
    places = np.arange(1, len(order) + 1)
    return [
        bars(
            given(scores[its], place=places[its]),
            name=name,
            colour=colour,
            hover="row %{customdata}: %{y:.2f} nat",
            more={"customdata": rows[its]},
        )
        for name, colour, its in (("attends", SCORE.colour, attends > 0), ("takes the mean", REST, attends == 0))
    ]


def _against(name: str, question: str, title: str, **how: Any) -> Chart:
    """A row's number against its exact score, active rows in colour."""

    def by_row(plot: Plot) -> Sequence[Mark]:
        attends, rows = plot.ds["attends"].values > 0, plot.ds["row"].values
        return [
            dots(
                given(plot.ds[name].values[its], row=rows[its]),
                x=given(plot.ds["unevenness"].values[its], row=rows[its]),
                name=label,
                colour=colour,
                symbol=symbol,
                size=8,
                hover="row %{customdata}: score %{x:.2f}, %{y:.2f}",
                more={"customdata": rows[its]},
            )
            for label, colour, symbol, its in (
                ("attends", SCORE.colour, "square", attends),
                ("takes the mean", REST, "circle-open", ~attends),
            )
        ]

    return figure(
        name,
        question,
        by_row,
        needs=("unevenness", name),
        x=axis("s − ln i of row i (nat)", scale="free", showgrid=False),
        y=axis(title, rangemode="tozero"),
        hover="closest",
        **how,
    )


def _logarithms(moved: Array) -> Array:
    return log10(moved.copy(data=np.where(moved.values > measures.MOVED, moved.values, np.nan)))


def _moved_by(plot: Plot) -> tuple[float, float]:
    logs = _logarithms(plot.ds["moves"].sel(probed="prob_sparse")).values
    known = logs[np.isfinite(logs)]
    return (math.floor(known.min()), math.ceil(known.max())) if known.size else (-1, 0)


DOWN: dict[str, Any] = {"autorange": "reversed", "range": None}


def _mask(kind: str, question: str, lead: Callable[[Run], str], **how: Any) -> Chart:
    """Whom each of the first rows looks at in one kind of attention."""

    def words(plot: Plot) -> dict[str, Any]:
        own = plot.ds["looked_at"].sel(masked_by=kind)
        said = [_seen_in_words(row, own["key"].values) for row in own.values]
        return {"customdata": [[one] * len(own["key"]) for one in said], "xgap": 1, "ygap": 1}

    return figure(
        f"{kind}_mask",
        question,
        heat(
            at("looked_at", masked_by=kind), "key", "query", hover="row %{y} %{customdata}<extra></extra>", more=words
        ),
        x=axis(dtick=5, tick0=1, constrain="domain"),
        y=axis(**DOWN),
        lead=_of(lead),
        height=400,
        layout=_in_mask,
        **how,
    )


def _in_mask(plot: Plot) -> dict[str, Any]:
    """Colours of a mask: nothing, a mean, a look."""
    scale = [[0, plot.ink.grid], [0.5, REST], [1, STYLES["prob_sparse_sampled"].colour]]
    return {"coloraxis": {"cmin": 0, "cmax": 1, "colorscale": scale, "showscale": False}}


def _seen_in_words(row: Any, keys: Any) -> str:
    """What a row of a mask does: which rows it looks at, or that it takes a mean."""
    if (row == 1).any():
        return f"looks at {', '.join(str(key) for key in keys[row == 1])}"
    return f"takes the mean of {int((row > 0).sum())} rows"


def all_pairs(ds: Run) -> str:
    """How many pairs full attention takes of these rows, in a sentence."""
    pairs, rows = measures.PAIRS_DRAWN["full"](ds), measures.rows_drawn(ds)
    return f"Itself and all before it: {pairs:.0f} pairs of {rows:.0f} rows."


def few_pairs(ds: Run) -> str:
    """How many LogSparse takes, in a sentence."""
    distances = ", ".join(map(str, measures.distances_drawn(ds)))
    return f"Itself and those {distances} before it: {measures.PAIRS_DRAWN['log_sparse'](ds):.0f} pairs."


def uneven_rows(ds: Run) -> str:
    """How many ProbSparse takes, in a sentence."""
    attending, pairs = measures.active_rows_drawn(ds), measures.PAIRS_DRAWN["prob_sparse"](ds)
    return f"{attending:.0f} rows attend: {pairs:.0f} pairs. Grey: a mean."


FIGURES = bound(
    AttentionCost,
    _mask("full", "Full: who looks at whom?", all_pairs, shows="A row looks at itself and at every row before it."),
    _mask(
        "log_sparse",
        "LogSparse: who looks at whom?",
        few_pairs,
        shows="A row looks at itself and at some rows before it.",
    ),
    _mask(
        "prob_sparse",
        "ProbSparse: who looks at whom?",
        uneven_rows,
        shows="Rows whose attention is uneven look at all before them; the others take a mean.",
        cannot_show="The products that the exact score takes to choose them.",
    ),
    _over_length(
        "multiplications",
        "How many multiplications?",
        "multiplications",
        "kind",
        "Multiplications",
        "%{y:.3s}",
        shows="Multiplications of one head by formula; both axes are logarithmic.",
        lead=_of(savings),
    ),
    figure(
        "error",
        "How much of the output is lost?",
        lines(
            changed("error", lambda share: 100 * share),
            over="asked",
            by="chosen_by",
            looks=(_look("score", SCORE, "rows that the score chooses"), _look("chance", CHANCE)),
            mode="lines+markers",
            width=2.5,
            hover="%{y:.1f} %",
        ),
        rule(x=attribute("active"), colour="accent", width=2, dash="solid"),
        cannot_show="What a network that is trained with it learns to do without.",
        # Marks at both ends stand on the axis' frame: Plotly leaves them room.
        x=axis("Active rows u", scale="free", unifiedhovertitle_text="%{x} active rows"),
        y=axis("Error (% of the output's norm)", scale="free", rangemode="tozero"),
        lead=_of(lost),
        **UNDER,
    ),
    _over_length(
        "bytes",
        "How much memory do weights take?",
        "bytes",
        "kind",
        "Bytes of weights",
        "%{y:.3s}B",
        shows="Bytes of one head's attention weights in float32, by formula.",
        cannot_show="What a kernel really holds.",
        lead=_of(held_growth),
    ),
    figure(
        "scores",
        "Which rows attend?",
        _sorted,
        rule(x=attribute("active", 0.5), colour="accent", width=2, dash="solid"),
        needs=("ranked_by", "attends"),
        x=axis("Rows, the highest score first", scale="free", showgrid=False),
        y=axis("Score (nat)"),
        lead=_of(
            lambda ds: (
                f"{measures.rows_that_attend(ds):.0f} of {measures.rows(ds):.0f} rows attend. "
                f"Gold: u = {ds.attrs['active']}."
            )
        ),
        hover="closest",
        layout={"bargap": 0},
    ),
    _against(
        "max_mean",
        "May max minus mean stand in for s?",
        "Max − mean (nat)",
        shows="The printed approximation against the exact score of every row.",
        lead=_of(
            lambda ds: (
                f"It chooses {100 * measures.rows_that_agree(ds):.0f} % of the "
                f"{ds.attrs['active']} rows that s chooses."
            )
        ),
    ),
    _against(
        "top_weight",
        "Does a high score mean few keys?",
        "Largest weight",
        shows="The largest attention weight of every row against its exact score.",
        lead=_of(
            lambda ds: f"Rank correlation over the later half of the rows: {measures.order_by_top_weight(ds):.2f}."
        ),
    ),
    figure(
        "reach",
        "Who hears whom?",
        heat("layers_to_hear", "cell", "row", hover="row %{y} hears row %{x} after %{z} layers"),
        shows="After how many LogSparse layers a row hears an earlier cell.",
        y=axis("Row that hears", **DOWN),
        colour=colours("Layers", ends=lambda plot: (0, max(measures.layers_to_hear_all(plot.ds), 1)), dtick=1),
        lead=_of(
            lambda ds: (
                f"One layer takes {100 * measures.cells_seen(ds):.0f} % of all pairs; "
                f"{measures.layers_to_hear_all(ds):.0f} layers reach the whole past."
            )
        ),
        height=470,
    ),
    figure(
        "moves",
        "What moves when one row changes?",
        heat(
            changed(at("moves", probed="prob_sparse"), _logarithms),
            "changed",
            "row",
            hover="row %{x} changes: row %{y} moves by 10<sup>%{z:.1f}</sup>",
        ),
        lines(
            lambda plot: plot.ds["changed"],
            colour="#e8590c",
            dash="solid",
            legend=False,
            more={"hoverinfo": "skip"},
        ),
        y=axis("Row that moves", **DOWN),
        colour=colours("Largest change of the output, log10", ends=_moved_by),
        lead=_of(leaks),
        height=470,
    ),
    _over_length(
        "time",
        "How long does it take here?",
        "seconds",
        "timed",
        "Seconds",
        "%{y:.3s}s",
        shows="Seconds on one thread, the quickest of three.",
        notes=(_of(quicker),),
        lead=_of(fused),
    ),
    _over_length(
        "memory",
        "How much memory does it take here?",
        "peak_bytes",
        "timed",
        "Bytes",
        "%{y:.3s}B",
        shows="Bytes that the tensors of four heads hold at once, counted.",
        lead="The fused kernel keeps no map. Written out, full attention keeps it, and ends at 2,048 rows.",
    ),
)


def picture(ds: Run) -> str:
    """The home page's picture: multiplications over the length, both on log scales."""
    names = {"full": "full", "prob_sparse_sampled": "ProbSparse", "log_sparse": "LogSparse"}
    curves = [
        Curve(words, np.log10(ds["multiplications"].sel(kind=kind).values), STYLES[kind].colour, STYLES[kind].dash)
        for kind, words in names.items()
    ]
    return polyline_svg(
        curves,
        label="Multiplications of three kinds of attention over the length, on log scales.",
        axes=("length, log scale", "multiplications, log scale"),
    )
