"""A person who follows a story in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from goldviz.declare.stories import stories
from tests.browser.app_server import Server
from tests.browser.laboratory_page import address, train, wait_for_figure

Opener = Callable[..., Page]
BLUR = "node => getComputedStyle(node.closest('[data-testid=stBidiComponentRegular]')).filter"
ABOVE_THE_FOLD = 400


def blur(page: Page) -> str:
    figure = page.locator(".st-key-first-look .js-plotly-plot").first
    expect(figure).to_be_visible(timeout=30_000)
    return str(figure.evaluate(BLUR))


def test_a_guess_comes_before_the_figure_and_a_run_fulfils_the_task(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/depth-gradients?story=deep-plain.5")
    wait_for_figure(page)
    assert "blur" in blur(page)
    top = page.locator(".st-key-first-look .js-plotly-plot").first.bounding_box()
    assert top is not None
    assert top["y"] < ABOVE_THE_FOLD
    page.get_by_role("radio", name="Yes").or_(page.get_by_role("button", name="Yes", exact=True)).first.click()
    expect(page.get_by_text("Right.")).to_be_visible()
    expect(page.locator(".st-key-story-asks")).to_have_count(0)
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_text("6 of 6")).to_be_visible()
    page.goto(address(server, "initialisation=orthogonal&gain=1.35&dropout=0&epochs=2&story=deep-plain.6"))
    wait_for_figure(page)
    train(page)
    expect(page.get_by_text("Done:")).to_be_visible(timeout=30_000)


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["skip", "memory", "attention", "gaps"])
def test_a_demonstration_takes_six_clicks_from_home(slug: str, server: Server, open_page: Opener) -> None:
    _, story = stories()[slug]
    page = open_page(server.address)
    page.get_by_role("link", name=story.title).first.click()
    for number in range(2, len(story.steps) + 1):
        expect(page.get_by_text(f"{number - 1} of {len(story.steps)}")).to_be_visible(timeout=30_000)
        page.get_by_role("link", name="Next").click()
    expect(page.get_by_text(f"{len(story.steps)} of {len(story.steps)}")).to_be_visible(timeout=30_000)
    assert len(story.steps) <= 6
