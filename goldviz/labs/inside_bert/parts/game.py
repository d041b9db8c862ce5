"""The masked-word game of *Inside BERT*: a piece is hidden, you guess, and the model does."""

from __future__ import annotations

from typing import Any

import streamlit as st

from goldviz.labs.inside_bert import measures, tasks
from goldviz.labs.inside_bert.figures import FIGURES
from goldviz.labs.inside_bert.figures.pieces import short_piece
from goldviz.labs.inside_bert.parts.state import Look, awaited, key_of, leave_link
from goldviz.ui import whole_page
from goldviz.ui.words import plain

VEILED = f".stApp:has(.st-key-riddle) .st-key-{key_of('text')} textarea:not(:focus)"
VEIL = f"<style>{VEILED} {{ filter: blur(0.7rem); }}</style>"
"""Over the page's text while a guess is open, until somebody writes there: it says what is hidden. Streamlit leaves a
style on the page when its part is drawn anew, so it holds only beside what is there while the guess is open."""
NO_HEAD = (
    "This model has no masked-word head, so it cannot guess hidden words. Choose one that was pre-trained with it."
)


def masked_part(look: Look) -> None:
    """The masked-word game."""
    if look.read.model.masked_words is None:
        st.caption(NO_HEAD)
        return
    _game(look)


@whole_page.drawn_alone
def _game(look: Look) -> None:
    from goldviz.data.texts.pieces import TextError
    from goldviz.labs.inside_bert.compute import piece_to_mask
    from goldviz.labs.inside_bert.evidence import guess_of_word, guesses

    pieces = look.read.pieces
    tokens = look.pieces()
    key = key_of("masked")
    try:
        longest = piece_to_mask(pieces, 0)
    except TextError as error:
        st.caption(plain(str(error)))
        return
    ordinary = [place + 1 for place in range(len(pieces)) if not pieces.special[place]]
    if int(st.session_state[key]) not in ordinary:
        st.session_state[key] = 0
    left, right = st.columns(2)
    with left:
        st.selectbox(
            "Piece to hide",
            [0, *ordinary],
            key=key,
            persist_state="session",
            format_func=lambda place: f"Piece {place or longest}{'' if place else ' (the longest)'}",
        )
        place = int(st.session_state[key]) or longest
        ds = awaited(look.read.task("Guessing the hidden piece", tasks.of_pieces, guesses, place))
        if ds is None:
            return
        around = [*tokens[max(0, place - 9) : place - 1], "▢", *tokens[place : place + 8]]
        st.markdown(f"… {plain(' '.join(around))} …")
        # Another hidden piece is another riddle: what was typed and told for the one before goes with its key.
        riddle = f"{look.read.key}-{place}"
        word = st.text_input(
            "Your guess", key=f"guess-word-{riddle}", persist_state="session", placeholder="a word", max_chars=60
        )
        if word.strip():
            _judge(look, ds, guess_of_word(look.read.model, word, ds.attrs["truth"]), word)
        answer_in_sight = bool(word.strip()) or st.toggle(
            "Show the answer", key=f"guess-told-{riddle}", persist_state="session"
        )
        if answer_in_sight:
            st.markdown(
                f"There stands “{plain(short_piece(ds.attrs['truth']))}”. The model gives it "
                f"{ds.attrs['truth_probability']:.2%}, place {ds.attrs['truth_rank']:,} of "
                f"{look.overview.attrs['vocabulary']:,}."
            )
    with right:
        if answer_in_sight:
            look.figure(FIGURES["guesses"], ds, place)
        else:
            st.html(VEIL)
            with st.container(key="riddle"):
                st.caption("The model's guesses come with yours.")
    leave_link(look.now())


def _judge(look: Look, ds: Any, piece: str, word: str) -> None:
    if not piece:
        st.caption(f"“{plain(word)}” is not one piece of this vocabulary, so the model cannot say it in one place.")
        return
    places = {guess: number for number, guess in enumerate(measures.guesses(ds), start=1)}
    if piece == ds.attrs["truth"]:
        st.success("That is what stands there.", icon=":material/check:")
    elif piece in places:
        st.info(f"Not what stands there, but the model's guess number {places[piece]}.")
    else:
        st.info("Not what stands there, and not among the model's ten.")
