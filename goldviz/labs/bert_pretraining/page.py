"""Pre-training and fine-tuning: the page's figures, a text of one's own, and the equations with a run's own numbers."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

import streamlit as st

from goldviz.diagnostics.findings import median
from goldviz.labs.bert_pretraining import LAB
from goldviz.labs.bert_pretraining.findings import pretraining_verdict
from goldviz.labs.bert_pretraining.measures import PretrainingReading, choices_left, head_width, torn_between
from goldviz.labs.bert_pretraining.settings import NEXT_SENTENCE, PERMUTATION, BertPretraining
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.words import plain


def open_model(lane: Lane[BertPretraining]) -> None:
    """The way into the trained model."""
    if lane.run is not None and lane.run.status == "finished":
        st.page_link(
            "pages/inside_bert.py",
            label="Look inside this model",
            icon=":material/frame_inspect:",
            query_params={"model": f"run:{lane.id}"},
        )


def why(lane: Lane[BertPretraining], draw: Callable[[str], None]) -> None:
    """Document 001, section 4.2.2, and the schedule of document 002, section 3.7, with this run's numbers."""
    with words_beside(draw, "heads"):
        _objective(lane)
        st.markdown("What stands elsewhere comes in by attention alone (section 4.1.2; here a row is a query):")
        st.latex(r"A = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right), \quad Z = A V")
        st.markdown("The rate warms up over $s_w$ steps and falls with a cosine (document 002, section 3.7):")
        st.latex(
            r"\eta_t = \eta_{\max} \begin{cases} t / s_w & t \le s_w \\ "
            r"\tfrac12 \left(1 + \cos \pi \tfrac{t - s_w}{T - s_w}\right) & t > s_w \end{cases}"
        )
        st.markdown(_numbers(lane))
        st.markdown(plain(pretraining_verdict(lane.dataset)))
        st.caption(
            "Fine-tuning puts a small layer on [CLS] and learns the tone from labelled texts. One run cannot tell what "
            "pre-training was worth: train the same settings without it in a lane beside. All texts but yours come "
            "from one generator, so no score here says how the network would fare on real statements."
        )


def _objective(lane: Lane[BertPretraining]) -> None:
    """The loss of pre-training, by what it asks for."""
    objective = lane.settings.objective if isinstance(lane.settings, BertPretraining) else "masked_words"
    if objective == PERMUTATION:
        st.markdown(
            "An order z of the pieces is drawn. The places M at its end are guessed one after another. Each is guessed "
            "from its position and what is earlier in the order (Yang and others 2019, eq. 5):"
        )
        st.latex(
            r"\mathcal{L} = -\frac{1}{|M|} \sum_{z_t \in M} \log p_\theta(x_{z_t} \mid x_{z_1}, \dots, "
            r"x_{z_{t-1}}, z_t)"
        )
        return
    st.markdown(
        "Some pieces are masked, and the network guesses their places M from the rest, x̃ (document 001, section 4.2.2; "
        "Devlin and others 2019):"
    )
    st.latex(r"\mathcal{L} = -\frac{1}{|M|} \sum_{i \in M} \log p_\theta(x_i \mid \tilde x)")
    if objective == NEXT_SENTENCE:
        st.markdown("To that it adds whether sentence B follows A, y = 0, or was drawn at random, y = 1:")
        st.latex(r"\mathcal{L}_{next} = -\log p_\theta(y \mid [CLS])")


def _numbers(lane: Lane[BertPretraining]) -> str:
    """The equations' symbols in this run, and what was measured."""
    settings, ds = lane.settings, lane.dataset
    if not isinstance(settings, BertPretraining) or not ds.sizes.get("look", 0):
        return "The run's numbers appear here with its first look."
    reading = PretrainingReading.of(ds)
    width, heads = int(ds.attrs.get("width", settings.width)), ds.sizes["head"]
    of_head = head_width(width, heads)
    lines = [
        "In this run:",
        f"- $V = {choices_left(reading.uniform):,.0f}$ pieces: guessing all alike costs "
        f"$\\ln V = {reading.uniform:.2f}$ nat, guessing by frequency {reading.unigram:.2f}",
        f"- $|M|$ is {100 * settings.masked_share:.0f} % of the pieces; $d_k = {width} / {heads} = {of_head}$",
    ]
    if settings.pretraining_steps:
        lines.append(
            f"- $\\eta_{{\\max}} = {settings.learning_rate:g}$, $s_w = {settings.warm_up_steps:.0f}$, "
            f"$T = {settings.pretraining_steps:,}$"
        )
    own = median(reading.words_unseen)
    if isfinite(own) and len(reading.word_losses):
        lines.append(f"- On unseen texts $\\mathcal{{L}} = {own:.2f}$: {torn_between(own, reading.uniform)}")
    return "\n".join(lines)


PAGE = LaboratoryPage(LAB, main="guesses", beside="attention", below="learning", why=why, verdict=open_model)
