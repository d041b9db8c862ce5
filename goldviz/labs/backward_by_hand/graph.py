"""The network of *Backward by hand* as boxes: what is known of each at a place, and what the formula there reads.

All boxes in one state are one path, and all names one trace: a browser redraws the graph many times a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.frames import AtStep, each
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme, with_alpha
from goldviz.labs.backward_by_hand.formulas import names_in, parse
from goldviz.labs.backward_by_hand.network import LAYERS, Node, Place, nodes, place

VALUE, GRADIENT = "#0e7ac0", "#d55e00"
COLUMNS = 4
"""Boxes side by side."""
WIDE, HIGH = 0.92, 0.46
"""Sides of a box, where a column and a line are 1."""
NEAR = 50
"""Pixels from a box's middle at which a pointer is at the box."""
LONG = 10
"""Letters from which a name is written smaller."""
NOWHERE = "M-9,-9Z"
"""A path out of sight, for a state that no box is in."""

Where = Mapping[str, tuple[float, float]]


@drawn(
    "What is known by now, and what does this step read?",
    at="number",
    at_once=True,
    shows="Every tensor from embedding to loss. Gold: computed; dark frames: read.",
)
def graph(ds: Run, *, number: int | AtStep, theme: Theme = "light") -> Figure:
    """The network as boxes, each with what is known of it at this place."""
    at, network = each(number, lambda one: place(ds.attrs["divisor"], one)), nodes(ds.attrs["divisor"])
    where = middles(network.values())
    figure = Figure()
    _draw_boxes(figure, network, where, at, theme)
    _write_names(figure, ds, network, where, at, theme)
    notes = [each(at, lambda one: f"{one.words}."), "Blue: its value is known. Orange: its gradient is known, too."]
    look.apply(
        figure, theme, title="From the embedding to the loss", notes=notes, legend=False, height=540, hover="closest"
    )
    figure.update_layout(meta={"chooses": True}, hoverdistance=NEAR)
    figure.update_xaxes(visible=False, range=[-0.02, COLUMNS - 0.04], fixedrange=True)
    return figure.update_yaxes(visible=False, range=[len(LAYERS) - 0.55, -0.6], fixedrange=True)


def middles(network: Iterable[Node]) -> Where:
    """The middle of every node's box: lines from above, columns from the left."""
    widths = [0] * len(LAYERS)
    where = {}
    for node in network:
        where[node.name] = (widths[node.layer] + WIDE / 2, float(node.layer))
        widths[node.layer] += 1
    return where


def _draw_boxes(figure: Figure, network: Mapping[str, Node], where: Where, at: Place | AtStep, theme: Theme) -> None:
    """Edges, opaque boxes over them, and over these a tint for each state and frames round what is read."""
    ink = INKS[theme]

    def draw(path: Any, **how: Any) -> None:
        figure.add_shape(type="path", path=path, layer="below", **how)

    def those(holds: Callable[[Place, Node], bool]) -> Any:
        return each(at, lambda one: _boxes(where[name] for name, node in network.items() if holds(one, node)))

    thin, none = {"color": ink.grid, "width": 2}, {"width": 0}
    draw(_edges(network.values(), where), line={"color": ink.muted, "width": 1}, opacity=0.5)
    draw(_boxes(where.values()), fillcolor=ink.background, line=none)
    draw(_boxes(where.values()), fillcolor=ink.surface, line=thin)
    draw(
        those(lambda one, node: one.knows_value(node) and not one.knows_gradient(node) and one.node != node),
        fillcolor=with_alpha(VALUE, 0.18),
        line=none,
    )
    draw(
        those(lambda one, node: one.knows_gradient(node) and one.node != node),
        fillcolor=with_alpha(GRADIENT, 0.25),
        line=none,
    )
    draw(
        those(lambda one, node: node.name in one.reads and one.node != node),
        fillcolor="rgba(0, 0, 0, 0)",
        line={"color": ink.text, "width": 2},
    )
    draw(
        those(lambda one, node: one.node == node),
        fillcolor=with_alpha(ink.accent, 0.45),
        line={"color": ink.accent, "width": 2},
    )


def _boxes(places: Iterable[tuple[float, float]]) -> str:
    """Boxes round these middles as one path."""
    corners = [(x - WIDE / 2, x + WIDE / 2, y - HIGH / 2, y + HIGH / 2) for x, y in places]
    return "".join(f"M{x0:g},{y0:g}H{x1:g}V{y1:g}H{x0:g}Z" for x0, x1, y0, y1 in corners) or NOWHERE


def _edges(network: Iterable[Node], where: Where) -> str:
    """A line from every tensor to each that is made of it, as one path."""
    pairs = [
        (where[read], where[node.name])
        for node in network
        if not node.learned
        for read in sorted({name for name in names_in(parse(node.forward)) if name in where})
    ]
    return "".join(f"M{x0:g},{y0:g}L{x1:g},{y1:g}" for (x0, y0), (x1, y1) in pairs)


def _write_names(
    figure: Figure, ds: Run, network: Mapping[str, Node], where: Where, at: Place | AtStep, theme: Theme
) -> None:
    """Every box's name, with a d where its gradient is known, and over each line of boxes what it is about."""
    ink = INKS[theme]
    names = each(at, lambda one: [_name(one, node) for node in network.values()])
    colours = each(at, lambda one: [ink.text if one.knows_value(node) else ink.muted for node in network.values()])
    figure.scatter(
        x=[where[name][0] for name in network],
        y=[where[name][1] for name in network],
        mode="text",
        text=names,
        textfont={"color": colours, "size": [12 if len(name) < LONG else 10 for name in network]},
        customdata=[_about(ds, node) for node in network.values()],
        ids=each(at, lambda one: [str(one.to(node)) for node in network.values()]),
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )
    figure.scatter(
        x=[0.0] * len(LAYERS),
        y=[line - 0.4 for line in range(len(LAYERS))],
        mode="text",
        text=list(LAYERS),
        textposition="middle right",
        textfont={"color": ink.muted, "size": 13},
        hoverinfo="skip",
        showlegend=False,
    )


def _name(at: Place, node: Node) -> str:
    return f"<b>d{node.name}</b>" if at.knows_gradient(node) else node.name


def _about(ds: Run, node: Node) -> str:
    """A node's shape and formulas, and how far its gradient is from autograd's."""
    parts = [f"{node.name}, {shape_of(ds, node)}"]
    if not node.learned:
        parts.append(f"= {node.forward}")
    if node.gradient:
        parts.append(f"d{node.name} = {node.gradient}")
        parts.append(f"largest difference to autograd {ds.attrs['difference'][node.name]:.0e}")
    return "<br>".join(parts)


def shape_of(ds: Run, node: Node) -> str:
    """A node's shape in words: '16 × 10', or 'one number'."""
    return " × ".join(str(ds.sizes[dim]) for dim in node.dims) or "one number"
