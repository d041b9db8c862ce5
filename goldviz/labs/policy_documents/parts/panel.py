"""Which documents the page *Policy documents* reads and by which model.

What is shown is always encoded already. What a visitor asks for is encoded by a worker where that takes a while; until
then the page shows what it showed.
"""

from __future__ import annotations

from typing import cast

import streamlit as st

from goldviz.data.markets.release_words import release_words
from goldviz.data.texts.dated_texts import DatedText, DatedTexts
from goldviz.data.texts.kept_documents import documents_at_hand
from goldviz.declare.instant import Instant
from goldviz.declare.text_models import SHIPPED
from goldviz.labs.policy_documents.documents.vectors import estimated_operations, left_to_encode
from goldviz.labs.policy_documents.parts import upload as policy_upload
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.plurals import how_many
from goldviz.text_models import text_model
from goldviz.ui import visitors_data
from goldviz.ui.panels import controls
from goldviz.ui.texts import model_dialog as text_model_dialog
from goldviz.ui.words import plain

ASKED = "policy-documents-asked"
"""In the session state: which dialog is to be opened."""
OPERATIONS_PER_SECOND = 8e9
"""What one thread multiplies; measured on a slow core, so that an estimate is rather too long."""
NOTES_IN_SIGHT = 3
OF_THE_SHIPPED_MODEL = "It is small and has read generated texts alone; for real documents choose a FinBERT."


def show(settings: PolicyDocuments) -> None:
    """The line of the documents and their model, buttons to change them, and a way back from what is not encoded."""
    documents = settings.texts()
    with st.container(border=True, key="documents"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(described(documents), width="stretch")
            st.button(
                "Change documents",
                icon=":material/upload_file:",
                key="change-documents",
                on_click=_open,
                args=("documents",),
            )
            st.button("Change model", icon=":material/psychology:", key="change-model", on_click=_open, args=("model",))
        model = text_model(settings.model)
        about = " ".join([*([OF_THE_SHIPPED_MODEL] if settings.model == SHIPPED else []), *dict(model.notes).values()])
        st.caption(f":material/psychology: Read by {plain(model.name)}. {plain(about)}")
        for note in documents.notes[:NOTES_IN_SIGHT]:
            st.caption(f":material/info: {plain(note)}")
        left = documents.notes[NOTES_IN_SIGHT:]
        if left:
            with st.expander(f"{len(left)} more notes on these files"):
                for note in left:
                    st.caption(plain(note))
        text_model_dialog.show_download(_use_model)
        _way_back(settings)
    dialog = st.session_state.pop(ASKED, None)
    if dialog == "documents":
        policy_upload.ask(_use_documents)
    elif dialog == "model":
        text_model_dialog.ask(_use_model)


def described(documents: DatedTexts) -> str:
    """Documents in a line of Markdown: where they are from, how many, from when to when, and when they were out."""
    icon = ":material/casino:" if documents.generated else ":material/description:"
    count = len(documents.texts)
    kinds = ", ".join(
        f"{sum(text.kind == kind for text in documents.texts)} {kind or 'without a kind'}" for kind in documents.kinds
    )
    return (
        f"{icon} **{plain(documents.origin)}**: {how_many(count, 'document')} ({plain(kinds)}), "
        f"{documents.texts[0].about} to {documents.texts[-1].about}, out at "
        f"{plain(release_words(documents.release))} on their days of release."
    )


def seconds_for(model: str, texts: list[DatedText]) -> float:
    """About how long the encoding of texts takes. Raises as the model does."""
    return estimated_operations(text_model(model), texts) / OPERATIONS_PER_SECOND


def seconds_to_compute(settings: Instant) -> float:
    """About how long it takes to encode what is not encoded of the settings' documents; nothing where all is there, or
    there are no such documents or models, as the page will say."""
    choices = cast(PolicyDocuments, settings)
    try:
        left = left_to_encode(text_model(choices.model), documents_at_hand(choices.documents).texts)
    except ValueError:
        return 0.0
    return seconds_for(choices.model, left) if left else 0.0


def _open(what: str) -> None:
    st.session_state[ASKED] = what


def _use_documents(name: str) -> None:
    if name != st.session_state[_key("documents")]:
        st.session_state[_key("document")] = PolicyDocuments().document
    st.session_state[_key("documents")] = name


def _use_model(name: str) -> None:
    st.session_state[_key("model")] = name
    visitors_data.bring_text_model(name)


def _key(name: str) -> str:
    return controls.key_of(PolicyDocuments, name)


def _way_back(settings: PolicyDocuments) -> None:
    """Where others are asked for than those in view: a button that leaves them."""
    if (settings.documents, settings.model) != tuple(st.session_state[_key(name)] for name in ("documents", "model")):
        st.button("Leave what is not encoded", key="encode-not", on_click=_leave, args=(settings,))


def _leave(settings: PolicyDocuments) -> None:
    for name in ("documents", "document"):
        st.session_state[_key(name)] = getattr(settings, name)
    _use_model(settings.model)
