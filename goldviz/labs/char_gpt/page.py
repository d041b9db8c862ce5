"""Character GPT: the page's figures, a text box that the trained network completes, and document 002, section 3."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from goldviz.diagnostics.findings import median
from goldviz.labs.char_gpt import LAB
from goldviz.labs.char_gpt.figures import candidates, lens, looked
from goldviz.labs.char_gpt.measures import Reading
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.pages.laboratory import LaboratoryPage, notes_on_text, words_beside
from goldviz.ui.panels import background
from goldviz.ui.panels.ask import Ask
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import drawn_figure
from goldviz.ui.panels.parts import Part
from goldviz.ui.words import plain

if TYPE_CHECKING:
    from goldviz.figures.spec import FigureSpec
    from goldviz.labs.char_gpt.completing import Completion
    from goldviz.runs.jobs.kept_weights import KeptWeights

PROMPTS = {"python": "The ", "names": "ma", "cities": "san "}
TOKENS_A_SECOND = 400
"""That a small network draws with a cache, for the estimate of a job."""


def why(lane: Lane[CharGpt], draw: Callable[[str], None]) -> None:
    """Document 002, section 3, with the run's own numbers."""
    with words_beside(draw, "stream"):
        st.markdown("Each place looks at itself and at what stands before it, never ahead (document 002, 3.3):")
        st.latex(r"O = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt H} + \text{mask}\right) V")
        st.markdown("$n$ blocks each add to what comes in (3.6). Then the token table scores every next token (3.2):")
        st.latex(r"h \leftarrow h + \tfrac{1}{\sqrt{2n}}\, f(\mathrm{LN}\, h)")
        st.latex(r"\text{logits} = \mathrm{LN}(h)\, E^\top")
        st.markdown("The loss is the mean over all places. Times tokens a byte, over ln 2, it is bits a byte:")
        st.latex(r"\mathcal L = -\frac{1}{BT} \sum \log p(x_{t+1} \mid x_1 \dots x_t)")
        st.markdown(_numbers(lane))
        st.caption(
            "The document prints AdamW without bias correction: its first step would be 3.2 times as long "
            "(0.1 / √0.001). Here it is torch's, with it. The final layer norm, which the document does not list, is "
            "GPT-2's."
        )


def _numbers(lane: Lane[CharGpt]) -> str:
    """The equations' symbols in this run, and what was measured."""
    settings, ds = lane.settings, lane.dataset
    if "uniform_loss" not in ds or not ds.sizes.get("close_look"):
        return "The run's numbers appear here with its first look."
    n, head = Reading.of(ds, "gpt", settings), settings.width // settings.heads
    lines = [
        "In this run:",
        f"- $n = {settings.layers}$, $H = {settings.width} / {settings.heads} = {head}$, "
        f"{median(n.parameters):,.0f} parameters",
        f"- guessing all tokens alike costs $\\ln V = {median(n.uniform):.2f}$ nat; the first dev loss is "
        f"**{median(n.at_first):.2f}**{head_start(n)}",
        f"- this network now: **{median(n.dev):.2f}** nat = **{median(n.bits):.2f}** bits a byte",
    ]
    if "bigram_dev_loss" in ds:
        lines.append(
            f"- on the same text counted pairs: {median(n.pairs):.2f} nat; gzip: {median(n.gzip):.2f} bits a byte"
        )
    return "\n".join(lines)


def head_start(n: Reading) -> str:
    """Why a tied network's first loss is not ln V: its state holds the token's own vector, which reads it out."""
    if not math.isfinite(median(n.head_start)):
        return ""
    return (
        ". The table that reads tokens also scores the next one. So at first the token just read is favoured, by about "
        f"{median(n.head_start):.1f} nat, which is right where a text repeats"
    )


def _prompt(lane: Lane[CharGpt]) -> tuple[str, int, tuple[float, int, float], int, bool]:
    """The prompt, and how to go on from it; the seed is 0. What was typed and set stays for the next run."""
    text, knobs = st.columns([3, 2], gap="medium")
    with text:
        prompt = st.text_area(
            "Prompt",
            PROMPTS.get(lane.settings.corpus, "The "),
            key=f"gpt-prompt-{lane.settings.corpus}",
            max_chars=20_000,
            height=130,
            persist_state="session",
            help="The network goes on from here. It sees the end that fits into its block.",
        )
        count = st.slider("Tokens to write", 1, 500, 120, key="gpt-count", persist_state="session")
    with knobs:
        temperature = st.slider(
            "Temperature",
            0.0,
            2.0,
            0.8,
            0.05,
            key="gpt-temperature",
            persist_state="session",
            help="Scores are divided by it: small is sure, large is wild, 0 always takes the likeliest token.",
        )
        top_k = st.slider(
            "Top-k",
            0,
            50,
            0,
            key="gpt-top-k",
            persist_state="session",
            help="Only the k likeliest tokens, and those as likely as the last of them. 0: all.",
        )
        top_p = st.slider(
            "Top-p",
            0.05,
            1.0,
            1.0,
            0.05,
            key="gpt-top-p",
            persist_state="session",
            help="Only the likeliest tokens whose probabilities add up to p, of what top-k leaves.",
        )
        with_cache = st.toggle(
            "Keep keys and values",
            True,
            key="gpt-cached",
            persist_state="session",
            disabled=not lane.settings.masked,
            help="Remember what attention computed for earlier tokens: the same text, faster.",
        )
    return prompt, count, (temperature, top_k, top_p), 0, with_cache and lane.settings.masked


def without_blank_rows(text: str) -> str:
    """A text whose empty lines in a row are one: a network that has learned little writes many of them.

    >>> without_blank_rows("im.. \\n\\n  \\n\\n  Co\\n\\nex")
    'im.. \\n\\n  Co\\n\\nex'
    """
    return re.sub(r"\n(?:[ \t]*\n){2,}", "\n\n", text)


def _show_written(lane: Lane[CharGpt], completion: Completion, checkpoint: KeptWeights) -> None:
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
    task = Task.of_arguments("char-gpt-why", explain, (checkpoint, tokens, token), "Looking inside", 0.1)
    left, right = st.columns(2)
    with left:
        drawn_from = completion.candidate_signs[place], completion.candidate_probabilities[place]
        _draw(lane, candidates, task.key, *drawn_from, sign)
    reason = background.answer(task)
    if reason is None:
        return
    with right:
        _draw(lane, lens, task.key, reason.candidate_signs, reason.probabilities)
    own = ", ".join(f"{share:.0%}" for share in reason.own)
    st.caption(
        f"Drawn: {plain(sign)}. Its probability if the network ended after the tables, or after each block: "
        f"{own}, before temperature, top-k and top-p."
    )
    _draw(lane, looked, task.key, reason.place_signs, reason.weights)


def _draw(lane: Lane[CharGpt], spec: FigureSpec, subject: str, *what: object) -> None:
    # The same token may have been drawn from other probabilities, at another temperature.
    drawn_figure(spec, *what, key=f"gpt-{spec.name}-{lane.id}", subject=f"{lane.id} {subject}", version=what)
    if spec.limits:
        st.caption(spec.limits)


ASK = Ask(
    "gpt",
    does="completes your text here",
    button="Complete",
    icon=":material/edit_note:",
    working="Writing on",
    asked=_prompt,
    answer="completing.complete",
    show_answer=_show_written,
    seconds=lambda prompt, count, *how: 0.3 + count / TOKENS_A_SECOND,
)


PAGE = LaboratoryPage(
    LAB,
    main="samples",
    beside="loss",
    why=why,
    verdict=notes_on_text,
    parts=(Part("complete", "Complete a text", ASK.show, shows=lambda settings: True),),
)
