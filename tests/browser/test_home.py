"""Home as a stranger uses it: doors, the search by its keys, the rooms of a chapter."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from goldviz.declare.registry import laboratories
from tests.browser.app_server import Server
from tests.browser.laboratory_page import wait_for_figure

Opener = Callable[..., Page]
DOORS = "[class*='st-key-door-']"


def opened(server: Server, open_page: Opener, width: int, height: int) -> Page:
    page = open_page(server.address, width=width, height=height)
    expect(page.locator(f"{DOORS} svg")).to_have_count(6)
    return page


def test_a_door_opens_wherever_it_is_pressed_and_the_search_by_its_keys(server: Server, open_page: Opener) -> None:
    page = opened(server, open_page, 1440, 900)
    assert page.locator("[data-testid=stMain]").evaluate("main => main.scrollHeight - main.clientHeight") <= 0
    box = page.locator(".st-key-door-depth-gradients").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 12, box["y"] + box["height"] - 12)
    wait_for_figure(page)

    rooms = page.locator(".st-key-rooms")
    rooms.get_by_role("link", name="Backpropagation").click()
    page.wait_for_url("**/backpropagation-steps*")
    expect(page.get_by_role("heading", name="Backpropagation, step by step")).to_be_visible()

    page.keyboard.press("/")
    field = page.get_by_role("combobox", name="Search")
    expect(field).to_be_focused()
    page.keyboard.type("vanihsing gradient")
    expect(page.get_by_role("option").first).to_contain_text("vanishing gradient")
    page.keyboard.press("Enter")
    page.wait_for_url("**/glossary*")
    expect(page.get_by_role("textbox", name="Find a term")).to_have_value("vanishing gradient")
    # From the very page that it leads to, too.
    page.keyboard.press("/")
    page.keyboard.type("LSTM")
    page.get_by_role("option").filter(has_text="Term").first.click()
    expect(page.get_by_role("textbox", name="Find a term")).to_have_value(re.compile("LSTM"))
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, lab in laboratories().items() if lab.declared.door])
def test_every_door_opens_on_a_phone(name: str, server: Server, open_page: Opener) -> None:
    page = opened(server, open_page, 390, 844)
    door = page.locator(f".st-key-door-{name}")
    door.scroll_into_view_if_needed()
    door.locator("svg").click(force=True)
    page.wait_for_url(f"**/{name}*")
    expect(page.get_by_role("heading", name=laboratories()[name].declared.title)).to_be_visible()


@pytest.mark.slow
def test_a_picture_moves_under_the_pointer_alone(server: Server, open_page: Opener) -> None:
    page = opened(server, open_page, 1440, 900)
    reveals = page.locator(".st-key-door-ode-rnn .goldviz-reveal").first
    expect(reveals).to_have_css("animation-name", "none")
    page.hover(".st-key-door-ode-rnn")
    expect(reveals).to_have_css("animation-name", "goldviz-reveal")
    page.hover(".st-key-door-inside-bert")
    frames = page.locator(".st-key-door-inside-bert .goldviz-frame")
    seen = page.wait_for_function(
        """frames => {
            const at = frames.findIndex((one) => getComputedStyle(one).visibility === "visible");
            return (window.seen ??= new Set()).add(at).size > 3 && [...window.seen];
        }""",
        arg=[frames.nth(place).element_handle() for place in range(frames.count())],
    ).json_value()
    assert min(seen) >= 0
