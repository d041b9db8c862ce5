"""An instant page: presets and knobs, figures computed on the spot, the mathematics.

Every instant page is an :class:`InstantPage`; what is special to one is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar, cast

import streamlit as st
import xarray as xr
from streamlit.delta_generator import DeltaGenerator

from goldviz.cupboard import Cupboard
from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory
from goldviz.declare.settings import SettingsError
from goldviz.figures.draft import Figure
from goldviz.figures.maps import at_positions
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import Theme
from goldviz.runs.jobs import JobFailedError, Report, Task, TooManyJobsError
from goldviz.ui import background, chrome, claims_panel, controls, presets, services, stories, take_away, visitors_data
from goldviz.ui.instant_figures import figure_text, position_of, subject_of, task_of
from goldviz.ui.live_figure import Place, answer_ahead, live_figure, position_slider, send_positions
from goldviz.ui.markets import panel as market_panel
from goldviz.ui.theme import theme_now
from goldviz.ui.words import plain

Declared = TypeVar("Declared", bound=Instant)

MOST_DRAWN = 128
"""Positions up to which a figure is drawn at each of them."""
ROOM = 1_000_000
"""Bytes of a page's figures at all positions that are sent; what takes more is drawn by the server."""
EVERYWHERE_SECONDS = 0.6
"""About how long a worker takes for the numbers of all positions."""

_positions: Cupboard[str] = Cupboard(64 * 2**20, len)


@dataclass(frozen=True)
class View(Generic[Declared]):
    """The settings that are shown, their numbers, and how to draw a figure of them.

    ``drawn`` grows with every figure: what a report of the page is made of. ``moving`` has those that the position
    moves, with what else their drawing is told.
    """

    settings: Declared
    dataset: xr.Dataset
    drawn: dict[str, FigureSpec] = field(default_factory=dict)
    moving: dict[str, tuple[FigureSpec, dict[str, Any]]] = field(default_factory=dict)

    def figure(self, name: str, draw: Callable[..., Figure], description: str, **more: Any) -> None:
        """Draw ``draw(dataset, theme=..., **more)``, once for everybody who looks at the same settings."""
        self._draw(FigureSpec(draw, "", description, "", name), more)

    def draw(self, *specs: FigureSpec, widths: Sequence[int] = (), **more: Any) -> None:
        """Draw a figure with its own words, or several side by side."""
        for place, spec in zip(_beside(len(specs), widths), specs, strict=True):
            with place:
                self._draw(spec, more)

    def _draw(self, spec: FigureSpec, more: dict[str, Any]) -> None:
        name, description = spec.name, f"{spec.question} {spec.shows}".lstrip()
        view = {**more, **spec.position(self.position)}
        self.drawn[name] = FigureSpec(partial(spec.draw, **view), "", description, spec.cannot_show)
        text = figure_text(self.settings, self.dataset, spec, theme_now(), **more)
        if spec.at:
            self.moving[name] = (spec, more)
        place = Place(self.settings.name, self.lane, name, self.position)
        # Moving the position keeps a zoom; other settings may mean other axes.
        live_figure(
            text, key=f"{name}-{self.settings.name}", subject=self.subject, description=description, place=place
        )

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
        return f"{theme_now()} {self.subject}"

    def explain(self, *specs: FigureSpec, **more: Any) -> None:
        """Draw as :meth:`draw` does, and say under each figure what it cannot show."""
        for place, spec in zip(_beside(len(specs)), specs, strict=True):
            with place:
                self.draw(spec, **more)
                st.caption(f"Not shown here: {spec.cannot_show[0].lower()}{spec.cannot_show[1:]}")


def _beside(count: int, widths: Sequence[int] = ()) -> Sequence[AbstractContextManager[Any]]:
    return st.columns(widths or count) if count > 1 else [nullcontext()]


@dataclass(frozen=True)
class InstantPage:
    """What one instant page is made of: ``look`` draws what one came for, ``read`` what is read at leisure.

    ``before`` and ``after`` are called around the whole page. ``seconds`` says about how long the numbers of settings
    take: a worker process computes what takes longer than a page may.

    ``plays`` says whether any figure follows the position without the server. Where numbers are of one position alone,
    ``everywhere(report, settings in JSON, names, theme)`` gives the figures of these names at all positions, as
    :func:`goldviz.figures.maps.at_positions` does; a worker process calls it.
    """

    lab: Laboratory
    look: Callable[[View[Any]], None]
    read: Callable[[View[Any]], None]
    words_of_position: Callable[[Any], str] | None = None
    before: Callable[[], None] | None = None
    after: Callable[[], None] | None = None
    seconds: Callable[[Any], float] = lambda settings: 0.0
    plays: bool = True
    everywhere: Callable[[Report, str, tuple[str, ...], Theme], dict[str, str]] | None = None
    takes_itself: tuple[str, ...] = ()
    """Controls of the visitor's data that ``before`` takes over."""

    @property
    def declared(self) -> type[Instant]:
        """What can be set."""
        return cast("type[Instant]", self.lab.declared)

    def show(self) -> None:
        """Draw the page."""
        if self.before is not None:
            self.before()
        declared = self.declared
        complaints = _arrive(self.lab, declared, self.takes_itself)
        chrome.heading(declared.title, declared.question)
        # What comes and goes has a place of its own; else all below would move, and be built anew.
        with st.container(key="arrival"):
            for sentence in complaints:
                st.warning(plain(sentence), icon=":material/link_off:")
        market_panel.show(declared)
        # Their words go when the position is no longer theirs.
        with st.container(key="start-from"):
            presets.draw(declared)
        with st.container(key="laboratory"):
            looking, setting_up = st.columns([3, 1], gap="medium")
        with setting_up, st.container(border=True, key="knobs"):
            settings = _knobs(declared)
        with looking:
            with st.container(key="first-look"):
                settings = self._position(settings)
                view = self._view(settings)
                self.look(view)
            with st.container(key="closer-look"):
                self.read(view)
                claims_panel.show(self.lab)
                take_away.show_view(view.settings, view.dataset, view.drawn)
        if settings is not None:
            _leave_link(settings)
        if self.after is not None:
            self.after()
        self._send_positions(view)
        if self.lab.has("answers"):
            _answer_ahead(self.lab, view.settings)

    def _view(self, settings: Instant | None) -> View[Instant]:
        """The numbers of these settings, or of the last ones that had some after saying why these have none."""
        declared = self.declared
        key = f"shown-{declared.name}"
        asked = None if settings is None else settings.model_dump_json()
        notice = st.container(key="notice")
        if settings is not None:
            view = self._computed(settings, notice)
            if view is not None:
                st.session_state[key] = asked
                return view
        notice.caption("The figures show the last settings that were allowed and computed.")
        for last in (st.session_state.get(key), declared().model_dump_json()):
            view = None if last in (None, asked) else self._computed(declared.checked_json(last), notice)
            if view is not None:
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
                self.declared.name, first, words, st.session_state[key], controls.meaning(self.declared, name),
                lambda position: st.session_state.update({key: position}), plays=self.plays,
            )  # fmt: skip
        return settings.changed(**{name: st.session_state[key]})

    def _send_positions(self, view: View[Any]) -> None:
        """Send what the figures show at all other positions, after all that is in sight is drawn.

        What would take too long to draw, or too much room, is drawn by the server when the slider comes to rest.
        """
        first, last = view.settings.positions() if view.moving else (0, 0)
        if first == last:
            return
        with st.container(key="positions"):
            found = self._everywhere(view)
            for name, (spec, more) in view.moving.items():
                if spec.at != "ds" and (spec.at_once or last - first < MOST_DRAWN):
                    found[name] = _at_positions(view, spec, range(first, last + 1), more)
            sent: dict[str, str] = {}
            for name, text in found.items():
                if sum(map(len, sent.values())) + len(text) <= ROOM:
                    sent[name] = text
            send_positions(view.settings.name, view.lane, sent)

    def _everywhere(self, view: View[Any]) -> dict[str, str]:
        """The figures whose datasets are of one position, at all of them; a worker computes these."""
        names = tuple(name for name, (spec, _) in view.moving.items() if spec.at == "ds")
        if self.everywhere is None or not names:
            return {}
        key = f"everywhere-{view.settings.name}-{view.lane}-{names}"
        arguments = (view.subject, names, theme_now())
        task = Task(key, self.everywhere, arguments, "Looking everywhere", EVERYWHERE_SECONDS)
        try:
            found = background.awaited(task)
        except (JobFailedError, TooManyJobsError):
            return {}
        return dict(found)


def _at_positions(view: View[Any], spec: FigureSpec, positions: range, more: dict[str, Any]) -> str:
    """A figure of a dataset that is the same at all positions, drawn once for everybody."""
    theme = theme_now()
    key = (view.settings.name, view.lane, spec.name, str(more))
    views = [(position, view.dataset) for position in positions]
    return _positions.get(key, lambda: at_positions(spec, views, theme, **more))


def _arrive(lab: Laboratory, declared: type[Instant], takes_itself: tuple[str, ...]) -> list[str]:
    """Take over a link's settings, or the claim that it names, on the first run and on a later visit by a link."""
    arrived = f"arrived-{declared.name}"
    first = arrived not in st.session_state
    parameters = st.query_params.to_dict()
    parameters.pop(stories.PARAMETER, None)
    claim = parameters.pop(claims_panel.PARAMETER, "")
    complaints: list[str] = []
    if first or (parameters and st.session_state.get(chrome.CHANGED)):
        st.session_state[arrived] = True
        settings, complaints = controls.from_link(declared, parameters)
        controls.put_link(declared, settings, parameters)
        visitors_data.bring_named(declared, settings, parameters)
    if first or st.session_state.get(chrome.CHANGED):
        complaints += claims_panel.arrive(lab, claim)
    stories.set_up(declared)
    controls.ensure(declared)
    visitors_data.take(declared, but=takes_itself)
    return complaints


def _answer_ahead(lab: Laboratory, settings: Instant) -> None:
    """Let figures follow the knobs before the page's script hears of them."""
    declared = type(settings)
    names = [name for name in controls.knobs(declared) if name != declared.position]
    knobs = {name: controls.choices(declared, name) for name in names}
    with st.container(key="ahead"):
        answer_ahead(settings.name, subject_of(settings), settings.position, knobs, list(lab.figures().FIGURES))


def _leave_link(settings: Instant) -> None:
    """Keep the address in the browser a link to what is shown."""
    wanted = {**controls.to_link(settings), **stories.to_link(settings.name)}
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def _knobs(declared: type[Instant]) -> Instant | None:
    """The controls of the settings that have an effect. None after saying which setting is not allowed."""
    try:
        idle = controls.current(declared).without_effect()
    except SettingsError:
        idle = ()
    hidden = {declared.position, *idle}
    controls.draw(declared, [name for name in controls.essential(declared) if name not in hidden])
    with st.expander("More settings"):
        for heading, names in controls.groups(declared).items():
            shown = [name for name in names if name not in hidden]
            if shown:
                st.markdown(f"**{heading}**")
                controls.draw(declared, shown)
    try:
        return controls.current(declared)
    except SettingsError as error:
        for sentence in error.sentences.values():
            st.error(plain(sentence), icon=":material/block:")
        return None
