"""What happened, as cards: each finding's number and threshold, how sure it is, and a run that tries the cure."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.settings import Experiment
from goldviz.diagnostics.findings import Finding
from goldviz.ui.panels.lanes import AnyLane, Lane, in_words
from goldviz.ui.panels.settings import start_from
from goldviz.ui.words import plain

SIGNS = {
    "bad": ("red", ":material/error:", "Problem"),
    "warning": ("orange", ":material/warning:", "Worth a look"),
    "good": ("green", ":material/check_circle:", "Healthy"),
}
CARDS_IN_A_ROW = 3


def show(experiment: type[Experiment], visible_lanes: list[AnyLane]) -> None:
    """The findings of every lane: those of one as cards, those of several as one table with the cards behind it."""
    findings_by_lane = [_found(lane) for lane in visible_lanes]
    if len(visible_lanes) == 1:
        _cards(experiment, visible_lanes[0], findings_by_lane[0])
        return
    if any(findings_by_lane):
        st.markdown(table([lane.title for lane in visible_lanes], findings_by_lane))
    with st.expander("Each finding, why, and what to try"):
        for lane, findings in zip(visible_lanes, findings_by_lane, strict=True):
            st.markdown(f"**{plain(lane.title)}**")
            _cards(experiment, lane, findings)


def _found(lane: AnyLane) -> list[Finding]:
    return (
        laboratory_of(lane.settings).findings(lane.settings, lane.records)
        if isinstance(lane, Lane) and lane.last_step
        else []
    )


def table(titles: Sequence[str], findings_by_lane: Sequence[Sequence[Finding]]) -> str:
    """The findings of several lanes as a Markdown table: a row for each kind, a column for each lane.

    A row is headed by its first lane's title; a lane whose title is another says its own.
    """
    kinds = {finding.kind: finding.title for findings in reversed(findings_by_lane) for finding in findings}
    order = dict.fromkeys(finding.kind for findings in findings_by_lane for finding in findings)
    rows = [
        [f"**{plain(kinds[kind])}**", *(_cell(findings, kind, kinds[kind]) for findings in findings_by_lane)]
        for kind in order
    ]
    head = ["", *map(plain, titles)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows))


def _cell(findings: Sequence[Finding], kind: str, title: str) -> str:
    """What a lane has of a kind: its sign, its number, and its title where that is another."""
    own = next((finding for finding in findings if finding.kind == kind), None)
    if own is None:
        return "–"
    colour, icon, word = SIGNS[own.severity]
    words = own.number if own.title == title else f"{own.title}: {own.number}"
    return f":{colour}-badge[{icon} {word}] {plain(words)}"


def _cards(experiment: type[Experiment], lane: AnyLane, findings: Sequence[Finding]) -> None:
    if not isinstance(lane, Lane):
        st.caption("What happened is read off numbers and settings together; these settings are not understood.")
        return
    if not findings:
        st.caption(
            "Nothing to report yet." if lane.unfinished or not lane.last_step else "Nothing out of the ordinary."
        )
    for row in range(0, len(findings), CARDS_IN_A_ROW):
        for column, finding in zip(st.columns(CARDS_IN_A_ROW), findings[row : row + CARDS_IN_A_ROW], strict=False):
            with column:
                _card(experiment, lane, finding)


def _card(experiment: type[Experiment], lane: Lane[Experiment], finding: Finding) -> None:
    colour, icon, word = SIGNS[finding.severity]
    with st.container(border=True, height="stretch"):
        st.markdown(f":{colour}-badge[{icon} {word}] **{finding.title}**")
        st.markdown(f"**{finding.number}** · limit: {finding.threshold}")
        if finding.explanation:
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
    start_from(experiment, lane.settings.changed(**finding.changes), f"Tried: {in_words(experiment, finding.changes)}")
