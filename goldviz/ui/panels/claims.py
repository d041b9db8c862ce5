"""What the document claims, on a laboratory's page: each claim with its recorded verdict, and a click that tries it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from goldviz.declare.claims import DOCUMENTS, IDENTITY, NOT_TESTED, Claim, claims, claims_of
from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment, Settings
from goldviz.diagnostics.measure import seeds
from goldviz.diagnostics.verdicts import Verdict, counted
from goldviz.runs.examples import has_example
from goldviz.runs.execution.pace import machine
from goldviz.ui import visitors_data
from goldviz.ui.panels import controls, lanes, parts
from goldviz.ui.panels.lanes import AnyLane, Lane
from goldviz.ui.panels.settings import start_side_by_side
from goldviz.ui.serving import services
from goldviz.ui.words import duration, plain

PARAMETER = "claim"
"""The link's parameter that names a claim to set up."""
PART = "claims"
"""The part of a page that has them."""
QUESTION = "Do the claims hold?"
SIGNS = {
    "holds": ("green", ":material/check_circle:"),
    "holds in part": ("orange", ":material/contrast:"),
    "does not hold": ("red", ":material/cancel:"),
    "undecided": ("gray", ":material/help:"),
    IDENTITY: ("blue", ":material/equal:"),
    NOT_TESTED: ("gray", ":material/hourglass_empty:"),
}
OVER = ("finished", "diverged")
"""States of a run whose numbers can be judged."""


def badge(word: str) -> str:
    """A verdict's word as a badge in Markdown."""
    colour, icon = SIGNS[word]
    return f":{colour}-badge[{icon} {word}]"


def arrive(lab: Laboratory, number: str) -> list[str]:
    """Set the page up for the claim that a link names; returns a sentence where it is none of this laboratory's."""
    if not number:
        return []
    claim = claims().get(number)
    if claim is None or claim.lab != lab:
        return [f"In the link: {lab.declared.title} has no claim {number[:20]!r}."]
    st.session_state[_key(lab)] = number
    parts.open_part(lab.name, PART)
    _set_up(claim, claim.together[0])
    settings_class, presets = lab.declared, [lane.like_preset() for lane in claim.settings]
    if issubclass(settings_class, Experiment) and all(presets):
        slugs = [preset.slug for preset in presets if preset is not None and has_example(settings_class, preset.slug)]
        lanes.put(settings_class, [lanes.EXAMPLE + slug for slug in slugs])
    return []


def show(lab: Laboratory, visible_lanes: Sequence[AnyLane] = ()) -> None:
    """All claims of a laboratory; ``shown`` are the lanes whose runs may have tested one."""
    claims = claims_of(lab)
    number = st.session_state.get(_key(lab))
    for heading, is_ours in (("What the documents claim", False), ("Questions of our own", True)):
        group = [claim for claim in claims if (claim.kind == "question") == is_ours]
        if group:
            st.markdown(f"{heading}: {counted(claim.word for claim in group)}.")
        for claim in sorted(group, key=lambda claim: claim.number != number):
            _one(claim, visible_lanes)
    st.page_link("pages/claims.py", label="All claims of the documents", icon=":material/fact_check:")


def _one(claim: Claim, visible_lanes: Sequence[AnyLane]) -> None:
    with st.container(border=True):
        st.markdown(f"{badge(claim.word)} **{claim.number}** {plain(claim.sentence)}")
        numbers = f"Recorded: {claim.verdict.numbers}." if claim.verdict else "Nothing is recorded yet: try it."
        by = "Our own question on" if claim.kind == "question" else "Claimed in"
        place = f"{DOCUMENTS[claim.document]} ({claim.document}){claim.place.removeprefix(claim.document)}"
        st.caption(plain(f"{by} {place}. {numbers}"))
        own = verdict_of_runs(claim, visible_lanes)
        if own is not None:
            st.markdown(f"Your runs: {badge(claim.word_of(own))} {plain(own.numbers)}")
        with st.container(horizontal=True):
            _buttons(claim)


def _buttons(claim: Claim) -> None:
    """One that runs all lanes where networks are trained, else one for each lane."""
    if issubclass(claim.lab.declared, Instant):
        for number in range(1, len(claim.lanes) + 1):
            _set_up_button(claim, number)
        return
    runs = [lane for lane in claim.together if isinstance(lane, Experiment)]
    st.button(
        "Run it",
        key=f"try-{claim.number}",
        icon=":material/play_arrow:",
        help=_effort(claim, runs),
        on_click=_run,
        args=(claim, runs),
    )


def _set_up_button(claim: Claim, number: int) -> None:
    lane, count = claim.together[number - 1], len(claim.lanes)
    st.button(
        "Set it up" if count == 1 else f"Set up {number} of {count}",
        key=f"try-{claim.number}-{number}",
        icon=":material/tune:",
        help=plain(_difference(lane)),
        on_click=_set_up_and_say,
        args=(claim, lane),
    )


def _effort(claim: Claim, runs: Sequence[Experiment]) -> str:
    cases = f"{len(claim.cases)} seeds" if claim.over == "seeds" else f"the first of {len(claim.cases)} {claim.called}"
    probe = services.probe()
    seconds = duration(sum(run.estimated_seconds() * machine(type(run), probe) for run in runs))
    return plain(f"Trains {' beside '.join(map(_difference, claim.settings))} on {cases}: about {seconds} on one core.")


def verdict_of_runs(claim: Claim, visible_lanes: Sequence[AnyLane]) -> Verdict | None:
    """What the runs in the lanes say of a claim: those with its settings, once all are over; else None."""
    if claim.over != "seeds":
        return None
    lanes = [next((lane for lane in visible_lanes if _tests(lane, settings)), None) for settings in claim.together]
    datasets = [seeds(lane.dataset) for lane in lanes if lane is not None]
    if len(datasets) < len(lanes):
        return None
    return claim.judged(claim.read(list(zip(*datasets, strict=True))))


def _tests(lane: AnyLane, settings: Settings) -> bool:
    if not isinstance(lane, Lane) or lane.run is None or lane.run.status not in OVER:
        return False
    same = {"device": lane.settings.device, "time_limit": lane.settings.time_limit}
    return bool(settings.changed(**same) == lane.settings)


def _difference(settings: Settings) -> str:
    preset = settings.like_preset()
    changes = ", ".join(f"{name} {value}" for name, value in settings.differences().items())
    return preset.name if preset else changes or settings.presets[0].name


def _set_up(claim: Claim, settings: Settings) -> None:
    settings_class = claim.lab.declared
    controls.put_link(settings_class, settings, dict.fromkeys(settings_class.model_fields, ""))
    visitors_data.bring_named(settings_class, settings)


def _set_up_and_say(claim: Claim, settings: Settings) -> None:
    _set_up(claim, settings)
    # The settings may have been these already, and nothing else would answer.
    st.toast(f"Set up: {plain(_difference(settings))}.")


def _run(claim: Claim, runs: list[Experiment]) -> None:
    settings_class = claim.lab.declared
    assert issubclass(settings_class, Experiment)
    _set_up(claim, claim.together[0])
    start_side_by_side(settings_class, runs)


def _key(lab: Laboratory) -> str:
    return f"claim-{lab.name}"
