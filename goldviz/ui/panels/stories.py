"""A story's strip at the top of a page, and the list of stories.

The address carries the step (``?story=skip.2``), so each step is a link, a reload stays, and a teacher can hand it out.
Which steps were done and what was guessed stays in the browser (:mod:`goldviz.ui.panels.story_progress`).
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, cast

import streamlit as st
from pydantic import Field, FiniteFloat, TypeAdapter, ValidationError

from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment, Settings, SettingsError
from goldviz.declare.stories import Guess, Step, Story, Task, place, step_of, stories
from goldviz.runs.examples import example
from goldviz.runs.store.run_store import UnknownRunError
from goldviz.runs.store.schema import StoreError
from goldviz.ui import address, chrome, whole_page
from goldviz.ui.components import asset
from goldviz.ui.panels import controls, lanes, story_progress
from goldviz.ui.panels.cards import Card, cards, picture_of
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.panels.live_figure import Sketch
from goldviz.ui.words import plain

PARAMETER = address.STORY
ICON = ":material/auto_stories:"
_AT, _DUE = "story-at", "story-due"
ASK_SECONDS = 2.0
"""How often a task asks whether a run has done it."""
MOST_POINTS = 1000
_drawing = TypeAdapter(Annotated[list[tuple[FiniteFloat, FiniteFloat]], Field(max_length=MOST_POINTS)])


def arrive(page: str) -> str:
    """Take a story's step out of the address; returns a sentence where there is no such step.

    By Back to an address of a story's own page that says nothing of it, the visitor goes back to before the story.
    """
    text = address.of(PARAMETER)
    here = at()
    if not text and here and place(*here) == page and st.session_state.get(chrome.BACK):
        st.session_state.pop(_AT)
    if not text or text == st.session_state.get(_AT):
        return ""
    if step_of(text) is None:
        address.keep(PARAMETER, "")
        return f"In the link: there is no step {text[:40]!r} of a story."
    st.session_state[_AT] = text
    # A link that says more, as one that was copied out of the browser, sets the page up itself.
    st.session_state[_DUE] = not address.of_page()
    return ""


def at() -> tuple[str, int] | None:
    """The story that the visitor follows and the step's number; None without a story."""
    return step_of(st.session_state.get(_AT, ""))


def to_link(page: str) -> dict[str, str]:
    """The step as the address's parameter, on its own page."""
    here = at()
    return {PARAMETER: f"{here[0]}.{here[1]}"} if here and place(*here) == page else {}


def set_up(settings_class: type[Settings]) -> Step | None:
    """Show what the step in view is about: its presets' recorded runs, with the latest of the visitor's beside.

    Returns the step where it has just been set up, so that the page opens its figure.
    """
    here = at()
    if here is None or place(*here) != settings_class.name or not st.session_state.pop(_DUE, False):
        return None
    step = _step(*here)
    controls.put_preset(settings_class, step.presets[0])
    if issubclass(settings_class, Experiment):
        own = [lane for lane in lanes.ids(settings_class) if not lane.startswith(lanes.EXAMPLE)]
        room = lanes.MOST - len(step.presets)
        lanes.put(settings_class, [*(lanes.EXAMPLE + slug for slug in step.presets), *own[-room:]])
    return step


def asks(page: str) -> bool:
    """Whether the step in view, on this page, waits for a guess: then nothing on it may tell the answer."""
    here = at()
    if here is None or place(*here) != page or _step(*here).guess is None:
        return False
    return st.session_state.get(_guess_key(*here)) is None


def sketch(page: str, lane_id: str, figure: str) -> Sketch | None:
    """The line that may be drawn in this figure of a lane as the step's guess, if there is one."""
    here = at()
    if here is None or place(*here) != page:
        return None
    step = _step(*here)
    curve = step.guess.curve if step.guess else None
    if curve is None or curve.figure != figure or lane_id != lanes.EXAMPLE + step.presets[0]:
        return None
    return Sketch(f"{here[0]}.{here[1]}", curve.line, asks(page), partial(_drew, *here))


def shows(page: str, figure: str) -> bool:
    """Whether the step in view, on this page, is about this figure: then others are not offered beside it."""
    here = at()
    return here is not None and place(*here) == page and _step(*here).figure == figure


def _drew(slug: str, number: int, message: Any) -> None:
    """Take a drawn curve for the choice that it means, in a callback."""
    guess = _step(slug, number).guess
    if guess is None or guess.curve is None or not isinstance(message, dict):
        return
    try:
        points = _drawing.validate_python(message.get("points"))
        choice = guess.curve.means(dict(points))
    except (ValidationError, ArithmeticError, KeyError, ValueError):
        return
    st.session_state[_guess_key(slug, number)] = guess.choices[choice]
    whole_page.changed()


def strip(page: str) -> None:
    """The story at the top of the page, if the visitor follows one."""
    complaint = arrive(page)
    address.keep(PARAMETER, to_link(page).get(PARAMETER, ""))
    if complaint:
        st.warning(plain(complaint), icon=":material/link_off:")
    here = at()
    if here is None:
        return
    slug, number = here
    _, story = stories()[slug]
    with st.container(border=True, key="story"):
        position = place(slug, number) == page
        if position:
            _note(slug, number, _step(slug, number))
        with st.container(horizontal=True, vertical_alignment="center", key="story-head"):
            count = len(story_progress.of(slug).done(story))
            how_far = f"{number} of {len(story.steps)}" + (f", {count} done" if count else "")
            st.markdown(f"# {story.title} :gray[{how_far}]", width="stretch")
            _ways(story, slug, number, here=position)
            if st.button("End", icon=":material/close:", type="tertiary", key="story-end", help="End the story"):
                st.session_state.pop(_AT, None)
                address.keep(PARAMETER, "")
                st.rerun()
        if position:
            # The style sheet takes the page's own title and presets away while a step says what to look at.
            with st.container(key="story-told"):
                _told(slug, number, _step(slug, number))


def _step(slug: str, number: int) -> Step:
    return stories()[slug][1].steps[number - 1]


def _note(slug: str, number: int, step: Step) -> None:
    """Note what was guessed in the step in view, or show again what was."""
    if step.guess is None:
        return
    key, before = _guess_key(slug, number), story_progress.of(slug).guesses.get(number)
    if st.session_state.get(key) is not None:
        story_progress.guessed(slug, number, step.guess.choices.index(st.session_state[key]))
    elif before is not None:
        st.session_state[key] = step.guess.choices[before]


def _told(slug: str, number: int, step: Step) -> None:
    st.markdown(step.words)
    if step.task is None:
        st.html(f"<style>{asset('story_looks.css')}</style>")
    if step.guess is not None:
        _guess(step.guess, slug, number)
    if step.task is not None:
        unmet = number not in story_progress.of(slug).tasks
        whole_page.drawn_alone(_task, run_every=ASK_SECONDS if unmet else None)(step.task, slug, number)


def _guess(guess: Guess, slug: str, number: int) -> None:
    key = _guess_key(slug, number)
    is_open = st.session_state.get(key) is None
    with st.container(key="story-asks" if is_open else "story-asked"):
        if is_open:
            # The figures give the answer away.
            st.html(f"<style>{asset('story_asks.css')}</style>")
        guess_made = st.pills(guess.question, guess.choices, key=key, persist_state="session")
        if guess_made is None:
            return
        right, sentence = guess.found(*(example(_declared(slug, number), one) for one in _step(slug, number).presets))
        answer = guess.choices[right]
        word = f"Right: {answer}." if answer == guess_made else f"You said: {guess_made}. Measured: {answer}."
        st.markdown(f"**{word}** {sentence}")


def _guess_key(slug: str, number: int) -> str:
    return f"guess-{slug}-{number}"


def _declared(slug: str, number: int) -> type[Experiment]:
    return cast("type[Experiment]", laboratories()[place(slug, number)].declared)


def _task(task: Task, slug: str, number: int) -> None:
    """A part of its own, which asks the visitor's runs now and then."""
    is_done = number in story_progress.of(slug).tasks
    if not is_done and _done(task, _declared(slug, number)):
        story_progress.did(slug, number)
        st.rerun()
    st.markdown(
        f":{'green' if is_done else 'gray'}[:material/{'check_circle' if is_done else 'radio_button_unchecked'}:] "
        f"**{'Done' if is_done else 'Now you'}:** {task.words}"
    )


def _done(task: Task, settings_class: type[Experiment]) -> bool:
    for lane_id in lanes.ids(settings_class):
        if lane_id.startswith(lanes.EXAMPLE):
            continue
        try:
            lane = lanes.read(settings_class, lane_id)
        except (StoreError, UnknownRunError, SettingsError):
            continue
        if isinstance(lane, Lane) and lane.last_step and task.done(lane.settings, lane.dataset):
            return True
    return False


def _ways(story: Story, slug: str, number: int, *, here: bool) -> None:
    if not here:
        _way(slug, number, "Back to the story", ICON)
        return
    if number > 1:
        _way(slug, number - 1, "Back", ":material/arrow_back:")
    if number < len(story.steps):
        _way(slug, number + 1, "Next", ":material/arrow_forward:")
    else:
        st.page_link("pages/stories.py", label="All stories", icon=ICON)


def _way(slug: str, number: int, label: str, icon: str) -> None:
    file = chrome.page_file(laboratories()[place(slug, number)])
    st.page_link(file, label=label, icon=icon, query_params={PARAMETER: f"{slug}.{number}"})


def links() -> None:
    """Every story by its title, each a link to its first step."""
    for slug, (_, story) in stories().items():
        _way(slug, 1, story.title, ICON)


def show() -> None:
    """The page that lists the stories."""
    st.title("Stories")
    st.markdown("##### A question each, in five to seven steps, with something to guess and something to do.")
    told = stories()
    with st.container(key="map"):
        below = cards([_card(slug) for slug in told], in_a_row=3)
        for column, (slug, (_, story)) in zip(below, told.items(), strict=True):
            with column:
                _how_far(slug, story)


def _card(slug: str) -> Card:
    lab, story = stories()[slug]
    return Card(
        f"story-{slug}",
        chrome.page_file(laboratories()[place(slug, 1)]),
        story.title,
        f"About {story.minutes} minutes. Then you can {story.able}",
        picture_of(story.picture or lab),
        {PARAMETER: f"{slug}.1"},
    )


def _how_far(slug: str, story: Story) -> None:
    """What was guessed and done of a story, the way to what was not, and the way back to its beginning."""
    numbers, asking = story_progress.of(slug).done(story), story_progress.asking(story)
    if not numbers:
        return
    left = next((number for number in asking if number not in numbers), None)
    with st.container(horizontal=True, vertical_alignment="center"):
        share = f"{len(numbers)} of" if left else "All"
        st.markdown(f":material/check: {share} {len(asking)} guesses and tasks done", width="content")
        if left:
            _way(slug, left, f"Go on with step {left}", ":material/arrow_forward:")
        if st.button("Start anew", icon=":material/replay:", type="tertiary", key=f"anew-{slug}"):
            _begin_anew(slug, story)


def _begin_anew(slug: str, story: Story) -> None:
    story_progress.begin_anew(slug)
    for number in range(1, len(story.steps) + 1):
        st.session_state.pop(_guess_key(slug, number), None)
    st.session_state.pop(_AT, None)
    st.switch_page(chrome.page_file(laboratories()[place(slug, 1)]), query_params={PARAMETER: f"{slug}.1"})


def keep(page: str) -> None:
    """Keep in the browser how far the stories were read, where the page shows it; after all that is in sight."""
    if page == "stories" or at() is not None:
        story_progress.keep()
