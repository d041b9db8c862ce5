"""One word in two sentences on *Inside BERT*: what the layers make of its vector (document 001, section 4.2.1)."""

from __future__ import annotations

import streamlit as st

from goldviz.data.texts.pieces import TextError
from goldviz.labs.inside_bert.contextual import same_word, words_of_both
from goldviz.labs.inside_bert.figures import FIGURES
from goldviz.labs.inside_bert.parts.readings import ReadText, reading_of
from goldviz.labs.inside_bert.parts.state import Look, complain, text_complaint
from goldviz.labs.inside_bert.samples import OTHER_SENSES
from goldviz.models.text.model import TextModelError

SECOND, WORD = "context-sentence", "context-word"


def contextual_part(look: Look) -> None:
    """The sentence beside the text in view, the word that stands in both, and the cosines of its vectors."""
    st.session_state.setdefault(SECOND, OTHER_SENSES)
    text = st.text_area("A second sentence with the same word", key=SECOND, height=80, persist_state="session")
    if complaint := text_complaint(text):
        complain(complaint)
        return
    try:
        other = ReadText.cut(look.read.named, text.strip())
    except (TextModelError, TextError) as error:
        complain(str(error))
        return
    words = words_of_both(look.read.pieces, look.read.text, other.pieces, other.text)
    if not words:
        st.info("The two have no word in common. Write one of the text's words into the second sentence.")
        return
    word = st.pills("Word", words, default=words[0], key=f"{WORD}-{'-'.join(words)}") or words[0]
    reading = reading_of(other, "Reading the second sentence")
    if reading is None:
        return
    ds = same_word(look.reading, look.read.text, reading, other.text, word)
    look.figure("word_cosine", FIGURES["word_cosine"], ds, "The word's cosine, state by state.", *other.key, word)
    st.caption(
        "In a table of words each has one vector. Here it goes in with its place alone, and each layer mixes in what "
        "stands beside it (document 001, 4.2.1)."
    )
