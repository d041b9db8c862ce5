"""A laboratory's page: presets and knobs, Train, live figures in lanes, findings, the mathematics, exports.

Every experiment's page is a :class:`LaboratoryPage`; what is special to one is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import streamlit as st

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment, SettingsError
from goldviz.figures.reading import begun
from goldviz.figures.spec import FigureSpec
from goldviz.runs.rows import DamagedRunError
from goldviz.runs.schema import StoreError
from goldviz.runs.store import UnknownRunError
from goldviz.ui import (
    chrome,
    claims_panel,
    controls,
    findings_panel,
    lanes,
    settings_panel,
    stories,
    take_away,
    visitors_data,
)
from goldviz.ui import live_figure as live
from goldviz.ui.lanes import AnyLane, Lane
from goldviz.ui.live_figure import Source
from goldviz.ui.markets import panel as market_panel
from goldviz.ui.runs import panel as run_panel
from goldviz.ui.texts import start_panel, text_panel
from goldviz.ui.together import offer_one_figure
from goldviz.ui.words import plain


@dataclass(frozen=True)
class LaboratoryPage:
    """What one laboratory's page is made of. ``main`` and ``beside`` name the figures that are
    always in sight, ``below`` one under them; ``verdict`` says over a lane's figures what they come
    to, ``explore`` lets a person try things with the last lane's weights of a step, ``why`` explains."""

    lab: Laboratory
    main: str
    beside: str | None = None
    below: str | None = None
    why: Callable[[Lane[Any], Callable[[str], None]], None] | None = None
    verdict: Callable[[Lane[Any]], None] | None = None
    explore: Callable[[Lane[Any], int | None], None] | None = None

    @property
    def experiment(self) -> type[Experiment]:
        """What can be set."""
        return cast("type[Experiment]", self.lab.declared)

    @property
    def figures(self) -> Mapping[str, FigureSpec]:
        """The laboratory's figures in their order."""
        return cast("Mapping[str, FigureSpec]", self.lab.figures().FIGURES)

    def show(self) -> None:
        """Draw the page."""
        experiment = self.experiment
        complaints = _arrive(self.lab, experiment)
        chrome.heading(experiment.title, experiment.question)
        # What comes and goes has a place of its own; else all below would move, and be built anew.
        with st.container(key="arrival"):
            for sentence in complaints:
                st.warning(plain(sentence), icon=":material/link_off:")
            settings_panel.show_complaints()
        market_panel.show(experiment)
        text_panel.show(experiment)
        start_panel.show(experiment)
        with st.container(key="start-from"):
            settings_panel.presets(experiment)

        with st.container(key="laboratory"):
            looking, setting_up = st.columns([3, 1], gap="medium")
        with setting_up, st.container(border=True, key="knobs"):
            settings = settings_panel.knobs(experiment)
            settings_panel.train(experiment, settings)
        _leave_link(experiment, settings)
        with looking:
            st.fragment(self._look)()
        settings_panel.all_is_drawn(experiment)

    def _look(self) -> None:
        """All that changes with a run; what grows with it follows by itself."""
        settings_panel.drawn_anew()
        notices, timeline = st.container(key="notices"), st.container(key="timeline")
        with notices:
            shown = _read_lanes(self.experiment)
            settings_panel.show_complaints()
        if not shown:
            return
        source = Source.of(self.experiment.name, [lane.id for lane in shown])
        with timeline:
            key = f"scrub-{self.experiment.name}"
            epoch = live.timeline(source, shown[0].step.capitalize(), max(lane.last_step for lane in shown), key=key)
        draw = partial(self._figure, source)

        with st.container(key="first-look"):
            for column, lane in zip(st.columns(len(shown)), shown, strict=True):
                with column:
                    run_panel.head(self.experiment, lane, source, alone=len(shown) == 1)
                    if self.verdict is not None and isinstance(lane, Lane):
                        self.verdict(lane)
            if len(shown) == 1 and self.beside is not None:
                left, right = st.columns([3, 2])
                with left:
                    draw(shown[0], self.main)
                with right:
                    draw(shown[0], self.beside)
            else:
                for name in filter(None, (self.main, self.beside)):
                    self._across(shown, name, draw)
            if self.below is not None:
                self._across(shown, self.below, draw)

        with st.container(key="closer-look"):
            last = shown[-1]
            if self.explore is not None and isinstance(last, Lane):
                # A part of its own: what is tried there does not draw the rest of the page again.
                st.fragment(self.explore)(last, epoch)
            offer_one_figure(self.experiment.name, shown)
            self._details(shown, draw)
            findings_panel.show(self.experiment, shown)
            claims_panel.show(self.lab, shown)
            self._mathematics(shown, draw)
            take_away.show(self.experiment, shown[-1], self.figures, epoch)

    def _mathematics(self, shown: list[AnyLane], draw: Callable[..., None]) -> None:
        lane = shown[-1]
        if self.why is None or not isinstance(lane, Lane):
            return
        with st.expander("Why: the mathematics with this run's numbers", icon=":material/function:", expanded=True):
            if len(shown) > 1:
                st.caption(f"Numbers of: {plain(lane.title)}")
            self.why(lane, lambda name: draw(lane, name, place="why-"))

    def _across(self, shown: list[AnyLane], name: str, draw: Callable[..., None]) -> None:
        for column, lane in zip(st.columns(len(shown)), shown, strict=True):
            with column:
                draw(lane, name)

    def _details(self, shown: list[AnyLane], draw: Callable[..., None]) -> None:
        others = [name for name in self.figures if name not in (self.main, self.beside, self.below)]
        names = [name for name in others if _can_be_drawn(self.figures[name], shown)]
        if not names:
            return
        key = f"detail-{self.experiment.name}"
        if st.session_state.setdefault(key, names[0]) not in (*names, None):
            st.session_state[key] = names[0]
        st.pills(
            "Look closer", names, key=key, format_func=lambda name: self.figures[name].question, persist_state="session"
        )
        chosen = st.session_state[key]
        if chosen is None:
            return
        spec = self.figures[chosen]
        st.caption(f"{spec.shows} **What it cannot show:** {spec.cannot_show}")
        self._across(shown, chosen, draw)

    def _figure(self, source: Source, lane: AnyLane, name: str, *, place: str = "") -> None:
        spec = self.figures[name]
        # The key is the lane's place, not its run: a new run in the same lane is drawn over the old one.
        key = f"{place}{name}-{source.offer.lanes.index(lane.id)}"
        if spec.canvas:
            words = f"{spec.shows} What it cannot show: {spec.cannot_show}"
            live.followed_diagram(source, lane.id, name, key=key, description=words)
        else:
            live.followed_figure(source, lane.id, name, key=key, description=f"{spec.question} {spec.shows}")


def _can_be_drawn(spec: FigureSpec, shown: Sequence[AnyLane]) -> bool:
    """Whether a lane has what a figure needs, or may yet record it: older runs and examples lack what is newer."""
    runs = [lane.sheet for lane in shown]
    return any(not begun(run) or all(name in run for name in spec.needs) for run in runs)


def _arrive(lab: Laboratory, experiment: type[Experiment]) -> list[str]:
    """Take settings out of the link at the first visit, and lanes or a claim whenever the visitor comes from another
    page.

    Returns a sentence for everything that could not be taken.
    """
    arrived = f"arrived-{experiment.name}"
    first = arrived not in st.session_state
    complaints: list[str] = []
    parameters = st.query_params.to_dict()
    parameters.pop(stories.PARAMETER, None)
    opened, claim = parameters.pop(lanes.OPEN, ""), parameters.pop(claims_panel.PARAMETER, "")
    named_runs = parameters.pop(lanes.PARAMETER, "") or opened
    if first:
        st.session_state[arrived] = True
        settings, complaints = controls.from_link(experiment, parameters)
        controls.put_link(experiment, settings, parameters)
        visitors_data.bring_named(experiment, settings, parameters)
    if first or st.session_state.get(chrome.CHANGED):
        complaints += claims_panel.arrive(lab, claim)
    if named_runs and (first or st.session_state.get(chrome.CHANGED)):
        complaints += lanes.from_link(experiment, named_runs)
        if opened:
            lanes.settings_into_panel(experiment)
    stories.set_up(experiment)
    controls.ensure(experiment)
    visitors_data.take(experiment)
    return complaints


def _leave_link(experiment: type[Experiment], settings: Experiment | None) -> None:
    """Keep the address in the browser a link to what is shown."""
    if settings is None:
        return
    wanted = {**controls.to_link(settings), **lanes.to_link(experiment), **stories.to_link(experiment.name)}
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def _read_lanes(experiment: type[Experiment]) -> list[AnyLane]:
    shown = []
    for lane_id in list(lanes.ids(experiment)):
        try:
            shown.append(lanes.read(experiment, lane_id))
        except (UnknownRunError, SettingsError, DamagedRunError) as error:
            if lane_id.startswith(lanes.EXAMPLE):
                st.error(plain(str(error)))
                continue
            lanes.close(experiment, lane_id)
            settings_panel.complain(str(error))
            st.rerun()
        except StoreError as error:
            st.error(plain(str(error)))
    return lanes.told_apart(shown)
