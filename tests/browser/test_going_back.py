"""The browser's Back and Forward, used as a person does."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import address, choose_preset, wait_for_figure

Opener = Callable[..., Page]


def entries(page: Page) -> int:
    return int(page.evaluate("history.length"))


def test_one_deed_is_one_entry_and_back_and_forward_restore_it(server: Server, open_page: Opener) -> None:
    page = open_page(address(server))
    wait_for_figure(page)
    expect(page).to_have_title("Gradient flow in depth · goldviz")
    begun = entries(page)
    depth = page.get_by_role("slider", name="Depth")
    depth.focus()
    for _ in range(6):
        depth.press("ArrowRight")
        page.wait_for_timeout(200)
    deeper = depth.input_value()
    page.wait_for_url(f"**depth={deeper}")
    assert entries(page) == begun
    choose_preset(page, "Break it: sigmoid")
    page.wait_for_url("**runs=example**")
    page.wait_for_timeout(1500)
    assert entries(page) == begun + 1
    sigmoid = page.url
    page.get_by_text("Why?", exact=True).first.click()
    page.wait_for_url("**shown=why**")
    page.go_back()
    expect(page).to_have_url(sigmoid)
    wait_for_figure(page)
    page.go_back()
    expect(page).to_have_url(address(server, f"depth={deeper}"))
    expect(depth).to_have_value(deeper)
    page.go_forward()
    expect(page).to_have_url(sigmoid)
    page.go_forward()
    page.wait_for_url("**shown=why**")
    assert entries(page) == begun + 2


def test_the_step_in_view_is_in_the_link_and_back_restores_it_without_an_entry_for_each_move(
    server: Server, open_page: Opener
) -> None:
    page = open_page(address(server, "step=5"))
    wait_for_figure(page)
    timeline = page.get_by_role("slider", name="Epoch in view")
    expect(timeline).to_have_value("5")
    begun = entries(page)
    timeline.focus()
    for _ in range(3):
        timeline.press("ArrowRight")
    page.wait_for_url("**step=8")
    assert entries(page) == begun
    page.get_by_text("Why?", exact=True).first.click()
    page.wait_for_url("**shown=why**")
    timeline.press("End")
    page.wait_for_url(lambda address: "step=" not in address)
    page.go_back()
    page.wait_for_url("**step=8")
    wait_for_figure(page)
    expect(timeline).to_have_value("8")
    assert entries(page) == begun + 1


def test_back_and_forward_walk_through_a_story_and_out_of_it(server: Server, open_page: Opener) -> None:
    page = open_page(address(server))
    wait_for_figure(page)
    page.goto(address(server, "story=skip.1"))
    expect(page.get_by_text("1 of 6")).to_be_visible()
    wait_for_figure(page)
    for number in (2, 3):
        page.get_by_role("link", name="Next").first.click()
        expect(page.get_by_text(f"{number} of 6")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("2 of 6")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("1 of 6")).to_be_visible()
    page.go_forward()
    expect(page.get_by_text("2 of 6")).to_be_visible()
