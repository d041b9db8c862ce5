"""What happened, as cards: each finding's number and threshold, how sure it is, and a run that tries the cure."""

from __future__ import annotations

import streamlit as st

from goldviz.declare.settings import Experiment
from goldviz.diagnostics.findings import Finding
from goldviz.ui.lanes import AnyLane, Lane, UnreadLane, in_words
from goldviz.ui.settings_panel import start_from
from goldviz.ui.words import plain

SIGNS = {
    "bad": ("red", ":material/error:", "Problem"),
    "warning": ("orange", ":material/warning:", "Worth a look"),
    "good": ("green", ":material/check_circle:", "Healthy"),
}
CARDS_IN_A_ROW = 3


def show(experiment: type[Experiment], shown: list[AnyLane]) -> None:
    """The findings of every lane."""
    st.subheader("What happened", anchor=False)
    for lane in shown:
        if len(shown) > 1:
            st.markdown(f"**{plain(lane.title)}**")
        if isinstance(lane, UnreadLane):
            st.caption("What happened is read off numbers and settings together; these settings are not understood.")
            continue
        found = lane.settings.findings(lane.dataset) if lane.last_step else []
        if not found:
            st.caption(
                "Nothing to report yet." if lane.unfinished or not lane.last_step else "Nothing out of the ordinary."
            )
        for row in range(0, len(found), CARDS_IN_A_ROW):
            for column, finding in zip(st.columns(CARDS_IN_A_ROW), found[row : row + CARDS_IN_A_ROW], strict=False):
                with column:
                    _card(experiment, lane, finding)


def _card(experiment: type[Experiment], lane: Lane[Experiment], finding: Finding) -> None:
    colour, icon, word = SIGNS[finding.severity]
    with st.container(border=True, height="stretch"):
        st.markdown(f":{colour}-badge[{icon} {word}] **{finding.title}**")
        st.markdown(f"**{finding.number}** · limit: {finding.threshold}")
        st.markdown(finding.explanation)
        st.caption(f"How sure: {finding.confidence}")
        if finding.advice:
            st.markdown(finding.advice)
        if finding.effect:
            st.caption(finding.effect)
        if finding.changes:
            st.button(
                "Try this",
                key=f"try-{finding.kind}-{finding.title}-{lane.id}",
                icon=":material/science:",
                help="Trains the same run with this change in a lane beside, and shows its settings in the panel.",
                on_click=_try,
                args=(experiment, lane, finding),
            )


def _try(experiment: type[Experiment], lane: Lane[Experiment], finding: Finding) -> None:
    start_from(experiment, lane.settings.changed(**finding.changes), f"Tried: {in_words(finding.changes)}")
