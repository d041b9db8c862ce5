"""The GPT as a diagram: its tables, its blocks with what goes around them, and the read-out."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.diagram import Node, Part, Wire, chain, diagram
from goldviz.figures.theme import style_of
from goldviz.labs.char_gpt.figures.quantities import COLOURS, figure


def parts_of(ds: Run) -> list[Part]:
    """Tables, blocks and read-out of the run's network."""
    name = str(ds["network"].values[0])
    layers = [str(layer) for layer in ds["layer"].values]
    nodes = [_node(layer, column) for column, layer in enumerate(layers)]
    if layers[-1].startswith("block"):
        nodes.append(Node("out", "read-out, tied to the token table", len(layers), kind="end"))
    blocks = [at for at, layer in enumerate(layers) if layer.startswith("block")]
    skips = [Wire(at - 1, at, "skip") for at in blocks]
    return [Part(style_of(name).label, nodes, [*chain(nodes), *skips], name, style_of(name).colour)]


def _node(layer: str, column: int) -> Node:
    if not layer.startswith("block"):
        return Node(layer, layer, column, at={"layer": layer, "depth": 0} if column == 0 else {"layer": layer})
    number = int(layer.split()[1])
    return Node(str(number), layer, column, at={"layer": layer, "block_number": number, "depth": number})


network = diagram(
    figure,
    parts_of,
    COLOURS,
    noun="block",
    question="Where in the network?",
    shows="The network block by block. Choose one: other figures mark it.",
)
