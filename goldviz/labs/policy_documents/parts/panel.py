"""Which documents the page *Policy documents* reads and by which model, and the encoding of new ones.

What is shown is always encoded already. What a visitor asks for waits aside, as what is *coming*, until a job in the
background has encoded it; then it takes the place of what was shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import streamlit as st

from goldviz.data.markets.text_channels import release_in_words
from goldviz.data.texts.dated_texts import DatedText, DatedTexts
from goldviz.declare.instant import Instant
from goldviz.declare.settings import SettingsError
from goldviz.declare.text_models import SHIPPED
from goldviz.labs.policy_documents.documents.kept import documents_at_hand
from goldviz.labs.policy_documents.encoding import estimated_operations, left_to_encode
from goldviz.labs.policy_documents.parts import upload as policy_upload
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.labs.policy_documents.tasks import encode_documents
from goldviz.runs.jobs.jobs import Task, TooManyJobsError
from goldviz.text_models import text_model
from goldviz.ui import chrome, visitors_data
from goldviz.ui.panels import background, controls
from goldviz.ui.texts import model_dialog as text_model_dialog
from goldviz.ui.words import plain

COMING = "policy-documents-coming"
"""In the session state: documents and model that are asked for and not shown yet."""
ASKED = "policy-documents-asked"
"""In the session state: which dialog is to be opened."""
OPERATIONS_PER_SECOND = 8e9
"""What one thread multiplies; measured on a slow core, so that an estimate is rather too long."""
AT_ONCE_SECONDS = background.WAITED_SECONDS
NOTES_IN_SIGHT = 3
OF_THE_SHIPPED_MODEL = "It is small and has read generated texts alone; for real documents choose a FinBERT."


@dataclass(frozen=True)
class Coming:
    """Documents and model by their names in settings."""

    documents: str
    model: str

    @property
    def job(self) -> str:
        """The key of the job that encodes them; everybody who asks for the same waits for the same."""
        return f"policy-documents-{self.model}-{self.documents}"


def prepare() -> None:
    """Before the page is drawn: set aside what a link asks for and is not encoded, and take over what is ready."""
    parameters = st.query_params.to_dict()
    controls.ensure(PolicyDocuments)
    arrives = f"arrived-{PolicyDocuments.name}" not in st.session_state or st.session_state.get(chrome.CHANGED)
    if arrives and {"documents", "model"} & set(parameters):
        settings, _ = controls.from_link(PolicyDocuments, parameters)
        visitors_data.bring_named(PolicyDocuments, settings, parameters)
        model = settings.model if "model" in parameters else visitors_data.text_model()
        if _ask_for(settings.documents, model):
            for name in ("documents", "model"):
                if name in parameters:
                    del st.query_params[name]
        elif model != settings.model:
            _put(Coming(settings.documents, model))
    elif arrives:
        _follow(visitors_data.text_model())
    coming = st.session_state.get(COMING)
    if coming is not None and not _left(coming.documents, coming.model):
        del st.session_state[COMING]
        background.forget(coming.job)
        _put(coming)


def _follow(model: str) -> None:
    """Read with the model that the visitor has chosen on another page."""
    if model != (st.session_state.get(COMING) or _shown()).model:
        _use_model(model)


def keep_link() -> None:
    """After the page is drawn: what is coming stays in the address, so that a reload still asks for it."""
    coming = st.session_state.get(COMING)
    if coming is not None:
        st.query_params.update({"documents": coming.documents, "model": coming.model})


def show(settings: PolicyDocuments) -> None:
    """The line of the documents and their model, buttons to change them, and the progress of what is coming."""
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
        about = " ".join([*([OF_THE_SHIPPED_MODEL] if settings.model == SHIPPED else []), *model.notes])
        st.caption(f":material/psychology: Read by {plain(model.name)}. {plain(about)}")
        for note in documents.notes[:NOTES_IN_SIGHT]:
            st.caption(f":material/info: {plain(note)}")
        left = documents.notes[NOTES_IN_SIGHT:]
        if left:
            with st.expander(f"{len(left)} more notes on these files"):
                for note in left:
                    st.caption(plain(note))
        text_model_dialog.show_download(_use_model)
        _progress()
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
        f"{icon} **{plain(documents.origin)}**: {count} document{'s' if count != 1 else ''} ({plain(kinds)}), "
        f"{documents.texts[0].about} to {documents.texts[-1].about}, out at "
        f"{plain(release_in_words(documents.release))} on their days of release."
    )


def seconds_for(model: str, texts: list[DatedText]) -> float:
    """About how long the encoding of texts takes. Raises as the model does."""
    return estimated_operations(text_model(model), texts) / OPERATIONS_PER_SECOND


def seconds_to_compute(settings: Instant) -> float:
    """About how long it takes to encode what is not encoded of the settings' documents; nothing where all is there."""
    documents = cast(PolicyDocuments, settings)
    left = _left(documents.documents, documents.model)
    return seconds_for(documents.model, left) if left else 0.0


def _open(what: str) -> None:
    st.session_state[ASKED] = what


def _use_documents(name: str) -> None:
    settings = st.session_state.get(COMING) or _shown()
    if not _ask_for(name, settings.model):
        _put(Coming(name, settings.model))


def _use_model(name: str) -> None:
    visitors_data.bring_text_model(name)
    settings = st.session_state.get(COMING) or _shown()
    if not _ask_for(settings.documents, name):
        _put(Coming(settings.documents, name))


def _shown() -> Coming:
    return Coming(*(st.session_state[controls.key_of(PolicyDocuments, name)] for name in ("documents", "model")))


def _put(coming: Coming) -> None:
    """Show these from now on, if settings may be so; what is not allowed is told by the page."""
    try:
        PolicyDocuments.checked({"documents": coming.documents, "model": coming.model})
    except SettingsError as error:
        st.session_state[REFUSED] = str(error)
        return
    if coming.documents != st.session_state.get(controls.key_of(PolicyDocuments, "documents"), "generated"):
        st.session_state[controls.key_of(PolicyDocuments, "document")] = PolicyDocuments().document
    for name, value in (("documents", coming.documents), ("model", coming.model)):
        st.session_state[controls.key_of(PolicyDocuments, name)] = value


REFUSED = "policy-documents-refused"
"""In the session state: why what was asked for cannot be shown."""


def _ask_for(documents: str, model: str) -> bool:
    """Begin to encode these where that takes a while; whether it does."""
    st.session_state.pop(COMING, None)
    left = _left(documents, model)
    if not left or seconds_for(model, left) <= AT_ONCE_SECONDS:
        return False
    coming = Coming(documents, model)
    st.session_state[COMING] = coming
    _start(coming)
    return True


def _left(documents: str, model: str) -> list[DatedText]:
    """The documents that are not encoded; none where there are no such documents or models, as the page will say."""
    try:
        return left_to_encode(text_model(model), documents_at_hand(documents).texts)
    except ValueError:
        return []


def _start(coming: Coming) -> None:
    documents = documents_at_hand(coming.documents)
    words = f"Encoding {len(documents.texts)} documents of {documents.origin}"
    seconds = seconds_for(coming.model, _left(coming.documents, coming.model))
    try:
        background.start(Task(coming.job, encode_documents, (coming.documents, coming.model), words, seconds))
    except TooManyJobsError as error:
        st.session_state[REFUSED] = str(error)


def _progress() -> None:
    """How far the encoding of what is coming is, and what to do where it was stopped."""
    complaint = st.session_state.pop(REFUSED, "")
    if complaint:
        st.error(plain(complaint), icon=":material/block:")
    coming = st.session_state.get(COMING)
    if coming is None:
        return
    job = background.show(coming.job)
    if job is not None and job.unfinished:
        st.caption("The figures below are still those of the documents and the model before.")
        return
    with st.container(horizontal=True):
        st.button(
            "Go on encoding",
            key="encode-on",
            icon=":material/play_arrow:",
            on_click=_start,
            args=(coming,),
            help="What was encoded so far is kept.",
        )
        st.button("Leave it", key="encode-not", on_click=_forget)


def _forget() -> None:
    st.session_state.pop(COMING, None)
