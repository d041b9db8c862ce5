"""The page *Your network*: runs that somebody's own script trains, watched by ``goldviz.watch``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from goldviz.declare.settings import SettingsError
from goldviz.diagnostics.findings import Finding
from goldviz.figures.reading import marks
from goldviz.runs.recorder import Command
from goldviz.runs.store.run import Run
from goldviz.runs.store.run_store import UnknownRunError
from goldviz.runs.store.schema import StoreError
from goldviz.ui import address, chrome, whole_page
from goldviz.ui.panels import live_figure as live
from goldviz.ui.panels import watched
from goldviz.ui.panels.findings import SIGNS
from goldviz.ui.panels.live_figure import Source
from goldviz.ui.panels.watched import WatchedLane
from goldviz.ui.serving import frames, services
from goldviz.ui.words import STATES, numbered, plain
from goldviz.watching.declared import STEP, TRY, WATCHED
from goldviz.watching.figure_table import OF_KINDS
from goldviz.watching.figures import BY_HEAD, LABELS, MOST_LINES, SELDOM, query
from goldviz.watching.findings import gauge
from goldviz.watching.knobs import CLIP, DROPOUT, FREEZE, RATE
from goldviz.watching.measures import knobs_of, last_values, layers_of, replayed, trials_of, tried_of

RUN = "run"
"""The address's parameter that names the runs in view."""
HEADROOM = (
    "At every hundredth step the loss of its batch is computed again at several lengths of the step just taken. "
    "Where it is as high as before the step, the rate is at the edge. Other batches bear less."
)
NUMBERS = {
    RATE: ("Learning rate", 1e-12, 1e6),
    CLIP: ("Clip gradients at this norm (0: not)", 0.0, 1e6),
    DROPOUT: ("Dropout", 0.0, 0.99),
}
"""The knobs that are numbers: words, and the least and the largest value."""
CHOSEN, SEEN = "your-network-runs", "your-network-seen"
"""Of the session's state: the runs in view, and when the newest run began that its visitor was told of."""
QUERY, QUANTITY = "your-network-query", "your-network-quantity"
"""Of the session's state: which layers the map is asked for, and of which quantity where the line names none."""
ASKED = "your-network-asked-trials"
"""Of the session's state: what came of asking for a trial, by run and kind of card."""
SET_ASIDE = "your-network-set-aside"
"""Of the session's state: the kinds of cards that a person knows and set aside, by run."""
HEARD = "Asked. The script tries it after a step, beside a control and a placebo. Then it trains on."
EXAMPLE = "A recorded example, until a script of yours begins a run."
UNTRIED = "A cure to try; nobody tried it on your run."
MOST = 3
"""Runs side by side."""
LISTED = 50
SECONDS = 2.0
"""After which it is asked whether another run has begun."""
TIMELINE, ARRIVED = "your-network-timeline", "your-network-arrived"
"""Of the session's state: the step in view, and whether the link's was taken."""
PASTE = """import goldviz

with goldviz.watch(model, optimizer, name="my run") as record:
    for x, y in loader:
        ...                       # your step, as it is
        record.step(loss=loss)    # the only line inside the loop"""


def show() -> None:
    """Draw the page."""
    beside = chrome.heading("Your network", "What does a network of your own do while your script trains it?")
    with beside, st.popover("Watch your own", icon=":material/code:"):
        _how_to_begin()
    try:
        chrome.notices()
        runs, _ = services.store().list(experiment=WATCHED, limit=LISTED)
        named, complaints = _named()
    except StoreError as error:
        st.error(plain(str(error)))
        return
    chrome.arrival(complaints)
    if st.session_state.get(chrome.BACK) or ARRIVED not in st.session_state:
        st.session_state[ARRIVED] = True
        step = address.of(STEP)
        live.go_to_step(TIMELINE, int(step) if step.isdecimal() else None)
    if not runs:
        whole_page.drawn_alone(_wait_for_the_first, run_every=SECONDS)()
        whole_page.drawn_alone(_look)([watched.RECORDED])
        return
    chosen = _chosen(runs, named, follows=bool(named or complaints))
    whole_page.drawn_alone(_news, run_every=SECONDS)(chosen)
    if chosen:
        whole_page.drawn_alone(_look)(chosen)


def _how_to_begin() -> None:
    st.markdown("Put three lines around the loop of your script. Then run it: its numbers appear here.")
    st.code(PASTE, language="python")
    st.markdown(
        'On a machine without goldviz\'s page, add `to="run.gv"`. Bring the file here with `goldviz open run.gv`.'
    )


def _wait_for_the_first() -> None:
    """Show the first run as soon as a script begins one."""
    try:
        begun = bool(services.store().list(experiment=WATCHED, limit=1)[0])
    except StoreError:
        return
    if begun:
        st.rerun()


def _news(chosen: Sequence[str]) -> None:
    """Say that a script has begun another run since this page was opened."""
    try:
        runs, _ = services.store().list(experiment=WATCHED, limit=1)
    except StoreError:
        return
    for newest in runs:
        seen = st.session_state.setdefault(SEEN, newest.created)
        if newest.id in chosen:
            st.session_state[SEEN] = newest.created
        elif newest.created > seen:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{plain(newest.name or newest.id)}** has begun.", width="content")
                st.button("Show it", key="your-network-show", on_click=_choose, args=(newest.id,))


def _choose(run_id: str) -> None:
    whole_page.changed()
    st.session_state[CHOSEN] = [run_id]
    _follow()


def _follow() -> None:
    """Go to the last step of what comes into view, and on with it."""
    live.go_to_step(TIMELINE, None)


def _named() -> tuple[list[Run], list[str]]:
    """The watched runs that the address names, and a sentence for each name that is none; raises StoreError."""
    named, complaints = [], []
    run_ids = list(dict.fromkeys(filter(None, address.of(RUN).split(","))))
    if len(run_ids) > MOST:
        sentence = f"it names {len(run_ids)} runs; {MOST} can stand side by side, so the first {MOST} are shown."
        complaints.append(f"In the link: {sentence}")
    for run_id in run_ids[:MOST]:
        try:
            run = services.store().run(run_id)
        except UnknownRunError as error:
            complaints.append(f"In the link: {error}")
            continue
        if run.experiment == WATCHED:
            named.append(run)
        else:
            complaints.append(f"In the link: the run {run_id!r} is of a laboratory; the page Runs opens it.")
    return named, complaints


def _chosen(runs: Sequence[Run], named: Sequence[Run], *, follows: bool) -> list[str]:
    """The runs in view: those that the link names, where it ``follows`` one, or else the newest."""
    known_runs = {run.id: run for run in (*runs, *named)}
    titles = dict(zip(known_runs, numbered([run.name or run.id for run in known_runs.values()]), strict=True))
    if follows and (CHOSEN not in st.session_state or st.session_state.get(chrome.CHANGED)):
        st.session_state[CHOSEN] = [run.id for run in named]
    elif CHOSEN not in st.session_state:
        st.session_state[CHOSEN] = [runs[0].id]
    st.session_state[CHOSEN] = [run_id for run_id in st.session_state[CHOSEN] if run_id in titles]
    chosen = st.multiselect(
        "Runs", list(titles), key=CHOSEN, max_selections=MOST, format_func=lambda run_id: titles.get(run_id, run_id),
        on_change=_follow, label_visibility="collapsed", placeholder="Runs",
    )  # fmt: skip
    if chosen or not follows:
        step = address.of(STEP)
        address.leave({RUN: ",".join(chosen), **({STEP: step} if step else {})} if chosen else {})
    return list(chosen)


def _look(run_ids: Sequence[str]) -> None:
    """All that is seen of the runs at the step in view; what grows with them follows by itself."""
    try:
        lanes = [watched.read(run_id) for run_id in run_ids]
    except (StoreError, UnknownRunError, SettingsError) as error:
        st.error(plain(str(error)))
        return
    titles = numbered([lane.title for lane in lanes])
    lanes = [replace(lane, shown_title=title) for lane, title in zip(lanes, titles, strict=True)]
    line = st.session_state.get(QUERY, "")
    source = Source.of(WATCHED, list(run_ids), asked=line)
    with st.container(key="timeline"):
        step = live.timeline(source, STEP.capitalize(), max(lane.last_step for lane in lanes), key=TIMELINE)
    address.keep(STEP, "" if step is None else str(step))
    for column, lane in zip(st.columns(len(lanes)), lanes, strict=True):
        with column:
            _state(lane, source)
    view = _View(lanes, source)
    if len(lanes) == 1:
        left, right = st.columns([3, 2])
        with left, st.container(key="first-look"):
            _map(view, line)
        with right:
            _cards(lanes[0])
            view.across("loss")
    else:
        for column, lane in zip(st.columns(len(lanes)), lanes, strict=True):
            with column:
                _cards(lane)
        _map(view, line)
        view.across("loss")
    if any("scalars" in lane.records for lane in lanes):
        view.across("scalars")
    _through_time(view)
    for column, lane in zip(st.columns(len(lanes)), lanes, strict=True):
        with column:
            _knobs(lane)
    for name, key, draw in (
        ("Modules", "your-network-modules", _modules),
        ("Other figures", "your-network-others", _others),
    ):
        with st.expander(name, key=key, on_change="rerun") as expander:
            if expander.open:
                draw(view)


@dataclass(frozen=True)
class _View:
    """The lanes in view, and where their figures come from."""

    lanes: Sequence[WatchedLane]
    source: Source

    def draw(self, lane: WatchedLane, name: str, place: str = "") -> None:
        """Draw a figure of a lane; what stands at a ``place`` is drawn over what stood there."""
        description = frames.figures_of(self.source.offer)[name].description
        # By its lane's place and not by its run: another run in the same lane is drawn over the one before.
        key = f"your-network-{place or name}-{self.lanes.index(lane)}"
        live.followed_figure(self.source, lane.id, name, key=key, description=description)

    def across(self, name: str, place: str = "") -> None:
        """Draw a figure of every lane, side by side."""
        for column, lane in zip(st.columns(len(self.lanes)), self.lanes, strict=True):
            with column:
                if len(self.lanes) > 1:
                    chrome.lane_over_figure(lane.title)
                self.draw(lane, name, place)


def _state(lane: WatchedLane, source: Source) -> None:
    word, colour, icon = STATES[lane.run.status if lane.run else "example"]
    message = lane.run.message if lane.run else EXAMPLE
    st.markdown(f"**{plain(lane.title)}** :{colour}-badge[{icon} {word}]")
    live.live_progress(source, lane.id, *watched.progress_of(lane), frames.felt(source.offer, lane))
    for words in filter(None, (message, lane.left_out)):
        st.caption(plain(words))
    if words := gauge(lane.records, lane.findings):
        st.markdown(f":material/speed: {words}", help=HEADROOM)
    for _, words in marks(lane.records):
        st.caption(f":material/tune: {plain(words)}")


def _knobs(lane: WatchedLane) -> None:
    """What may be changed while the script trains."""
    offered = knobs_of(lane.records)
    if not offered or not lane.growing:
        return
    # By its key the expander stays open while the page is drawn anew at every look.
    opened = st.expander("Change it while it trains", key=f"change-{lane.id}")
    with opened, st.form(f"knobs-{lane.id}", clear_on_submit=True, border=False):
        values: dict[str, object] = {
            name: st.number_input(words, min_value=low, max_value=high, value=None, format="%g", placeholder="as it is")
            for name, (words, low, high) in NUMBERS.items()
            if name in offered
        }
        layers = [name for name, _, _ in layers_of(lane.records)]
        values[FREEZE] = st.multiselect("Frozen layers", layers, placeholder="as they are") or None
        thawed = st.checkbox("Train all layers again")
        if st.form_submit_button("Change it", icon=":material/tune:"):
            changes = {name: value for name, value in values.items() if value is not None}
            changes |= {FREEZE: []} if thawed else {}
            try:
                if changes:
                    services.store().command(lane.id, Command("change", changes))
                else:
                    st.caption("Nothing is filled in: nothing changes.")
            except (StoreError, UnknownRunError) as error:
                st.error(plain(str(error)))
    st.caption("The script takes a change over at its next step.")


def _cards(lane: WatchedLane) -> None:
    known_kinds = st.session_state.get(SET_ASIDE, {}).get(lane.id, frozenset())
    aside = [plain(finding.title) for finding in lane.findings if finding.kind in known_kinds]
    if not lane.findings:
        st.caption("Nothing out of the ordinary so far." if lane.last_step else "Nothing to report yet.")
    for finding in lane.findings:
        if finding.kind not in known_kinds:
            _card(finding, lane)
    if aside:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Set aside: {'; '.join(aside)}.", width="content")
            st.button("Show again", key=f"show-{lane.id}", type="tertiary", on_click=_set_aside, args=(lane.id,))


def _set_aside(run_id: str, *kinds: str) -> None:
    """Set these cards of a run aside beside those that are; all come back where none is named."""
    there = st.session_state.get(SET_ASIDE, {})
    st.session_state[SET_ASIDE] = {**there, run_id: there.get(run_id, frozenset()) | {*kinds} if kinds else frozenset()}


def _card(finding: Finding, lane: WatchedLane) -> None:
    colour, icon, word = SIGNS[finding.severity]
    with st.container(border=True):
        st.markdown(f":{colour}-badge[{icon} {word}] **{plain(finding.title)}**")
        st.markdown(f"**{plain(finding.number)}** · limit: {plain(finding.threshold)}")
        if finding.explanation:
            st.markdown(plain(finding.explanation))
        tried = tried_of(lane.records).get(finding.kind)
        if finding.cure:
            untried = f"{UNTRIED} {finding.effect}".rstrip()
            st.caption(plain(f"Tried on this run. {tried['sentence']}" if tried else untried))
            st.code(finding.cure, language="python", wrap_lines=True)
            if not tried and lane.growing and finding.kind in trials_of(lane.records):
                _offer_trial(finding.kind, lane.id)
        st.button(
            "I know this",
            key=f"aside-{lane.id}-{finding.kind}",
            type="tertiary",
            icon=":material/visibility_off:",
            on_click=_set_aside,
            args=(lane.id, finding.kind),
        )


def _offer_trial(kind: str, run_id: str) -> None:
    """A button that has the script try a card's cure, and what came of asking."""
    told = st.session_state.get(ASKED, {}).get((run_id, kind))
    if told:
        st.caption(plain(told))
    if told != HEARD:
        st.button(
            "Try it on my run",
            key=f"try-{run_id}-{kind}",
            icon=":material/science:",
            on_click=_ask,
            args=(kind, run_id),
        )


def _ask(kind: str, run_id: str) -> None:
    told = HEARD
    try:
        services.store().command(run_id, Command(TRY, {"card": kind}))
    except (StoreError, UnknownRunError) as error:
        told = str(error)
    st.session_state[ASKED] = {**st.session_state.get(ASKED, {}), (run_id, kind): told}


def _map(view: _View, line: str) -> None:
    """One map of all layers, or of those that a line asks for, and the same layers at the step in view."""
    names = [name for name, _, _ in layers_of(view.lanes[0].records)]
    recorded = [name for name in LABELS if name not in SELDOM or any(name in lane.records for lane in view.lanes)]
    quantity = st.session_state.get(QUANTITY)
    asked = query(line, names, quantity if quantity in recorded else recorded[0])
    if asked.complaint:
        st.warning(plain(asked.complaint))
    else:
        for place, name in enumerate(asked.quantities[:MOST]):
            view.across(f"map-{name}", place=f"map-{place}")
    left, right = st.columns([2, 1])
    left.text_input(
        "Layers",
        key=QUERY,
        placeholder="all of them; or a pattern and quantities, such as  *.attn : entropy, largest logit",
    )
    right.selectbox("Quantity", recorded, format_func=LABELS.__getitem__, key=QUANTITY)
    if asked.complaint:
        return
    main = asked.quantities[0]
    if len(asked.layers) <= MOST_LINES and main not in BY_HEAD:
        view.across(f"lines-{main}", place="lines")
    view.across(f"profile-{main}", place="profile")


def _through_time(view: _View) -> None:
    """A recurrent module by time step, where one was replayed."""
    lane = view.lanes[0]
    if (replay := replayed(lane.records)) is None:
        return
    name, difference = replay
    view.draw(lane, "through_time")
    gates = (
        " Gates are valves: their product is what a state keeps up to the last step if nothing else carries it."
        if "gate_product" in lane.records
        else ""
    )
    st.caption(
        f"**{plain(name)}**: its last layer, one batch replayed step by step with your weights. "
        f"Its outputs differ from the module's own by {difference:.1g} at most.{gates}"
    )


def _modules(view: _View) -> None:
    """The network as a diagram, and every layer with its last numbers, in the model's order; a layer that is chosen is
    asked for in the map."""
    lane = view.lanes[0]
    rows = layers_of(lane.records)
    names = {name for name, _, _ in rows}

    def ask(place: Mapping[str, Any]) -> None:
        _, colon, quantities = st.session_state.get(QUERY, "").partition(":")
        name = place.get("layer", "")
        st.session_state[QUERY] = f"{name if name in names else ''} {colon}{quantities}".strip()

    if names:
        description = frames.figures_of(view.source.offer)["network"].description
        live.followed_diagram(
            view.source, lane.id, "network", key="your-network-diagram", description=description, on_chosen=ask
        )
    columns = {
        "Layer": [name for name, _, _ in rows],
        "Kind": [kind for _, kind, _ in rows],
        "Parameters": [count for _, _, count in rows],
        **{label: last_values(lane.records, name, len(rows)) for name, label in LABELS.items() if name not in SELDOM},
    }
    digits = {label: st.column_config.NumberColumn(format="%.3g") for label in LABELS.values()}
    st.dataframe(pd.DataFrame(columns), hide_index=True, column_config=digits)


def _others(view: _View) -> None:
    """The shared figures of what this run recorded."""
    lane = view.lanes[0]
    figures = {
        name: spec
        for name, spec in frames.figures_of(view.source.offer).items()
        if name in OF_KINDS and all(need in lane.records for need in spec.needs)
    }
    if not figures:
        st.caption("Nothing more was recorded.")
        return
    name = st.selectbox(
        "Figure", list(figures), format_func=lambda one: figures[one].question, key="your-network-figure"
    )
    view.draw(lane, name, place="other")
    st.caption(figures[name].caption)
