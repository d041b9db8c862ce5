"""A person who follows a story in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from goldviz.declare.stories import stories
from tests.browser.app_server import Server
from tests.browser.laboratory_page import address, train, wait_for_figure

Opener = Callable[..., Page]
TOP = 320
"""Pixels above the figure of a step that has only to be looked at, where a laboratory trains; at most."""
MOST_CLICKS = 6
FIGURES = (".goldviz-figure[data-drawn]", ".goldviz-diagram[data-drawn]", ".explorer")
HOSTILE = '{"skip":{"began":9e99,"seen":["<img src=x onerror=alert(1)>"],"guesses":{"3":7},"tasks":[[]]}}'
"""What somebody else may have put where progress is kept."""


@pytest.mark.slow
def test_a_guess_may_be_drawn_by_hand_or_by_keys_and_stays_beside_what_was_measured(
    server: Server, open_page: Opener
) -> None:
    page = open_page(f"{server.address}/depth-gradients?story=deep-plain.1")
    wait_for_figure(page)
    field = page.get_by_role("slider", name=re.compile("^Draw the line of plain"))
    box = field.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] - 5, steps=8)
    page.mouse.up()
    page.get_by_role("button", name="Show what was measured").click()
    expect(page.get_by_text("Right: Less than a thousandth.")).to_be_visible()
    expect(page.locator(".goldviz-sketch path").first).to_have_attribute("d", re.compile("^M.*L"))
    page.goto(f"{server.address}/neural-turing-machine?story=memory-to-attention.2")
    field = page.get_by_role("slider", name=re.compile("^Draw the line of NTM"))
    field.press("ArrowUp")
    expect(field).to_have_attribute("aria-valuetext", re.compile("^At 18: 0.5"))
    field.press("Enter")
    expect(page.get_by_text("You said: Any. Measured: Until the memory is full.")).to_be_visible()


def test_a_guess_comes_before_the_figure_and_a_run_fulfils_the_task(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/depth-gradients?story=deep-plain.5")
    wait_for_figure(page)
    hidden = page.locator(".st-key-first-look .goldviz-figure").first
    expect(hidden.locator(".heading")).to_be_visible()
    expect(hidden.locator(".tick").first).to_be_visible()
    expect(hidden.locator(":is(.trace, .subtitle)")).to_have_count(0)
    assert "ends at" not in (hidden.get_attribute("aria-label") or "ends at")
    page.get_by_role("radio", name="Yes").or_(page.get_by_role("button", name="Yes", exact=True)).first.click()
    expect(page.get_by_text("Right: Yes.")).to_be_visible()
    expect(hidden.locator(".trace").first).to_be_visible()
    expect(hidden).to_have_attribute("aria-label", re.compile("plain ends at"))
    expect(page.locator(".st-key-story-asks")).to_have_count(0)
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_text("6 of 6")).to_be_visible()
    page.goto(address(server, "initialisation=orthogonal&gain=1.35&dropout=0&epochs=2&story=deep-plain.6"))
    wait_for_figure(page)
    train(page)
    expect(page.get_by_text("Done:")).to_be_visible(timeout=30_000)


@pytest.mark.parametrize("slug", ["skip", "memory", "attention", "gaps"])
def test_a_demonstration_takes_six_clicks_from_the_list(slug: str, server: Server, open_page: Opener) -> None:
    _, story = stories()[slug]
    page = open_page(server.address, height=900)
    page.get_by_role("link", name=re.compile("^Stories")).click()
    clicks = 0
    for number in range(1, len(story.steps) + 1):
        way = page.get_by_role("link", name="Next" if clicks else story.title).first
        way.click()
        clicks += 1
        expect(page.get_by_text(re.compile(f"{number} of {len(story.steps)}")).first).to_be_visible(timeout=30_000)
        figures = f":is(.st-key-first-look, .st-key-closer-look) :is({', '.join(FIGURES)})"
        expect(page.locator(figures).first).to_be_in_viewport(timeout=30_000)
        if story.steps[number - 1].task is None and slug != "attention":
            # The page before goes piece by piece.
            page.wait_for_function(
                "([figures, top]) => document.querySelector(figures)?.getBoundingClientRect().top <= top",
                arg=[figures, TOP],
            )
    assert clicks <= MOST_CLICKS


def test_what_was_done_stays_in_the_browser_and_is_not_believed(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/depth-gradients?story=skip.3")
    page.get_by_role("radio", name="No").or_(page.get_by_role("button", name="No", exact=True)).first.click()
    expect(page.get_by_text("You said: No. Measured: Yes.")).to_be_visible()
    page.wait_for_function("() => localStorage.getItem('goldviz-stories')?.includes('\"guesses\":{\"3\":')")

    # A full load is another session of the server.
    page.goto(f"{server.address}/stories")
    expect(page.get_by_text("1 of 2 guesses and tasks done")).to_be_visible()
    page.goto(f"{server.address}/depth-gradients?story=skip.3")
    expect(page.get_by_text("You said: No. Measured: Yes.")).to_be_visible()

    page.goto(f"{server.address}/stories")
    page.get_by_role("button", name="Start anew").click()
    expect(page.get_by_text("1 of 6")).to_be_visible()
    page.wait_for_function("() => !localStorage.getItem('goldviz-stories').includes('\"guesses\":{\"3\":')")

    page.evaluate("text => localStorage.setItem('goldviz-stories', text)", HOSTILE)
    page.goto(f"{server.address}/stories")
    page.wait_for_function("text => localStorage.getItem('goldviz-stories') !== text", arg=HOSTILE)
    expect(page.get_by_text("tasks done")).to_have_count(0)
    expect(page.get_by_test_id("stException")).to_have_count(0)
