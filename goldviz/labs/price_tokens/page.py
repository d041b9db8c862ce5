"""Price tokens: what looking ahead gains first, a future to edit, and the chain from a token to a move's density."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import streamlit as st

from goldviz.labs.price_tokens import LAB
from goldviz.labs.price_tokens.edited import MOST_PUSH
from goldviz.labs.price_tokens.figures.future import future
from goldviz.labs.price_tokens.queries import Edit
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.price_tokens.verdict import score_rows, standing_still, verdict
from goldviz.runs.jobs.jobs import JobFailedError, TooManyJobsError
from goldviz.ui import chrome
from goldviz.ui.pages.laboratory import LaboratoryPage
from goldviz.ui.panels import background, parts
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import Asks, Place, Source, live_figure
from goldviz.ui.panels.parts import Part
from goldviz.ui.theme import theme_now
from goldviz.ui.words import plain

PUSH = "push"
"""The link's parameter with how far the future was edited."""


def judge(lane: Lane[PriceTokens]) -> None:
    """The one sentence that matters."""
    notes = str(lane.dataset.attrs.get("data_notes", ""))
    said = verdict(lane.dataset, lane.settings)
    chrome.finding(said, standing_still(lane.dataset), notes, fitted_before(lane))


def fitted_before(lane: Lane[PriceTokens]) -> str:
    """The day before which the first tokeniser is fitted, where it is fitted on the past."""
    first = str(lane.dataset.attrs.get("first_forecast", ""))
    return f"First fit: days before {first}." if first and lane.settings.fitted_on == "past" else ""


def why(lane: Lane[PriceTokens], draw: Callable[[str], None]) -> None:
    """Every model's nats a day, and the formulas from a token to the density of the next return."""
    rows = score_rows(lane.dataset, lane.settings.network)
    st.markdown("**Every model and every simple forecast**")
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
        st.caption(
            "Fewer nats are better. Intervals come from a bootstrap of blocks of days. DM p is how likely Diebold and "
            "Mariano's test finds such a difference between equally good forecasts."
        )
        if still := standing_still(lane.dataset):
            st.caption(plain(still))
    else:
        st.caption("The scores come when the run ends.")
    words, formulas = st.columns(2)
    with words:
        st.markdown(
            "Document 002 (1.3.4 and 2.4) names ways to make tokens of prices, and gives no formulas. What follows is "
            "goldviz's choice. A model says how likely each token is next. Each token says which moves it stands "
            "for: bins are flat inside and fall off exponentially beyond the outermost edges, clusters and states are "
            "normal. Together they make the density of the next move, and its loss can be compared with any other "
            "forecast's, whatever the tokens."
        )
    with formulas:
        st.latex(r"p(x) = \sum_k P(k \mid \text{past}) \, f_k(x)")
        st.latex(r"-\log p(x) = -\log P(k) + \log w_k")
        st.caption("In a bin of width w: the token's loss, and the width that it leaves open.")
        st.latex(r"-\log[p(x) + p(-x)]")
        st.latex(r"-\log\frac{p(x)}{p(x) + p(-x)}")
        st.caption("These two add up to the loss: what is said of the size, and what of the sign.")


def edit_future(lane: Lane[PriceTokens], step: int | None) -> None:
    """Drag the last price, and see which earlier tokens are others for it."""
    key = f"push-{lane.id}"
    now = Edit(lane, _push_now(key))
    figure, controls = st.columns([3, 1])
    with controls:
        st.caption("Drag the golden point: later prices change. A lamp lights over each earlier token that changes.")
        turn = st.session_state.get(f"{key}-turn", 0)
        push = st.slider(
            "Each later day moves more by",
            -MOST_PUSH,
            MOST_PUSH,
            now.push,
            0.01,
            format="%+.2f sd",
            key=f"{key}-{turn}",
            help="In standard deviations of a day's move.",
        )
        st.button("Put it back", icon=":material/undo:", disabled=not push, on_click=_put, args=(key, 0.0))
    st.session_state[key] = push
    now = replace(now, push=push)
    parts.keep(LAB.name, PUSH, f"{push:g}" if push else "")
    try:
        days = background.awaited(now.days)
        strip = background.awaited(now.task(days))
    except (ValueError, JobFailedError, TooManyJobsError) as error:
        st.error(plain(str(error)), icon=":material/block:")
        return
    source = Source.of(LAB.name, [lane.id])
    with figure:
        live_figure(
            now.figure(theme_now(), strip),
            key=f"future-{lane.id}",
            subject=lane.id,
            description=future.description,
            on_moved=lambda index, x, y: _put(key, now.moved_to(y, days).push),
            # What a drag asks for comes ahead of this script, which then finds it drawn.
            place=Place(f"future-{lane.id}", lane.id, future.name, 0, now.subject),
            asks=Asks(source.about(lane.id), {}),
        )


def _push_now(key: str) -> float:
    """How far the future is edited: as the visitor left it, or as a link brings it."""
    try:
        given = float(parts.given(LAB.name, PUSH) or "nan")
    except ValueError:
        given = float("nan")
    if abs(given) <= MOST_PUSH:
        st.session_state[key] = round(given, 2)
    push: float = st.session_state.setdefault(key, 0.0)
    return push


def _put(key: str, push: float) -> None:
    """Take over an edit; the slider of the next turn begins with it."""
    st.session_state[key] = push
    st.session_state[f"{key}-turn"] = st.session_state.get(f"{key}-turn", 0) + 1


PAGE = LaboratoryPage(
    LAB,
    main="gains",
    beside="scoreboard",
    why=why,
    verdict=judge,
    parts=(Part("future", "Edit the future", edit_future, kept=PUSH, shows=lambda settings: True),),
)
