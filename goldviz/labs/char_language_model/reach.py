"""The tree of a model of characters: which of the context's characters a hidden place sees."""

from __future__ import annotations

from dataclasses import dataclass

from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import ways
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme

Node = tuple[int, int]
"""(layer, place), both from 0; layer 0 are the characters."""


@dataclass(frozen=True)
class Tree:
    """How many places each layer has, the context's characters first; each place joins neighbours of those below."""

    places: tuple[int, ...]

    @classmethod
    def of(cls, model: str, context: int, layers: int) -> Tree:
        """The tree of a hierarchy, which joins two at a time, or of a network that takes all at once.

        >>> Tree.of("wavenet", 8, 3).places, Tree.of("deep_mlp", 3, 2).places
        ((8, 4, 2, 1), (3, 1, 1))
        """
        if model == "wavenet":
            return cls(tuple(context >> layer for layer in range(layers + 1)))
        return cls((context, *[1] * layers))

    def below(self, node: Node) -> list[Node]:
        """The places that a place joins."""
        layer, place = node
        neighbours = self.places[layer - 1] // self.places[layer] if layer else 0
        return [(layer - 1, place * neighbours + number) for number in range(neighbours)]

    def seen(self, node: Node) -> set[Node]:
        """A place with all below it that it hangs on.

        >>> sorted(Tree((4, 2, 1)).seen((1, 1)))
        [(0, 2), (0, 3), (1, 1)]
        """
        places = {node}
        for one in self.below(node):
            places |= self.seen(one)
        return places

    @property
    def nodes(self) -> list[Node]:
        """All places, layer by layer."""
        return [(layer, place) for layer, count in enumerate(self.places) for place in range(count)]

    def at(self, node: Node) -> tuple[float, float]:
        """Where a place is drawn: in the middle of the characters that it sees."""
        layer, place = node
        width = self.places[0] / self.places[layer]
        return (place + 0.5) * width + 0.5, float(layer)

    def edges(self, nodes: list[Node]) -> list[list[tuple[float, float]]]:
        """Lines from places to those that they join."""
        return [[self.at(node), self.at(below)] for node in nodes for below in self.below(node)]


@drawn(
    "Which characters does a hidden place see?",
    name="reach",
    shows="The places of every layer; gold: what the chosen one sees.",
)
def reach(tree: Tree, *, node: Node, theme: Theme = "light") -> Figure:
    """The tree with the receptive field of one place lit; on hover every place says which characters it sees."""
    ink, lit = INKS[theme], tree.seen(node)
    figure = Figure()
    for colour, width, lines in ((ink.gap, 1, False), (ink.accent, 4, True)):
        edges = ways(tree.edges([one for one in tree.nodes if (one in lit) == lines]))
        figure.scatter(**edges, mode="lines", line={"color": colour, "width": width}, hoverinfo="skip")
    places = [tree.at(one) for one in tree.nodes]
    figure.scatter(
        x=[x for x, _ in places],
        y=[y for _, y in places],
        mode="markers",
        marker={
            "size": 18,
            "color": [ink.accent if one in lit else ink.grid for one in tree.nodes],
            "symbol": ["square" if one[0] == 0 else "circle" for one in tree.nodes],
            "line": {"color": ink.text, "width": 1},
        },
        text=[_said(tree, one) for one in tree.nodes],
        hovertemplate="%{text}<extra></extra>",
    )
    look.apply(
        figure,
        theme,
        title="Which characters does it see?",
        notes=[_said(tree, node) + "."],
        legend=False,
        height=330,
        hover="closest",
    )
    names = ["characters", *(f"hidden {layer}" for layer in range(1, len(tree.places)))]
    figure.update_yaxes(
        tickvals=list(range(len(names))), ticktext=names, showgrid=False, range=[-0.4, len(names) - 0.6]
    )
    return figure.update_xaxes(
        title_text="Place in the context, the next character's neighbour last",
        showgrid=False,
        range=[0.4, tree.places[0] + 0.6],
        dtick=1,
    )


def _said(tree: Tree, node: Node) -> str:
    """Which characters a place sees, in words.

    >>> _said(Tree((4, 2, 1)), (1, 1)), _said(Tree((2, 1)), (0, 0))
    ('Layer 1, place 2 sees characters 3 to 4', 'Character 1')
    """
    layer, place = node
    if layer == 0:
        return f"Character {place + 1}"
    characters = [one for level, one in tree.seen(node) if level == 0]
    return f"Layer {layer}, place {place + 1} sees characters {min(characters) + 1} to {max(characters) + 1}"
