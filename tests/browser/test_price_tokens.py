"""Price tokens in a real browser: a look into the future is named, and a small model is trained."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import choose_preset, figure, state, train, wait_for_figure

Opener = Callable[..., Page]
SMALL = "network=bigram&epochs=2&refits=1&test_years=1&merges=0"


def test_a_smoother_is_named_and_pairs_are_counted(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/price-tokens")
    # The first visit loads the laboratory.
    expect(figure(page, "gains").locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible(timeout=60_000)
    choose_preset(page, "Look-ahead: smoother")
    expect(page.get_by_role("heading", name=re.compile("Tokens know the future"))).to_be_visible()
    page.goto(f"{server.address}/price-tokens?{SMALL}")
    wait_for_figure(page, "gains")
    train(page)
    state(page, "Finished")
    expect(page.get_by_role("heading", name=re.compile(r"nats a day.*forecasts of a simulated market"))).to_be_visible()
