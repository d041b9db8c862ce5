"""Four things that a teacher shows, from home: in six clicks at most, and a wait of over two seconds says what for."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import curve, figure, quiet

Opener = Callable[..., Page]

MOST_CLICKS = 6
LONGEST_MS = 2000
LOOK_MS = 25
WATCHED = """() => {
    const reasons = ".goldviz-progress, .goldviz-wait, .goldviz-figure-waiting, [data-testid=stSpinner]";
    window.waits = [];
    let wait;
    addEventListener("pointerdown", () => waits.push(wait = { since: performance.now(), unnamed: 0 }), true);
    window.shown = () => wait = undefined;
    setInterval(() => {
        if (!wait || performance.now() - wait.since < LONGEST) return;
        const says = one => one.checkVisibility() && /\\w/.test(one.innerText);
        if (![...document.querySelectorAll(reasons)].some(says)) wait.unnamed += 1;
    }, 100);
}""".replace("LONGEST", str(LONGEST_MS))
"""From each press of the pointer until ``shown``: how often a wait that had become long had no reason on screen."""


@dataclass
class Demo:
    """A teacher at a page: what is pressed is counted, and each wait for what it shows is watched."""

    page: Page
    clicks: int = 0

    def click(self, target: Locator, is_there: Callable[[], bool]) -> None:
        target.click()
        self.until(is_there)

    def until(self, is_there: Callable[[], bool]) -> None:
        """Wait for what the last press of the pointer was for. It is looked for often: what is there is no wait."""
        self.clicks += 1
        deadline = time.monotonic() + 60
        while not is_there():
            assert time.monotonic() < deadline, f"what press {self.clicks} was for never came"
            self.page.wait_for_timeout(LOOK_MS)
        self.page.evaluate("shown()")

    def open(self, laboratory: str, shows: Locator) -> None:
        link = self.page.locator(f".st-key-door-{laboratory} a")
        self.click(link, shows.is_visible)

    def look_closer(self, question: str, shows: Locator) -> None:
        self.click(self.page.get_by_role("radio", name=question, exact=True), shows.is_visible)

    def is_in(self, state: str) -> bool:
        """Whether the run in view is in this state."""
        return self.page.locator(".st-key-lanes .stMarkdownBadge", has_text=state).is_visible()


def plain_against_residual(demo: Demo) -> None:
    """A gradient that dies on its way down and one that lives; then both networks are trained before the class."""
    page = demo.page
    drawn = figure(page, "gradient_by_layer")
    demo.open("depth-gradients", drawn.locator(":is(.goldviz-picture, .main-svg)").first)
    assert max(curve(drawn, "plain")[1:]) / curve(drawn, "plain")[1] > 100
    demo.click(page.get_by_role("button", name="Train", exact=True), lambda: demo.is_in("Finished"))
    assert max(curve(drawn, "residual")[1:]) / min(curve(drawn, "residual")[1:]) < 10


def lstm_against_rnn(demo: Demo) -> None:
    """How much of the error comes back to the first of fifty steps, and the valves of networks that begin to learn."""
    page = demo.page
    lags, times, gates = (figure(page, name) for name in ("jacobian_by_lag", "state_gradient", "gates"))
    demo.open("recurrent-gradients", lags.locator(":is(.goldviz-picture, .main-svg)").first)
    assert curve(lags, "LSTM")[-1] - curve(lags, "RNN")[-1] > 10
    demo.look_closer("Look closer", times.locator(":is(.goldviz-picture, .main-svg)").first)
    assert curve(times, "LSTM")[0] / curve(times, "RNN")[0] > 1e10
    demo.click(
        page.get_by_role("button", name="Train", exact=True),
        page.locator(".goldviz-progress", has_text=re.compile("Step [1-9]")).is_visible,
    )
    demo.look_closer("What do the gates let through?", gates.get_by_text("LSTM: forget gate"))
    demo.click(page.get_by_role("button", name="Stop", exact=True), lambda: demo.is_in("Stopped"))


def a_map_of_attention(demo: Demo) -> None:
    """Every head at once, one head's lines, and one word's."""
    page = demo.page
    explorer = page.locator(".explorer")
    demo.open("inside-bert", page.locator(".scroller canvas").first)
    quiet(page)
    box = explorer.locator("[data-part=overview]").bounding_box()
    assert box is not None
    place = explorer.evaluate("({ goldvizExplorer: { overview } }) => overview.placeOf(6)")
    page.mouse.click(box["x"] + place["x"] + 8, box["y"] + place["y"] + 8)
    demo.until(lambda: "head=3" in page.url)
    strongest = explorer.locator("[data-part=strongest]").get_by_role("button").first
    word = explorer.locator("[data-part=queries] [role=option]").nth(2)
    demo.click(word, lambda: re.search(r"\d\.\d{3}$", strongest.inner_text()) is not None)


def between_observations(demo: Demo) -> None:
    """What a network knows in a gap, and how an observation that is moved bends its path."""
    page = demo.page
    demo.open("ode-rnn", figure(page, "path").locator(":is(.goldviz-picture, .main-svg)").first)
    drawn = page.locator("[class*='st-key-explore-path-'] .goldviz-figure").first
    demo.look_closer("What if it were observed later?", drawn.locator(".shapelayer path").nth(3))
    quiet(page)
    drawn.scroll_into_view_if_needed()
    place = drawn.locator(".shapelayer path").nth(3).bounding_box()
    assert place is not None
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 45, steps=8)
    page.mouse.up()
    demo.until(page.get_by_role("button", name="Put all back").is_enabled)


@pytest.mark.parametrize("show", [plain_against_residual, lstm_against_rnn, a_map_of_attention, between_observations])
def test_a_demo_takes_six_clicks_and_no_long_wait_is_without_its_reason(
    server: Server, open_page: Opener, show: Callable[[Demo], None]
) -> None:
    page = open_page(server.address, height=1000)
    expect(page.locator(".st-key-doors").get_by_role("link").first).to_be_visible()
    page.evaluate(WATCHED)
    demo = Demo(page)
    show(demo)
    assert demo.clicks <= MOST_CLICKS
    assert len(page.evaluate("waits")) == demo.clicks, "each press is one of those that are watched"
    assert [one for one in page.evaluate("waits") if one["unnamed"] > 2] == []
