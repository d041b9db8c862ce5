"""With which weights of a run a person may try something, or why there are none yet, and the click that makes some."""

from __future__ import annotations

from typing import Any

import streamlit as st

from goldviz.runs.examples import weights_path
from goldviz.runs.jobs.kept_weights import KeptWeights
from goldviz.ui.panels import settings as settings_panel
from goldviz.ui.panels.lanes import EXAMPLE, Lane
from goldviz.ui.serving import services


def kept_weights(lane: Lane[Any], step: int | None) -> KeptWeights | None:
    """The last kept weights that are not after the step in view, or the first after the start; of a recorded run those
    that ship with it."""
    settings = lane.stored.model_dump_json()
    if lane.run is None:
        ships = weights_path(type(lane.settings), lane.id.removeprefix(EXAMPLE)).is_file()
        return KeptWeights(lane.id, lane.last_step, settings) if ships else None
    checkpoints = [one for one in services.store().checkpoint_steps(lane.id) if one > 0]
    if not checkpoints:
        return None
    before = [one for one in checkpoints if step is None or one <= step]
    return KeptWeights(lane.id, before[-1] if before else checkpoints[0], settings)


def offer_weights(lane: Lane[Any], does: str) -> None:
    """Say why there are none, and offer to train a run that has some; ``does`` is what they would do, such as
    "translates your sentence here"."""
    if lane.unfinished:
        st.caption(f"The run is learning. As soon as it has kept weights, it {does}.")
        return
    has_none = "This recorded example comes without weights" if lane.run is None else "This run has kept no weights"
    st.caption(f"{has_none}. Train it: as soon as your run has kept some, it {does}.")
    st.button(
        "Train it now",
        key=f"train-for-weights-{lane.id}",
        type="primary",
        icon=":material/play_arrow:",
        on_click=settings_panel.train_again,
        args=(lane.settings,),
    )
