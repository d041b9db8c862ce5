"""A person who plays whole stories by their buttons: guesses, Next, Back, a reload, the knob of the last step."""

import re
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from goldviz.declare.registry import laboratories
from goldviz.declare.stories import Step, place, stories
from goldviz.ui.panels import controls
from goldviz.ui.panels.lanes import EXAMPLE
from tests.browser.app_server import Server
from tests.browser.laboratory_page import quiet

Opener = Callable[..., Page]
BEGUN = 3
"""Steps that the ordinary suite plays of a few stories; all are played to their end in the long one."""
WALKS = [
    *(pytest.param(slug, BEGUN, id=f"{slug}-begun") for slug in ("deep-plain", "gaps", "prices", "skip")),
    *(pytest.param(slug, len(story.steps), id=slug, marks=pytest.mark.slow) for slug, (_, story) in stories().items()),
]
ANSWER = re.compile("^(Right|You said):")


def said(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query))


def wanted(slug: str, number: int, step: Step) -> dict[str, str]:
    """What the address has to say at a step that was just set up: its settings, its lanes, itself."""
    declared = laboratories()[place(slug, number)].declared
    link = {**controls.to_link(declared.preset(step.presets[0])), "story": f"{slug}.{number}"}
    lanes = [EXAMPLE + preset for preset in step.presets]
    if issubclass(declared, controls.Settings) and hasattr(declared, "variables"):
        link |= {} if lanes == [EXAMPLE + declared.presets[0].slug] else {"runs": ",".join(lanes)}
    return link


def stands_at(page: Page, slug: str, number: int, *, untouched: bool = True) -> None:
    """The banner, the address and the settings in it agree."""
    step, count = stories()[slug][1].steps[number - 1], len(stories()[slug][1].steps)
    expected = wanted(slug, number, step) if untouched else {"story": f"{slug}.{number}"}
    kept = {"figure", "shown", "step"} if untouched else set(said(page.url)) - {"story"}
    expect(page.locator(".st-key-story-head")).to_contain_text(f"{number} of {count}")
    expect(page.locator(".st-key-story-told")).to_contain_text(step.words[:20])
    page.wait_for_url(
        lambda address: {k: v for k, v in said(address).items() if k not in kept} == expected, timeout=30_000
    )


def guess_or_redraw(page: Page, step: Step, choice: int) -> None:
    """Answer a step's question, by a drawn line where one may be drawn; without one have the page drawn once more."""
    if step.guess is None:
        page.locator("body").press("r")
        page.wait_for_timeout(300)
        quiet(page)
        return
    if step.guess.curve is not None:
        field = page.get_by_role("slider", name=re.compile("^Draw the line of"))
        field.press("ArrowUp")
        field.press("Enter")
    else:
        page.locator(".st-key-story-asks").get_by_role("radio").or_(
            page.locator(".st-key-story-asks [data-testid='stButtonGroup'] button")
        ).nth(choice % len(step.guess.choices)).click()
    expect(page.locator(".st-key-story-asked").get_by_text(ANSWER)).to_be_visible()


def go(page: Page, way: str) -> None:
    page.locator(".st-key-story-head").get_by_role("link", name=way, exact=True).click()


@pytest.mark.parametrize(("slug", "last"), WALKS)
def test_a_story_is_played_by_its_buttons_from_its_first_step_to_its_last(
    slug: str, last: int, server: Server, open_page: Opener
) -> None:
    story = stories()[slug][1]
    page = open_page(f"{server.address}/stories")
    page.get_by_role("link", name=story.title).first.click()
    for number, step in enumerate(story.steps[:last], 1):
        stands_at(page, slug, number)
        guess_or_redraw(page, step, number)
        stands_at(page, slug, number)
        if number == 2:
            page.reload()
            stands_at(page, slug, number)
        if number == last:
            break
        go(page, "Next")
        if number in (1, last - 1):
            stands_at(page, slug, number + 1)
            go(page, "Back")
            stands_at(page, slug, number)
            go(page, "Next")
    if last < len(story.steps):
        return
    panel, before = page.locator(".st-key-knobs"), said(page.url)
    panel.get_by_role("slider").or_(panel.get_by_role("spinbutton")).first.press("ArrowUp")
    page.wait_for_url(lambda address: said(address) != before)
    stands_at(page, slug, last, untouched=False)
    page.locator("body").press("r")
    page.wait_for_timeout(300)
    quiet(page)
    stands_at(page, slug, last, untouched=False)
