"""From two networks that learn to a sentence of one's own, in a real browser."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import button, figure, open_part, set_number, state, train, wait_for_figure

Opener = Callable[..., Page]
NAME = "attention-interface"


def test_two_networks_learn_and_translate_a_phrase(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/{NAME}?task=phrases&longest=5&shortest=3")
    # The first visit loads the laboratory.
    expect(figure(page, "alignment").locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible(timeout=60_000)
    open_part(page, "Your own sentence")
    expect(page.get_by_role("button", name="Train it now")).to_be_visible()
    set_number(page, "steps", "40", experiment=NAME)
    train(page)
    state(page, "Finished")
    button(page, "Translate").click()
    expect(page.get_by_text("The percentage is the probability of the whole answer")).to_be_visible(timeout=60_000)
    wait_for_figure(page, "interface-own")
    sentence = page.get_by_role("textbox", name="Sentence")
    sentence.fill("economic area")
    sentence.press("Enter")
    expect(page.get_by_text("outside the grammar")).to_be_visible()
    open_part(page, "One row by hand")
    expect(page.get_by_text("the weights add up to 1")).to_be_visible()
