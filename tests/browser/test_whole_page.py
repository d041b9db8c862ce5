"""A click in a part of the page that is drawn alone, which changes what stands outside of that part."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import TRAINING, quiet
from tests.thinned import thinned

Opener = Callable[..., Page]
ANY_STATE = re.compile("Waiting|Training|Finished")
WITHOUT_WEIGHTS = (
    ("neural-programmer", "ask"),
    ("translation-transformer", "sentence"),
    ("attention-interface", "sentence"),
)


@pytest.mark.parametrize(("laboratory", "part"), thinned(WITHOUT_WEIGHTS, ordinary=0))
def test_a_run_that_is_trained_for_its_weights_comes_into_view(
    laboratory: str, part: str, server: Server, open_page: Opener
) -> None:
    page = open_page(f"{server.address}/{laboratory}?shown={part}")
    page.get_by_role("button", name="Train it now").click()
    expect(page.locator(".st-key-lanes .stMarkdownBadge", has_text=ANY_STATE)).to_be_visible()
    page.wait_for_url(re.compile("runs="), timeout=TRAINING)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".st-key-lanes .stMarkdownBadge", has_text="Stopped")).to_be_visible()


def test_a_recorded_run_that_reads_reviews_opens_with_its_settings(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/recurrent-gradients?shown=words")
    page.get_by_role("button", name="Open one that learned reviews").click()
    expect(page.get_by_role("textbox", name="Review")).to_be_visible()
    page.wait_for_url(re.compile("runs=example"), timeout=TRAINING)
    expect(page.get_by_role("combobox", name="Task")).to_have_value(re.compile("^Reviews"))


def test_the_address_follows_a_lane_that_is_closed(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/depth-gradients?runs=example:as-in-the-document,example:break-it-sigmoid")
    quiet(page)
    page.get_by_role("button", name="Close lane").first.click()
    page.wait_for_url(lambda address: "," not in address and "%2C" not in address, timeout=TRAINING)
