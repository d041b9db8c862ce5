"""A sentence of one's own: what the network writes, greedily and by beam, and what each step of writing sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from goldviz.labs.translation_transformer.figures import one_step
from goldviz.labs.translation_transformer.settings import TranslationTransformer
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.panels import background
from goldviz.ui.panels.beam import answer_row, beam_width
from goldviz.ui.panels.kept_weights import kept_weights, offer_weights
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import live_figure
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now
from goldviz.ui.words import plain

if TYPE_CHECKING:
    from goldviz.labs.translation_transformer.writing import Answer, Writing
    from goldviz.runs.jobs.kept_weights import KeptWeights

SENTENCES = {
    "reversal": ("a b c d e", "Write letters with blanks between them."),
    "sorting": ("d a c b", "Write letters with blanks between them."),
    "phrases": ("area economic european", "Write each noun before its adjectives, and links between phrases."),
    "dates": ("Monday, 3 September 2001", "Write a date in words or numbers."),
}
ASKED = "transformer-asked"
"""In the session state: whether the visitor wants sentences answered."""


def show(lane: Lane[TranslationTransformer], step: int | None) -> None:
    """The text box of a run that has kept its weights."""
    weights = kept_weights(lane, step)
    if weights is None:
        offer_weights(lane, "answers your sentence here, word by word")
        return
    is_generated = lane.settings.corpus == "generated"
    example, how = SENTENCES[lane.settings.task] if is_generated else ("", "Write a sentence as those of your pairs.")
    key = f"transformer-{lane.settings.task if is_generated else lane.settings.corpus}"
    sentence = st.text_input(
        "Sentence", example, key=f"{key}-sentence", max_chars=20_000, persist_state="session", help=how
    )
    width = beam_width("transformer-beam")
    st.button(
        "Write",
        type="primary",
        icon=":material/edit:",
        key="transformer-go",
        on_click=lambda: st.session_state.update({ASKED: True}),
    )
    if not st.session_state.get(ASKED):
        return
    writing = background.answer(_task(weights, sentence, width))
    if writing is None:
        return
    _show_answers(writing, weights)
    _show_step(lane, writing, weights)


def _task(weights: KeptWeights, sentence: str, width: int) -> Task[Writing]:
    from goldviz.labs.translation_transformer.writing import write

    return Task.of_arguments("translation-transformer", write, (weights, sentence, width), "Writing", 0.3)


def _show_answers(writing: Writing, weights: KeptWeights) -> None:
    """The greedy answer and those of the beam with their probabilities."""
    lines = [_line("greedy", writing.greedy)]
    lines += [_line(f"beam {place}", one) for place, one in enumerate(writing.beam, start=1)]
    st.html(f"<div style='overflow-x:auto'><table>{''.join(lines)}</table></div>")
    st.caption(f"The percentage is the probability of the whole answer. Weights of step {weights.step:,}.")


def _line(way: str, answer: Answer) -> str:
    return answer_row(way, answer.words, answer.probability, ended=answer.ended)


def _show_step(lane: Lane[TranslationTransformer], writing: Writing, weights: KeptWeights) -> None:
    """One step of the greedy answer: what it sees, and which words it holds likely."""
    steps = len(writing.told)
    place = 1
    if steps > 1:
        place = st.slider("Step of writing", 1, steps, 1, key=f"transformer-step-{steps}", persist_state="session")
    theme = theme_now()
    subject = f"{lane.id} {weights.step} {' '.join(writing.source)} {place}"
    figure = services.figure_json(
        (one_step.name, subject, theme),
        lambda: one_step.draw(writing.source, writing.told, writing.own, writing.cross, step=place - 1, theme=theme),
    )
    live_figure(
        figure,
        key=f"transformer-step-{lane.id}",
        subject=subject,
        description=one_step.description,
    )
    candidates = ", ".join(f"**{plain(word)}** {share:.1%}" for word, share in writing.candidates[place - 1])
    st.markdown(f"The next word: {candidates}.")
