"""A site in a real Chromium: from a disk without a network, and from a plain file server that goes away."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from goldviz.declare.registry import laboratories
from goldviz.declare.stories import stories
from goldviz.site import build
from goldviz.site.figures import preset_page, step_page

DEPTH, LENS = laboratories()["depth-gradients"], laboratories()["jacobian-lens"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sites") / "a site"
    views = [partial(preset_page, lab, lab.declared.presets[0]) for lab in (DEPTH, LENS)]
    build.build(folder, lambda: [*views, *(partial(step_page, "deep-plain", number) for number in (1, 2))])
    return folder


def looked_at(browser: Browser, width: int, theme: str, *, offline: bool) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if theme == "dark" else "light",
        offline=offline,
    )
    page = context.new_page()
    faults: list[Error] = []
    page.on("pageerror", lambda fault: faults.append(fault))  # noqa: PLW0108 - Playwright names its listeners
    yield page
    context.close()
    assert faults == []


@pytest.fixture(params=[(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")], ids=str)
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    yield from looked_at(browser, *request.param, offline=True)


def no_wider(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_it_is_walked_from_a_disk_without_a_network(page: Page, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    no_wider(page)
    page.get_by_role("searchbox").fill("jacobian document")
    page.locator("#matches li:visible").get_by_role("link", name="As in the document").first.click()
    drawn = page.locator(".goldviz-figure .main-svg").first
    expect(drawn).to_be_visible()
    slider = page.get_by_role("slider", name="Position in view")
    before = slider.input_value()
    slider.press("ArrowRight")
    assert int(slider.input_value()) == int(before) + 1
    no_wider(page)

    page.get_by_role("link", name="Stories").click()
    page.get_by_role("link", name=stories()["deep-plain"][1].title).click()
    expect(page.locator(".answer")).to_have_css("visibility", "hidden")
    page.locator(".guess button").first.click()
    expect(page.locator(".guess p").last).to_contain_text("Measured:")
    expect(page.locator(".answer .main-svg").first).to_be_visible()
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_text("Step 2 of 6")).to_be_visible()
    no_wider(page)


def test_what_was_kept_is_there_when_its_server_has_gone(browser: Browser, site: Path) -> None:
    handler = partial(SimpleHTTPRequestHandler, directory=str(site))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    for page in looked_at(browser, 1440, "light", offline=False):
        page.goto(address)
        page.locator("#keep").click()
        expect(page.locator("#kept")).to_have_text("All kept.")
        server.shutdown()
        server.server_close()
        page.goto(f"{address}depth-gradients/as-in-the-document.html")
        expect(page.locator(".goldviz-figure .main-svg").first).to_be_visible()
        page.goto(address)
        expect(page.get_by_role("heading", name="goldviz")).to_be_visible()
