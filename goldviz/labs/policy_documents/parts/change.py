"""What changed from one document to the next, in words and in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import pandas as pd
import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.data.texts.dated_texts import DatedText
from goldviz.figures.market import shortened
from goldviz.labs.policy_documents import compute
from goldviz.labs.policy_documents.documents.difference import Passage, share_changed
from goldviz.labs.policy_documents.documents.vectors import left_to_encode
from goldviz.labs.policy_documents.figures import FIGURES
from goldviz.labs.policy_documents.measures import DocumentRead, effects_of
from goldviz.labs.policy_documents.parts import panel as policy_panel
from goldviz.labs.policy_documents.parts.difference import show_difference
from goldviz.labs.policy_documents.parts.tables import show_tones
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.plurals import how_many
from goldviz.runs.jobs.jobs import Task
from goldviz.text_models import text_model
from goldviz.ui.panels import background
from goldviz.ui.panels.live_figure import live_figure
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now
from goldviz.ui.words import duration, plain

LONGEST_CELL = 160
AT_ONCE_SECONDS = 1.5


def show(settings: PolicyDocuments, dataset: Run) -> None:
    """The words that changed since the document before of the same kind, and what each change did."""
    documents = settings.texts()
    number = min(settings.document, len(documents.texts)) - 1
    pair = compute.compared_texts(documents, number)
    if pair is None:
        st.markdown(
            f"**{plain(documents.texts[number].title)}** is the first document of its kind: nothing is before it."
        )
        _whole_text(documents.texts[number])
        return
    before, after = pair
    passages = compute.passages_between(before.text, after.text)
    changes = [place for place, part in enumerate(passages) if part.changed]
    calls = {place: count for count, place in enumerate(changes, start=1)}
    st.markdown(f"**What changed from {plain(before.title)} to {plain(after.title)}?**")
    st.markdown(_summary(dataset, number, passages))
    if not changes:
        _whole_text(after)
        return
    show_difference(before.text, after.text, passages, calls)
    st.caption("Underlined: new. Struck through: gone. Numbers: how figure and table call a change.")
    if any(part.changed and not part.compared for part in passages):
        st.caption("Some stretches are too long and too unlike to be compared word by word; each counts as one change.")
    places = compute.measured_passages(passages)
    effects = _effects(settings)
    if effects is not None:
        _draw(settings, effects, [calls[place] for place in places], before, after, [passages[p] for p in places])
        if len(places) < len(changes):
            st.caption(f"The {len(places)} longest of {len(changes)} changes are measured.")
    _whole_text(after)


def _summary(dataset: Run, number: int, passages: Sequence[Passage]) -> str:
    document = DocumentRead.at(dataset, number)
    count = sum(part.changed for part in passages)
    words = (
        f"{how_many(count, 'passage')}: {share_changed(passages):.0%} of the words changed. The meaning "
        f"moved by {document.change:.3g} (1 − cos)"
    )
    before, after = document.tones
    if isfinite(before) and isfinite(after):
        words += f". The tone went from {before:+.2f} to {after:+.2f}".replace("-", "−")
    return plain(f"{words}.")


def _effects(settings: PolicyDocuments) -> Run | None:
    """What each change did: at once where that is quick or was done before, else once the visitor asks for it."""
    model = text_model(settings.model)
    left = left_to_encode(model, compute.texts_of_change(settings))
    seconds = policy_panel.seconds_for(settings.model, left)
    key = f"policy-change-{model.fingerprint}-{settings.documents}-{settings.document}-{settings.pooling}"
    task = Task(
        key,
        compute.measure_change,
        (settings.model_dump_json(),),
        "Measuring what each change does",
        seconds if left else 0.0,
    )
    if (
        seconds > AT_ONCE_SECONDS
        and left
        and background.job(key) is None
        and not st.button(
            f"Measure what each change does (about {duration(seconds)})",
            key="measure-changes",
            icon=":material/science:",
        )
    ):
        return None
    return background.made(task)


def _draw(
    settings: PolicyDocuments,
    effects: Run,
    calls: list[int],
    before: DatedText,
    after: DatedText,
    passages: Sequence[Passage],
) -> None:
    """The figure and the table of the changes' effects."""
    old = [before.text[slice(*part.before)] for part in passages]
    new = [after.text[slice(*part.after)] for part in passages]
    labels = [
        _cut(f"{before} → {came}" if before and came else came or f"gone: {before}", 70)
        for before, came in zip(old, new, strict=True)
    ]
    spec, theme = FIGURES["effects"], theme_now()
    key = ("policy-documents", "effects", theme, settings.model, settings.pooling, before.name, after.name)
    text = services.figure_json(key, lambda: spec.draw(effects, numbers=calls, words=labels, theme=theme))
    live_figure(text, key="effects-policy-documents", subject=str(key), description=spec.description)
    if spec.limits:
        st.caption(spec.limits)
    tones, distances = effects_of(effects)
    table = pd.DataFrame(
        {
            "Change": calls,
            "Was": [_cut(words) for words in old],
            "Is": [_cut(words) for words in new],
            "Tone": tones,
            "1 − cos": distances,
        }
    )
    show_tones(
        table,
        {
            "Change": st.column_config.NumberColumn(pinned=True, width="small"),
            "Was": st.column_config.TextColumn(width="medium"),
            "Is": st.column_config.TextColumn(width="medium"),
            "Tone": st.column_config.NumberColumn(format="%+.3f", help="How much this change alone raised the tone."),
            "1 − cos": st.column_config.NumberColumn(format="%.4f", help="How far this change alone moved the vector."),
        },
    )


def _cut(words: str, most: int = LONGEST_CELL) -> str:
    return shortened(" ".join(words.split()), most)


def _whole_text(text: DatedText) -> None:
    with st.expander(f"The text of {plain(text.title)}"):
        st.code(text.text, language=None, wrap_lines=True, height=400)
