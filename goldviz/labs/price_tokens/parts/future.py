"""The future of a price is edited by hand, and the tokens of the days before are written anew."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st
import xarray as xr

from goldviz.data.markets.kept_markets import SIMULATED
from goldviz.figures.theme import Theme
from goldviz.labs.price_tokens import LAB
from goldviz.labs.price_tokens.edited import MOST_PUSH, edited, fit_seconds, market_days, push_to
from goldviz.labs.price_tokens.figures.future import future
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.runs.jobs.jobs import JobFailedError, Task, TooManyJobsError
from goldviz.ui.panels import background, parts
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import Asks, Place, Source, live_figure
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now
from goldviz.ui.words import plain

PUSH = "push"
"""The link's parameter with how far the future was edited."""
DAYS_SECONDS = 0.3
"""About how long a market of one's own takes to be read."""


@dataclass(frozen=True)
class Edit:
    """The strip of a lane's market, whose later days each move by ``push`` standard deviations more."""

    lane: Lane[PriceTokens]
    push: float

    @property
    def subject(self) -> str:
        """All that the strip depends on."""
        return f"{self.lane.id} {self.push:g}"

    @property
    def days(self) -> Task[xr.Dataset]:
        """Reading the market."""
        stored = self.lane.stored.model_dump_json()
        # The simulated one is made in a tenth of a second, long before a worker has begun.
        seconds = 0.0 if self.lane.stored.data == SIMULATED else DAYS_SECONDS
        return Task(f"price-tokens-days-{stored}", market_days, (stored,), "Reading the market", seconds)

    def task(self, days: xr.Dataset) -> Task[xr.Dataset]:
        """Writing the days before the edit anew."""
        stored = self.lane.stored
        return Task(
            f"price-tokens-edit-{stored.model_dump_json()}-{self.push:g}",
            edited,
            (stored.model_dump_json(), days, self.push),
            "Writing the days anew",
            fit_seconds(stored),
        )

    def moved_to(self, price: float, days: xr.Dataset) -> Edit:
        """The edit that ends the strip at a price."""
        return replace(self, push=push_to(days, price))

    def figure(self, theme: Theme, strip: xr.Dataset) -> str:
        """The strip as JSON, drawn once for all who look at it."""
        return services.figure_json(
            ("price-tokens-future", self.lane.version, self.subject, theme), lambda: future.draw(strip, theme=theme)
        )


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
