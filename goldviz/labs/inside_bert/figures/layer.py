"""One encoder layer (document 001, sections 4.1.2, 4.1.3): the way of a piece through it, and what all pieces get."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import arrow
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.inside_bert.figures.pieces import ROW_HEIGHT, Column, beside_pieces, piece_label, rows_down

ATTENTION, FEED_FORWARD, NORM = "#0e7ac0", "#d55e00", "#838383"
MOST_NEURONS = 12
ROW, BOX, BYPASS = 1.0, 0.38, 0.55
"""Of the diagram: the distance of its rows, half of a box's height, and where the residual path runs."""
MIDDLE = 5.5
THIN = {"width": 1.5, "size": 0.9}


SAYS = (
    "X of the layer below, or of the embeddings",
    "MHSA(X): the heads' weighted values, through W_O",
    "X + MHSA(X)",
    "minus the mean, over the spread, times γ, plus β",
    "W₂ φ(W₁ X̃ + b₁) + b₂: the same for every piece",
    "X̃ + FFN(X̃)",
    "minus the mean, over the spread, times γ, plus β",
    "X of this layer, which the next one reads",
)
"""What each box computes, from the top."""


class Box(NamedTuple):
    """A part of the diagram: its row from the top, its name, its numbers, and its colour."""

    row: int
    name: str
    numbers: str
    colour: str


@drawn(
    "What does the layer do to this piece?",
    shows="What attention and feed-forward network add to one piece, as lengths or cosines.",
    name="layer",
)
def layer_diagram(ds: Run, *, theme: Theme = "light") -> Figure:
    """The layer as boxes from top to bottom, with the lengths of the piece that is followed."""
    figure, ink = Figure(), INKS[theme]
    boxes = _boxes(ds, ink.muted)
    last = len(boxes) - 1
    figure.scatter(
        x=[MIDDLE] * len(boxes),
        y=[ROW * box.row for box in boxes],
        mode="markers",
        customdata=SAYS,
        marker={"size": 40, "opacity": 0},
        hovertemplate="%{customdata}<extra></extra>",
    )
    for box in boxes:
        _box(figure, box, theme)
        if box.row:
            arrow(figure, (MIDDLE, ROW * (box.row - 1) + BOX), (MIDDLE, ROW * box.row - BOX), ink.text, **THIN)
    for start, end, colour in ((0, 2, ATTENTION), (3, 5, FEED_FORWARD)):
        _residual(figure, start, end, colour)
    place = int(ds.attrs["query_piece"])
    piece = str(ds["token"].values[place - 1])
    title = f"Layer {ds.attrs['layer']}: the way of piece {place}, “{piece_label(piece)}”"
    look.apply(figure, theme, title="", legend=False, height=86 + 80 * len(boxes), hover="closest")
    figure.update_layout(title_text=title)
    figure.update_xaxes(visible=False, range=[0, 10], fixedrange=True)
    return figure.update_yaxes(visible=False, range=[ROW * last + 0.5, -0.5], fixedrange=True)


def _boxes(ds: Run, quiet: str) -> list[Box]:
    at = ds.sel(piece=int(ds.attrs["query_piece"]))
    norm = {str(stage): float(at["stage_norm"].sel(stage=stage)) for stage in at["stage"].values}
    cosine = {str(part): float(at["added_cosine"].sel(added=part)) for part in at["added"].values}
    divisor = {str(part): float(at["divisor"].sel(norm=part)) for part in at["norm"].values}
    firing, neurons = float(at["firing"]), at.sizes["neuron"]
    return [
        Box(0, "Comes in: X", f"length {norm['input']:.2f}", quiet),
        Box(
            1,
            "Multi-head attention",
            f"makes {norm['attention']:.2f}, cosine {_signed(cosine['attention'])}",
            ATTENTION,
        ),
        Box(2, "Residual sum", f"X + attention: length {norm['attention_sum']:.2f}", ATTENTION),
        Box(
            3,
            "LayerNorm: X̃",
            f"÷ {divisor['attention_norm']:.2f}, times γ, plus β: length {norm['attended']:.2f}",
            NORM,
        ),
        Box(
            4,
            "Feed-forward network",
            f"{round(firing * neurons):,} of {neurons:,} neurons fire<br>makes "
            f"{norm['feed_forward']:.2f}, cosine {_signed(cosine['feed_forward'])}",
            FEED_FORWARD,
        ),
        Box(5, "Residual sum", f"X̃ + FFN: length {norm['feed_forward_sum']:.2f}", FEED_FORWARD),
        Box(6, "LayerNorm", f"÷ {divisor['output_norm']:.2f}, times γ, plus β: length {norm['output']:.2f}", NORM),
        Box(7, "Goes out", f"cosine with what came in: {_signed(float(at['turned']))}", quiet),
    ]


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _box(figure: Figure, box: Box, theme: Theme) -> None:
    ink, middle = INKS[theme], ROW * box.row
    figure.add_shape(
        type="rect",
        x0=1.3,
        x1=9.7,
        y0=middle - BOX,
        y1=middle + BOX,
        xref="x",
        yref="y",
        layer="below",
        line={"color": box.colour, "width": 1.5},
        fillcolor=look.with_alpha(box.colour, 0.1),
    )
    figure.add_annotation(
        text=f"<b>{box.name}</b><br>{box.numbers}",
        x=MIDDLE,
        y=middle,
        xref="x",
        yref="y",
        showarrow=False,
        font={"size": 13, "color": ink.text},
    )


def _residual(figure: Figure, start: int, end: int, colour: str) -> None:
    """The path past a part of the layer: what comes out of one box goes into a sum unchanged."""
    line = {"color": colour, "width": 1.5, "dash": "dot"}
    ways = [((1.3, start), (BYPASS, start)), ((BYPASS, start), (BYPASS, end))]
    for (x0, y0), (x1, y1) in ways:
        figure.add_shape(
            type="line", x0=x0, x1=x1, y0=ROW * y0, y1=ROW * y1, xref="x", yref="y", line=line, layer="below"
        )
    arrow(figure, (BYPASS, ROW * end), (1.3, ROW * end), colour, **THIN)
    figure.add_annotation(
        text="unchanged",
        x=BYPASS,
        y=ROW * (start + end) / 2,
        xref="x",
        yref="y",
        showarrow=False,
        textangle=-90,
        xshift=-9,
        font_size=12,
        font_color=colour,
    )


@drawn(
    "How much does each part add?",
    shows="How much both parts add to a piece, and how many neurons are active.",
    name="layer_lengths",
)
def layer_lengths(ds: Run, *, theme: Theme = "light") -> Figure:
    """What comes in, what both parts add, and the share of neurons that fire, of every piece."""
    lengths = {
        "Comes in": ("input", "#838383"),
        "Attention adds": ("attention", ATTENTION),
        "FFN adds": ("feed_forward", FEED_FORWARD),
    }
    columns = [
        Column(ds["stage_norm"].sel(stage=stage).values, heading, colour, ".2f")
        for heading, (stage, colour) in lengths.items()
    ]
    longest = 1.08 * max(float(np.max(column.values)) for column in columns)
    columns.append(Column(ds["firing"].values, "Neurons that fire", "#009e73", ".1%"))
    return beside_pieces(
        ds,
        columns,
        title="How much does each part add?",
        theme=theme,
        choice=int(ds.attrs["query_piece"]),
        limits=dict.fromkeys(lengths, (0.0, longest)),
    )


@drawn(
    "Which neurons write most?",
    shows="The neurons that add most to this piece.",
)
def neurons(ds: Run, *, theme: Theme = "light") -> Figure:
    """The longest parts of the feed-forward network's output for one piece, neuron by neuron."""
    order = np.argsort(-ds["neuron_length"].values, kind="stable")[:MOST_NEURONS]
    lengths, outputs = ds["neuron_length"].values[order], ds["neuron_output"].values[order]
    figure = Figure().bar(
        x=lengths,
        y=np.arange(len(order)),
        orientation="h",
        customdata=outputs,
        cliponaxis=False,
        marker={"color": FEED_FORWARD, "line_width": 0},
        texttemplate="%{x:.2f}",
        textposition="outside",
        hovertemplate="neuron %{y}: activation %{customdata:.3f}, adds %{x:.3f}<extra></extra>",
    )
    silent = float((ds["neuron_output"] <= 0).mean())
    notes = [f"{100 * silent:.0f} % of all neurons give 0 or less for this piece."]
    height = 130 + (ROW_HEIGHT + 4) * len(order)
    title = f"Which neurons write most into piece {ds.attrs['query_piece']}?"
    look.apply(figure, theme, title=title, notes=notes, legend=False, height=height, hover="closest")
    figure.update_layout(bargap=0.25)
    figure.update_xaxes(title_text="Length of what the neuron adds", nticks=5, range=[0, 1.18 * float(lengths.max())])
    return rows_down(figure, [f"neuron {ds['neuron'].values[place]}" for place in order])
