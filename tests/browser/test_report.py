"""A report on a disk in a real Chromium that reaches nothing: it moves, is pointed at, presented and printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import xarray as xr
from playwright.sync_api import Browser, Page, expect

from goldviz.declare.registry import experiments, laboratories
from goldviz.export.report import lane_of_run, report_of_lanes, report_of_run
from goldviz.runs.examples import example
from tests.browser.pointing import point_at
from tests.browser.spoken import assert_each_figure_says_what_it_shows
from tests.export.report_parts import ODD_RUNS

LABORATORY = "depth-gradients"
SLUG = "as-in-the-document"
NASTY = "<img src=x onerror=alert(1)></h3><script>alert(2)</script>"
SHEET = 940
"""Pixels of a page that are shrunk onto a sheet."""
SHEETS_OF_WORDS = 3
"""Findings, settings and how it was made."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    declared, figures = experiments()[LABORATORY], laboratories()[LABORATORY].figures()
    runs = {slug: example(declared, slug) for slug in ("as-in-the-document", "break-it-sigmoid")}
    limits = figures.shared_limits(runs.values())
    lanes = [
        replace(lane_of_run(declared.preset(slug), run, figures.FIGURES, limits), title=f"{slug} {NASTY}")
        for slug, run in runs.items()
    ]
    path = tmp_path_factory.mktemp("report") / "report <b>&.html"
    path.write_text(report_of_lanes(lanes), encoding="utf-8")
    return path


@pytest.fixture(params=[(1440, 900, "light"), (1440, 900, "dark"), (390, 844, "light"), (390, 844, "dark")], ids=str)
def page(request: pytest.FixtureRequest, browser: Browser, file: Path) -> Iterator[Page]:
    width, height, theme = request.param
    size = {"width": width, "height": height}
    context = browser.new_context(viewport=size, color_scheme=theme, offline=True)
    with opened(context.new_page(), file) as page:
        yield page
    context.close()


@contextmanager
def opened(page: Page, file: Path) -> Iterator[Page]:
    """A report with all its figures drawn; at the end nothing of it may have failed, or been refused by its policy."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error.stack)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(file.as_uri())
    expect(page.locator("[data-lane]:not([data-drawn])")).to_have_count(0)
    yield page
    assert faults == []


def notes(page: Page, name: str) -> list[str]:
    """What readers hear of a figure in both lanes."""
    return [str(one.get_attribute("aria-label")) for one in page.locator(f'[data-name="{name}"]').all()]


def all_are_at(page: Page, epoch: int) -> None:
    for one in page.locator('[data-name="gradient_by_layer"]').all():
        expect(one).to_have_attribute("aria-label", re.compile(rf"Epoch {epoch}\."))


def paper_of(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_a_report_opens_without_a_network_moves_and_prints(page: Page, tmp_path: Path) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    slider = page.locator(".goldviz-timeline input")
    last = int(slider.get_attribute("max") or 0)
    all_are_at(page, last)
    assert assert_each_figure_says_what_it_shows(page) > 10

    # Scrubbing moves the figures of both lanes, and what is said of them.
    at_the_end = notes(page, "gradient_by_layer")
    slider.evaluate("one => { one.value = 3; one.dispatchEvent(new Event('input')); }")
    all_are_at(page, 3)
    assert all(before != now for before, now in zip(at_the_end, notes(page, "gradient_by_layer"), strict=True))
    assert "Layer from" in str(page.locator('[data-name="gradient_by_layer"]').first.get_attribute("aria-description"))

    # Played from here, it comes to the end.
    page.get_by_role("button", name="Play").click()
    all_are_at(page, last)

    # What is pointed at in one figure is marked in the others.
    point_at(page.locator('[data-name="gradient_by_layer"]').first, 5)
    marks = page.locator('[data-name="gradient_heat_map"] .goldviz-marks')
    expect(marks).to_have_count(2)
    page.mouse.move(1, 1)
    expect(marks).to_have_count(0)

    # Presented, one figure has the window.
    page.keyboard.press("p")
    page.wait_for_selector("[data-goldviz-presented]")
    page.keyboard.press("Escape")
    page.wait_for_selector("[data-goldviz-presented]", state="detached")

    # The reader's own choice of light or dark reaches the figures.
    other = page.locator("#theme")
    before = paper_of(page)
    other.click()
    assert paper_of(page) != before
    other.click()

    # On paper all is light, at the step in view, and as wide as a sheet; afterwards the screen is as before.
    slider.evaluate("one => { one.value = 2; one.dispatchEvent(new Event('input')); }")
    all_are_at(page, 2)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert paper_of(page) == "rgb(255, 255, 255)"
    widths = page.evaluate(
        "[...document.querySelectorAll('.goldviz-picture, .main-svg')].map((one) => Number(one.getAttribute('width')))"
    )
    assert widths
    assert max(widths) <= SHEET
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert paper_of(page) == before
    # Two figures under each other on many sheets, and no control on any.
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    count = page.locator("figure").count()
    assert sheets(tmp_path / "report.pdf") - SHEETS_OF_WORDS <= 0.75 * count
    page.emulate_media(media="print")
    for control in ("#theme", ".how", ".goldviz-diagram button", ".goldviz-timeline button", ".goldviz-info"):
        expect(page.locator(control).first).to_be_hidden()


def sheets(pdf: Path) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes()))


NO_PLOTLY = """const append = Node.prototype.appendChild;
Node.prototype.appendChild = function (one) {
  return one.localName === "script" && one.src ? one : append.call(this, one);
};"""
"""No script that a page asks for comes."""

PICTURED = """[...document.querySelectorAll("[data-lane]")].map((host) => {
  const picture = host.querySelector(".goldviz-picture");
  const waits = host.classList.contains("goldviz-diagram") ? "drawn without Plotly" : host.dataset.waits ?? "";
  return [host.dataset.name, waits, picture ? picture.getBoundingClientRect().width : 0];
})"""
"""Each figure's name, with what it waits for Plotly, and how wide its picture is."""


def test_what_is_printed_before_plotly_has_come_are_the_pictures(browser: Browser, file: Path, tmp_path: Path) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True)
    page = context.new_page()
    page.add_init_script(NO_PLOTLY)
    page.goto(file.as_uri())
    expect(page.locator("[data-lane]:not([data-drawn])")).to_have_count(0)
    on_screen = page.evaluate(PICTURED)

    # On paper all have one, as wide as a sheet, or wait with something that only Plotly draws.
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    on_paper = page.evaluate(PICTURED)
    assert [name for name, waits, width in on_paper if not width and not waits] == []
    assert max(width for _, _, width in on_paper) <= SHEET
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    again = page.evaluate(PICTURED)
    assert [now for now, before in zip(again, on_screen, strict=True) if before[2] and now != before] == []
    page.pdf(path=tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").stat().st_size > 50_000
    context.close()


def test_a_still_report_is_small_steps_and_takes_a_pointer_calmly(browser: Browser, tmp_path: Path) -> None:
    declared, figures = experiments()[LABORATORY], laboratories()[LABORATORY].figures().FIGURES
    whole, still = (
        report_of_run(declared.preset(SLUG), example(declared, SLUG), figures, still=one) for one in (False, True)
    )
    assert len(still) < len(whole) / 2
    path = tmp_path / "still.html"
    path.write_text(still, encoding="utf-8")
    context = browser.new_context(offline=True)
    with opened(context.new_page(), path) as page:
        figure = page.locator('[data-name="gradient_by_layer"]')
        slider = page.locator(".goldviz-timeline input")
        slider.evaluate("one => { one.value = 3; one.dispatchEvent(new Event('input')); }")
        all_are_at(page, 3)
        figure.scroll_into_view_if_needed()
        figure.hover()
        page.mouse.move(300, 300, steps=4)
        figure.click()
        page.wait_for_timeout(1500)
        expect(figure).to_have_attribute("data-drawn", "picture")
    context.close()


@pytest.mark.parametrize(("changed", "said", "last"), ODD_RUNS)
def test_a_run_that_has_nothing_no_number_or_too_much_is_shown(
    changed: Callable[[xr.Dataset], xr.Dataset], said: str, last: int, browser: Browser, tmp_path: Path
) -> None:
    declared, figures = experiments()[LABORATORY], laboratories()[LABORATORY].figures()
    run = changed(example(declared, "as-in-the-document"))
    path = tmp_path / "report.html"
    path.write_text(report_of_lanes([lane_of_run(declared(), run, figures.FIGURES)]), encoding="utf-8")
    context = browser.new_context(viewport={"width": 390, "height": 844}, offline=True)
    with opened(context.new_page(), path) as page:
        assert assert_each_figure_says_what_it_shows(page) > 5
        host = page.locator('[data-name="gradient_by_layer"]')
        expect(host).to_have_attribute("aria-label", re.compile(said))
        slider = page.get_by_role("slider")
        expect(slider).to_have_count(1 if last else 0)
        if last:
            assert slider.get_attribute("max") == str(last)
            slider.press("Home")
            expect(slider).to_have_value("1")
    context.close()


def test_a_browser_without_scripts_gets_a_sentence(browser: Browser, file: Path) -> None:
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    expect(page.locator("noscript p")).to_be_visible()
    assert page.get_by_role("heading", name="Settings").is_visible()
    assert page.get_by_role("button").all() == page.get_by_role("slider").all() == []
    context.close()
