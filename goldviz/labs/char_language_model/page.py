"""Character language models: the page's figures, what a hidden place sees, and the equations with a run's numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

import streamlit as st

from goldviz.diagnostics.findings import median, networks
from goldviz.labs.char_language_model import LAB
from goldviz.labs.char_language_model.figures import in_all_units
from goldviz.labs.char_language_model.measures import Reading, growth
from goldviz.labs.char_language_model.reach import Tree, reach
from goldviz.labs.char_language_model.settings import BENGIOS, LAYERED, CharLanguageModel
from goldviz.labs.char_language_model.sizes import hidden_layers
from goldviz.ui.pages.laboratory import LaboratoryPage, notes_on_text
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import live_figure
from goldviz.ui.panels.parts import Part
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now


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
    tree = Tree.of(settings.model, settings.context, hidden_layers(settings))
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
    main="loss",
    beside="samples",
    why=why,
    verdict=notes_on_text,
    parts=(Part("sees", "What does a place see?", explore, shows=lambda settings: settings.model == "wavenet"),),
)
