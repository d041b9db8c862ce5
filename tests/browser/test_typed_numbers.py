"""Numbers as people type them, in a knob of the real app."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import address, wait_for_figure

Opener = Callable[..., Page]


def test_a_point_in_a_whole_number_is_refused_in_words_and_the_digits_count(server: Server, open_page: Opener) -> None:
    page = open_page(address(server))
    wait_for_figure(page)
    epochs = page.get_by_role("spinbutton", name="Epochs")
    epochs.fill("")
    epochs.press_sequentially("1.2")
    expect(epochs).to_have_value("12")
    assert "whole number" in epochs.evaluate("field => field.validationMessage")
    epochs.press("Enter")
    page.wait_for_url("**epochs=12*")


def test_more_settings_stay_open_when_one_of_them_is_changed(server: Server, open_page: Opener) -> None:
    page = open_page(address(server))
    wait_for_figure(page)
    more = page.locator("[class*='st-key-more-depth-gradients'] details")
    more.locator("summary").click()
    number = more.get_by_role("spinbutton").first
    before = page.url
    number.press("ArrowUp")
    number.press("Enter")
    page.wait_for_url(lambda now: now != before)
    expect(more).to_have_attribute("open", "")
    expect(number).to_be_visible()
