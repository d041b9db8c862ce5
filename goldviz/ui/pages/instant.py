"""An instant page: presets and knobs, figures computed on the spot, the mathematics.

Every instant page is an :class:`InstantPage`; what is special to one is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar, cast

import streamlit as st
import xarray as xr
from streamlit.delta_generator import DeltaGenerator

from goldviz.cache import Cache
from goldviz.declare.claims import claims_of
from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory, laboratory_of
from goldviz.figures.maps import at_positions
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import Theme
from goldviz.runs.jobs.jobs import JobFailedError, Report, Task, TooManyJobsError
from goldviz.ui import address, chrome, visitors_data
from goldviz.ui.markets import panel as market_panel
from goldviz.ui.panels import background, controls, onwards, parts, presets, stories, take_away, trained_on
from goldviz.ui.panels import claims as claims_panel
from goldviz.ui.panels.instant_figures import figure_text, position_of, subject_of, task_of
from goldviz.ui.panels.knobs import knobs
from goldviz.ui.panels.live_figure import Place, answer_ahead, live_figure, position_slider, send_positions
from goldviz.ui.panels.parts import Part
from goldviz.ui.serving import queries, services
from goldviz.ui.theme import theme_now
from goldviz.ui.words import plain

Declared = TypeVar("Declared", bound=Instant)

MOST_DRAWN = 128
"""Positions up to which a figure is drawn at each of them."""
ROOM = 1_000_000
"""Bytes of a page's figures at all positions that are sent; what takes more is drawn by the server."""
EVERYWHERE_SECONDS = 0.6
"""About how long a worker takes for the numbers of all positions."""

_positions: Cache[str] = Cache(64 * 2**20, len)


@dataclass(frozen=True)
class View(Generic[Declared]):
    """The settings that are shown, their numbers, and how to draw a figure of them.

    ``moving`` grows with every figure that the position moves, with what else its drawing is told.
    """

    settings: Declared
    dataset: xr.Dataset
    moving: dict[str, tuple[FigureSpec, dict[str, Any]]] = field(default_factory=dict)

    def draw(self, *specs: FigureSpec, widths: Sequence[int] = (), **more: Any) -> None:
        """Draw a figure with its own words, or several side by side."""
        for place, spec in zip(_beside(len(specs), widths), specs, strict=True):
            with place:
                self._draw(spec, more)

    def _draw(self, spec: FigureSpec, more: dict[str, Any]) -> None:
        name, description = spec.name, spec.description
        text = figure_text(self.settings, self.dataset, spec, theme_now(), **more)
        if spec.at:
            self.moving[name] = (spec, more)
        place = Place(self.settings.name, self.lane, name, self.position)
        # Moving the position keeps a zoom; other settings may mean other axes.
        live_figure(
            text, key=f"{name}-{self.settings.name}", subject=self.subject, description=description, place=place
        )

    def as_seen(self, spec: FigureSpec, **more: Any) -> FigureSpec:
        """A figure of these numbers, with the words under it, for a report."""
        words = f"{spec.question} {spec.shows}".lstrip()
        return replace(spec, draw=partial(spec.draw, **more), question="", shows=words, canvas=False)

    def drawable(self, specs: Iterable[FigureSpec]) -> list[FigureSpec]:
        """Those of a laboratory's figures that these numbers have something for."""
        return [self.as_seen(spec) for spec in specs if spec.drawable(self.dataset)]

    @property
    def position(self) -> int:
        """Where one looks; 0 where there is only one place."""
        return position_of(self.settings)

    @property
    def subject(self) -> str:
        """What is looked at, wherever one looks."""
        return subject_of(self.settings)

    @property
    def lane(self) -> str:
        """What the figures of all positions are of."""
        return _lane(self.settings)

    def explain(self, *specs: FigureSpec, **more: Any) -> None:
        """Draw as :meth:`draw` does, and say under each figure what it cannot show."""
        for place, spec in zip(_beside(len(specs)), specs, strict=True):
            with place:
                self.draw(spec, **more)
                if spec.limits:
                    st.caption(spec.limits)


def _lane(settings: Instant) -> str:
    return f"{theme_now()} {subject_of(settings)}"


def _beside(count: int, widths: Sequence[int] = ()) -> Sequence[AbstractContextManager[Any]]:
    return st.columns(widths or count) if count > 1 else [nullcontext()]


def _all_of_laboratory(view: View[Any]) -> list[FigureSpec]:
    return view.drawable(laboratory_of(view.settings).figures().FIGURES.values())


@dataclass(frozen=True)
class InstantPage:
    """What one instant page is made of: ``look`` draws what one came for, each of ``parts`` one more question, and
    ``why`` the mathematics; the strip opens one of them at a time.

    ``report`` gives the figures of the page's report, those of all parts: by default all of the laboratory's that the
    numbers have something for. ``source`` says in the panel what the page reads. ``seconds`` says about
    how long the numbers of settings take: a worker process computes what takes longer than a page may.

    ``plays`` says whether any figure follows the position without the server. Where numbers are of one position alone,
    ``everywhere(report, settings in JSON, names, theme)`` gives the figures of these names at all positions, as
    :func:`goldviz.figures.maps.at_positions` does; a worker process calls it.
    """

    lab: Laboratory
    look: Callable[[View[Any]], None]
    parts: Sequence[Part] = ()
    why: Callable[[View[Any]], None] | None = None
    source: Callable[[Any], None] | None = None
    report: Callable[[View[Any]], list[FigureSpec]] = _all_of_laboratory
    words_of_position: Callable[[Any], str] | None = None
    seconds: Callable[[Any], float] = lambda settings: 0.0
    plays: bool = True
    everywhere: Callable[[Report, str, tuple[str, ...], Theme], dict[str, str]] | None = None

    @property
    def declared(self) -> type[Instant]:
        """What can be set."""
        return cast("type[Instant]", self.lab.declared)

    def show(self) -> None:
        """Draw the page."""
        settings_class = self.declared
        complaints = self._arrive()
        with chrome.heading(settings_class.title, settings_class.question):
            # Their words go when the position is no longer theirs.
            presets.draw(settings_class)
        chrome.arrival(complaints)
        panel, looking = chrome.panel_and_figures()
        with panel:
            presets.words(settings_class)
            source = st.container(key="source")
            market_panel.show(settings_class)
            settings = knobs(settings_class, left_out=settings_class.position)
        with looking:
            part = parts.strip(settings_class.name, self.questions())
            with st.container(key="first-look" if part.name == parts.FIRST else "closer-look"):
                settings = self._position(settings)
                view = self._view(settings)
                part.draw(view)
        if self.source is not None:
            with source:
                self.source(view.settings)
        onwards.show(self.lab)
        if settings is not None:
            _leave_link(settings)
        if queries.come_ahead(self.lab):
            _answer_ahead(self.lab, view.settings)
        self._send_positions(view)
        self._prepare(view.settings)

    def questions(self) -> list[Part]:
        """What this page can open, in order."""
        questions = [Part(parts.FIRST, "At a glance", self.look), *self.parts]
        if claims_of(self.lab):
            questions.append(Part(claims_panel.PART, claims_panel.QUESTION, lambda view: claims_panel.show(self.lab)))
        if self.why is not None:
            questions.append(Part("why", "Why?", self.why))
        return [*questions, Part("take", take_away.TITLE, self._take)]

    def _take(self, view: View[Any]) -> None:
        take_away.show_view(view.settings, view.dataset, lambda: self.report(view))

    def _arrive(self) -> list[str]:
        """Take over a link's settings, its part, or the claim that it names, on the first run and on a later visit by a
        link."""
        settings_class = self.declared
        arrival_key = f"arrived-{settings_class.name}"
        back = bool(st.session_state.get(chrome.BACK))
        first = back or arrival_key not in st.session_state
        parameters = address.of_page()
        claim, part = parameters.pop(claims_panel.PARAMETER, ""), parameters.pop(parts.PARAMETER, "")
        complaints: list[str] = []
        if first or (parameters and st.session_state.get(chrome.CHANGED)):
            st.session_state[arrival_key] = True
            complaints = visitors_data.follow_link(settings_class, parameters, back=back)
        if first or st.session_state.get(chrome.CHANGED):
            complaints += parts.arrive(settings_class.name, self.questions(), part)
            complaints += claims_panel.arrive(self.lab, claim)
        if stories.set_up(settings_class) is not None:
            parts.open_part(settings_class.name, parts.FIRST)
        controls.ensure(settings_class)
        visitors_data.take(settings_class)
        return complaints

    def _view(self, settings: Instant | None) -> View[Instant]:
        """The numbers of these settings, or of the last ones that had some after saying why these have none."""
        settings_class = self.declared
        if settings is not None:
            _leave_others(settings)
        key = f"shown-{settings_class.name}"
        settings_json = None if settings is None else settings.model_dump_json()
        notice = st.container(key="notice")
        if settings is not None:
            view = self._computed(settings, notice)
            if view is not None:
                st.session_state[key] = settings_json
                return view
        for last in (st.session_state.get(key), settings_class().model_dump_json()):
            view = None if last in (None, settings_json) else self._computed(settings_class.checked_json(last), notice)
            if view is not None:
                notice.caption("The figures show the last settings that were allowed and computed.")
                for sentence in trained_on.others_shown(view.settings):
                    notice.caption(sentence)
                return view
        st.stop()

    def _computed(self, settings: Instant, notice: DeltaGenerator) -> View[Instant] | None:
        """These settings with their numbers; None after saying why there are none, or how far they are."""
        try:
            with notice:
                dataset = background.made(self._task(settings))
        except ValueError as error:
            # What was allowed once may be gone, such as a file.
            notice.error(plain(str(error)), icon=":material/block:")
            return None
        return None if dataset is None else View(settings, dataset)

    def _task(self, settings: Instant) -> Task[xr.Dataset]:
        task = task_of(settings)
        return task if services.jobs().held(task) is not None else replace(task, seconds=self.seconds(settings))

    def _position(self, settings: Instant | None) -> Instant | None:
        """The slider that says where to look, over what the settings leave to look at."""
        name = self.declared.position
        if not name or settings is None:
            return settings
        first, last = settings.positions()
        key = controls.key_of(self.declared, name)
        st.session_state[key] = min(max(st.session_state[key], first), last)
        if first < last:
            in_words = self.words_of_position or (lambda settings: name)
            words = [in_words(settings.model_copy(update={name: at})) for at in range(first, last + 1)]
            position_slider(
                self.declared.name,
                first,
                words,
                st.session_state[key],
                controls.meaning(self.declared, name),
                lambda position: st.session_state.update({key: position}),
                plays=self.plays,
            )
        return settings.changed(**{name: st.session_state[key]})

    def _send_positions(self, view: View[Any]) -> None:
        """Send what the figures show at all other positions, after all that is in sight is drawn.

        What would take too long to draw, or too much room, is drawn by the server when the slider comes to rest.
        """
        first, last = view.settings.positions() if view.moving else (0, 0)
        if first == last:
            return
        with st.container(key="positions"):
            frames = self._everywhere(view)
            for name, (spec, more) in view.moving.items():
                if spec.at != "ds" and (spec.at_once or last - first < MOST_DRAWN):
                    frames[name] = _at_positions(view, spec, range(first, last + 1), more)
            addresses: dict[str, str] = {}
            for name, text in frames.items():
                if sum(map(len, addresses.values())) + len(text) <= ROOM:
                    addresses[name] = text
            send_positions(view.settings.name, view.lane, addresses)

    def _prepare(self, settings: Instant) -> None:
        """Let an idle worker make what the page may be asked for next."""
        task = queries.preparation(self.lab, settings)
        if task is not None:
            _of_use_to(settings, task.key)
            background.when_idle(task)

    def _everywhere(self, view: View[Any]) -> dict[str, str]:
        """The figures whose datasets are of one position, at all of them; a worker computes these."""
        names = tuple(name for name, (spec, _) in view.moving.items() if spec.at == "ds")
        if self.everywhere is None or not names:
            return {}
        key = f"everywhere-{view.settings.name}-{view.lane}-{names}"
        _of_use_to(view.settings, key)
        arguments = (view.subject, names, theme_now())
        task = Task(key, self.everywhere, arguments, "Looking everywhere", EVERYWHERE_SECONDS)
        try:
            frames = background.awaited(task)
        except (JobFailedError, TooManyJobsError):
            return {}
        return dict(frames)


def _of_use_to(settings: Instant, key: str) -> None:
    """Note a job that is of use while these settings are in view."""
    st.session_state.setdefault(f"of-use-{settings.name}", {})[key] = _lane(settings)


def _leave_others(settings: Instant) -> None:
    """No longer wait for jobs that were of use to other settings of the page."""
    note = st.session_state.get(f"of-use-{settings.name}", {})
    for key in [key for key, lane in note.items() if lane != _lane(settings)]:
        background.leave(key)
        del note[key]


def _at_positions(view: View[Any], spec: FigureSpec, positions: range, more: dict[str, Any]) -> str:
    """A figure of a dataset that is the same at all positions, drawn once for everybody."""
    theme = theme_now()
    key = (view.settings.name, view.lane, spec.name, str(more))
    views = [(position, view.dataset) for position in positions]
    return _positions.get(key, lambda: at_positions(spec, views, theme, **more))


def _answer_ahead(lab: Laboratory, settings: Instant) -> None:
    """Let figures follow the knobs before the page's script hears of them."""
    settings_class = type(settings)
    names = [name for name in controls.knobs(settings_class) if name != settings_class.position]
    knobs = {name: controls.choices(settings_class, name) for name in names}
    with st.container(key="ahead"):
        answer_ahead(settings.name, subject_of(settings), settings.position, knobs, list(lab.figures().FIGURES))


def _leave_link(settings: Instant) -> None:
    """Keep the address in the browser a link to what is shown."""
    name = settings.name
    parameters = {**controls.to_link(settings), **parts.to_link(name)}
    address.leave(parameters)
