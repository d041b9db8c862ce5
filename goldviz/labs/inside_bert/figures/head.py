"""The encoder in view, one of its layers, and how a head gets from a piece's query to its output.

Document 001, sections 4.1.2 and 4.1.3; beside the weights stands what shares a query out otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightDataset
from goldviz.figures import plot as plots
from goldviz.figures import theme as look
from goldviz.figures.chart import Channel, Chart, at, axis, bars, colours, figure, heat, lines, panel
from goldviz.figures.diagram import Colour, Reading, colour_quantities, diagram
from goldviz.figures.draft import Figure
from goldviz.figures.elements import arrow
from goldviz.figures.encoder_diagram import HEADS, encoder
from goldviz.figures.maps import symmetric
from goldviz.figures.plot import Plot
from goldviz.labs.inside_bert import measures
from goldviz.labs.inside_bert.figures.pieces import (
    ROW_HEIGHT,
    Column,
    in_rows,
    numbered,
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
TEXT = {"textposition": "middle right", "textfont_size": 13, "cliponaxis": False, "hoverinfo": "skip"}
"""Of numbers behind bars. Plotly measures each text of a bar in the page, so they are a trace of their own."""
STEPS = {
    "product": "q·k",
    "score": "q·k / √d_k",
    "weight": "softmax a",
    "value_norm": "‖v‖",
    "weighted_norm": "‖a v‖",
}
"""Columns of a head's keys, by the variable that they have."""
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


def _share(measure: str, heading: str, colour: str, **how: Any) -> Column:
    return Column(at("share", measure=measure), heading, colour, **how)


def _left_out(ds: Run) -> str:
    if "hidden" not in ds:
        return ""
    left = float(ds["hidden"].sel(measure="attention"))
    return f"Special pieces are hidden and the rest scaled to 1; they held {left:.0%} of the raw weights."


def _in_place_of_flow(ds: Run) -> str:
    if ds.attrs["flow_method"] == "maximum flow":
        return ""
    return "Shares of the widest single path, in place of the flow, which takes too long for this text."


shares = of_pieces(
    "shares",
    "Do the other measures agree?",
    _share("attention", "Raw weights", WEIGHT),
    _share("head_norm", "Norms, head", NORM),
    _share("layer_norm", "Norms, layer", LAYER),
    _share("rollout", "Rollout", ROLLOUT),
    lambda plot: _share("flow", "Flow" if plot.ds.attrs["flow_method"] == "maximum flow" else "Widest path", FLOW),
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


attention_map = figure(
    "map",
    "Where does this head look?",
    heat("attention", "key", "query", hover="row %{y}, column %{x}: %{z:.3f}"),
    title=lambda plot: f"Where does head {plot.ds.attrs['layer']}.{plot.ds.attrs['head']} look?",
    x=axis(told=lambda plot: {"tickangle": 90, **_keys(plot)}),
    y=axis(told=lambda plot: {"autorange": "reversed", "range": None, **_keys(plot)}),
    colour=colours("Attention weight; every row sums to 1", ends=(0, 1), tickformat=".0%"),
    height=640,
    # The words of the keys stand upright, so that the colour scale is further below than any other's.
    layout=lambda plot: {
        "margin_b": 190,
        "annotations": [{**one, "yshift": -112} for one in plot.figure.layout.annotations],
    },
)


STATES = (Reading("state_norm", lambda lengths: lengths.mean("piece")),)
COLOURS = (*HEADS, Colour("state_norm", "Length of the states", "linear", readings=STATES))
"""What may colour the encoder."""
ATTENTION, FEED_FORWARD, LAYER_NORM = "#0e7ac0", "#d55e00", "#838383"
MOST_NEURONS = 12
BOX, LEFT, MIDDLE, BYPASS = 0.38, 1.3, 5.5, 0.55
"""Of the diagram, in rows: half of a box's height, its left end and middle, and where the residual path runs."""
HERE: dict[str, Any] = {"xref": "x", "yref": "y"}
THIN = {"width": 1.5, "size": 0.9}

network = diagram(
    partial(plots.figure, colour_quantities(COLOURS)),
    lambda ds: [encoder(int(ds["layer"].max()), int(ds["head"].max()), heading=str(ds.attrs.get("model", "Encoder")))],
    COLOURS,
    noun="head",
    question="Where in the encoder?",
    shows="Every layer's heads, by what they do with this text. Choose one to look into it.",
    cannot_show="What a head looks at.",
)


class Box(NamedTuple):
    """A part of the diagram: its name, its numbers, its colour, and what it computes."""

    name: str
    numbers: str
    colour: str
    says: str


def _boxes(ds: Run, quiet: str) -> list[Box]:
    """From the top: what comes in, attention, its sum and norm, the feed-forward network, its sum and norm, the end."""
    here = ds.sel(piece=int(ds.attrs["query_piece"]))

    def length(stage: str) -> str:
        return f"{float(here['stage_norm'].sel(stage=stage)):.2f}"

    def made(part: str) -> str:
        return f"makes {length(part)}, cosine {_signed(here['added_cosine'].sel(added=part))}"

    def normed(norm: str, stage: str) -> str:
        return f"÷ {float(here['divisor'].sel(norm=norm)):.2f}, times γ, plus β: length {length(stage)}"

    fire = f"{round(float(here['firing']) * here.sizes['neuron']):,} of {here.sizes['neuron']:,} neurons fire"
    mean = "minus the mean, over the spread, times γ, plus β"
    fed = "W₂ φ(W₁ X̃ + b₁) + b₂: the same for every piece"
    turned = f"cosine with what came in: {_signed(here['turned'])}"
    return [
        Box("Comes in: X", f"length {length('input')}", quiet, "X of the layer below, or of the embeddings"),
        Box(
            "Multi-head attention",
            made("attention"),
            ATTENTION,
            "MHSA(X): the heads' weighted values, through W<sub>O</sub>",
        ),
        Box("Residual sum", f"X + attention: length {length('attention_sum')}", ATTENTION, "X + MHSA(X)"),
        Box("LayerNorm: X̃", normed("attention_norm", "attended"), LAYER_NORM, mean),
        Box("Feed-forward network", f"{fire}<br>{made('feed_forward')}", FEED_FORWARD, fed),
        Box("Residual sum", f"X̃ + FFN: length {length('feed_forward_sum')}", FEED_FORWARD, "X̃ + FFN(X̃)"),
        Box("LayerNorm", normed("output_norm", "output"), LAYER_NORM, mean),
        Box("Goes out", turned, quiet, "X of this layer, which the next one reads"),
    ]


def _signed(value: Array) -> str:
    return f"{float(value):+.2f}".replace("-", "−")


def _diagram(plot: Plot) -> Figure:
    """The layer as boxes from top to bottom, with the lengths of the piece that is followed."""
    ds, drawing, ink = plot.ds, plot.figure, plot.ink.text
    boxes = _boxes(ds, plot.ink.muted)
    drawing.scatter(
        x=[MIDDLE] * len(boxes),
        y=[*range(len(boxes))],
        mode="markers",
        customdata=[box.says for box in boxes],
        marker={"size": 40, "opacity": 0},
        hovertemplate="%{customdata}<extra></extra>",
    )
    for row, box in enumerate(boxes):
        line, fill = {"color": box.colour, "width": 1.5}, look.with_alpha(box.colour, 0.1)
        ends = HERE | {"x0": LEFT, "x1": 9.7, "y0": row - BOX, "y1": row + BOX}
        drawing.add_shape(type="rect", layer="below", line=line, fillcolor=fill, **ends)
        font = {"size": 13, "color": ink}
        words = f"<b>{box.name}</b><br>{box.numbers}"
        drawing.add_annotation(text=words, x=MIDDLE, y=row, showarrow=False, font=font, **HERE)
        if row:
            arrow(drawing, (MIDDLE, row - 1 + BOX), (MIDDLE, row - BOX), ink, **THIN)
    # Past attention and past the feed-forward network, into the sum behind each.
    for start, end, colour in ((0, 2, ATTENTION), (3, 5, FEED_FORWARD)):
        line, path = {"color": colour, "width": 1.5, "dash": "dot"}, f"M{LEFT},{start}H{BYPASS}V{end}"
        drawing.add_shape(type="path", path=path, line=line, layer="below", **HERE)
        arrow(drawing, (BYPASS, end), (LEFT, end), colour, **THIN)
        font = {"size": 13, "color": colour}
        side = HERE | {"x": BYPASS, "y": (start + end) / 2, "xshift": -9, "textangle": -90}
        drawing.add_annotation(text="unchanged", showarrow=False, font=font, **side)
    place = int(ds.attrs["query_piece"])
    piece = short_piece(str(ds["token"].values[place - 1]))
    plot.title = f"Layer {ds.attrs['layer']}: the way of piece {place}, “{piece}”"
    drawing.update_xaxes(visible=False, range=[0, 10], fixedrange=True)
    drawing.update_yaxes(visible=False, range=[len(boxes) - 0.5, -0.5], fixedrange=True)
    return plot.finish(legend=False, height=86 + 80 * len(boxes), hover="closest")


# A diagram.
layer_diagram = figure(
    "layer",
    "What does the layer do to this piece?",
    draw=_diagram,
    shows="What attention and feed-forward network add to one piece, as lengths or cosines.",
)


def _busiest(ds: Run) -> Run:
    """The neurons whose parts of the feed-forward network's output are longest."""
    return ds.isel(neuron=np.argsort(-ds["neuron_length"].values, kind="stable")[:MOST_NEURONS])


def _lengths(plot: Plot) -> Array:
    lengths = _busiest(plot.ds)["neuron_length"]
    return lengths.assign_coords(neuron=np.arange(1, lengths.size + 1))


STAGES = {
    "input": ("Comes in", LAYER_NORM),
    "attention": ("Attention adds", ATTENTION),
    "feed_forward": ("FFN adds", FEED_FORWARD),
}
layer_lengths = of_pieces(
    "layer_lengths",
    "How much does each part add?",
    *(
        Column(at("stage_norm", stage=stage), heading, ink, ".2f", at("stage_norm", stage=[*STAGES]))
        for stage, (heading, ink) in STAGES.items()
    ),
    Column("firing", "Neurons that fire", "#009e73", ".1%"),
    followed=True,
    shows="How much both parts add to a piece, and how many neurons are active.",
)
neurons = in_rows(
    "neurons",
    "Which neurons write most?",
    numbered(
        Channel("neuron_length", _lengths, _lengths),
        "neuron",
        ".2f",
        lambda plot: {"customdata": _busiest(plot.ds)["neuron_output"].values},
        colour=FEED_FORWARD,
        hover="%{y}: activation %{customdata:.3f}, adds %{x:.3f}<extra></extra>",
    ),
    lambda ds: [f"neuron {number}" for number in _busiest(ds)["neuron"].values],
    title=lambda plot: f"Which neurons write most into piece {plot.ds.attrs['query_piece']}?",
    x=axis(
        "Length of what the neuron adds",
        told=lambda plot: {"nticks": 5, "range": [0, 1.18 * float(plot.ds["neuron_length"].max())]},
    ),
    lead=lambda plot: (
        f"{100 * float((plot.ds['neuron_output'] <= 0).mean()):.0f} % of all neurons give 0 or less for this piece."
    ),
)


def steps_table(ds: Run) -> pd.DataFrame:
    """The numbers of a head's steps for one query, the largest weight first."""
    rows = ds.isel(piece=np.argsort(ds["weight"].values, kind="stable")[::-1])
    pieces = {"j": rows["piece"].values, "Key piece": list(map(str, rows["token"].values))}
    return pd.DataFrame(pieces | {heading: rows[name].values for name, heading in STEPS.items()})
