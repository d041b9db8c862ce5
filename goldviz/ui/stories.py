"""A story's strip at the top of a page, and the list of stories.

The address carries the step (``?story=skip.2``), so each step is a link, a reload stays, and a teacher can hand it out.
"""

from __future__ import annotations

from typing import cast

import streamlit as st

from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment, Settings, SettingsError
from goldviz.declare.stories import Guess, Step, Story, Task, place, step_of, stories
from goldviz.runs.examples import example
from goldviz.runs.schema import StoreError
from goldviz.runs.store import UnknownRunError
from goldviz.ui import chrome, controls, lanes
from goldviz.ui.lanes import Lane
from goldviz.ui.words import plain

PARAMETER = "story"
ICON = ":material/auto_stories:"
_AT, _DUE = "story-at", "story-due"
ASK_SECONDS = 2.0
"""How often a task asks whether a run has done it."""


def arrive() -> str:
    """Take a story's step out of the address; returns a sentence where there is no such step."""
    text = st.query_params.get(PARAMETER, "")
    if not text or text == st.session_state.get(_AT):
        return ""
    if step_of(text) is None:
        del st.query_params[PARAMETER]
        return f"In the link: there is no step {text[:40]!r} of a story."
    st.session_state[_AT] = text
    # A link that says more, as one that was copied out of the browser, sets the page up itself.
    st.session_state[_DUE] = set(st.query_params) == {PARAMETER}
    return ""


def at() -> tuple[str, int] | None:
    """The story that the visitor follows and the step's number; None without a story."""
    return step_of(st.session_state.get(_AT, ""))


def to_link(page: str) -> dict[str, str]:
    """The step as the address's parameter, on its own page."""
    here = at()
    return {PARAMETER: f"{here[0]}.{here[1]}"} if here and place(*here) == page else {}


def set_up(declared: type[Settings]) -> Step | None:
    """Show what the step in view is about: its presets' recorded runs, with the latest of the visitor's beside.

    Returns the step where it has just been set up, so that the page opens its figure.
    """
    here = at()
    if here is None or place(*here) != declared.name or not st.session_state.pop(_DUE, False):
        return None
    step = _step(*here)
    controls.put_preset(declared, step.presets[0])
    if issubclass(declared, Experiment):
        own = [lane for lane in lanes.ids(declared) if not lane.startswith(lanes.EXAMPLE)]
        room = lanes.MOST - len(step.presets)
        lanes.put(declared, [*(lanes.EXAMPLE + slug for slug in step.presets), *own[-room:]])
    return step


def strip(page: str) -> None:
    """The story at the top of the page, if the visitor follows one."""
    complaint = arrive()
    if complaint:
        st.warning(plain(complaint), icon=":material/link_off:")
    here = at()
    if here is None:
        return
    slug, number = here
    _, story = stories()[slug]
    with st.container(border=True, key="story"):
        told = place(slug, number) == page
        with st.container(horizontal=True, vertical_alignment="center", key="story-head"):
            st.markdown(f"# {story.title} :gray[{number} of {len(story.steps)}]", width="stretch")
            _ways(story, slug, number, here=told)
            if st.button("End", icon=":material/close:", type="tertiary", key="story-end", help="End the story"):
                st.session_state.pop(_AT, None)
                st.query_params.pop(PARAMETER, None)
                st.rerun()
        if told:
            # The style sheet takes the page's own title and presets away while a step says what to look at.
            with st.container(key="story-told"):
                _told(slug, number, _step(slug, number))


def _step(slug: str, number: int) -> Step:
    return stories()[slug][1].steps[number - 1]


def _told(slug: str, number: int, step: Step) -> None:
    name = place(slug, number)
    st.markdown(step.words)
    if step.guess is not None:
        _guess(step.guess, name, step.presets, key=f"guess-{slug}-{number}")
    if step.task is not None:
        unmet = not st.session_state.get(f"did-{slug}-{number}")
        st.fragment(_task, run_every=ASK_SECONDS if unmet else None)(step.task, name, f"did-{slug}-{number}")


def _guess(guess: Guess, name: str, presets: tuple[str, ...], *, key: str) -> None:
    # While it is open, the style sheet blurs the figures, which give the answer away.
    with st.container(key="story-asks" if st.session_state.get(key) is None else "story-asked"):
        guessed = st.pills(guess.question, guess.choices, key=key, persist_state="session")
    if guessed is None:
        return
    declared = cast("type[Experiment]", laboratories()[name].declared)
    right, sentence = guess.found(*(example(declared, slug) for slug in presets))
    word = "Right." if guess.choices[right] == guessed else f"No. The answer: {guess.choices[right]}."
    st.markdown(f"**{word}** {sentence}")


def _task(task: Task, name: str, key: str) -> None:
    """A part of its own, which asks the visitor's runs now and then."""
    if not st.session_state.get(key) and _done(task, cast("type[Experiment]", laboratories()[name].declared)):
        st.session_state[key] = True
        st.rerun()
    done = st.session_state.get(key)
    st.markdown(f":{'green' if done else 'gray'}[:material/{'check_circle' if done else 'radio_button_unchecked'}:] "
                f"**{'Done' if done else 'Now you'}:** {task.words}")  # fmt: skip


def _done(task: Task, declared: type[Experiment]) -> bool:
    for lane_id in lanes.ids(declared):
        if lane_id.startswith(lanes.EXAMPLE):
            continue
        try:
            lane = lanes.read(declared, lane_id)
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
    for slug, (_, story) in stories().items():
        with st.container(border=True):
            _way(slug, 1, f"**{story.title}**", ICON)
            st.caption(story.steps[0].words)
