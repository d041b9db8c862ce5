"""What piles up on this server, under which bounds, and a button that frees what a visitor chooses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from goldviz.data.markets.kept_markets import MARKETS, market_budget
from goldviz.data.markets.market import MarketError
from goldviz.data.tables.kept_files import PLACES, market_folder
from goldviz.data.tables.whole_files import left_behind, remove, size_of
from goldviz.runs.execution.execution import ExecutionError, checkpoints_budget
from goldviz.runs.store.schema import StoreError
from goldviz.ui.panels.settings import complain
from goldviz.ui.serving import services
from goldviz.ui.words import plain

STATES_LOST = "Runs that have ended can no longer go back to an earlier step."


class Place(NamedTuple):
    """Something that grows with use: what it holds and may hold, in bytes, and what is lost when it is freed."""

    name: str
    words: str
    held: int
    most: int | None
    free: Callable[[], None]
    lost: str = ""


def places() -> list[Place]:
    """All that piles up. Raises a sentence where the database or a number of the environment is no good."""
    bytes_used, most = services.memory()
    remains = [path for folder in _folders() for path in left_behind(folder)]
    files = [
        Place(name, place.words, place.size(), place.budget, place.clear, place.lost) for name, place in PLACES.items()
    ]
    return [
        Place(
            "states",
            "States to go back to",
            services.store().size_of_checkpoints(),
            checkpoints_budget(),
            _free_checkpoints,
            STATES_LOST,
        ),
        Place("markets", MARKETS.words, MARKETS.size(), market_budget(), MARKETS.clear, MARKETS.lost),
        *files,
        Place("readings", "Readings in memory", bytes_used, most, services.forget_readings),
        Place("unfinished", "Files left unfinished", size_of(remains), None, lambda: remove(remains)),
    ]


def _folders() -> list[Path]:
    return [market_folder(), *(market_folder() / name for name in PLACES)]


def _free_checkpoints() -> None:
    services.store().forget_old_checkpoints(0)
    services.store().give_back_room()


def show() -> None:
    """Draw the bounds, and what can be freed."""
    with st.expander("Space", icon=":material/database:", key="space", on_change="rerun") as expander:
        if not expander.open:
            return
        try:
            all_places = places()
        except (StoreError, ExecutionError, MarketError) as error:
            st.error(plain(str(error)))
            return
        _draw(all_places)


def _draw(all_places: list[Place]) -> None:
    st.caption("The oldest go when a bound is reached. Records of runs stay until you delete their run.")
    selection = [
        place
        for place in all_places
        if st.checkbox(
            _told(place), value=not place.lost, key=f"free-{place.name}", help=place.lost or "Made again when needed."
        )
    ]
    st.button(
        "Free space",
        key="free-space",
        icon=":material/delete_sweep:",
        disabled=not selection,
        on_click=_free,
        args=(selection,),
        help="Frees what is ticked, for everyone who uses this server.",
    )


def _told(place: Place) -> str:
    bound = f" of at most {place.most / 1e6:,.0f} MB" if place.most is not None else " MB; they go after an hour"
    return f"{place.words}: {place.held / 1e6:,.1f}{bound}"


def _free(selection: list[Place]) -> None:
    for place in selection:
        try:
            place.free()
        except StoreError as error:
            complain(str(error))
