"""The plain network and its residual twin as a diagram: a box for each layer, an arc for each skip connection."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.diagram import Node, Part, Wire, chain, diagram
from goldviz.figures.reading import depth_of, networks
from goldviz.figures.theme import style_of
from goldviz.labs.depth_gradients.figures.quantities import COLOURS, figure


def parts_of(ds: Run) -> list[Part]:
    """Layers 0 to the depth, and the read-out, of every network of a run.

    A read-out that is tied to the input matrix has no matrix of its own, and so no numbers.
    """
    return [_part(network, depth_of(ds), int(ds["layer"].max())) for network in networks(ds)]


def _part(network: str, depth: int, last: int) -> Part:
    style = style_of(network)
    layers = [_layer(layer) for layer in range(depth + 1)]
    read_out = Node(
        "out",
        "read-out" if last > depth else "read-out, tied to the input layer",
        depth + 1,
        kind="layer" if last > depth else "end",
        at={"layer": depth + 1} if last > depth else {},
    )
    skips = [Wire(layer - 1, layer, "skip") for layer in range(1, depth + 1)] if network == "residual" else []
    nodes = [*layers, read_out]
    return Part(style.heading, nodes, [*chain(nodes), *skips], network, style.colour)


def _layer(layer: int) -> Node:
    if layer == 0:
        return Node("in", "input layer", 0, at={"layer": 0, "hidden": 0})
    return Node(str(layer), f"layer {layer}", layer, at={"layer": layer, "hidden": layer, "block": layer})


network = diagram(
    figure,
    parts_of,
    COLOURS,
    question="Where in the network?",
    shows="Both networks layer by layer. Choose a layer: other figures mark it.",
)
