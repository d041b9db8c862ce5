"""The model of characters as a diagram: its table, its hidden layers and its read-out."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.diagram import Node, Part, Wire, chain, diagram
from goldviz.figures.theme import style_of
from goldviz.labs.char_language_model.figures.quantities import COLOURS, figure


def parts_of(ds: Run) -> list[Part]:
    """The matrices of the run's model in their order."""
    name, style = str(ds["network"].values[0]), style_of(str(ds["network"].values[0]))
    nodes = [_node(str(layer), column) for column, layer in enumerate(ds["layer"].values)]
    return [Part(f"{style.label[0].upper()}{style.label[1:]}", nodes, _wires(nodes), name, style.colour)]


def _wires(nodes: list[Node]) -> list[Wire]:
    """From each layer to the next; direct connections lead from the embedding past the hidden layer to the output."""
    place = next((place for place, node in enumerate(nodes) if node.label == "direct"), None)
    if place is None:
        return chain(nodes)
    return [Wire(0, 1), Wire(1, len(nodes) - 1), Wire(0, place), Wire(place, len(nodes) - 1)]


def _node(layer: str, column: int) -> Node:
    kind, _, number = layer.partition(" ")
    if kind == "hidden" and number.isdigit():
        return Node(number, f"hidden layer {number}", column, at={"layer": layer, "hidden": int(number)})
    if layer == "direct":
        return Node(layer, "direct connections", 1, row=1, at={"layer": layer})
    # The state that a recurrent network hands on is its one hidden layer.
    state = {"hidden": 1} if layer == "recurrent" else {}
    return Node(layer, layer, column, at={"layer": layer, **state})


network = diagram(
    figure,
    parts_of,
    COLOURS,
    needs=("gradient_norm",),
    question="Where in the network?",
    shows="The model layer by layer. Choose one: other figures mark it.",
)
