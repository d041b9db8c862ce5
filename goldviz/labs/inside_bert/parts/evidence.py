"""Evidence beside attention on *Inside BERT*: tone, integrated gradients, heads switched off, a word hidden."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import Any

import streamlit as st
import xarray as xr

from goldviz.data.texts.pieces import TextError
from goldviz.labs.inside_bert import evidence, measures, tasks
from goldviz.labs.inside_bert.compute import label_to_explain, piece_to_mask
from goldviz.labs.inside_bert.figures import FIGURES, ON_PAGES
from goldviz.labs.inside_bert.figures.evidence import chances_in_bars, coloured_text, words_in_bars
from goldviz.labs.inside_bert.figures.pieces import short_piece
from goldviz.labs.inside_bert.parts.state import Look, awaited, complain, key_of, leave_link, put
from goldviz.labs.inside_bert.parts.text import hears_tone
from goldviz.labs.inside_bert.tasks import ablation_seconds, gradient_seconds, left_out_seconds, twice_seconds
from goldviz.runs.jobs.jobs import Task
from goldviz.ui import whole_page
from goldviz.ui.panels import background
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now
from goldviz.ui.words import duration, plain

NO_CLASSIFIER = (
    "This model has no classifier, so it has no tone: no evidence for one, and no heads to switch off. Choose one that "
    "was fine-tuned, or guess its hidden words."
)

FEWEST_JUDGED = 12
"""Pieces below which a rank correlation is told without a verdict: chance alone reaches 0.6 there."""
NO_EXPLANATION = "Attention is not an explanation."
APPLIED, TYPED = "inside-bert-off-applied", "inside-bert-off-typed"
VEILED = f".stApp:has(.st-key-riddle) .st-key-{key_of('text')} textarea:not(:focus)"
VEIL = f"<style>{VEILED} {{ filter: blur(0.7rem); }}</style>"
"""Over the page's text while a guess is open, until somebody writes there: it says what is hidden. Streamlit leaves a
style on the page when its part is drawn anew, so it holds only beside what is there while the guess is open."""
NO_HEAD = (
    "This model has no masked-word head, so it cannot guess hidden words. Choose one that was pre-trained with it."
)


def tone_part(look: Look) -> None:
    """What tone the text has for the model, where it has one that is worth something."""
    if not hears_tone(look.read):
        return
    st.markdown("**What tone does it hear?**")
    st.html(chances_in_bars(look.overview))


def evidence_part(look: Look) -> None:
    """Integrated gradients beside the attention that a piece receives, and heads that are switched off."""
    if look.read.model.classifier is None:
        st.caption(NO_CLASSIFIER)
        return
    label = _label_picker(look)
    with st.container(key="gradients"):
        _gradients(look, label)
    st.markdown("**What changes when heads are switched off?** (Michel et al. 2019)")
    one_class, every = st.columns(2)
    with one_class:
        _chosen_heads(look)
    with every:
        _every_head(look, label)


def _label_picker(look: Look) -> int:
    """The class that is explained, from 1."""
    names = [str(name) for name in look.overview["label"].values]
    key = key_of("label")
    if not 0 <= int(st.session_state[key]) <= len(names):
        st.session_state[key] = 0
    st.segmented_control(
        "Evidence for",
        range(len(names) + 1),
        key=key,
        persist_state="session",
        required=True,
        format_func=lambda number: plain(names[number - 1]) if number else "the most probable",
    )
    return label_to_explain(look.overview, int(st.session_state[key] or 0))


def _gradients(look: Look, label: int) -> None:
    steps = look.settings.steps
    words, cost = f"Following {steps} points from a text of padding to this one", partial(gradient_seconds, steps=steps)
    task = look.read.task(words, tasks.explain, label, steps, cost=cost)
    button = f"Work out what each piece adds (about {duration(task.seconds)})"
    attributions = _worked_out(task, button, ":material/function:", "start-gradients")
    if attributions is None:
        return
    ordinary = attributions["attribution"].where(~attributions["special"], 0.0)
    inside = look.read.pieces.offsets[~look.read.pieces.special]
    first, last = (int(inside[:, 0].min()), int(inside[:, 1].max())) if inside.size else (0, 0)
    starts, stops = attributions["start"] - first, attributions["stop"] - first
    left, sentences = st.columns(2)
    with left:
        st.html(coloured_text(look.read.text[first:last], starts, stops, ordinary, theme=theme_now()))
        st.caption(
            f"Red speaks for {plain(attributions.attrs['label'])}, blue against it. Integrated gradients go from a "
            "text of padding to this one and add up what each piece changes (Sundararajan et al. 2017)."
        )
    with sentences:
        st.markdown(completeness_sentence(attributions))
        st.markdown(
            correlation_sentence(measures.attention_beside_evidence(attributions), int(attributions.attrs["compared"]))
        )
    bars, points = st.columns(2)
    with bars:
        look.figure(FIGURES["evidence"], attributions, "evidence", label, steps)
    with points:
        look.figure(ON_PAGES["agreement"], attributions, "evidence", label, steps)
        st.caption(
            "Attention received is the mean over all layers, heads and queries; special pieces are left out here. If "
            "attention explained the answer, the points would climb together."
        )


def words_that_matter(look: Look) -> None:
    """The thread's last step: how the text's vector moves without each word, beside the attention that it gets."""
    st.subheader("6 · Evidence: which words matter?", anchor=False)
    task = look.read.task("Leaving each word out", tasks.of_reading, evidence.words_left_out, cost=left_out_seconds)
    button = f"Leave each word out in turn (about {duration(task.seconds)})"
    begun = services.jobs().held(task) is not None
    waits = task.seconds > background.WAITED_SECONDS and not begun
    if waits and not st.button(button, icon=":material/backspace:", key="start-words"):
        return
    ds = awaited(task)
    if ds is None or "moved" not in ds:
        return
    (word, moved), (seen, received) = measures.foremost_words(ds)
    st.markdown(
        f"Without “{plain(word)}” the text’s vector moves most, by {moved:.3f}. "
        + (
            f"It also receives the most attention, {received:.3f}."
            if word == seen
            else f"The most attention of all words goes to “{plain(seen)}”, {received:.3f}."
        )
    )
    st.html(words_in_bars(ds))
    st.caption(
        "The vector is the mean of the last states. It moves by 1 − cosine when the word is left out and the rest is "
        f"read again. {NO_EXPLANATION}"
    )


def _worked_out(task: Task[xr.Dataset], button: str, icon: str, key: str) -> xr.Dataset | None:
    """The task's result, at once where that is soon there, else once the button was pressed; None until then."""
    begun_before = services.jobs().held(task) is not None or background.job(task.key) is not None
    if task.seconds > background.WAITED_SECONDS and not begun_before and not st.button(button, icon=icon, key=key):
        return None
    return background.made(task)


def completeness_sentence(ds: Any) -> str:
    """How well what the pieces add makes up the whole change, in words."""
    pieces, total, gap = measures.evidence_added(ds), measures.evidence_to_add(ds), measures.evidence_gap(ds)
    verdict = "complete" if gap <= 0.01 else "**not complete: more steps are needed**"
    return (
        f"Together the pieces add {pieces:+.3f} to the logit, and the logit is {total:+.3f} above that of padding: a "
        f"gap of {gap:.2%} after {ds.attrs['steps']} steps, {verdict}."
    ).replace("-", "−")


def correlation_sentence(correlation: float, count: int) -> str:
    """Whether the attention that ``count`` pieces receive orders them as the evidence does, in words.

    No verdict below ``FEWEST_JUDGED`` pieces, nor where orders that have nothing to do with each other come so far.
    """
    if not math.isfinite(correlation):
        return f"The order of {count} pieces cannot be compared with that of attention. {NO_EXPLANATION}"
    correlation_words = (
        f"Rank correlation of |evidence| with the attention received, n = {count} pieces: **{correlation:+.2f}**"
    )
    if count < FEWEST_JUDGED:
        verdict = f"with fewer than {FEWEST_JUDGED} pieces that says nothing either way"
    else:
        chance = evidence.chance_range(count)
        verdict = f"chance alone gives up to ±{chance:.2f}, and {_agreement_words(correlation, chance)}"
    return f"{correlation_words}; {verdict}. {NO_EXPLANATION}".replace("-", "−")


def _agreement_words(correlation: float, chance: float) -> str:
    """What a rank correlation says, beside the range that chance alone gives."""
    if abs(correlation) <= chance:
        return "this is within it"
    if correlation < 0:
        return "attention goes to other pieces than those that mattered here"
    if correlation > 0.7:
        return "attention orders the pieces as the evidence does, here"
    return "attention agrees in part" if correlation >= 0.3 else "attention tells little of what mattered here"


@whole_page.drawn_alone
def _chosen_heads(look: Look) -> None:
    settings = look.now()
    # What was typed stays as it is until it is a list of heads; buttons and links write over it.
    if st.session_state.get(APPLIED) != settings.off:
        st.session_state[APPLIED], st.session_state[TYPED] = settings.off, settings.off.replace(",", ", ")
    st.text_input(
        "Heads that are off",
        key=TYPED,
        persist_state="session",
        placeholder="2.1, 2.3 or a whole layer: 3",
        on_change=_apply_typed,
        help="'3.1' is layer 3, head 1; '3' is the whole layer 3; several with commas.",
    )
    with st.container(horizontal=True):
        words, icon = "Switch off the head in view", ":material/power_off:"
        st.button(words, key="off-head", icon=icon, on_click=_switch_off, args=("layer", "head"))
        st.button("Switch off its layer", key="off-layer", on_click=_switch_off, args=("layer",))
        st.button("All on", key="all-on", on_click=put, args=({"off": ""},), disabled=not settings.off)
    if heads_of(st.session_state[TYPED]) is None:
        complain(f"Heads that are off: {st.session_state[TYPED][:60]!r} is no list such as '2.1, 2.3, 3'.")
    words = "Reading without those heads"
    ds = awaited(look.read.task(words, tasks.of_pieces, evidence.tone_without, settings.off, cost=twice_seconds))
    if ds is None:
        return
    look.figure(ON_PAGES["without"], ds, settings.off)
    count = int(ds.attrs["heads_off"])
    st.caption(
        f"{count} of {ds.attrs['heads']} heads are off." if count else "No head is off yet, so both are the same."
    )
    leave_link(settings)


def heads_of(text: str) -> str | None:
    """The setting that a typed list of heads is; None where it is none.

    >>> heads_of(" 2.1,3 "), heads_of(""), heads_of("2.1.4"), heads_of("all")
    ('2.1,3', '', None, None)
    """
    off = ",".join(text.replace(",", " ").split())
    heads = all(re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", one) for one in off.split(",") if off)
    return off if heads and len(off) <= 1000 else None


def _apply_typed() -> None:
    off = heads_of(st.session_state[TYPED])
    if off is not None:
        st.session_state[APPLIED] = off
        put({"off": off})


def _switch_off(*place: str) -> None:
    """Switch off the layer in view, or its head in view."""
    name = ".".join(str(st.session_state[key_of(one)]) for one in place)
    off = [part for part in str(st.session_state[key_of("off")]).split(",") if part and part != name]
    put({"off": ",".join([*off, name])})


def _every_head(look: Look, label: int) -> None:
    task = look.read.task("Switching off every head in turn", tasks.every_head_off, cost=ablation_seconds)
    heads = look.overview.sizes["layer"] * look.overview.sizes["head"]
    button = f"Switch each of the {heads} heads off in turn (about {duration(task.seconds)})"
    ablation = _worked_out(task, button, ":material/power_off:", "start-heads")
    if ablation is not None:
        look.figure(ON_PAGES["heads_off"], ablation, label=str(look.overview["label"].values[label - 1]))
        st.caption("One head at a time. Redundant heads look useless here.")


@whole_page.drawn_alone
def masked_part(look: Look) -> None:
    """The masked-word game."""
    if look.read.model.masked_words is None:
        st.caption(NO_HEAD)
        return
    pieces, tokens, key = look.read.pieces, look.pieces(), key_of("masked")
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
        ds = awaited(look.read.task("Guessing the hidden piece", tasks.of_pieces, evidence.guesses, place))
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
            _judge(look, ds, evidence.guess_of_word(look.read.model, word, ds.attrs["truth"]), word)
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
