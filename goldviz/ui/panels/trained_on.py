"""Whose data a lane shows, where they are not the visitor's: an example is never taken for a run on one's own file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from goldviz.data.labels import label_of, particulars
from goldviz.data.markets.kept_markets import SIMULATED
from goldviz.data.tables.sealed_names import NAME_OF_FILE
from goldviz.declare.settings import Experiment, Settings, SettingsError, facts
from goldviz.ui import visitors_data
from goldviz.ui.panels import controls, lanes
from goldviz.ui.panels import settings as settings_panel
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.visitors_data import DOCUMENTS, LABELLED, MARKET, SEED, SERIES, TEXTS
from goldviz.ui.words import plain

OTHER = "other data"


def show(experiment: type[Experiment], lane: Lane[Experiment]) -> None:
    """Say that a lane was not trained on the visitor's data, with *Train* beside it where it is an example."""
    try:
        own_settings = controls.current(experiment)
    except SettingsError:
        return
    differences = apart(own_settings, lane.settings, lanes.kept_labels(lane.run))
    if not differences:
        return
    yours, theirs = map(plain, differences[0])
    if lane.run is not None:
        st.caption(f":material/database: Trained on **{theirs}**, not on {yours}.")
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"not-yet-{lane.id}"):
        st.markdown(f":material/database: Not trained on **{yours}** yet. This example has learned {theirs}.")
        st.button(
            "Train",
            key=f"train-on-{lane.id}",
            icon=":material/play_arrow:",
            on_click=settings_panel.train_what_is_set,
            args=(experiment,),
        )


def others_shown(lane_settings: Settings) -> list[str]:
    """Sentences on the data of figures that an instant page shows in place of what cannot be shown."""
    try:
        own_settings = controls.current(type(lane_settings))
    except SettingsError:
        return []
    return [
        f"They are of **{plain(theirs)}**, not of {plain(yours)}."
        for yours, theirs in apart(own_settings, lane_settings, {})
    ]


class Named(NamedTuple):
    """Data of one kind: what they are called, and the key or the word that settings have for them."""

    words: str
    value: str


def apart(own_settings: Settings, lane_settings: Settings, names_of_files: Mapping[str, str]) -> list[tuple[str, str]]:
    """What the visitor's data are called, and those that are shown in their place."""
    mine, its = named_data(own_settings, {}), named_data(lane_settings, names_of_files)
    pairs = [
        (control, data, its.get(control) or _instead(own_settings, lane_settings, control))
        for control, data in mine.items()
    ]
    return [_told_apart(*pair) for pair in pairs if pair[1] != pair[2]]


def _instead(own_settings: Settings, lane_settings: Settings, control: str) -> Named:
    """What was learned where data of this kind were not read: the option in the place of which they would be."""
    settings_class = type(lane_settings)
    for name in settings_class.model_fields:
        label = facts(settings_class, name)["labels"].get(str(getattr(lane_settings, name)))
        if label and control in named_data(lane_settings.model_copy(update={name: getattr(own_settings, name)}), {}):
            return Named(f"“{label}”", "")
    return Named(OTHER, "")


def _told_apart(control: str, yours: Named, theirs: Named) -> tuple[str, str]:
    """Two files of one name, by what is in them."""
    if yours.words != theirs.words:
        return yours.words, theirs.words
    inside = [particulars(control, data.value) for data in (yours, theirs)]
    if inside[0] == inside[1] or not all(inside):
        return yours.words, f"other data called {theirs.words}"
    return f"{yours.words} ({inside[0]})", f"{theirs.words} ({inside[1]})"


def named_data(settings: Settings, names_of_files: Mapping[str, str]) -> dict[str, Named]:
    """Settings' data by their kind; not those that the other settings make no use of."""
    idle = settings.without_effect()
    names = {
        control: visitors_data.setting_of(type(settings), control)
        for control in (MARKET, *TEXTS, LABELLED, DOCUMENTS, SERIES)
    }
    return {
        control: Named(names_of_files.get(name) or _words(settings, control, name), str(getattr(settings, name)))
        for control, name in names.items()
        if name is not None and name not in idle
    }


def _words(settings: Settings, control: str, name: str) -> str:
    value = str(getattr(settings, name))
    if NAME_OF_FILE.fullmatch(value):
        return label_of(control, value)
    if value == SIMULATED:
        seed = getattr(settings, str(visitors_data.setting_of(type(settings), SEED)), 0)
        return f"the simulated market{f' of seed {seed}' if seed else ''}"
    return str(facts(type(settings), name)["labels"].get(value, value))
