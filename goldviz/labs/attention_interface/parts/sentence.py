"""A sentence of one's own: what the trained networks write for it, greedily and by beam, and where they look."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import streamlit as st

from goldviz.figures.theme import style_of
from goldviz.labs.attention_interface.figures import own_sentence
from goldviz.labs.attention_interface.settings import AttentionInterface
from goldviz.runs.jobs.jobs import Task
from goldviz.runs.jobs.kept_weights import KeptWeights
from goldviz.ui.panels import background
from goldviz.ui.panels.beam import answer_row, beam_width
from goldviz.ui.panels.kept_weights import kept_weights, offer_weights
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import live_figure
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now

if TYPE_CHECKING:
    from goldviz.labs.attention_interface.translating import Answer, Translation

SENTENCES = {
    "reversal": ("a b c d e f", "letters with blanks between them"),
    "sorting": ("d a c b", "letters with blanks between them"),
    "phrases": ("area economic european", "each noun before its adjectives, with and, of, with or for between phrases"),
    "dates": ("Monday, 3 September 2001", "a date in words or numbers"),
}
ASKED = "interface-asked"
"""In the session state: whether the visitor wants sentences translated."""


def show(lane: Lane[AttentionInterface], step: int | None) -> None:
    """The text box of a run that has kept its weights."""
    checkpoint = kept_weights(lane, step)
    if checkpoint is None:
        offer_weights(lane, "translates your sentence here")
        return
    example, hint = SENTENCES[lane.settings.task]
    key = f"interface-{lane.settings.task}"
    sentence = st.text_input(
        "Sentence", example, key=f"{key}-sentence", max_chars=20_000, persist_state="session", help=f"Write {hint}."
    )
    width = beam_width("interface-beam")
    st.button(
        "Translate",
        type="primary",
        icon=":material/translate:",
        key="interface-go",
        on_click=lambda: st.session_state.update({ASKED: True}),
    )
    if not st.session_state.get(ASKED):
        return
    translation = background.answer(_task(checkpoint, sentence, width))
    if translation is None:
        return
    _show_answers(translation, checkpoint)
    _draw(lane, translation, checkpoint)


def _task(checkpoint: KeptWeights, sentence: str, width: int) -> Task[Translation]:
    from goldviz.labs.attention_interface.translating import translate

    return Task.of_arguments("attention-interface", translate, (checkpoint, sentence, width), "Translating", 0.3)


def _show_answers(translation: Translation, checkpoint: KeptWeights) -> None:
    """Greedy and beam answers of each network with their probabilities."""
    for name, greedy in translation.greedy.items():
        lines = [_line("greedy", greedy)]
        lines += [_line(f"beam {place}", one) for place, one in enumerate(translation.beam[name], start=1)]
        with st.container(border=True):
            st.html(
                f"<b>{html.escape(style_of(name).heading)}</b><div style='overflow-x:auto'><table>"
                f"{''.join(lines)}</table></div>"
            )
    st.caption(f"The percentage is the probability of the whole answer. Weights of step {checkpoint.step:,}.")


def _line(way: str, answer: Answer) -> str:
    return answer_row(way, answer.words, answer.probability, ended=answer.ended)


def _draw(lane: Lane[AttentionInterface], translation: Translation, checkpoint: KeptWeights) -> None:
    """Where the network with attention looked for its greedy answer."""
    if "attention" not in translation.greedy:
        return
    answer, theme = translation.greedy["attention"], theme_now()
    target = (*answer.words, "end") if answer.ended else answer.words
    subject = f"{lane.id} {checkpoint.step} {' '.join(translation.source)}"
    figure = services.figure_json(
        (own_sentence.name, subject, theme),
        lambda: own_sentence.draw(translation.source, target, answer.weights, theme=theme),
    )
    live_figure(
        figure,
        key=f"interface-own-{lane.id}",
        subject=subject,
        description=own_sentence.description,
    )
