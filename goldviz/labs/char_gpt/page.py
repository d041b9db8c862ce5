"""Character GPT: the page's figures, a text box that the trained network completes, and document 002, section 3."""

from __future__ import annotations

import math
from collections.abc import Callable

import streamlit as st

from goldviz.diagnostics.findings import median
from goldviz.labs.char_gpt import LAB
from goldviz.labs.char_gpt.measures import Reading
from goldviz.labs.char_gpt.parts import completion
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.ui.pages.laboratory import LaboratoryPage, notes_on_text, words_beside
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.parts import Part


def why(lane: Lane[CharGpt], draw: Callable[[str], None]) -> None:
    """Document 002, section 3, with the run's own numbers."""
    with words_beside(draw, "stream"):
        st.markdown("Each place looks at itself and at what stands before it, never ahead (document 002, 3.3):")
        st.latex(r"O = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt H} + \text{mask}\right) V")
        st.markdown("$n$ blocks each add to what comes in (3.6). Then the token table scores every next token (3.2):")
        st.latex(r"h \leftarrow h + \tfrac{1}{\sqrt{2n}}\, f(\mathrm{LN}\, h)")
        st.latex(r"\text{logits} = \mathrm{LN}(h)\, E^\top")
        st.markdown("The loss is the mean over all places. Times tokens a byte, over ln 2, it is bits a byte:")
        st.latex(r"\mathcal L = -\frac{1}{BT} \sum \log p(x_{t+1} \mid x_1 \dots x_t)")
        st.markdown(_numbers(lane))
        st.caption(
            "The document prints AdamW without bias correction: its first step would be 3.2 times as long "
            "(0.1 / √0.001). Here it is torch's, with it. The final layer norm, which the document does not list, is "
            "GPT-2's."
        )


def _numbers(lane: Lane[CharGpt]) -> str:
    """The equations' symbols in this run, and what was measured."""
    settings, ds = lane.settings, lane.dataset
    if "uniform_loss" not in ds or not ds.sizes.get("close_look"):
        return "The run's numbers appear here with its first look."
    n, head = Reading.of(ds, "gpt", settings), settings.width // settings.heads
    lines = [
        "In this run:",
        f"- $n = {settings.layers}$, $H = {settings.width} / {settings.heads} = {head}$, "
        f"{median(n.parameters):,.0f} parameters",
        f"- guessing all tokens alike costs $\\ln V = {median(n.uniform):.2f}$ nat; the first dev loss is "
        f"**{median(n.at_first):.2f}**{head_start(n)}",
        f"- this network now: **{median(n.dev):.2f}** nat = **{median(n.bits):.2f}** bits a byte",
    ]
    if "bigram_dev_loss" in ds:
        lines.append(
            f"- on the same text counted pairs: {median(n.pairs):.2f} nat; gzip: {median(n.gzip):.2f} bits a byte"
        )
    return "\n".join(lines)


def head_start(n: Reading) -> str:
    """Why a tied network's first loss is not ln V: its state holds the token's own vector, which reads it out."""
    if not math.isfinite(median(n.head_start)):
        return ""
    return (
        ". The table that reads tokens also scores the next one. So at first the token just read is favoured, by about "
        f"{median(n.head_start):.1f} nat, which is right where a text repeats"
    )


PAGE = LaboratoryPage(
    LAB,
    main="loss",
    beside="samples",
    why=why,
    verdict=notes_on_text,
    parts=(Part("complete", "Complete a text", completion.show, shows=lambda settings: True),),
)
