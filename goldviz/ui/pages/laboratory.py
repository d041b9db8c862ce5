"""A laboratory's page: presets and knobs, Train, live figures in lanes, findings, the mathematics, exports.

Every experiment's page is a :class:`LaboratoryPage`; what is special to one is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import streamlit as st

from goldviz.declare.claims import claims_of
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import Experiment, SettingsError
from goldviz.figures.reading import begun
from goldviz.figures.spec import FigureSpec
from goldviz.runs.store.rows import DamagedRunError
from goldviz.runs.store.run_store import UnknownRunError
from goldviz.runs.store.schema import StoreError
from goldviz.ui import address, chrome, visitors_data, whole_page
from goldviz.ui.markets import panel as market_panel
from goldviz.ui.panels import claims as claims_panel
from goldviz.ui.panels import controls, lanes, onwards, parts, presets, stories, take_away
from goldviz.ui.panels import findings as findings_panel
from goldviz.ui.panels import live_figure as live
from goldviz.ui.panels import settings as settings_panel
from goldviz.ui.panels.knobs import knobs
from goldviz.ui.panels.lanes import AnyLane, Lane
from goldviz.ui.panels.live_figure import Source
from goldviz.ui.panels.parts import CLOSER, FIRST, Part
from goldviz.ui.panels.together import offer_one_figure
from goldviz.ui.runs import panel as run_panel
from goldviz.ui.serving.first_view import Opening
from goldviz.ui.texts import start_panel, text_panel
from goldviz.ui.words import plain

FIGURE = "figure"
"""The link's parameter that names a figure to look closer at."""
STEP = "step"
"""The link's parameter that names the step in view, where that does not follow the run."""


@contextmanager
def words_beside(draw: Callable[[str], None], name: str) -> Iterator[None]:
    """Words of the mathematics, and the figure of this name to their right."""
    words, figure = st.columns([2, 3])
    with words:
        yield
    with figure:
        draw(name)


def notes_on_text(lane: Lane[Any]) -> None:
    """What is to be known of the text that a run read."""
    if text := str(lane.dataset.attrs.get("text_notes", "")):
        st.caption(f":material/info: {plain(text)}")


@dataclass(frozen=True)
class LaboratoryPage:
    """What one laboratory's page is made of. ``main`` and ``beside`` name the figures of the first part, ``below`` one
    under them.

    ``verdict`` says over a lane's figures what they come to, ``why`` explains with the last lane's numbers.
    ``data`` draws above the knobs what the settings read, and how to choose it.
    Each of ``parts`` is drawn with the last lane and the step in view; it may let a person try things with that
    step's weights.
    """

    lab: Laboratory
    main: str
    beside: str | None = None
    below: str | None = None
    why: Callable[[Lane[Any], Callable[[str], None]], None] | None = None
    verdict: Callable[[Lane[Any]], None] | None = None
    parts: Sequence[Part] = ()
    data: Callable[[], None] = lambda: None

    @property
    def experiment(self) -> type[Experiment]:
        """What can be set."""
        return cast("type[Experiment]", self.lab.declared)

    @property
    def figures(self) -> Mapping[str, FigureSpec]:
        """The laboratory's figures in their order."""
        return cast("Mapping[str, FigureSpec]", self.lab.figures().FIGURES)

    def opening(self) -> Opening | None:
        """What the page opens with for whoever comes new; None where sentences stand over its figures."""
        experiment = self.experiment
        lane = lanes.read(experiment, lanes.EXAMPLE + experiment.presets[0].slug)
        if self.verdict not in (None, notes_on_text) or not isinstance(lane, Lane):
            return None
        specs = [self.figures[name] for name in (self.main, self.beside) if name]
        chapter = chrome.chapter_of(experiment.title)
        return Opening(
            (f"{experiment.section}:", *(page.room for page in chapter)) if len(chapter) > 1 else (),
            experiment.title,
            experiment.question,
            experiment.presets[0].name,
            tuple(part.question for part in self.questions()),
            lane.title,
            f"{lane.step.capitalize()} {lane.last_step}",
            tuple(
                (spec.draw(lane.dataset, epoch=lane.last_step, theme="light").to_json(), spec.description)
                for spec in specs
            ),
        )

    def show(self) -> None:
        """Draw the page."""
        experiment = self.experiment
        complaints = self._arrive()
        with chrome.heading(experiment.title, experiment.question):
            settings_panel.presets(experiment)
        with chrome.arrival(complaints):
            settings_panel.show_complaints()
        panel, looking = chrome.panel_and_figures()
        with looking:
            # On a narrow screen the settings are out of sight, and Train is not.
            above = st.container(key="doubts-above")
            whole_page.drawn_alone(self._look)()
        with panel:
            start = st.container(key="start")
            if not stories.asks(experiment.name):
                presets.words(experiment)
            market_panel.show(experiment)
            knobs_place = st.container()
            text_panel.show(experiment)
            start_panel.show(experiment)
            with knobs_place:
                self.data()
                settings = knobs(experiment)
            # A large market of one's own takes seconds, once.
            with start, st.spinner("Looking through the data"):
                doubts, refusal = settings_panel.doubts_and_refusal(settings) if settings else ((), "")
            with start:
                settings_panel.train(experiment, settings, refusal)
            if refusal:
                above.error(plain(refusal), icon=":material/block:")
            for place in (start, above) if doubts else ():
                for sentence in doubts:
                    place.caption(f":material/warning: {plain(sentence)}")
        onwards.show(self.lab)
        self._leave_link(settings)

    def _look(self) -> None:
        """All that changes with a run; what grows with it follows by itself."""
        name = self.experiment.name
        # While a story asks, the other parts are closed: they tell the answer.
        is_veiled = stories.asks(name)
        part = parts.strip(name, [one for one in self.questions() if one.name in (FIRST, CLOSER) or not is_veiled])
        if part.name != CLOSER:
            address.keep(FIGURE, "")
        notices, timeline = st.container(key="notices"), st.container(key="timeline")
        with notices:
            visible_lanes = _read_lanes(self.experiment)
            settings_panel.show_complaints()
        if not visible_lanes:
            return
        source = Source.of(name, [lane.id for lane in visible_lanes])
        self._open_where_finite(visible_lanes)
        with timeline:
            noun, last = visible_lanes[0].step.capitalize(), max(lane.last_step for lane in visible_lanes)
            epoch = live.timeline(source, noun, last, key=_timeline_key(name))
        st.session_state[_step_key(name)] = epoch
        address.keep(STEP, "" if epoch is None else str(epoch))
        with st.container(key="lanes"):
            alone = len(visible_lanes) == 1
            for place, (column, lane) in enumerate(zip(st.columns(len(visible_lanes)), visible_lanes, strict=True)):
                with column:
                    run_panel.head(self.experiment, lane, source, epoch, place=place, alone=alone)
        settings_panel.lanes_are_drawn(self.experiment)
        with st.container(key="first-look" if part.name == FIRST else "closer-look"):
            part.draw(_View(visible_lanes, epoch, partial(self._figure, source)))

    def _open_where_finite(self, visible_lanes: Sequence[AnyLane]) -> None:
        """A run alone that diverged opens at its last step that is finite, where its figures show what grew; what comes
        into view after it follows its run again."""
        name = self.experiment.name
        opened_key = _opened_key(name)
        lane_ids = [lane.id for lane in visible_lanes]
        ids_before, step_before = st.session_state.get(opened_key, ([], None))
        if lane_ids == ids_before:
            return
        step = visible_lanes[0].last_finite_step if len(visible_lanes) == 1 else None
        in_view = address.of(STEP)
        if in_view == str(step_before) if in_view else step is not None:
            live.go_to_step(_timeline_key(name), step)
        st.session_state[opened_key] = (lane_ids, step)

    def questions(self) -> list[Part]:
        """What this page can open, in order."""
        own = [replace(part, draw=partial(_with_last_lane, part.draw)) for part in self.parts]
        questions = [Part(FIRST, "At a glance", self._first)]
        if self._others():
            questions.append(Part(CLOSER, "Look closer", self._closer))
        questions += [*own, Part("happened", "What happened?", self._findings)]
        if claims_of(self.lab):
            questions.append(Part(claims_panel.PART, claims_panel.QUESTION, self._claims))
        if self.why is not None:
            questions.append(Part("why", "Why?", partial(self._mathematics, self.why), shows=lambda settings: True))
        return [*questions, Part("take", take_away.TITLE, self._take)]

    def _first(self, view: _View) -> None:
        visible_lanes = view.shown
        is_veiled = stories.asks(self.experiment.name)
        if self.verdict is not None and not is_veiled:
            with st.container(key="verdicts"):
                for column, lane in zip(st.columns(len(visible_lanes)), visible_lanes, strict=True):
                    with column:
                        if isinstance(lane, Lane):
                            self.verdict(lane)
        first = self.first_figure(visible_lanes)
        others = [name for name in (self.beside, self.below) if name]
        if first in others:
            others[others.index(first)] = self.main
        beside, *below = others if self.beside else [None, *others]
        if len(visible_lanes) == 1 and beside is not None:
            for column, name in zip(st.columns([3, 2]), (first, beside), strict=True):
                with column:
                    view.draw(visible_lanes[0], name)
        else:
            for name in filter(None, (first, beside)):
                view.across(name)
        for name in filter(None, below):
            view.across(name)
        if not is_veiled:
            offer_one_figure(self.experiment.name, visible_lanes)

    def first_figure(self, visible_lanes: Sequence[AnyLane]) -> str:
        """The figure that stands first: the one by which all lanes' presets show what they say, or else the page's, to
        which the words of a story's steps point, too."""
        presets = [lane.settings.like_preset() for lane in visible_lanes if isinstance(lane, Lane)]
        names = {preset.figure if preset else "" for preset in presets}
        is_own = len(names) == 1 and not stories.to_link(self.experiment.name)
        return (names.pop() if is_own else "") or self.main

    def _others(self, first: str = "") -> list[str]:
        """What is looked closer at: the page's first figure, too, where another took its place."""
        at_a_glance = {first or self.main, self.beside, self.below}
        is_swapped = first in (self.beside, self.below)
        return [name for name in self.figures if name not in at_a_glance and not (is_swapped and name == self.main)]

    def _closer(self, view: _View) -> None:
        """One of the other figures, by its question."""
        others = self._others(self.first_figure(view.shown))
        names = [name for name in others if _can_be_drawn(self.figures[name], view.shown)]
        if not names:
            st.caption("These runs recorded nothing more.")
            return
        key = _detail_key(self.experiment.name)
        if st.session_state.setdefault(key, names[0]) not in names:
            st.session_state[key] = names[0]
        if stories.shows(self.experiment.name, st.session_state[key]) or stories.asks(self.experiment.name):
            view.across(st.session_state[key])
            return
        figure_name = st.pills(
            "Look closer",
            names,
            key=key,
            format_func=lambda name: self.figures[name].question,
            required=True,
            persist_state="session",
            label_visibility="collapsed",
        )
        address.keep(FIGURE, str(figure_name))
        view.across(str(figure_name))
        spec = self.figures[str(figure_name)]
        st.caption(spec.caption)
        if self.below is not None:
            view.across(self.below)

    def _findings(self, view: _View) -> None:
        findings_panel.show(self.experiment, view.shown)

    def _claims(self, view: _View) -> None:
        claims_panel.show(self.lab, view.shown)

    def _mathematics(self, why: Callable[..., None], view: _View) -> None:
        lane = view.shown[-1]
        if not isinstance(lane, Lane):
            st.caption("The mathematics needs the run's settings, which are not understood.")
            return
        if len(view.shown) > 1:
            st.caption(f"Numbers of: {plain(lane.title)}")
        why(lane, lambda name: view.draw(lane, name, place="why-"))

    def _take(self, view: _View) -> None:
        take_away.show(self.experiment, view.shown, self.figures)

    def _arrive(self) -> list[str]:
        """Take settings out of the link at the first visit and by Back, and lanes, a part or a claim whenever the
        visitor comes from another page.

        Returns a sentence for everything that could not be taken.
        """
        experiment = self.experiment
        arrival_key = f"arrived-{experiment.name}"
        back = st.session_state.get(chrome.BACK, False)
        first = back or arrival_key not in st.session_state
        complaints: list[str] = []
        parameters = address.of_page()
        run_ids, claim = parameters.pop(lanes.OPEN, ""), parameters.pop(claims_panel.PARAMETER, "")
        part, figure = parameters.pop(parts.PARAMETER, ""), parameters.pop(FIGURE, "")
        named_runs, step_in_view = parameters.pop(lanes.PARAMETER, "") or run_ids, parameters.pop(STEP, "")
        if first:
            parts.give(experiment.name, self.parts, parameters)
            st.session_state[arrival_key] = True
            complaints = visitors_data.follow_link(experiment, parameters, back=back)
        if first or st.session_state.get(chrome.CHANGED):
            complaints += parts.arrive(experiment.name, self.questions(), part)
            complaints += self._figure_from_link(figure, part)
            complaints += claims_panel.arrive(self.lab, claim)
        if back or (named_runs and (first or st.session_state.get(chrome.CHANGED))):
            complaints += lanes.from_link(experiment, named_runs)
            if run_ids:
                lanes.settings_into_panel(experiment)
        if back or (first and step_in_view):
            live.go_to_step(_timeline_key(experiment.name), int(step_in_view) if step_in_view.isdecimal() else None)
        step = stories.set_up(experiment)
        if step is not None:
            parts.open_part(experiment.name, FIRST)
            self._figure_from_link(step.figure)
            live.go_to_step(_timeline_key(experiment.name), None)
            st.session_state.pop(_opened_key(experiment.name), None)
        controls.ensure(experiment)
        visitors_data.take(experiment)
        return complaints

    def _figure_from_link(self, name: str, part: str = "") -> list[str]:
        """Open the part in which a figure is; the page's first one is looked closer at beside presets with another."""
        if not name:
            return []
        if name not in self.figures:
            return [f"In the link: there is no figure {name[:40]!r}; there are {', '.join(self.figures)}."]
        is_closer = name in self._others() or (name == self.main and part == CLOSER)
        if is_closer:
            st.session_state[_detail_key(self.experiment.name)] = name
        parts.open_part(self.experiment.name, CLOSER if is_closer else FIRST)
        return []

    def _leave_link(self, settings: Experiment | None) -> None:
        """Keep the address in the browser a link to what is shown."""
        if settings is None:
            return
        name = self.experiment.name
        parameters = {
            **controls.to_link(settings),
            **lanes.to_link(self.experiment),
            **parts.to_link(name),
            **parts.kept_to_link(name, self.parts),
            **self._figure_to_link(),
            **self._step_to_link(),
        }
        address.leave(parameters)

    def _figure_to_link(self) -> dict[str, str]:
        """The figure that is looked at closer."""
        name = st.session_state.get(_detail_key(self.experiment.name))
        closer = parts.to_link(self.experiment.name) == {parts.PARAMETER: CLOSER}
        return {FIGURE: name} if closer and name else {}

    def _step_to_link(self) -> dict[str, str]:
        """The step in view, where it does not follow the run."""
        step = st.session_state.get(_step_key(self.experiment.name))
        return {} if step is None else {STEP: str(step)}

    def _figure(self, source: Source, lane: AnyLane, name: str, *, place: str = "") -> None:
        spec = self.figures[name]
        # The key is the lane's place, not its run: a new run in the same lane is drawn over the old one.
        key = f"{place}{name}-{source.offer.lanes.index(lane.id)}"
        if spec.canvas:
            live.followed_diagram(source, lane.id, name, key=key, description=spec.caption)
        else:
            live.followed_figure(
                source,
                lane.id,
                name,
                key=key,
                description=spec.description,
                veiled=stories.asks(self.experiment.name),
                sketch=stories.sketch(self.experiment.name, lane.id, name),
            )


def _can_be_drawn(spec: FigureSpec, visible_lanes: Sequence[AnyLane]) -> bool:
    """Whether a lane has what a figure needs, or may yet record it: older runs and examples lack what is newer."""
    runs = [lane.records for lane in visible_lanes]
    return any(not begun(run) or all(name in run for name in spec.needs) for run in runs)


def _detail_key(name: str) -> str:
    return f"detail-{name}"


def _timeline_key(name: str) -> str:
    return f"scrub-{name}"


def _opened_key(name: str) -> str:
    return f"opened-{name}"


def _step_key(name: str) -> str:
    return f"step-in-view-{name}"


@dataclass(frozen=True)
class _View:
    """The lanes in view at a step, and how a lane's figure is drawn."""

    shown: list[AnyLane]
    epoch: int | None
    draw: Callable[..., None]

    def across(self, name: str) -> None:
        """Draw a figure of every lane, side by side."""
        for column, lane in zip(st.columns(len(self.shown)), self.shown, strict=True):
            with column:
                if len(self.shown) > 1:
                    chrome.lane_over_figure(lane.title)
                self.draw(lane, name)


def _with_last_lane(draw: Callable[..., None], view: _View) -> None:
    """A part of its own: what is tried there does not draw the rest of the page again."""
    last = view.shown[-1]
    if not isinstance(last, Lane):
        st.caption("This needs the run's settings, which are not understood.")
        return
    whole_page.drawn_alone(draw)(last, view.epoch)


def _read_lanes(experiment: type[Experiment]) -> list[AnyLane]:
    visible_lanes = []
    for lane_id in list(lanes.ids(experiment)):
        try:
            visible_lanes.append(lanes.read(experiment, lane_id))
        except (UnknownRunError, SettingsError, DamagedRunError) as error:
            if lane_id.startswith(lanes.EXAMPLE):
                st.error(plain(str(error)))
                continue
            lanes.close(experiment, lane_id)
            settings_panel.complain(str(error))
            st.rerun()
        except StoreError as error:
            st.error(plain(str(error)))
    return lanes.told_apart(visible_lanes)
