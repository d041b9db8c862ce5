"""Runs in one figure: the losses of several, on the page of runs and over the lanes of a laboratory."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.declare.registry import laboratories
from goldviz.figures.overlay import overlay
from goldviz.ui.panels.lanes import AnyLane
from goldviz.ui.panels.live_figure import live_figure
from goldviz.ui.theme import theme_now


def draw(name: str, runs: Sequence[tuple[str, Run]], *, key: str) -> None:
    """The losses of a laboratory's runs, by their titles."""
    figures = laboratories()[name].figures().FIGURES.values() if name in laboratories() else ()
    looks = [spec.look_of for spec in figures]
    figure_json = overlay(runs, theme_now(), *looks[:1]).to_json()
    live_figure(
        figure_json, key=key, subject=" ".join(title for title, _ in runs), description="The losses of these runs."
    )


def offer_one_figure(name: str, visible_lanes: Sequence[AnyLane]) -> None:
    """A switch that draws all lanes of a laboratory in one figure; nothing for one lane."""
    if len(visible_lanes) < 2 or not st.toggle(
        "All lanes in one figure", key=f"together-{name}", persist_state="session"
    ):
        return
    draw(name, [(lane.title, lane.dataset) for lane in visible_lanes], key=f"lanes-together-{name}")
    growing = [f"{lane.step} {lane.last_step}" for lane in visible_lanes if lane.unfinished]
    if growing:
        st.caption(f"Drawn up to {', '.join(growing)}, and again when a run ends.")
