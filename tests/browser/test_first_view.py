"""A laboratory's page before Streamlit has started: what stands there is where the page's own comes to stand."""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect

from goldviz.declare.registry import experiments, laboratories
from goldviz.runs.store.run_store import Store
from goldviz.ui.serving.first_view import Opening
from tests.browser.app_server import Server
from tests.browser.laboratory_page import address, button, figure, state, wait_for_figure

Opener = Callable[..., Page]

NAME = "depth-gradients"
VIEW = "#goldviz-first-view"
WITHIN = 1.0
"""Pixels by which a figure may be elsewhere in the view."""
SECONDS = 60
WITHOUT = {
    "bert-pretraining": "its figures stand below a sentence of the run's",
    "gold-forecast": "its figures stand below sentences of the run's",
    "price-tokens": "its figures stand below sentences of the run's",
}
"""Live laboratories of which no view is shown, and why."""

SAMPLED = """(() => {
  window.frames_seen = [];
  const box = (one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return [x, y, width, height];
  };
  const wordsOf = (one) => [...one.querySelectorAll("text")].map((text) => text.textContent.trim());
  const seen = (hosts) => hosts.map((one) => ({ box: box(one), words: wordsOf(one).filter(Boolean).sort() }));
  const look = () => {
    const root = document.querySelector("#goldviz-first-view")?.goldvizRoot;
    const view = root && [...root.querySelectorAll(".goldviz-figure")];
    const own = [...document.querySelectorAll(".st-key-first-look .goldviz-figure")];
    window.frames_seen.push({ view: view && seen(view), own: seen(own) });
    if (window.frames_seen.length < 20 || !own.length || view) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""
"""Notes for every frame where the figures of the view and of the page stand, to the first without a view."""

REFUSED = """window.WebSocket = class extends EventTarget {
  constructor() {
    super();
    setTimeout(() => this.dispatchEvent(new CloseEvent("close")), 10);
  }
  close() {}
};"""


def shown(server: Server, name: str = NAME) -> str:
    """The address of a laboratory whose view is made."""
    page = f"{server.address}/{name}"
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        with urllib.request.urlopen(page) as answer:
            if b'id="goldviz-first-view"' in answer.read():
                return page
        time.sleep(0.1)
    raise AssertionError(f"there is no first view of {name}")


def held(page: Page, glob: str) -> list[Route]:
    """Keep what is asked for there waiting."""
    waiting: list[Route] = []

    def keep(route: Route) -> None:
        waiting.append(route)

    page.route(glob, keep)
    return waiting


def test_every_live_laboratory_has_one_but_those_that_begin_with_words() -> None:
    for name in experiments():
        opening: Opening | None = laboratories()[name].part("page").PAGE.opening()
        assert (opening is None) == (name in WITHOUT), name


@pytest.mark.parametrize("width", [1440, 1920, 390])
@pytest.mark.parametrize("name", [name for name in experiments() if name not in WITHOUT])
def test_the_page_s_figures_take_their_places_without_a_jump(
    server: Server, browser: Browser, name: str, width: int
) -> None:
    here = shown(server, name)
    context = browser.new_context(viewport={"width": width, "height": 1000})
    page = context.new_page()
    page.add_init_script(SAMPLED)
    page.goto(here)
    page.wait_for_function("window.frames_seen.length > 20 && !window.frames_seen.at(-1).view")
    seen = page.evaluate("window.frames_seen")
    before = [frame["view"] for frame in seen if frame["view"]][-1]
    after = seen[-1]["own"][: len(before)]
    context.close()
    assert len(after) == len(before)
    for view, own in zip(before, after, strict=True):
        # What is out of sight comes later: it alone finds out how high it is, and where what is below stands.
        sides = slice(None) if own["words"] else slice(0, 3)
        assert max(abs(one - other) for one, other in zip(view["box"][sides], own["box"][sides], strict=True)) <= WITHIN
        assert view["words"]
        if not own["words"]:
            break
        assert view["words"] == own["words"]


def test_it_is_there_before_the_page_and_read_by_nobody(server: Server, open_page: Opener) -> None:
    page = open_page("about:blank")
    sockets: list[WebSocketRoute] = []

    def keep(socket: WebSocketRoute) -> None:
        sockets.append(socket)

    page.route_web_socket("**/_stcore/stream", keep)
    page.goto(shown(server))
    expect(page.locator(f"{VIEW}[data-pictured]")).to_be_attached()
    expect(page.locator(".goldviz-figure")).to_have_count(0)
    assert "adient" not in page.locator("body").aria_snapshot()
    assert page.evaluate("document.elementFromPoint(300, 130).closest('#goldviz-first-view')") is None


def test_it_covers_neither_what_the_page_is_nor_what_a_person_does(server: Server, open_page: Opener) -> None:
    page = open_page("about:blank")
    held(page, "**/goldviz/frames/**")
    page.goto(shown(server))
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    expect(page.locator(VIEW)).to_be_attached()
    page.get_by_role("radio", name="Why?").click()
    expect(page.locator(VIEW)).not_to_be_attached()
    expect(page.get_by_role("radio", name="Why?")).to_be_checked()


def test_it_goes_after_a_while_where_the_figures_do_not_come(server: Server, open_page: Opener) -> None:
    page = open_page("about:blank")
    held(page, "**/goldviz/frames/**")
    page.goto(shown(server))
    expect(page.locator(VIEW)).to_be_attached()
    expect(page.locator(VIEW)).not_to_be_attached()
    expect(figure(page, "gradient_by_layer")).to_have_text("Drawing …")


def test_what_keeps_the_page_from_the_server_is_said_in_its_place(server: Server, browser: Browser) -> None:
    here = shown(server)
    page = browser.new_context().new_page()
    page.add_init_script(REFUSED)
    page.goto(here)
    expect(page.get_by_role("alert")).to_contain_text("This page cannot reach goldviz")
    expect(page.locator(VIEW)).not_to_be_attached()
    page.context.close()


@pytest.mark.parametrize(("scheme", "kept", "theme"), [("dark", "", "dark"), ("dark", "Light", "light")])
def test_it_wears_the_theme_that_the_page_will_wear(
    server: Server, browser: Browser, scheme: str, kept: str, theme: str
) -> None:
    here = shown(server)
    context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    if kept:
        page.add_init_script(f"""localStorage.setItem("stActiveTheme-/{NAME}-v2", '"{kept}"')""")
    page.add_init_script(
        "new MutationObserver(() => (window.theme ??= document.querySelector('#goldviz-first-view')?.dataset.theme))"
        ".observe(document, { subtree: true, childList: true, attributes: true })"
    )
    page.goto(here)
    wait_for_figure(page)
    paper = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert page.evaluate("window.theme") == theme
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 22, 26)"}[theme]
    context.close()


def test_it_stands_again_at_each_coming_and_not_at_an_address_that_asks_for_more(
    server: Server, open_page: Opener
) -> None:
    page = open_page(shown(server))
    page.add_init_script(SAMPLED)
    for come in (page.reload, lambda: page.goto(f"{server.address}/"), page.go_back):
        come()
    wait_for_figure(page)
    assert any(frame["view"] for frame in page.evaluate("window.frames_seen"))
    page.goto(address(server, "shown=why"))
    expect(page.get_by_role("radio", name="Why?")).to_be_checked()
    assert not any(frame["view"] for frame in page.evaluate("window.frames_seen"))


def test_a_reload_in_the_middle_leads_to_the_page_once(server: Server, open_page: Opener) -> None:
    page = open_page("about:blank")
    held(page, "**/goldviz/frames/**")
    page.goto(shown(server))
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    expect(page.locator(VIEW)).to_be_attached()
    page.unroute_all()
    page.reload()
    wait_for_figure(page)
    expect(page.locator(VIEW)).not_to_be_attached()
    expect(page.get_by_role("heading", level=1)).to_have_count(1)


def test_a_connection_that_is_cut_under_it_comes_again_and_so_do_the_figures(server: Server, open_page: Opener) -> None:
    page = open_page("about:blank")
    sockets: list[WebSocketRoute] = []

    def pass_on(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        # The first one is cut before the page has said anything.
        if len(sockets) > 1:
            socket.connect_to_server()

    page.route_web_socket("**/_stcore/stream", pass_on)
    page.goto(shown(server))
    expect(page.locator(f"{VIEW}[data-pictured]")).to_be_attached()
    while not sockets:
        page.wait_for_timeout(20)
    sockets[0].close()
    wait_for_figure(page)
    expect(page.locator(VIEW)).not_to_be_attached()
    assert len(sockets) > 1


def test_two_clicks_on_train_under_it_start_one_run(server: Server, open_page: Opener) -> None:
    store = Store(server.database)
    before = {run.id for run in store.list()[0]}
    page = open_page("about:blank")
    held(page, "**/goldviz/frames/**")
    page.goto(shown(server))
    expect(page.locator(VIEW)).to_be_attached()
    button(page, "Train").dblclick()
    expect(page.locator(VIEW)).not_to_be_attached()
    page.wait_for_url("**runs=*")
    page.unroute_all()
    state(page, "Finished")
    (started,) = [run.id for run in store.list()[0] if run.id not in before]
    assert started in page.url
