"""A site in a real Chromium: from a disk without a network, and from a plain file server that goes away."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from goldviz.declare.claims import claims
from goldviz.declare.errata import HEADING
from goldviz.declare.glossary import terms
from goldviz.declare.registry import laboratories
from goldviz.declare.stories import stories
from goldviz.export.report import TOO_OLD
from goldviz.site import build
from goldviz.site.figures import preset_page, preset_path, step_page, step_path
from tests.browser.pointing import point_at
from tests.browser.spoken import assert_each_figure_says_what_it_shows

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


SIZES = [(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")]


@pytest.fixture(params=SIZES, ids=str)
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    yield from looked_at(browser, *request.param, offline=True)


def no_wider(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def all_drawn(page: Page) -> None:
    expect(page.locator("[data-lane]").first).to_be_attached()
    expect(page.locator("[data-lane]:not([data-drawn])")).to_have_count(0)


def move(page: Page, key: str) -> int:
    """Where the slider stands after a key that moves it by one."""
    slider = page.get_by_role("slider", name=re.compile("in view"))
    before = int(slider.input_value())
    slider.press(key)
    assert int(slider.input_value()) == before + (1 if key == "ArrowRight" else -1)
    return int(slider.input_value())


def test_it_is_walked_from_a_disk_without_a_network(page: Page, site: Path) -> None:
    page.goto((site / "index.html").as_uri())
    no_wider(page)
    page.get_by_role("searchbox").fill("jacobian document")
    page.locator("#matches li:visible").get_by_role("link", name="As in the document").first.click()
    all_drawn(page)
    assert assert_each_figure_says_what_it_shows(page) > 1
    move(page, "ArrowRight")
    no_wider(page)

    page.get_by_role("link", name="Stories").click()
    page.get_by_role("link", name=stories()["deep-plain"][1].title).click()
    expect(page.locator(".answer")).to_have_css("visibility", "hidden")
    page.locator(".guess button").first.click()
    expect(page.locator(".guess p").last).to_contain_text("Measured:")
    expect(page.locator(".answer :is(.goldviz-picture, .main-svg)").first).to_be_visible()
    assert assert_each_figure_says_what_it_shows(page) > 0
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_text("Step 2 of 6")).to_be_visible()
    no_wider(page)


def test_on_paper_there_is_what_is_read_and_nothing_to_press(page: Page, site: Path) -> None:
    for address in ("index.html", step_path("deep-plain", 1)):
        page.goto((site / address).as_uri())
        page.emulate_media(media="print")
        for control in ("nav", "#search", ".guess button"):
            assert not any(one.is_visible() for one in page.locator(control).all()), control
        expect(page.get_by_role("heading").first).to_be_visible()
        page.emulate_media(media="screen")
        assert page.locator("nav").is_visible()


def test_a_recorded_run_is_opened_by_its_address_moves_plays_and_is_pointed_at(page: Page, site: Path) -> None:
    page.goto((site / preset_path(DEPTH, DEPTH.declared.presets[0])).as_uri())
    all_drawn(page)
    assert assert_each_figure_says_what_it_shows(page) > 5
    host = page.locator('[data-name="gradient_by_layer"]')
    step = move(page, "ArrowLeft")
    expect(host).to_have_attribute("aria-label", re.compile(rf"Epoch {step}\."))
    page.get_by_role("button", name="Play").click()
    expect(host).to_have_attribute("aria-label", re.compile(rf"Epoch {step + 1}\."))
    expect(page.get_by_role("button", name="Play")).to_be_visible()

    point_at(host, 5)
    marks = page.locator('[data-name="gradient_heat_map"] .goldviz-marks')
    expect(marks).to_be_attached()
    page.mouse.move(1, 1)
    expect(marks).to_have_count(0)
    no_wider(page)


def test_a_link_into_a_list_leads_to_its_entry(page: Page, site: Path) -> None:
    claim, term = [*claims().values()][-1], terms()[-1]
    page.goto(f"{(site / 'claims.html').as_uri()}#{claim.number}")
    expect(page.get_by_role("row", name=claim.sentence)).to_be_in_viewport()
    page.get_by_role("link", name="Start").click()
    page.get_by_role("searchbox").fill(term.name)
    page.locator("#matches li:visible").get_by_role("link", name=term.name, exact=True).click()
    expect(page.get_by_role("heading", name=term.name, exact=True)).to_be_in_viewport()
    no_wider(page)


@pytest.mark.parametrize(("width", "theme"), SIZES)
def test_what_was_kept_is_there_when_its_server_has_gone(browser: Browser, site: Path, width: int, theme: str) -> None:
    handler = partial(SimpleHTTPRequestHandler, directory=str(site))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    for page in looked_at(browser, width, theme, offline=False):
        page.goto(address)
        page.locator("#keep").click()
        expect(page.locator("#kept")).to_have_text("All kept.")
        server.shutdown()
        server.server_close()
        page.goto(f"{address}depth-gradients/as-in-the-document.html?from=elsewhere")
        all_drawn(page)
        move(page, "ArrowLeft")
        page.goto(address)
        page.get_by_role("searchbox").fill("errata")
        page.get_by_role("link", name="Errata", exact=True).click()
        expect(page.get_by_role("heading", name=HEADING)).to_be_visible()


def test_a_browser_without_scripts_gets_words_and_no_button_that_does_nothing(browser: Browser, site: Path) -> None:
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    for path in ("index.html", step_path("deep-plain", 2), preset_path(DEPTH, DEPTH.declared.presets[0])):
        page.goto((site / path).as_uri())
        for role in ("button", "slider", "searchbox"):
            assert page.get_by_role(role).all() == []  # type: ignore[arg-type]
        if path != "index.html":
            expect(page.locator("noscript p")).to_have_text(TOO_OLD)
            expect(page.locator("noscript p")).to_be_visible()
    page.goto((site / step_path("deep-plain", 2)).as_uri())
    expect(page.locator(".guess p").last).to_be_visible()
    context.close()


def test_a_browser_without_modules_is_told_before_its_guess(page: Page, site: Path) -> None:
    page.goto((site / step_path("deep-plain", 2)).as_uri())
    all_drawn(page)
    # What a browser of that age reads in place of the page's script.
    page.evaluate((site / "too-old.js").read_text(encoding="utf-8"))
    expect(page.locator("#too-old")).to_be_visible()
