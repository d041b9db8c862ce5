"""The page *Your network*: runs that somebody's own script trains, watched by ``goldviz.watch``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from goldviz.arrays.light import LightDataset
from goldviz.declare.kinds import KindError, understood
from goldviz.diagnostics.findings import Finding, percent
from goldviz.figures.by_kind import figures_of_any_run
from goldviz.figures.overlay import scalars
from goldviz.figures.reading import marks
from goldviz.runs.recorder import Command
from goldviz.runs.store.run import Run
from goldviz.runs.store.run_store import UnknownRunError
from goldviz.runs.store.schema import StoreError
from goldviz.ui import address, chrome, whole_page
from goldviz.ui.panels.findings import SIGNS
from goldviz.ui.panels.live_figure import live_diagram, live_figure
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now
from goldviz.ui.words import STATES, duration, numbered, plain
from goldviz.watching import example
from goldviz.watching.declared import TRY, WATCHED
from goldviz.watching.figures import (
    BY_HEAD,
    LABELS,
    MOST_LINES,
    SELDOM,
    layer_lines,
    layer_map,
    losses,
    query,
    through_time,
)
from goldviz.watching.findings import findings_of, gauge
from goldviz.watching.knobs import CLIP, DROPOUT, FREEZE, RATE
from goldviz.watching.measures import (
    knobs_of,
    last_values,
    layers_of,
    looked_every,
    replayed,
    share_watching,
    trials_of,
    tried_of,
)
from goldviz.watching.network_diagram import network_diagram
from goldviz.watching.versions import known, said_of

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
QUERY = "your-network-query"
"""Of the session's state: which layers the map is asked for."""
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
"""After which a growing run is drawn again."""
PASTE = """import goldviz

with goldviz.watch(model, optimizer, name="my run") as record:
    for x, y in loader:
        ...                       # your step, as it is
        record.step(loss=loss)    # the only line inside the loop"""


@dataclass(frozen=True)
class Watched:
    """A run in view, under the name that tells it from the others."""

    title: str
    run: Run
    records: LightDataset
    findings: Sequence[Finding]
    left_out: str
    """What another goldviz recorded and this one does not know, in a sentence; empty where nothing."""


def show() -> None:
    """Draw the page."""
    chrome.heading("Your network", "What does a network of your own do while your script trains it?")
    try:
        chrome.notices()
        runs, _ = services.store().list(experiment=WATCHED, limit=LISTED)
        named, complaints = _named()
    except StoreError as error:
        st.error(plain(str(error)))
        return
    chrome.arrival(complaints)
    if not runs:
        with st.expander("Watch your own"):
            _how_to_begin()
        whole_page.drawn_alone(_wait_for_the_first, run_every=SECONDS)()
        whole_page.drawn_alone(_example)()
        return
    chosen = _chosen(runs, named, follows=bool(named or complaints))
    growing = any(run.unfinished for run in runs if run.id in chosen)
    whole_page.drawn_alone(_news, run_every=SECONDS)(chosen, growing)
    if chosen:
        whole_page.drawn_alone(_live, run_every=SECONDS if growing else None)(chosen, growing)
    with st.expander("Watch another"):
        _how_to_begin()


def _how_to_begin() -> None:
    st.markdown("Put three lines around the loop of your script. Then run it: its numbers appear here.")
    st.code(PASTE, language="python")
    st.markdown(
        'On a machine without goldviz\'s page, add `to="run.gv"`. Bring the file here with `goldviz open run.gv`.'
    )


def _example() -> None:
    """A recorded run that does not learn, with its card and its map, until there is one of the visitor's own."""
    records = example.recorded()
    run = Run(
        id="example", experiment=WATCHED, name=example.TITLE, settings="", settings_version=1, status="finished",
        message=EXAMPLE, created=0.0, step=example.STEPS, total=0, seconds=float(records.attrs["duration"]),
        instrument_seconds=0.0, version=0, parent=None, parent_step=None, attributes={}, changes={},
    )  # fmt: skip
    _drawn([Watched(example.TITLE, run, records, findings_of(records), "")])


def _wait_for_the_first() -> None:
    """Show the first run as soon as a script begins one."""
    try:
        begun = bool(services.store().list(experiment=WATCHED, limit=1)[0])
    except StoreError:
        return
    if begun:
        st.rerun()


def _news(chosen: Sequence[str], growing: bool) -> None:
    """Say that a script has begun another run since this page was opened, and follow one in view that goes on."""
    store = services.store()
    try:
        runs, _ = store.list(experiment=WATCHED, limit=1)
        goes_on = not growing and any(store.run(run_id).unfinished for run_id in chosen)
    except (StoreError, UnknownRunError):
        return
    if goes_on:
        st.rerun()
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
        "Runs", list(titles), key=CHOSEN, max_selections=MOST, format_func=lambda run_id: titles.get(run_id, run_id)
    )
    if chosen or not follows:
        address.leave({RUN: ",".join(chosen)} if chosen else {})
    return list(chosen)


def _live(run_ids: Sequence[str], growing: bool) -> None:
    """All that follows the runs while they grow."""
    try:
        snapshots = [services.live_run(run_id).snapshot() for run_id in run_ids]
    except (StoreError, UnknownRunError) as error:
        st.error(plain(str(error)))
        return
    titles = numbered([run.name or run.id for run, _ in snapshots])
    views = [
        Watched(title, run, own := known(records), findings_of(own), said_of(records))
        for title, (run, records) in zip(titles, snapshots, strict=True)
    ]
    if growing and not any(view.run.unfinished for view in views):
        st.rerun()
    _drawn(views)


def _drawn(views: Sequence[Watched]) -> None:
    """States, cards and figures of these runs."""
    for column, view in zip(st.columns(len(views)), views, strict=True):
        with column:
            _state(view)
            _knobs(view)
    looking, reading = st.columns([2, 1])
    with looking, st.container(key="first-look"):
        _figures(views)
    with reading:
        for view in views:
            _cards(view, several=len(views) > 1)


def _figures(views: Sequence[Watched]) -> None:
    """Losses, numbers of the scripts' own, the map, and what else can be opened."""
    theme = theme_now()
    named = [(view.title, view.records) for view in views]
    live_figure(
        losses(named, theme).to_json(),
        key="your-network-loss",
        subject=" ".join(view.run.id for view in views),
        description="The loss of each run in view over its steps.",
    )
    if any("scalars" in view.records for view in views):
        live_figure(
            scalars(named, theme).to_json(),
            key="your-network-scalars",
            subject=" ".join(view.run.id for view in views),
            description="Numbers that the scripts told of themselves, over their steps.",
        )
    _map(views)
    _through_time(views[0])
    for name, key, draw in (
        ("Modules", "your-network-modules", _modules),
        ("Other figures", "your-network-others", _others),
    ):
        with st.expander(name, key=key, on_change="rerun") as expander:
            if expander.open:
                draw(views[0])


def _state(view: Watched) -> None:
    word, colour, icon = STATES[view.run.status]
    step = f"step {view.run.step:,}, {duration(view.run.seconds)}" if view.run.step else "no step yet"
    st.markdown(f"**{plain(view.title)}** :{colour}-badge[{icon} {word}] {step}")
    share, every = share_watching(view.records), looked_every(view.records)
    words = f"Watching took {percent(share)} of your steps' time." if math.isfinite(share) else ""
    stretched = f" To keep its budget it looks once in {every} steps." if every else ""
    st.caption(f"{words}{stretched} {plain(view.run.message)}".strip() or "Waiting for the first step.")
    if view.left_out:
        st.caption(plain(view.left_out))
    if words := gauge(view.records, view.findings):
        st.markdown(f":material/speed: {words}", help=HEADROOM)


def _knobs(view: Watched) -> None:
    """What may be changed while the script trains, and the diary of what was."""
    for _, words in marks(view.records):
        st.caption(f":material/tune: {plain(words)}")
    offered = knobs_of(view.records)
    if not offered or view.run.status != "running":
        return
    # By its key the expander stays open while the page is drawn anew at every look.
    opened = st.expander("Change it while it trains", key=f"change-{view.run.id}")
    with opened, st.form(f"knobs-{view.run.id}", clear_on_submit=True, border=False):
        values: dict[str, object] = {
            name: st.number_input(words, min_value=low, max_value=high, value=None, format="%g", placeholder="as it is")
            for name, (words, low, high) in NUMBERS.items()
            if name in offered
        }
        layers = [name for name, _, _ in layers_of(view.records)]
        values[FREEZE] = st.multiselect("Frozen layers", layers, placeholder="as they are") or None
        thawed = st.checkbox("Train all layers again")
        if st.form_submit_button("Change it", icon=":material/tune:"):
            changes = {name: value for name, value in values.items() if value is not None}
            changes |= {FREEZE: []} if thawed else {}
            try:
                if changes:
                    services.store().command(view.run.id, Command("change", changes))
                else:
                    st.caption("Nothing is filled in: nothing changes.")
            except (StoreError, UnknownRunError) as error:
                st.error(plain(str(error)))
    st.caption("The script takes a change over at its next step.")


def _cards(view: Watched, *, several: bool) -> None:
    findings = view.findings
    if several:
        st.markdown(f"**{plain(view.title)}**")
    known_kinds = st.session_state.get(SET_ASIDE, {}).get(view.run.id, frozenset())
    new = [finding for finding in findings if finding.kind not in known_kinds]
    aside = [plain(finding.title) for finding in findings if finding.kind in known_kinds]
    if not findings:
        st.caption("Nothing out of the ordinary so far." if view.run.step else "Nothing to report yet.")
    for finding in new:
        _card(finding, view)
    if aside:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Set aside: {'; '.join(aside)}.", width="content")
            st.button(
                "Show again", key=f"show-{view.run.id}", type="tertiary", on_click=_set_aside, args=(view.run.id,)
            )


def _set_aside(run_id: str, *kinds: str) -> None:
    """Set these cards of a run aside beside those that are; all come back where none is named."""
    there = st.session_state.get(SET_ASIDE, {})
    st.session_state[SET_ASIDE] = {**there, run_id: there.get(run_id, frozenset()) | {*kinds} if kinds else frozenset()}


def _card(finding: Finding, view: Watched) -> None:
    colour, icon, word = SIGNS[finding.severity]
    with st.container(border=True):
        st.markdown(f":{colour}-badge[{icon} {word}] **{plain(finding.title)}**")
        st.markdown(f"**{plain(finding.number)}** · limit: {plain(finding.threshold)}")
        if finding.explanation:
            st.markdown(plain(finding.explanation))
        tried = tried_of(view.records).get(finding.kind)
        if finding.cure:
            untried = f"{UNTRIED} {finding.effect}".rstrip()
            st.caption(plain(f"Tried on this run. {tried['sentence']}" if tried else untried))
            st.code(finding.cure, language="python", wrap_lines=True)
            if not tried and view.run.status == "running" and finding.kind in trials_of(view.records):
                _offer_trial(finding.kind, view.run.id)
        st.button(
            "I know this",
            key=f"aside-{view.run.id}-{finding.kind}",
            type="tertiary",
            icon=":material/visibility_off:",
            on_click=_set_aside,
            args=(view.run.id, finding.kind),
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


def _map(views: Sequence[Watched]) -> None:
    """One map of all layers, or of those that a line asks for."""
    names = [name for name, _, _ in layers_of(views[0].records)]
    left, right = st.columns([2, 1])
    line = left.text_input(
        "Layers",
        key=QUERY,
        placeholder="all of them; or a pattern and quantities, such as  *.attn : entropy, largest logit",
    )
    recorded = [name for name in LABELS if name not in SELDOM or any(name in view.records for view in views)]
    quantity = right.selectbox(
        "Quantity", recorded, index=recorded.index("gradient_by_layer"), format_func=LABELS.__getitem__,
        key="your-network-quantity",
    )  # fmt: skip
    asked = query(line, names, quantity)
    if asked.complaint:
        st.warning(plain(asked.complaint))
        return
    named, theme = [(view.title, view.records) for view in views], theme_now()
    for place, name in enumerate(asked.quantities[:MOST]):
        live_figure(
            layer_map(named, name, line, theme).to_json(),
            key=f"your-network-map-{place}",
            subject=f"{name} {line}",
            description=f"{LABELS[name]} of {len(asked.layers)} layers over the steps.",
        )
    st.caption(
        "A cross is no finite number. A gap was not measured. Of several steps a column shows the largest. "
        "Behind an attention's name stands the number of its head."
        if any(name in BY_HEAD for name in asked.quantities)
        else "A cross is no finite number. A gap was not measured. Of several steps a column shows the largest."
    )
    first = asked.quantities[0]
    if len(asked.layers) <= MOST_LINES and len(views) == 1 and first in views[0].records and first not in BY_HEAD:
        live_figure(
            layer_lines(views[0].records, first, asked.layers, theme).to_json(),
            key="your-network-lines",
            subject=f"{first} {line}",
            description=f"{LABELS[first]} of these layers as lines.",
        )


def _through_time(view: Watched) -> None:
    """A recurrent module by time step, where one was replayed."""
    if (replay := replayed(view.records)) is None:
        return
    name, difference = replay
    live_figure(
        through_time(view.records, theme_now()).to_json(),
        key="your-network-time",
        subject=view.run.id,
        description="The gradient of each state of a recurrent module, and what it means to the last one.",
    )
    gates = (
        " Gates are valves: their product is what a state keeps up to the last step if nothing else carries it."
        if "gate_product" in view.records
        else ""
    )
    st.caption(
        f"**{plain(name)}**: its last layer, one batch replayed step by step with your weights. "
        f"Its outputs differ from the module's own by {difference:.1g} at most.{gates}"
    )


def _network(view: Watched) -> None:
    """The network as a diagram, coloured by what was measured last; a layer that is chosen is asked for in the map."""
    names = {name for name, _, _ in layers_of(view.records)}

    def ask(place: Mapping[str, Any]) -> None:
        _, colon, quantities = st.session_state.get(QUERY, "").partition(":")
        name = place.get("layer", "")
        st.session_state[QUERY] = f"{name if name in names else ''} {colon}{quantities}".strip()

    if names:
        live_diagram(
            network_diagram(view.records, theme_now()).to_json(),
            key="your-network-diagram",
            subject=view.run.id,
            description="Each layer's last number. Hatched: not finite, or 0 on a scale of powers of ten. "
            "Not shown here: how values flow between the layers.",
            choice={},
            on_chosen=ask,
        )


def _modules(view: Watched) -> None:
    """The network as a diagram, and every layer with its last numbers, in the model's order."""
    _network(view)
    rows = layers_of(view.records)
    columns = {
        "Layer": [name for name, _, _ in rows],
        "Kind": [kind for _, kind, _ in rows],
        "Parameters": [count for _, _, count in rows],
        **{label: last_values(view.records, name, len(rows)) for name, label in LABELS.items() if name not in SELDOM},
    }
    digits = {label: st.column_config.NumberColumn(format="%.3g") for label in LABELS.values()}
    st.dataframe(pd.DataFrame(columns), hide_index=True, column_config=digits)


def _others(view: Watched) -> None:
    """The shared figures of what this run recorded."""
    try:
        own = understood(view.records.dataset)
    except KindError:
        st.caption("Nothing was recorded yet.")
        return
    figures = {
        name: spec
        for name, spec in figures_of_any_run(own.kinds, [view.title]).items()
        if not spec.canvas and name != "loss"
    }
    if not figures:
        st.caption("Nothing more was recorded.")
        return
    name = st.selectbox(
        "Figure", list(figures), format_func=lambda one: figures[one].question, key="your-network-figure"
    )
    spec = figures[name]
    live_figure(
        spec.draw(own.dataset, theme=theme_now()).to_json(),
        key="your-network-other",
        subject=f"{view.run.id} {name}",
        description=spec.shows,
    )
    st.caption(spec.caption)
