"""The encoder in view, and one of its layers (document 001, sections 4.1.2, 4.1.3): a piece's way, and what all get."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import plot as plots
from goldviz.figures import theme as look
from goldviz.figures.chart import Channel, at, axis, figure
from goldviz.figures.diagram import Colour, Reading, colour_quantities, diagram
from goldviz.figures.draft import Figure
from goldviz.figures.elements import arrow
from goldviz.figures.encoder_diagram import HEADS, encoder
from goldviz.figures.plot import Plot
from goldviz.labs.inside_bert.figures.pieces import Column, in_rows, numbered, of_pieces, short_piece

STATES = (Reading("state_norm", lambda lengths: lengths.mean("piece")),)
COLOURS = (*HEADS, Colour("state_norm", "Length of the states", "linear", readings=STATES))
"""What may colour the encoder."""
ATTENTION, FEED_FORWARD, NORM = "#0e7ac0", "#d55e00", "#838383"
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
        Box("LayerNorm: X̃", normed("attention_norm", "attended"), NORM, mean),
        Box("Feed-forward network", f"{fire}<br>{made('feed_forward')}", FEED_FORWARD, fed),
        Box("Residual sum", f"X̃ + FFN: length {length('feed_forward_sum')}", FEED_FORWARD, "X̃ + FFN(X̃)"),
        Box("LayerNorm", normed("output_norm", "output"), NORM, mean),
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
        font = {"size": 12, "color": colour}
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


def _silent(plot: Plot) -> str:
    silent = 100 * float((plot.ds["neuron_output"] <= 0).mean())
    return f"{silent:.0f} % of all neurons give 0 or less for this piece."


STAGES = {
    "input": ("Comes in", NORM),
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
    lead=_silent,
)
