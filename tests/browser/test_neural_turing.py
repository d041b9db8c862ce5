"""The laboratory with a memory in a real browser: the first figure, one address by hand, and a short training."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import TRAINING, figure, open_part, quiet, set_number, state, train

Opener = Callable[..., Page]


def test_a_machine_is_trained_and_one_of_its_addresses_taken_apart(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/neural-turing-machine")
    expect(figure(page, "heads").locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible(timeout=TRAINING)
    open_part(page, "One address by hand")
    expect(page.get_by_text("Time 8, the head that reads").first).to_be_visible()
    page.get_by_role("radio", name="Writing head").or_(page.get_by_role("button", name="Writing head")).first.click()
    expect(page.get_by_text("Time 8, the head that writes").first).to_be_visible()

    page.goto(f"{server.address}/neural-turing-machine?length=20")
    expect(page.get_by_text("the memory has 16 cells").first).to_be_visible()
    set_number(page, "steps", "20", experiment="neural-turing-machine")
    train(page)
    state(page, "Finished")
    open_part(page, "At a glance")
    expect(figure(page, "heads").locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible()
    quiet(page)
