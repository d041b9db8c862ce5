"""Attention between networks: the page's figures, one row by hand, a sentence of one's own, and document 004, 3.2."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from goldviz.diagnostics.findings.rule import filled
from goldviz.figures.theme import style_of
from goldviz.labs.attention_interface import LAB
from goldviz.labs.attention_interface.figures import own_sentence
from goldviz.labs.attention_interface.measures import Reading, RowByHand, row_by_hand, words_written
from goldviz.labs.attention_interface.settings import AttentionInterface, trained_networks
from goldviz.ui.pages.laboratory import LaboratoryPage, words_beside
from goldviz.ui.panels.ask import Ask
from goldviz.ui.panels.beam import answers_table, sentence_and_width
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import drawn_figure
from goldviz.ui.panels.parts import Part

if TYPE_CHECKING:
    from goldviz.labs.attention_interface.translating import Translation
    from goldviz.runs.jobs.kept_weights import KeptWeights

SCORE = {
    "additive": r"e_{ij} = v^\top \tanh(W s_{i-1} + U h_j)",
    "dot": r"e_{ij} = s_{i-1}^\top h_j",
    "general": r"e_{ij} = s_{i-1}^\top W h_j",
}
NUMBERS = (
    "In this run, at its last count, {right:.1%} of the unseen answers are right. The largest weight is on the word "
    "itself for {on_word:.1%} of the words, and on it or one beside it for {near_word:.1%}."
)
HEADINGS = ("read", "h<sub>j</sub>", "e<sub>ij</sub>", "exp(e<sub>ij</sub> − max)", "α<sub>ij</sub>")
SENTENCES = {
    "reversal": ("a b c d e f", "letters with blanks between them"),
    "sorting": ("d a c b", "letters with blanks between them"),
    "phrases": ("area economic european", "each noun before its adjectives, with and, of, with or for between phrases"),
    "dates": ("Monday, 3 September 2001", "a date in words or numbers"),
}


def why(lane: Lane[AttentionInterface], draw: Callable[[str], None]) -> None:
    """Document 004, section 3.2, with the run's own numbers."""
    with words_beside(draw, "peaks"):
        st.markdown(
            "One network reads: each word j gets a state $h_j$. Another writes, word by word (document 004, 3.2). "
            "Before it writes word i, it scores its state $s_{i-1}$ against each $h_j$:"
        )
        st.latex(SCORE[lane.settings.score])
        st.markdown("Softmax makes weights of the scores. What is looked at is the states' mean by these weights:")
        st.latex(r"\alpha_{ij} = \frac{\exp e_{ij}}{\sum_k \exp e_{ik}}, \qquad c_i = \sum_j \alpha_{ij} h_j")
        st.markdown("The writer goes on from the word before and from what it looked at (Bahdanau et al. 2015):")
        st.latex(r"s_i = \mathrm{GRU}([y_{i-1}, c_i],\, s_{i-1})")
        if lane.dataset.sizes.get("close_look") and "attention" in trained_networks(lane.settings.networks):
            st.markdown(filled(NUMBERS, Reading.of(lane.dataset, "attention", lane.settings)))
        st.caption(
            "A state holds its word and what was read around it. So a look at the word beside it can serve as well, "
            "and a large weight is no proof that two words correspond."
        )


def by_hand(lane: Lane[AttentionInterface], step: int | None) -> None:
    """A slider over the words written, and the row of the one that is chosen."""
    run = lane.dataset
    words = words_written(run)
    if not words:
        st.caption("This run has no attention. Choose *With attention* under *Networks*.")
        return
    key = f"interface-row-{lane.settings.name}-{len(words)}"
    label = st.select_slider("Word to be written", words, key=key, persist_state="session")
    row = row_by_hand(run, step, words.index(label))
    st.markdown(f"Before it writes “{html.escape(row.word)}”, the writer's state begins {_vector(row.state)}.")
    st.html(_table(row))
    st.caption(
        f"The exponentials add up to {row.total:.4f}; each one over that sum is a weight, and the weights add up to 1. "
        f"Of each state the first {len(row.state)} numbers stand here. Step {row.step:,}."
    )


def _vector(numbers: tuple[float, ...]) -> str:
    return f"({', '.join(f'{number:.2f}'.replace('-', '−') for number in numbers)}, …)"


def _table(row: RowByHand) -> str:
    """The row as a table; the largest weight in bold."""
    heads = "".join(f"<th style='text-align:right;padding:2px 10px'>{heading}</th>" for heading in HEADINGS)
    most = max(one.weight for one in row.words)
    lines = []
    for one in row.words:
        weight = f"<b>{one.weight:.3f}</b>" if one.weight == most else f"{one.weight:.3f}"
        score = f"{one.score:.3f}".replace("-", "−")
        cells = (html.escape(one.word), _vector(one.state), score, f"{one.exponential:.4f}", weight)
        lines.append("".join(f"<td style='text-align:right;padding:2px 10px'>{cell}</td>" for cell in cells))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<div style='overflow-x:auto'><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"


def _sentence(lane: Lane[AttentionInterface]) -> tuple[str, int]:
    example, hint = SENTENCES[lane.settings.task]
    return sentence_and_width("interface", lane.settings.task, example, f"Write {hint}.")


def _show_translation(lane: Lane[AttentionInterface], translation: Translation, weights: KeptWeights) -> None:
    """Greedy and beam answers of each network, and where the one with attention looked for its greedy answer."""
    for name, greedy in translation.greedy.items():
        with st.container(border=True):
            table = answers_table(greedy, translation.beam[name])
            st.html(f"<b>{html.escape(style_of(name).heading)}</b>{table}")
    st.caption(f"The percentage is the probability of the whole answer. Weights of step {weights.step:,}.")
    if "attention" not in translation.greedy:
        return
    answer = translation.greedy["attention"]
    drawn_figure(
        own_sentence,
        translation.source,
        (*answer.words, "end") if answer.ended else answer.words,
        answer.weights,
        key=f"interface-own-{lane.id}",
        subject=f"{lane.id} {weights.step} {' '.join(translation.source)}",
    )


ASK = Ask(
    "interface",
    does="translates your sentence here",
    button="Translate",
    icon=":material/translate:",
    working="Translating",
    asked=_sentence,
    answer="translating.translate",
    show_answer=_show_translation,
)


PAGE = LaboratoryPage(
    LAB,
    main="alignment",
    beside="by_length",
    below="lines",
    why=why,
    parts=(
        Part("by-hand", "One row by hand", by_hand),
        Part("sentence", "Your own sentence", ASK.show, shows=lambda settings: True),
    ),
)
