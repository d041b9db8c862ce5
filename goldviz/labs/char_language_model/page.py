"""Character language models: the page's figures, what a hidden place sees, and the equations with a run's numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from goldviz.diagnostics.findings import median, networks
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import ways
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.char_language_model import LAB
from goldviz.labs.char_language_model.figures import in_all_units
from goldviz.labs.char_language_model.measures import Reading, growth
from goldviz.labs.char_language_model.settings import BENGIOS, LAYERED, CharLanguageModel
from goldviz.labs.char_language_model.sizes import hidden_layers
from goldviz.ui.pages.laboratory import LaboratoryPage, notes_on_text
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import live_figure
from goldviz.ui.panels.parts import Part
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now

Node = tuple[int, int]
"""(layer, place), both from 0; layer 0 are the characters."""


@dataclass(frozen=True)
class Tree:
    """How many places each layer has, the context's characters first; each place joins neighbours of those below."""

    places: tuple[int, ...]

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
        layer, place = node
        wide = [count // self.places[layer] for count in self.places[: layer + 1]]
        return {(level, one) for level, one in self.nodes if level <= layer and one // wide[level] == place}

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


def why(lane: Lane[CharLanguageModel], draw: Callable[[str], None]) -> None:
    """Document 002, 1.1 to 1.5, with the run's own losses, and the width of its signals."""
    words, figure = st.columns([2, 3])
    with words:
        st.markdown("Before anything is learned all V symbols are alike, so the first loss should be (002, 1.3.2)")
        st.latex(r"-\ln \tfrac{1}{V} = \ln V")
        st.markdown(_losses(lane))
        st.markdown("A hidden layer reads embeddings and squashes their weighted sum (1.3):")
        st.latex(r"h = \tanh(x W_1 + b_1)")
        st.latex(r"P = \mathrm{softmax}(h W_2 + b_2)")
        if lane.settings.model in BENGIOS:
            st.markdown(_growth(lane))
        st.markdown("On the way back each unit multiplies by its slope, $1 - h^2$: nothing passes where |h| is near 1.")
        st.markdown("Kaiming's start keeps the width of signals, batch norm makes it (1.3.2):")
        st.latex(r"W \sim \mathcal{N}(0, 1) \cdot \frac{5/3}{\sqrt{n}}")
        st.latex(r"y = \gamma \, \frac{z - \mu_B}{\sqrt{\sigma_B^2 + \varepsilon}} + \beta")
        st.caption(
            "The document says that 5/3 keeps the outputs' variance at 1. No tanh can do that: through many layers "
            "their spread settles at 0.651. The gain that keeps the variance of the *sums* at 1 is 1.5925."
        )
    with figure:
        draw("spread_by_depth" if lane.settings.model in LAYERED else "table")
        if lane.settings.model in BENGIOS:
            draw("parameters")


def _losses(lane: Lane[CharLanguageModel]) -> str:
    """The run's first loss and its dev loss, beside those of simple guesses."""
    settings, ds = lane.settings, lane.dataset
    if "loss" not in ds or not ds.sizes.get("step") or "uniform_loss" not in ds:
        return "The run's numbers appear here with its first step."
    [n] = (Reading.of(ds, network, settings) for network in networks(ds))
    lines = [
        f"- all alike: {in_all_units(median(n.uniform))}",
        f"- this run's first loss: **{median(n.began):.3f}** nat",
    ]
    if "unigram_dev_loss" in ds:
        lines.append(f"- single characters: {_or_infinite(median(n.letters))}")
    if "bigram_dev_loss" in ds:
        lines.append(f"- counted pairs: {_or_infinite(median(n.pairs))}")
    if ds.sizes.get("close_look") and "dev_loss" in ds:
        lines.append(f"- this run on dev text: **{_or_infinite(median(n.dev))}**")
    return "\n".join(lines)


def _growth(lane: Lane[CharLanguageModel]) -> str:
    """How a network and a table of counts grow."""
    symbols = lane.dataset.sizes.get("symbol", 0)
    if not symbols:
        return ""
    n = growth(lane.settings, symbols)
    return (
        f"Counting every context takes {n.cells:,} cells, and {symbols} times as many for one character more. "
        f"This network grows by {n.by_character:,} weights for that, and by {n.by_symbol:,} for one symbol (1.3.1)."
    )


def _or_infinite(loss: float) -> str:
    return in_all_units(loss) if math.isfinite(loss) else "infinite"


def explore(lane: Lane[CharLanguageModel], step: int | None) -> None:
    """Choose a hidden place, and see which characters it sees."""
    settings = lane.settings
    if settings.model != "wavenet":
        st.caption("A place sees few characters in a hierarchy alone: set Model to it and train.")
        return
    tree = Tree(tuple(settings.context >> layer for layer in range(hidden_layers(settings) + 1)))
    top = len(tree.places) - 1
    left, right = st.columns(2)
    layer = (
        left.select_slider(
            "Layer", range(1, top + 1), value=max(1, top - 1), key=f"layer-{top}", persist_state="session"
        )
        if top > 1
        else top
    )
    count = tree.places[layer]
    key = f"place-{count}-{layer}"
    place = right.select_slider("Place", range(1, count + 1), key=key, persist_state="session") if count > 1 else 1
    node, theme = (layer, place - 1), theme_now()
    figure = services.figure_json(("reach", tree, node, theme), lambda: reach.draw(tree, node=node, theme=theme))
    live_figure(figure, key=f"reach-{lane.id}", subject=f"{tree} {node}", description=reach.description)
    st.caption(
        "It is a causal convolution of two taps, 1, 2, 4 ... places apart (dilated), worked out for the end alone."
    )


PAGE = LaboratoryPage(
    LAB,
    main="samples",
    beside="loss",
    why=why,
    verdict=notes_on_text,
    parts=(Part("sees", "What does a place see?", explore, shows=lambda settings: settings.model == "wavenet"),),
)
