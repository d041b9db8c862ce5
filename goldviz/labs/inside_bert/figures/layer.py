"""One encoder layer (document 001, sections 4.1.2, 4.1.3): the way of a piece through it, and what all pieces get."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import theme as look
from goldviz.figures.chart import axis, bars, figure
from goldviz.figures.draft import Figure
from goldviz.figures.elements import arrow
from goldviz.figures.marks import Bars
from goldviz.figures.plot import Plot
from goldviz.labs.inside_bert.figures.pieces import NUMBERED, Column, in_rows, of_pieces, short_piece

ATTENTION, FEED_FORWARD, NORM = "#0e7ac0", "#d55e00", "#838383"
MOST_NEURONS = 12
BOX, LEFT, MIDDLE, BYPASS = 0.38, 1.3, 5.5, 0.55
"""Of the diagram, in rows: half of a box's height, its left end and middle, and where the residual path runs."""
HERE: dict[str, Any] = {"xref": "x", "yref": "y"}
THIN = {"width": 1.5, "size": 0.9}


class Box(NamedTuple):
    """A part of the diagram: its name, its numbers, its colour, and what it computes."""

    name: str
    numbers: str
    colour: str
    says: str


def _boxes(ds: Run, quiet: str) -> list[Box]:
    """From the top: what comes in, attention, its sum and norm, the feed-forward network, its sum and norm, the end."""
    at = ds.sel(piece=int(ds.attrs["query_piece"]))
    length = {str(stage): f"length {float(at['stage_norm'].sel(stage=stage)):.2f}" for stage in at["stage"].values}
    made = {
        str(
            part
        ): f"{length[str(part)].replace('length', 'makes')}, cosine {_signed(at['added_cosine'].sel(added=part))}"
        for part in at["added"].values
    }
    norm = {str(part): f"÷ {float(at['divisor'].sel(norm=part)):.2f}, times γ, plus β" for part in at["norm"].values}
    fire = f"{round(float(at['firing']) * at.sizes['neuron']):,} of {at.sizes['neuron']:,} neurons fire"
    mean = "minus the mean, over the spread, times γ, plus β"
    return [
        Box("Comes in: X", length["input"], quiet, "X of the layer below, or of the embeddings"),
        Box("Multi-head attention", made["attention"], ATTENTION, "MHSA(X): the heads' weighted values, through W_O"),
        Box("Residual sum", f"X + attention: {length['attention_sum']}", ATTENTION, "X + MHSA(X)"),
        Box("LayerNorm: X̃", f"{norm['attention_norm']}: {length['attended']}", NORM, mean),
        Box(
            "Feed-forward network",
            f"{fire}<br>{made['feed_forward']}",
            FEED_FORWARD,
            "W₂ φ(W₁ X̃ + b₁) + b₂: the same for every piece",
        ),
        Box("Residual sum", f"X̃ + FFN: {length['feed_forward_sum']}", FEED_FORWARD, "X̃ + FFN(X̃)"),
        Box("LayerNorm", f"{norm['output_norm']}: {length['output']}", NORM, mean),
        Box(
            "Goes out",
            f"cosine with what came in: {_signed(at['turned'])}",
            quiet,
            "X of this layer, which the next one reads",
        ),
    ]


def _signed(value: Array) -> str:
    return f"{float(value):+.2f}".replace("-", "−")


def _diagram(plot: Plot) -> Figure:
    """The layer as boxes from top to bottom, with the lengths of the piece that is followed."""
    ds, drawing, ink = plot.ds, plot.figure, plot.ink
    boxes = _boxes(ds, ink.muted)
    drawing.scatter(
        x=[MIDDLE] * len(boxes),
        y=[*range(len(boxes))],
        mode="markers",
        customdata=[box.says for box in boxes],
        marker={"size": 40, "opacity": 0},
        hovertemplate="%{customdata}<extra></extra>",
    )
    for row, box in enumerate(boxes):
        _box(drawing, row, box, ink.text)
        if row:
            arrow(drawing, (MIDDLE, row - 1 + BOX), (MIDDLE, row - BOX), ink.text, **THIN)
    for start, end, colour in ((0, 2, ATTENTION), (3, 5, FEED_FORWARD)):
        _residual(drawing, start, end, colour)
    place = int(ds.attrs["query_piece"])
    plot.title = (
        f"Layer {ds.attrs['layer']}: the way of piece {place}, “{short_piece(str(ds['token'].values[place - 1]))}”"
    )
    drawing.update_xaxes(visible=False, range=[0, 10], fixedrange=True)
    drawing.update_yaxes(visible=False, range=[len(boxes) - 0.5, -0.5], fixedrange=True)
    return plot.finish(legend=False, height=86 + 80 * len(boxes), hover="closest")


def _box(drawing: Figure, row: int, box: Box, ink: str) -> None:
    drawing.add_shape(
        type="rect",
        x0=LEFT,
        x1=9.7,
        y0=row - BOX,
        y1=row + BOX,
        layer="below",
        line={"color": box.colour, "width": 1.5},
        fillcolor=look.with_alpha(box.colour, 0.1),
        **HERE,
    )
    words = f"<b>{box.name}</b><br>{box.numbers}"
    drawing.add_annotation(text=words, x=MIDDLE, y=row, showarrow=False, font={"size": 13, "color": ink}, **HERE)


def _residual(drawing: Figure, start: int, end: int, colour: str) -> None:
    """The path past a part of the layer: what comes out of one box goes into a sum unchanged."""
    line = {"color": colour, "width": 1.5, "dash": "dot"}
    for x0, y0, x1, y1 in ((LEFT, start, BYPASS, start), (BYPASS, start, BYPASS, end)):
        drawing.add_shape(type="line", x0=x0, x1=x1, y0=y0, y1=y1, line=line, layer="below", **HERE)
    arrow(drawing, (BYPASS, end), (LEFT, end), colour, **THIN)
    how: dict[str, Any] = {"showarrow": False, "textangle": -90, "xshift": -9, "font_size": 12, "font_color": colour}
    drawing.add_annotation(text="unchanged", x=BYPASS, y=(start + end) / 2, **how, **HERE)


# A diagram.
layer_diagram = figure(
    "layer",
    "What does the layer do to this piece?",
    draw=_diagram,
    shows="What attention and feed-forward network add to one piece, as lengths or cosines.",
)


def _added(ds: Run) -> Sequence[Column]:
    lengths = {
        "Comes in": ("input", "#838383"),
        "Attention adds": ("attention", ATTENTION),
        "FFN adds": ("feed_forward", FEED_FORWARD),
    }
    norms = {heading: ds["stage_norm"].sel(stage=stage).values for heading, (stage, _) in lengths.items()}
    longest = 1.08 * max(float(np.max(values)) for values in norms.values())
    return [
        *(Column(values, heading, lengths[heading][1], ".2f", longest) for heading, values in norms.items()),
        Column(ds["firing"].values, "Neurons that fire", "#009e73", ".1%"),
    ]


def _busiest(ds: Run) -> Run:
    """The neurons whose parts of the feed-forward network's output are longest."""
    return ds.isel(neuron=np.argsort(-ds["neuron_length"].values, kind="stable")[:MOST_NEURONS])


def _parts_of_output(plot: Plot) -> Sequence[Bars]:
    there = _busiest(plot.ds)
    lengths = there["neuron_length"].assign_coords(neuron=np.arange(1, there.sizes["neuron"] + 1))
    said = {"texttemplate": "%{x:.2f}", "customdata": there["neuron_output"].values}
    return [
        bars(
            lambda plot: lengths,
            rows="neuron",
            colour=FEED_FORWARD,
            hover="%{y}: activation %{customdata:.3f}, adds %{x:.3f}<extra></extra>",
            more=NUMBERED | said,
        )
    ]


def _silent(plot: Plot) -> str:
    return f"{100 * float((plot.ds['neuron_output'] <= 0).mean()):.0f} % of all neurons give 0 or less for this piece."


layer_lengths = of_pieces(
    "layer_lengths",
    "How much does each part add?",
    _added,
    followed=True,
    shows="How much both parts add to a piece, and how many neurons are active.",
)
neurons = in_rows(
    "neurons",
    "Which neurons write most?",
    _parts_of_output,
    lambda ds: [f"neuron {number}" for number in _busiest(ds)["neuron"].values],
    title=lambda plot: f"Which neurons write most into piece {plot.ds.attrs['query_piece']}?",
    shows="The neurons that add most to this piece.",
    x=axis(
        "Length of what the neuron adds",
        told=lambda plot: {"nticks": 5, "range": [0, 1.18 * float(plot.ds["neuron_length"].max())]},
    ),
    lead=_silent,
)
