"""A live figure is its picture until a pointer, a finger or a key touches it, and Plotly's from then on."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect

from goldviz.figures import draft
from goldviz.figures import theme as look
from goldviz.figures.theme import INKS
from tests.browser.figure_place import figure_place
from tests.browser.test_live_figure import PAGE

pytestmark = pytest.mark.component

NO_IDLE = "window.requestIdleCallback = () => 0;"
"""A page that has never nothing to do: nothing is fetched ahead."""


@pytest.fixture(params=[{}, {"has_touch": True}], ids=["mouse", "finger"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A new page with one figure, which is asked for Plotly by nobody but a hand."""
    inks = json.dumps({theme: asdict(ink) for theme, ink in INKS.items()})
    with figure_place(browser, PAGE.replace("INKS", inks), width=900, height=600) as place:
        context: BrowserContext = browser.new_context(viewport={"width": 900, "height": 600}, **request.param)
        page = context.new_page()
        page.requested = []  # type: ignore[attr-defined]
        page.on("request", lambda request: page.requested.append(path_of(request)))  # type: ignore[attr-defined]
        page.add_init_script(NO_IDLE)
        page.goto(place.page.url)
        page.wait_for_function("typeof window.fresh === 'function'")
        page.evaluate("window.fresh()")
        mount(page, 1)
        yield page
        assert page.evaluate("window.errors") == []
        context.close()


def path_of(request: Request) -> str:
    return request.url.rsplit("/", 1)[-1]


def drawing(top: float, *, veiled: bool = False) -> str:
    made = draft.Figure(draft.Scatter(x=[1, 2, 3], y=[1, top, 2], name="loss", mode="lines+markers"))
    made.update_xaxes(range=(0, 4), title_text="Epoch")
    made.update_yaxes(range=(0, 10))
    return look.apply(made, "light", title="Does it learn?", notes=[f"At {top}."], legend=False, height=400).to_json()


def mount(page: Page, top: float) -> None:
    page.evaluate(
        "async (figure) => { window.mount(figure, 'The loss.'); await window.host.goldvizTurn; }", drawing(top)
    )


def who(page: Page) -> Any:
    """Who drew the figure, how often, and whether anybody asked for Plotly."""
    seen = page.evaluate("[window.host.dataset.drawn, Number(window.host.dataset.updates)]")
    return [*seen, "plotly.js" in page.requested]  # type: ignore[attr-defined]


def point(page: Page, top: float) -> tuple[float, float]:
    """Where the figure's second point is."""
    x, y = page.evaluate(
        """async (top) => {
            const { panelsOf } = await import("/ui/assets/figure_panels.js");
            const [{ xaxis, yaxis }] = panelsOf(window.host);
            const { left, top: up } = window.host.getBoundingClientRect();
            return [left + xaxis.at(2), up + yaxis.at(top)];
        }""",
        top,
    )
    return x, y


def taken_over(page: Page) -> None:
    page.wait_for_function("window.host.dataset.drawn === 'plotly'")
    page.evaluate("window.host.goldvizTurn")


def test_steps_widths_and_themes_are_pictures(page: Page) -> None:
    mount(page, 5)
    assert who(page) == ["picture", 2, False]
    page.evaluate("window.host.style.width = '420px'")
    page.wait_for_function("window.host.querySelector('.goldviz-picture').getAttribute('width') === '420'")
    high = page.evaluate("window.host.offsetHeight")
    page.evaluate("window.host.parentElement.style.setProperty('--st-background-color', '#14161a')")
    page.wait_for_function("window.host.goldvizPlace.theme === 'dark'")
    page.evaluate("window.host.goldvizTurn")
    ink = page.evaluate("getComputedStyle(window.host.querySelector('.goldviz-picture .heading')).fill")
    assert ink == "rgb({}, {}, {})".format(*bytes.fromhex(INKS["dark"].text[1:]))
    page.keyboard.press("p")
    page.wait_for_function("window.host.querySelector('.goldviz-picture').getAttribute('height') === '336'")
    page.keyboard.press("Escape")
    page.wait_for_function("high => window.host.offsetHeight === high", arg=high)
    assert who(page) == ["picture", 2, False]


def test_the_first_move_or_tap_is_answered_and_never_zooms(page: Page, request: pytest.FixtureRequest) -> None:
    """The place that was touched is what Plotly tells of, although it was touched before Plotly was there."""
    mount(page, 5)
    x, y = point(page, 5)
    if "finger" in request.node.name:
        page.touchscreen.tap(x, y)
    else:
        page.mouse.move(x - 1, y)
        page.mouse.move(x, y)
    taken_over(page)
    expect(page.locator(".hoverlayer text").first).to_be_visible()
    assert page.evaluate("window.host._fullLayout.xaxis.range") == [0, 4]
    assert page.locator(".goldviz-picture").count() == 0
    mount(page, 7)
    assert who(page) == ["plotly", 3, True]
    assert page.evaluate("window.host._fullData[0].y[1]") == 7


def test_a_key_finds_the_toolbar(page: Page, request: pytest.FixtureRequest) -> None:
    page.keyboard.press("Tab")
    taken_over(page)
    if "mouse" in request.node.name:
        expect(page.locator(".modebar-btn").first).to_be_focused()
    assert page.evaluate("window.host.tabIndex") == -1


def test_a_finger_that_scrolls_and_a_page_that_moves_touch_nothing(page: Page) -> None:
    page.evaluate("""() => {
        for (const pointerType of ["touch", "mouse"]) {
            const still = pointerType === "mouse";
            const move = { pointerType, movementX: still ? 0 : 9, movementY: 0, bubbles: true };
            window.host.querySelector("svg").dispatchEvent(new PointerEvent("pointermove", move));
        }
    }""")
    page.wait_for_timeout(300)
    assert who(page) == ["picture", 1, False]


def test_plotly_is_fetched_when_the_picture_stands_and_the_page_is_idle(browser: Browser) -> None:
    inks = json.dumps({theme: asdict(ink) for theme, ink in INKS.items()})
    with figure_place(browser, PAGE.replace("INKS", inks), width=900, height=600) as place:
        page = place.fresh()
        page.evaluate("figure => window.mount(figure)", drawing(3))
        assert page.locator(".goldviz-picture").count() == 1
        page.wait_for_function("window.Plotly")
        page.wait_for_timeout(300)
        assert page.evaluate("[window.host.dataset.drawn, window.host.dataset.updates]") == ["picture", "1"]
        page.mouse.move(300, 200)
        page.mouse.move(302, 200)
        taken_over(page)
        place.assert_well()
