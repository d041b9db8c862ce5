"""Five pages in a real browser, each used once for the one thing that it is there for."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.app_server import Server

Opener = Callable[..., Page]
FIRST_VISIT = 60_000
ANSWER = 20_000


def placed(page: Page, name: str) -> Locator:
    """A figure by its name, once it is drawn."""
    drawn = page.locator(f"[class*='st-key-{name}-'] .goldviz-figure").first
    expect(drawn.locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible(timeout=FIRST_VISIT)
    return drawn


def notes(figure: Locator) -> Locator:
    """The words under a figure's title."""
    return figure.locator(":is(.gtitle-subtitle, .subtitle)")


def slider(page: Page, lab: str) -> Locator:
    return page.locator(f".st-key-{lab}-position input[type=range]")


@pytest.mark.slow
def test_each_page_does_what_it_is_there_for(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/price-tokens?shown=future")
    strip = placed(page, "future")
    expect(notes(strip)).to_contain_text("0 of 48 honest ones, 0 of 48 that look ahead", timeout=ANSWER)
    box = strip.locator(".shapelayer path").first.bounding_box()
    assert box is not None
    across, down = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(across, down)
    page.mouse.down()
    page.mouse.move(across, down - 60, steps=6)
    page.mouse.up()
    expect(notes(strip)).to_have_text(
        re.compile(r"0 of 48 honest ones, [1-9]\d* of 48 that look ahead"), timeout=ANSWER
    )
    expect(page).to_have_url(re.compile(r"push=[01]\.\d"))
    page.get_by_role("button", name="Put it back").click()
    expect(notes(strip)).to_contain_text("0 of 48 that look ahead", timeout=ANSWER)

    page.goto(f"{server.address}/gold-market")
    clock = placed(page, "clock")
    before = notes(clock).text_content() or ""
    slider(page, "gold-market").focus()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    expect(notes(clock)).not_to_have_text(before, timeout=ANSWER)
    expect(notes(clock)).to_contain_text("Forecast at")

    page.goto(f"{server.address}/backpropagation-by-hand")
    unrolled = placed(page, "unrolled")
    written = unrolled.text_content() or ""
    slider(page, "backpropagation-by-hand").focus()
    page.keyboard.press("End")
    expect(unrolled).not_to_have_text(written, timeout=ANSWER)
    at_end = unrolled.text_content() or ""
    page.keyboard.press("Home")
    expect(unrolled).not_to_have_text(at_end, timeout=ANSWER)

    page.goto(f"{server.address}/policy-documents")
    latest = page.locator(".goldviz-words p").first
    expect(latest).to_be_visible(timeout=FIRST_VISIT)
    assert page.locator(".goldviz-words ins, .goldviz-words del").count()
    told = latest.text_content() or ""
    slider(page, "policy-documents").focus()
    page.keyboard.press("ArrowLeft")
    expect(latest).not_to_have_text(told, timeout=ANSWER)

    page.goto(f"{server.address}/inside-bert")
    strongest = page.locator("[data-part=strongest]")
    words = page.locator("[data-part=queries] .unit")
    expect(words.nth(3)).to_be_visible(timeout=FIRST_VISIT)
    words.nth(1).click()
    expect(strongest).to_contain_text(re.compile(r"\S"), timeout=ANSWER)
    of_one = strongest.text_content() or ""
    words.nth(3).click()
    expect(strongest).not_to_have_text(of_one, timeout=ANSWER)
    head = page.locator("[data-part=one-title]")
    title = head.text_content() or ""
    # From layer 2, head 1, to its neighbour.
    page.locator("[data-part=overview]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(head).not_to_have_text(title, timeout=ANSWER)
