"""The text box: a prompt, how to choose, what was written, and why a token."""

from __future__ import annotations

import hashlib
import html
import re
from typing import TYPE_CHECKING

import streamlit as st

from goldviz.labs.char_gpt.figures import candidates, lens, looked
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.runs.jobs.jobs import Task
from goldviz.runs.jobs.kept_weights import KeptWeights
from goldviz.ui.panels import background
from goldviz.ui.panels.kept_weights import kept_weights, offer_weights
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import live_figure
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now
from goldviz.ui.words import plain

if TYPE_CHECKING:
    from goldviz.figures.spec import FigureSpec
    from goldviz.labs.char_gpt.completing import Completion

PROMPTS = {"python": "The ", "names": "ma", "cities": "san "}
ASKED = "gpt-asked"
"""In the session state: whether the visitor wants texts completed."""
TOKENS_A_SECOND = 400
"""That a small network draws with a cache, for the estimate of a job."""


def show(lane: Lane[CharGpt], step: int | None) -> None:
    """The text box of a run that has kept its weights."""
    checkpoint = kept_weights(lane, step)
    if checkpoint is None:
        offer_weights(lane, "completes your text here")
        return
    prompt, choice = _controls(lane)
    if not st.session_state.get(ASKED):
        return
    completion = background.answer(_task(lane, checkpoint, prompt, *choice))
    if completion is None:
        return
    _show_written(lane, checkpoint, completion)


def _controls(lane: Lane[CharGpt]) -> tuple[str, tuple[int, float, int, float, bool]]:
    """The prompt, and how to go on from it. What was typed and set stays for the next run."""
    key = "gpt"
    text, knobs = st.columns([3, 2], gap="medium")
    with text:
        prompt = st.text_area(
            "Prompt",
            PROMPTS.get(lane.settings.corpus, "The "),
            key=f"{key}-prompt-{lane.settings.corpus}",
            max_chars=20_000,
            height=130,
            persist_state="session",
            help="The network goes on from here. It sees the end that fits into its block.",
        )
        count = st.slider("Tokens to write", 1, 500, 120, key=f"{key}-count", persist_state="session")
    with knobs:
        temperature = st.slider(
            "Temperature",
            0.0,
            2.0,
            0.8,
            0.05,
            key=f"{key}-temperature",
            persist_state="session",
            help="Scores are divided by it: small is sure, large is wild, 0 always takes the likeliest token.",
        )
        top_k = st.slider(
            "Top-k",
            0,
            50,
            0,
            key=f"{key}-top-k",
            persist_state="session",
            help="Only the k likeliest tokens, and those as likely as the last of them. 0: all.",
        )
        top_p = st.slider(
            "Top-p",
            0.05,
            1.0,
            1.0,
            0.05,
            key=f"{key}-top-p",
            persist_state="session",
            help="Only the likeliest tokens whose probabilities add up to p, of what top-k leaves.",
        )
        with_cache = st.toggle(
            "Keep keys and values",
            True,
            key=f"{key}-cached",
            persist_state="session",
            disabled=not lane.settings.masked,
            help="Remember what attention computed for earlier tokens: the same text, faster.",
        )
    st.button(
        "Complete",
        type="primary",
        icon=":material/edit_note:",
        key=f"{key}-go",
        on_click=lambda: st.session_state.update({ASKED: True}),
    )
    return prompt, (count, temperature, top_k, top_p, with_cache and lane.settings.masked)


def _task(
    lane: Lane[CharGpt],
    checkpoint: KeptWeights,
    prompt: str,
    count: int,
    temperature: float,
    top_k: int,
    top_p: float,
    with_cache: bool,
) -> Task[Completion]:
    from goldviz.labs.char_gpt.completing import complete
    from goldviz.models.text.completion import Choice

    choice = Choice(temperature, top_k, top_p)
    arguments = (checkpoint, prompt, count, choice, 0, with_cache)
    return Task.of_arguments("char-gpt", complete, arguments, "Writing on", 0.3 + count / TOKENS_A_SECOND)


def without_blank_rows(text: str) -> str:
    """A text whose empty lines in a row are one: a network that has learned little writes many of them.

    >>> without_blank_rows("im.. \\n\\n  \\n\\n  Co\\n\\nex")
    'im.. \\n\\n  Co\\n\\nex'
    """
    return re.sub(r"\n(?:[ \t]*\n){2,}", "\n\n", text)


def _show_written(lane: Lane[CharGpt], checkpoint: KeptWeights, completion: Completion) -> None:
    """The text, how fast it came, and one token of it in full."""
    before, after = html.escape(completion.before), html.escape(without_blank_rows(completion.after))
    with st.container(border=True):
        st.html(f"<pre style='white-space:pre-wrap;margin:0'>{before}<b>{after}</b></pre>")
    speed = len(completion.tokens) / max(completion.seconds, 1e-9)
    origin = "" if lane.run else "of the same settings, trained once more, "
    st.caption(f"Weights {origin}of step {checkpoint.step:,}. {speed:,.0f} tokens a second.")
    count = len(completion.tokens)
    key = f"gpt-token-{lane.id}-{count}"
    place = st.slider("Token", 1, count, 1, key=key, persist_state="session") if count > 1 else 1
    _show_token(lane, checkpoint, completion, place - 1)


def _show_token(lane: Lane[CharGpt], checkpoint: KeptWeights, completion: Completion, place: int) -> None:
    """The candidates for a token, what each block would have said, and where the last place looked."""
    from goldviz.labs.char_gpt.completing import explain

    token, sign = completion.tokens[place], completion.signs[place]
    tokens = (*completion.prompt, *completion.tokens[:place])[-lane.settings.block :]
    question = (checkpoint, tokens, token)
    name = hashlib.sha256(repr(question).encode()).hexdigest()[:24]
    left, right = st.columns(2)
    with left:
        _draw(
            lane, candidates, name, completion.candidate_signs[place], completion.candidate_probabilities[place], sign
        )
    reason = background.answer(Task(f"char-gpt-why-{name}", explain, question, "Looking inside", 0.1))
    if reason is None:
        return
    with right:
        _draw(lane, lens, name, reason.candidate_signs, reason.probabilities)
    own = ", ".join(f"{share:.0%}" for share in reason.own)
    st.caption(
        f"Drawn: {plain(sign)}. Its probability if the network ended after the tables, or after each block: "
        f"{own}, before temperature, top-k and top-p."
    )
    _draw(lane, looked, name, reason.place_signs, reason.weights)


def _draw(lane: Lane[CharGpt], spec: FigureSpec, subject: str, *what: object) -> None:
    theme = theme_now()
    figure = services.figure_json((spec.name, subject, str(what[:1]), theme), lambda: spec.draw(*what, theme=theme))
    live_figure(
        figure,
        key=f"gpt-{spec.name}-{lane.id}",
        subject=f"{lane.id} {subject}",
        description=spec.description,
    )
    if spec.limits:
        st.caption(spec.limits)
