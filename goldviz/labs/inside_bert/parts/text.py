"""The text box of *Inside BERT*, the model's line over it, and the chunk in view."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

import streamlit as st

from goldviz.data.hub.models import held
from goldviz.data.texts.dated_texts import DatedTextError
from goldviz.data.texts.uploaded_text import decoded_text
from goldviz.declare.text_models import FOLDER_PREFIX, SHIPPED
from goldviz.labs.inside_bert.compute import pair_too_long
from goldviz.labs.inside_bert.models import models_at_hand, named
from goldviz.labs.inside_bert.parts.state import PAIRED, ReadText, complain, key_of, put
from goldviz.labs.inside_bert.settings import LONGEST_TEXT
from goldviz.models.text.loading import SHIPPED_FOLDER
from goldviz.text_models import MINILM_NAME, MINILM_WORDS
from goldviz.ui import visitors_data
from goldviz.ui.brought_files import let_go
from goldviz.ui.texts import model_dialog as text_model_dialog
from goldviz.ui.words import plain

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from goldviz.models.text.model import TextModel

LARGEST_FILE = 8 * LONGEST_TEXT
"""Bytes: no encoding takes more for a text that fits, blanks around it aside."""
BUTTONS_PX = 300
UPLOAD_COMPLAINT = "inside-bert-upload-complaint"
IN_VIEW = "inside-bert-text-in-view"
ASKED = "inside-bert-model-asked"
FIRST, SECOND = "model", "second_model"
FINBERT, TONED = "FinBERT", "ProsusAI/finbert"
"""What the documents call the model, and the one of that name that gives a tone."""


def model_line(model: TextModel | None, trouble: str) -> None:
    """Which model reads, in a line, with a button to choose another one; what should be known of it below."""
    with st.container(border=True, key="text-model"):
        with st.container(horizontal=True, vertical_alignment="center"):
            words = f":material/error: {plain(trouble)}" if trouble or model is None else _described(model)
            st.markdown(words, width="stretch")
            if FINBERT.lower() not in str(st.session_state[key_of("model")]).lower():
                st.button(f"Read with {FINBERT}", key="read-with-finbert", type="tertiary", on_click=_read_with_finbert)
            st.button("Change model", icon=":material/swap_horiz:", key="change-model", on_click=_ask, args=(FIRST,))
            _offer_real_model()
        notes = [
            *(dict(model.notes).values() if model else ()),
            *([shipped_words()] if _is_shipped() and model else []),
            *([MINILM_WORDS] if model and model.name == MINILM_NAME else []),
        ]
        if notes:
            st.caption(" · ".join(plain(note) for note in notes))
        text_model_dialog.show_download(_use)
    slot = st.session_state.pop(ASKED, None)
    if slot == FINBERT:
        text_model_dialog.ask(_use, suggests=TONED)
    elif slot:
        text_model_dialog.ask(_use if slot == FIRST else _use_beside, optional=slot == SECOND)


SHIPPED_WORDS = (
    "Trained only on sentences that goldviz's own generator writes. What it says of real statements is no "
    "judgement. Beyond some 50 words it guesses far worse than in a sentence."
)


CLEAR_DIFFERENCE = 0.06
"""Two standard errors of the difference between two accuracies on the same 400 texts, of which a third are judged
differently: a smaller one is none to speak of."""

OF_CARD = {"new draws": " of new generated sentences", "new patterns": ""}
"""What a model's card says of its tone, in words behind its shares."""


@cache
def shipped_words() -> str:
    """What the shipped model is, and how well it reads the language that it was trained on, from its own card."""
    scores = _shipped_scores()
    return f"{SHIPPED_WORDS} {tone_words(scores)}" if scores else SHIPPED_WORDS


def hears_tone(read: ReadText) -> bool:
    """Whether a model's tone is worth showing: it has a classifier, and no card that says that counting words does as
    well on new patterns."""
    if read.model.classifier is None:
        return False
    scores = _shipped_scores() if read.named == SHIPPED else None
    return scores is None or _comparison(scores["new patterns"]) == "better"


def _shipped_scores() -> Mapping[str, Mapping[str, float]] | None:
    """What the shipped model's card says of its tone on ``OF_CARD``; None where it says nothing."""
    try:
        card = json.loads((SHIPPED_FOLDER / "card.json").read_text(encoding="utf-8"))
        tone: Mapping[str, Mapping[str, float]] = card["scores"]["tone"]
        return tone if all({"accuracy", "bag of words"} <= {*tone[name]} for name in OF_CARD) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def tone_words(scores: Mapping[str, Mapping[str, float]]) -> str:
    """Accuracy on new draws and on new patterns beside that of a bag of words, and which of the two is better.

    >>> even, ahead = {"accuracy": 0.7, "bag of words": 0.72}, {"accuracy": 0.6, "bag of words": 0.5}
    >>> print(tone_words({"new draws": even, "new patterns": ahead}))
    It finds the tone of 70% of new generated sentences, counting words 72%: it is no better. \
On new patterns: 60%, counting words 50%: it is better.
    """
    drawn, new = (_against_counting(scores[name], of) for name, of in OF_CARD.items())
    return f"It finds the tone of {drawn}. On new patterns: {new}."


def _against_counting(scores: Mapping[str, float], of: str) -> str:
    own, counted = scores["accuracy"], scores["bag of words"]
    return f"{own:.0%}{of}, counting words {counted:.0%}: it is {_comparison(scores)}"


def _comparison(scores: Mapping[str, float]) -> str:
    own, counted = scores["accuracy"], scores["bag of words"]
    clear = round(abs(own - counted), 4) > CLEAR_DIFFERENCE
    return "no better" if not clear else "better" if own > counted else "worse"


def _is_shipped() -> bool:
    return bool(st.session_state[key_of(FIRST)] == SHIPPED)


def _described(model: TextModel) -> str:
    shape = model.encoder.shape
    return (
        f":material/account_tree: **{plain(model.name)}**: {shape.layers} layers of {shape.heads} heads, width "
        f"{shape.width}, {shape.vocabulary:,} pieces, {model.parameter_count / 1e6:,.1f} million parameters"
    )


def _ask(slot: str) -> None:
    st.session_state[ASKED] = slot


def _read_with_finbert() -> None:
    """At once where it is on this machine; else what it is, its size and where it comes from are said first."""
    if held(TONED) is not None:
        _use(TONED)
    else:
        _ask(FINBERT)


def _use(name: str) -> None:
    put({FIRST: name})
    visitors_data.bring_text_model(name)


def _use_beside(name: str) -> None:
    put({SECOND: name})


def text_box() -> None:
    """The text as a whole, sentence B beside it where it is a pair, and what can be done with them."""
    paired = bool(st.session_state.get(PAIRED))
    boxes = {"text": "Sentence A", "sentence_b": "Sentence B"} if paired else {"text": "Sentence"}
    # What the reading shows begins at once below: the box and what is done with it share a row.
    with st.container(horizontal=True, gap="small", key="sentences"):
        for column, (name, words) in zip(st.columns(len(boxes)), boxes.items(), strict=True):
            column.text_area(
                words,
                key=key_of(name),
                height="content",
                persist_state="session",
                placeholder=words,
                label_visibility="visible" if paired else "collapsed",
            )
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width=BUTTONS_PX):
            _buttons(paired)
    sentence = st.session_state.pop(UPLOAD_COMPLAINT, "")
    if sentence:
        complain(sentence)
    st.session_state[IN_VIEW] = _written()


def _buttons(paired: bool) -> None:
    st.button("Read", icon=":material/play_arrow:", key="read-text", type="primary", on_click=_say_if_read)
    words, icon = ("One text", ":material/close:") if paired else ("Add sentence B", ":material/add:")
    st.button(words, icon=icon, key="pair-of-sentences", on_click=_pair, args=(not paired,))
    with st.popover("A file", icon=":material/upload_file:"):
        st.file_uploader(
            "A text file",
            type=["txt", "md", "text"],
            key="text-file",
            on_change=_take_file,
            help="Plain text. It goes into the text box and is not kept.",
        )
    st.button(
        "Another text",
        icon=":material/casino:",
        key="another-text",
        on_click=_write_another,
        help="A statement by goldviz's generator, in the language that the shipped model has learned.",
    )


def _written() -> list[str]:
    return [str(st.session_state[key_of(name)]) for name in ("text", "sentence_b")]


def _pair(paired: bool) -> None:
    """A box for sentence B, or none and no such sentence."""
    st.session_state[PAIRED] = paired
    put({"chunk": 1} | ({} if paired else {"sentence_b": ""}))


def _say_if_read() -> None:
    """Leaving the box has the text read, so that a press may change nothing."""
    if _written() == st.session_state.get(IN_VIEW):
        st.toast("This text is read: all that stands here is about it.")


def _offer_real_model() -> None:
    """A model of this machine that has read real texts, with its size, while the small shipped one reads."""
    name = next(iter(models_at_hand()), "") if _is_shipped() else ""
    if name:
        size = text_model_dialog.megabytes(named(name).total_bytes)
        st.button(
            f"Read with {plain(name.removeprefix(FOLDER_PREFIX))} ({size})",
            icon=":material/hub:",
            key="model-at-hand",
            on_click=_use,
            args=(name,),
            help="A model on this machine. It reads this text and all that you write from then on.",
        )


def _take_file() -> None:
    file: UploadedFile | None = st.session_state["text-file"]
    if file is None:
        return
    try:
        st.session_state[UPLOAD_COMPLAINT] = _take(file)
    finally:
        let_go(file)


def _take(file: UploadedFile) -> str:
    """Put the file's text into the box; or say why not."""
    allowed = f"; allowed are {LONGEST_TEXT:,} characters here. Policy documents takes longer texts."
    if file.size > LARGEST_FILE:
        return f"{file.name} has {file.size / 1e6:.1f} MB{allowed}"
    try:
        text = decoded_text(file.getvalue(), file.name)[0].strip()
    except DatedTextError as error:
        return str(error)
    if len(text) > LONGEST_TEXT:
        # Not into the box first: it would travel to the browser and back with every change of the page.
        return f"{file.name} has {len(text):,} characters{allowed}"
    put({"text": text, "chunk": 1})
    return ""


def _write_another() -> None:
    from numpy.random import default_rng

    from goldviz.data.texts.policy.sentences import policy_sentences

    turn = st.session_state["another-turn"] = st.session_state.get("another-turn", 0) + 1
    sentences = policy_sentences(2, default_rng(turn), "all")
    put({"text": " ".join(sentence.text for sentence in sentences), "chunk": 1})


def second_text_box() -> None:
    """The text that stands beside the first, and its model."""
    st.text_area(
        "Second text",
        key=key_of("second_text"),
        height=110,
        persist_state="session",
        help=("Left empty, the first text is read by the second model."),
    )
    name = str(st.session_state[key_of(SECOND)])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Choose the second model",
            icon=":material/swap_horiz:",
            key="change-second-model",
            on_click=_ask,
            args=(SECOND,),
        )
        st.caption(f"Read by {plain(name)}." if name else "Read by the same model.")


def what_will_come(read: ReadText) -> None:
    """What stands below once the text has been read, in a sentence, for those who wait for it."""
    shape = read.model.encoder.shape
    parts = [
        *(["the tone that it hears"] if hears_tone(read) else []),
        f"the maps of its {shape.layers * shape.heads} heads and how each came about",
        *(["the evidence for its tone beside its attention"] if read.model.classifier is not None else []),
        *(["a hidden word to guess"] if read.model.masked_words is not None else []),
    ]
    st.caption(f"Once {plain(read.model.name)} has read the text, you will see {', '.join(parts)}, and its embeddings.")


def chunk_picker(read: ReadText) -> None:
    """Which chunk of a long text is in view, where it has several."""
    count = len(read.chunks)
    if count == 1:
        return
    key = key_of("chunk")
    st.session_state[key] = min(max(int(st.session_state[key]), 1), count)
    st.slider(
        "Chunk",
        1,
        count,
        key=key,
        persist_state="session",
        help=(
            f"The model reads {read.model.longest} pieces at once, and the text has more. It is read in overlapping "
            "chunks; no chunk knows the others."
        ),
    )
    place = read.pieces.offsets[~read.pieces.special]
    st.caption(
        f"Chunk {read.chunk} of {count}: {len(read.pieces)} pieces, characters {int(place[:, 0].min()) + 1:,} to "
        f"{int(place[:, 1].max()):,} of {len(read.text):,}."
    )
    refusal = pair_too_long(read.model, read.text, read.chunks)
    if refusal:
        st.caption(f":material/info: {plain(refusal)}")
