"""How a head gets from a piece's query to its output (document 001, section 4.1.2), and what stands beside weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightDataset
from goldviz.figures.chart import Chart, at, axis, bars, colours, figure, heat, lines, panel
from goldviz.figures.maps import symmetric
from goldviz.figures.plot import Plot
from goldviz.labs.inside_bert import measures
from goldviz.labs.inside_bert.figures.pieces import (
    ROW_HEIGHT,
    Column,
    of_pieces,
    piece_labels,
    rows_of,
    short_piece,
)

MOST_KEYS = 12
"""Keys whose numbers are drawn one by one: those with the largest weights."""
WEIGHT, NORM, LAYER, ROLLOUT, FLOW = "#0e7ac0", "#009e73", "#3590c8", "#d55e00", "#c46a9c"
APART = 1.5
"""Rows from the keys to the vector that stands apart from them."""
NAMELESS = {"showticklabels": False, "ticks": "", "showgrid": False}
TEXT = {"textposition": "middle right", "textfont_size": 12, "cliponaxis": False, "hoverinfo": "skip"}
"""Of numbers behind bars. Plotly measures each text of a bar in the page, so they are a trace of their own."""
Products = Callable[[Plot], Array]


def largest_keys(ds: Run) -> NDArray[np.intp]:
    """Places of the keys with the largest weights, the largest first."""
    return np.argsort(-ds["weight"].values, kind="stable")[:MOST_KEYS]


def _light(plot: Plot) -> Run:
    """The dataset as figures of runs have it: these are drawn at every click."""
    return LightDataset.of(plot.ds)


def _of_keys(plot: Plot, name: str) -> Array:
    """A variable of those keys, by their rank."""
    keys = largest_keys(plot.ds)
    return plot.once(_light)[name].isel(piece=keys).rename(piece="rank").assign_coords(rank=np.arange(len(keys)))


def _held(plot: Plot) -> str:
    """How much of the attention the drawn keys hold."""
    keys, count = largest_keys(plot.ds), plot.ds.sizes["piece"]
    if len(keys) == count:
        return ""
    return (
        f"The {len(keys)} of {count} keys with the largest weights: {measures.weight_of(plot.ds, keys):.1%} of it all."
    )


def _asking(plot: Plot) -> str:
    return short_piece(str(plot.ds["token"].values[int(plot.ds.attrs["query_piece"]) - 1]))


def by_dimension(
    name: str, question: str, products: Products, letter: str, apart: Products, beside: Column, title: str, **how: Any
) -> Chart:
    """A row of numbers for each key, bars beside it, and a vector that stands apart, on a colour scale of its own."""

    def scaled(plot: Plot) -> Array:
        own = apart(plot)
        return own * float(abs(products(plot)).max()) / max(float(abs(own).max()), 1e-300)

    def rows(plot: Plot) -> Mapping[str, Any]:
        names, place = piece_labels(_of_keys(plot, "token")), float(apart(plot)["rank"][0])
        ends = {"range": [max(place, len(names) - 1) + 0.6, min(place, 0) - 0.6]}
        there = {"tickvals": [*range(len(names)), place], "ticktext": [*names, f"<b>{letter}</b>"]}
        return rows_of(names) | ends | there

    def beside_them(plot: Plot) -> Array:
        return _of_keys(plot, str(beside.of))

    strip = heat(
        scaled,
        "dimension",
        "rank",
        hover=f"{letter}, dimension %{{x}}: %{{customdata:.3f}}",
        more=lambda plot: {"customdata": apart(plot).values},
    )
    hover = f"{beside.heading} %{{x:{beside.written}}}<extra></extra>"
    said = TEXT | {"texttemplate": f"\u00a0%{{x:{beside.written}}}"}
    return figure(
        name,
        question,
        panel(
            heat(products, "dimension", "rank", hover="%{y}, dimension %{x}: %{z:.3f}"),
            strip,
            heading="",
            height=0.72,
            x=axis("Dimension of the head", showgrid=False),
        ),
        panel(
            bars(beside_them, rows="rank", colour=beside.colour, marker={"line_width": 0}, hover=hover),
            lines(lambda plot: beside_them(plot)["rank"], x=beside_them, mode="text", more=said),
            heading=beside.heading,
            height=0.28,
            x=axis(told=lambda plot: NAMELESS | {"range": [0, 1.55 * float(beside_them(plot).max()) or 1.0]}),
        ),
        beside=True,
        y=axis("", told=rows),
        colour=colours(title, ends=lambda plot: symmetric(products(plot)), scale="signed", below=False),
        lead=_held,
        height=lambda plot: 210 + ROW_HEIGHT * (len(largest_keys(plot.ds)) + 2),
        layout={"bargap": 0.25},
        **how,
    )


scores = by_dimension(
    "scores",
    "Whom does the query find?",
    lambda plot: plot.once(_light)["query_vector"] * _of_keys(plot, "key_vector") / np.sqrt(plot.ds.sizes["dimension"]),
    "q",
    lambda plot: plot.once(_light)["query_vector"].expand_dims(rank=[-APART]),
    Column("weight", "Weight", WEIGHT, ".2%"),
    "q<sub>c</sub> k<sub>jc</sub> / √d<sub>k</sub>",
    notes=(
        lambda plot: (
            f"Query of “{_asking(plot)}”: each row is q·k by dimension, scaled; its sum is the score. q has a "
            "colour scale of its own."
        ),
    ),
    shows="q k by dimension; the sums are scores, their softmax the weights.",
)
mixing = by_dimension(
    "mixing",
    "What does the head bring back?",
    lambda plot: _of_keys(plot, "weight") * _of_keys(plot, "value_vector"),
    "z",
    lambda plot: plot.once(_light)["output"].expand_dims(rank=[len(largest_keys(plot.ds)) - 1 + APART]),
    Column("weighted_norm", "Length", NORM, ".3~g"),
    "a<sub>j</sub> v<sub>jc</sub>",
    notes=("Each row is a weight times its value, a v; z below, on a scale of its own, is the sum over all pieces.",),
    shows="Each value times its weight, and their sum z.",
)


def _is_flow(ds: Run) -> bool:
    return bool(ds.attrs["flow_method"] == "maximum flow")


def _share(measure: str, heading: str, colour: str, **how: Any) -> Column:
    return Column(at("share", measure=measure), heading, colour, **how)


def _left_out(ds: Run) -> str:
    """What was hidden."""
    if "hidden" not in ds:
        return ""
    left = float(ds["hidden"].sel(measure="attention"))
    return f"Special pieces are hidden and the rest scaled to 1; they held {left:.0%} of the raw weights."


def _in_place_of_flow(ds: Run) -> str:
    """What stands in for the flow."""
    if _is_flow(ds):
        return ""
    return "Shares of the widest single path, in place of the flow, which takes too long for this text."


shares = of_pieces(
    "shares",
    "Do the other measures agree?",
    _share("attention", "Raw weights", WEIGHT),
    _share("head_norm", "Norms, head", NORM),
    _share("layer_norm", "Norms, layer", LAYER),
    _share("rollout", "Rollout", ROLLOUT),
    lambda plot: _share("flow", "Flow" if _is_flow(plot.ds) else "Widest path", FLOW),
    notes=(_left_out, _in_place_of_flow),
    followed=True,
    instead=lambda ds: "" if ds.sizes["piece"] else "The text has special pieces alone, and they are hidden.",
    shows="Raw weights, weighted values (Kobayashi et al. 2020), rollout and flow (Abnar and Zuidema 2020).",
    cannot_show="The feed-forward networks.",
)
# The axes end where the other text's need it.
shares_pair = of_pieces(
    "shares_pair",
    "From whom does the piece take?",
    *(
        _share(measure, heading, colour, most=at("most", measure=measure))
        for measure, heading, colour in (
            ("attention", "Raw weights", WEIGHT),
            ("head_norm", "Norms", NORM),
            ("rollout", "Rollout", ROLLOUT),
        )
    ),
    title=lambda plot, heading: f"{heading}: from whom does “{_asking(plot)}” take?",
    followed=True,
    looks_at={"heading": ""},
)


def _keys(plot: Plot) -> dict[str, Any]:
    labels = piece_labels(plot.ds["key_token"])
    every = max(1, -(-len(labels) // 40))
    return {"tickmode": "array", "tickvals": plot.ds["key"].values[::every], "ticktext": labels[::every]}


def _further_down(plot: Plot) -> dict[str, Any]:
    """The words of the keys stand upright, so that the colour scale is further below than any other's."""
    return {"margin_b": 190, "annotations": [{**one, "yshift": -112} for one in plot.figure.layout.annotations]}


attention_map = figure(
    "map",
    "Where does this head look?",
    heat("attention", "key", "query", hover="row %{y}, column %{x}: %{z:.3f}"),
    title=lambda plot: f"Where does head {plot.ds.attrs['layer']}.{plot.ds.attrs['head']} look?",
    x=axis(told=lambda plot: {"tickangle": 90, **_keys(plot)}),
    y=axis(told=lambda plot: {"autorange": "reversed", "range": None, **_keys(plot)}),
    colour=colours("Attention weight; every row sums to 1", ends=(0, 1), tickformat=".0%"),
    height=640,
    layout=_further_down,
)
