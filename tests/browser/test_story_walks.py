"""A person who plays whole stories by their buttons: guesses, Next, Back, a reload, a knob and the task of the end."""

import re
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.declare.stories import Step, place, stories
from goldviz.ui.panels import controls, lanes, story_progress
from tests.browser.app_server import Server
from tests.browser.laboratory_page import button, quiet

Opener = Callable[..., Page]
ANSWER = re.compile("^(Right|You said):")
FIRST = next(iter(stories()))
"""The story that the list begins with."""
ORDINARY, ANSWERED = (FIRST, "gaps", "prices", "skip"), 3
"""What the ordinary suite plays, and how many steps of each it answers; in the long one every question is."""
TASK = 300_000
"""Milliseconds for a run that does what a task asks for, on a busy machine."""
DOES: dict[str, tuple[str, dict[str, object]]] = {
    "deep-plain": ("fix-it-orthogonal", {"epochs": 2}),
    "skip": ("32-layers-the-residual-network-learns", {}),
    "memory": ("fix-it-orthogonal", {}),
    "valves": ("fix-it-forget-bias-1", {}),
    "memory-to-attention": ("parity", {"bits": 3, "steps": 500}),
    "flow": ("fix-it-one-more-dimension", {}),
    "gaps": ("partial-observations", {}),
    "spelling": ("small-to-compare", {}),
    "series": ("as-in-the-document", {"networks": "transformer", "steps": 800}),
    "gold": ("fix-it-shuffled-targets", {}),
    "prices": ("fix-it-shuffled-days", {}),
}
"""Settings that do what a story's last step asks for: all but *What attention is*, whose network reads for minutes."""
FOLLOWS = frozenset({"figure", "shown", "step"})
"""What the address says of a step beside its settings and lanes: the part that shows its figure, the step in view."""
STANDS = """([story, head, words, wanted, others]) => {
    const said = new URLSearchParams(location.search);
    const shown = (name) => document.querySelector(`.st-key-story-${name}`)?.innerText ?? "";
    for (const name of others ?? []) said.delete(name);
    return shown("head").includes(head) && shown("told").includes(words) && said.get("story") === story
        && (others === null || new URLSearchParams(wanted).size === said.size
            && [...new URLSearchParams(wanted)].every(([name, text]) => said.get(name) === text));
}"""
"""Asked at each frame: a condition that is met is not waited for."""


def said(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query))


def wanted(slug: str, number: int, step: Step) -> dict[str, str]:
    """What the address has to say at a step that was just set up: its settings, its lanes, itself."""
    declared = laboratories()[place(slug, number)].declared
    link = {**controls.to_link(declared.preset(step.presets[0])), "story": f"{slug}.{number}"}
    shown = [lanes.EXAMPLE + preset for preset in step.presets]
    if issubclass(declared, Experiment) and shown != [lanes.EXAMPLE + declared.presets[0].slug]:
        link[lanes.PARAMETER] = ",".join(shown)
    return link


def stands_at(page: Page, slug: str, number: int, *, untouched: bool = True) -> None:
    """The banner, the address and the settings in it agree."""
    step, count = stories()[slug][1].steps[number - 1], len(stories()[slug][1].steps)
    link = wanted(slug, number, step)
    head, words = f"{number} of {count}", step.words[:20]
    others = sorted(FOLLOWS) if untouched else None
    try:
        page.wait_for_function(STANDS, arg=[f"{slug}.{number}", head, words, urlencode(link), others], timeout=30_000)
    except TimeoutError:
        banner = page.locator(".st-key-story-head").inner_text()
        raise AssertionError(f"expected {link} and {head!r}; the page says {said(page.url)} and {banner!r}") from None


def redrawn(page: Page) -> None:
    """Have the whole page drawn once more, as any click may."""
    page.locator("body").press("r")
    page.wait_for_timeout(300)
    quiet(page)


def guess(page: Page, step: Step, choice: int) -> None:
    """Answer a step's question, by a drawn line where one may be drawn."""
    assert step.guess is not None
    if step.guess.curve is not None:
        field = page.get_by_role("slider", name=re.compile("^Draw the line of"))
        field.press("ArrowUp")
        field.press("Enter")
    else:
        choices = page.locator(".st-key-story-asks [data-testid='stButtonGroup'] :is(button, [role=radio])")
        choices.nth(choice % len(step.guess.choices)).click()
    page.locator(".st-key-story-asked").get_by_text(ANSWER).wait_for()


def go(page: Page, way: str) -> None:
    page.locator(".st-key-story-head").get_by_role("link", name=way, exact=True).click()


def turn_a_knob(page: Page, slug: str) -> None:
    """On the last step: what follows is the same step with another setting."""
    quiet(page)
    last, before = len(stories()[slug][1].steps), said(page.url)
    panel = page.locator(".st-key-knobs")
    panel.get_by_role("slider").or_(panel.get_by_role("spinbutton")).first.press("ArrowUp")
    page.wait_for_url(lambda address: said(address) != before)
    stands_at(page, slug, last, untouched=False)
    turned = said(page.url)
    redrawn(page)
    stands_at(page, slug, last, untouched=False)
    assert said(page.url) == turned


def fulfil(page: Page, server: Server, slug: str) -> None:
    """Set what the last task asks for, as a link does, train, and wait until the story says that it is done."""
    last, asking = len(stories()[slug][1].steps), story_progress.asking(stories()[slug][1])
    declared, (preset, changes) = laboratories()[place(slug, last)].declared, DOES[slug]
    link = {**controls.to_link(declared.preset(preset).changed(**changes)), "story": f"{slug}.{last}"}
    page.goto(f"{server.address}/{declared.name}?{urlencode(link)}")
    told = page.locator(".st-key-story-told")
    expect(told).to_contain_text("Now you:")
    button(page, "Train").click()
    expect(told).to_contain_text("Done:", timeout=TASK)
    stands_at(page, slug, last, untouched=False)
    go(page, "All stories")
    expect(page.get_by_text(f"All {len(asking)} guesses and tasks done")).to_be_visible()


def begin(page: Page, slug: str) -> None:
    """From the list of stories."""
    page.get_by_role("link", name=stories()[slug][1].title).first.click()


def test_stories_go_on_by_their_buttons_to_their_last_steps(server: Server, open_page: Opener) -> None:
    """Four, one after another, from home on: the list's first and three more; what is asked late is passed over."""
    page = open_page(server.address)
    page.get_by_role("link", name=re.compile("^Stories")).click()
    for slug in ORDINARY:
        begin(page, slug)
        for number, step in enumerate(stories()[slug][1].steps, 1):
            stands_at(page, slug, number)
            if step.guess is not None and number <= ANSWERED:
                guess(page, step, number)
                stands_at(page, slug, number)
            if number < len(stories()[slug][1].steps):
                go(page, "Next")
        if slug != ORDINARY[-1]:
            go(page, "All stories")
    turn_a_knob(page, ORDINARY[-1])


@pytest.mark.parametrize("slug", stories())
def test_a_story_is_played_back_and_forth_to_the_task_of_its_end(slug: str, server: Server, open_page: Opener) -> None:
    """At every step something has the page drawn once more; in the middle it is loaded anew, and read from behind."""
    page = open_page(f"{server.address}/stories")
    begin(page, slug)
    steps = stories()[slug][1].steps
    for number, step in enumerate(steps, 1):
        stands_at(page, slug, number)
        if step.guess is not None:
            guess(page, step, number)
        redrawn(page)
        stands_at(page, slug, number)
        if number == len(steps) // 2:
            page.reload()
            stands_at(page, slug, number)
            for way, beside in (("Back", number - 1), ("Next", number)):
                go(page, way)
                stands_at(page, slug, beside)
                redrawn(page)
                stands_at(page, slug, beside)
        if number < len(steps):
            go(page, "Next")
    turn_a_knob(page, slug)
    if slug in DOES:
        fulfil(page, server, slug)


def test_the_next_step_shows_its_run_at_the_end_wherever_the_last_one_was_left(
    server: Server, open_page: Opener
) -> None:
    """What a step asks is asked of its run's last step."""
    page = open_page(f"{server.address}/depth-gradients?story=deep-plain.1")
    stands_at(page, "deep-plain", 1)
    timeline = page.locator(".goldviz-timeline").get_by_role("slider")
    timeline.press("Home")
    page.wait_for_url(lambda address: said(address).get("step") == "1")
    go(page, "Next")
    stands_at(page, "deep-plain", 2)
    quiet(page)
    expect(timeline).to_have_attribute("aria-valuetext", re.compile("20"))
    assert "step" not in said(page.url)
