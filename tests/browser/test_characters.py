"""The page on models of characters in a real browser: a bad start is named, and a network is trained on city names."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import (
    choose_preset,
    curve,
    figure,
    open_part,
    set_number,
    state,
    train,
    wait_for_figure,
    wait_for_points,
)

Opener = Callable[..., Page]
NAME = "char-language-model"


def test_a_bad_start_is_named_and_a_network_learns_city_names(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/{NAME}")
    # The first visit loads the laboratory.
    expect(figure(page, "loss").locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible(timeout=60_000)
    names = wait_for_figure(page, "samples")
    assert (
        len(
            names.evaluate(
                "host => host.goldvizPlace.drawn.data[0].text.length && host.goldvizPlace.drawn.data[0].text"
            )
        )
        == 8
    )
    choose_preset(page, "Break it: first loss 25")
    open_part(page, "What happened?")
    expect(page.get_by_text("a first loss of 26.0 nat").first).to_be_visible()

    choose_preset(page, "Break it: few names")
    expect(page.get_by_text("496 city names").first).to_be_visible()
    set_number(page, "steps", "60", experiment=NAME)
    page.wait_for_url("**steps=60**")
    train(page)
    state(page, "Finished")
    wait_for_points(page, "loss", "MLP", 60)
    assert len(curve(wait_for_figure(page, "loss"), "MLP")) == 60
