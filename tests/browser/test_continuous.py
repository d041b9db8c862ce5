"""Continuous time in a real browser: observations dragged, left out and put back; flows trained live."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import HEIGHTS, choose_preset, quiet, state, train

Opener = Callable[..., Page]


def explored(page: Page) -> Locator:
    """The figure whose observations can be moved."""
    drawn = page.locator("[class*='st-key-explore-flow-'] .goldviz-figure").first
    expect(drawn.locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible()
    return drawn


def handles(drawn: Locator) -> list[list[float]]:
    """Time and value of every observation that can be dragged."""
    places: list[list[float]] = drawn.evaluate(
        "host => host.layout.shapes.filter(shape => shape.editable).map(shape => [shape.xanchor, shape.yanchor])"
    )
    return places


FORECAST = f"host => ({HEIGHTS})(host, 'forecast').flat().filter(Number.isFinite)"


LINES = """host => [...host.querySelectorAll('.scatterlayer path, .gtitle-subtitle, .goldviz-picture path, .subtitle')]
    .map(one => one.getAttribute('d') + one.textContent).join()"""
"""All lines of the figure, and its notes, as they are drawn."""

MARKED = """([host, y]) => [...host.querySelectorAll('.point')].some(point => {
    const { top, bottom } = point.getBoundingClientRect();
    return Math.abs((top + bottom) / 2 - y) < 1;
})"""
"""Whether an observation is drawn at a height of the window."""


def forecast(drawn: Locator) -> list[float]:
    """All finite numbers of the decoded mean."""
    values: list[float] = drawn.evaluate(FORECAST)
    return values


def wait_for_forecast(drawn: Locator, values: list[float], same: bool = True) -> None:
    """Wait until the decoded mean is this one, or another one."""
    drawn.page.wait_for_function(
        f"([host, values, same]) => (JSON.stringify(({FORECAST})(host)) === JSON.stringify(values)) === same",
        arg=[drawn.element_handle(), values, same],
    )


def test_a_dragged_observation_bends_the_path(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/ode-rnn?shown=observations", height=1400)
    drawn = explored(page)
    before, path_before = handles(drawn), forecast(drawn)
    drawn.scroll_into_view_if_needed()
    quiet(page)
    place = drawn.locator(".shapelayer path").nth(3).bounding_box()
    assert place is not None
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 20, steps=4)
    page.mouse.move(x, y - 45, steps=4)

    # The path follows the finger, drawn as Plotly draws the whole figure when it has let go.
    page.wait_for_function(MARKED, arg=[drawn.element_handle(), y - 45])
    assert forecast(drawn) == path_before
    followed = drawn.evaluate(LINES)
    page.mouse.up()
    expect(page.get_by_role("button", name="Put all back")).to_be_enabled()
    wait_for_forecast(drawn, path_before, same=False)
    after = handles(drawn)
    changed = [number for number, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert changed == [3]
    assert after[3][1] > before[3][1]
    assert drawn.evaluate(LINES) == followed
    expect(page.get_by_role("spinbutton", name="Observation")).to_have_value("4")

    # The link has it, and so has the page after a reload.
    page.wait_for_url(lambda address: "edits=4_" in address)
    page.reload()
    drawn = explored(page)
    expect(page.get_by_role("button", name="Put all back")).to_be_enabled()
    quiet(page)
    np.testing.assert_allclose(handles(drawn), after, rtol=1e-4)

    page.get_by_role("button", name="Put all back").click()
    expect(page.get_by_role("button", name="Put all back")).to_be_disabled()
    wait_for_forecast(drawn, path_before)
    assert handles(drawn) == before
    page.wait_for_url(lambda address: "edits" not in address)


def test_an_observation_is_moved_by_keyboard_and_keeps_its_place_in_the_order(
    server: Server, open_page: Opener
) -> None:
    page = open_page(f"{server.address}/ode-rnn?shown=observations")
    drawn = explored(page)
    quiet(page)
    before, path_before = handles(drawn), forecast(drawn)
    slider = page.get_by_role("slider", name=re.compile("^Time"))
    slider.press("End")
    expect(page.get_by_role("button", name="Put all back")).to_be_enabled()
    wait_for_forecast(drawn, path_before, same=False)
    after = handles(drawn)
    assert before[2][0] < after[2][0] < before[3][0]


@pytest.mark.parametrize(("address", "name"), [("continuous-depth", "carried"), ("residual-flow", "carried")])
def test_the_pages_open_with_their_picture(server: Server, open_page: Opener, address: str, name: str) -> None:
    page = open_page(f"{server.address}/{address}")
    expect(
        page.locator(f"[class*='st-key-{name}-'] .goldviz-figure :is(.goldviz-picture, .main-svg)").first
    ).to_be_visible()
    if address == "residual-flow":
        quiet(page)
        page.get_by_role("combobox", name=re.compile("Field")).first.click()
        with page.expect_response("**/goldviz/queries/**") as told:
            page.get_by_role("option", name="Spiral onto an ellipse").first.click()
        assert list(told.value.json()["figures"]) == ["carried"]


def test_a_flow_is_trained_live(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/continuous-depth?steps=20&look_every=10&networks=ode&tolerance=0.01")
    expect(page.locator(".goldviz-figure :is(.goldviz-picture, .main-svg)").first).to_be_visible()
    train(page)
    state(page, "Finished")
    choose_preset(page, "Fix it: one more dimension")
    expect(
        page.locator("[class*='st-key-carried-'] .goldviz-figure :is(.goldviz-picture, .main-svg)").first
    ).to_be_visible()
