"""What a visitor meets first on every laboratory: its figure, in few words, and one question at a time."""

import importlib
import re
from collections.abc import Callable
from itertools import pairwise
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from goldviz.declare.registry import laboratories
from goldviz.figures.theme import INKS
from goldviz.ui.panels.controls import to_link
from tests.browser.app_server import Server
from tests.browser.laboratory_page import address, button, figure, open_part, state, wait_for_figure
from tests.thinned import thinned

Opener = Callable[..., Page]

TOP, IN_VIEW, WORDS, LONGEST = 320, 0.8, 60, 3500
LOWEST = ("depth-gradients", "gold-forecast", "your_network", "inside-bert")
"""Pages whose first figure stands low: of a chapter with rooms, below a verdict, how to begin, and what is read."""
STOPS = 10
MOST_MOVED = 8
FIGURES = (
    *(".goldviz-figure[data-drawn]", ".goldviz-diagram[data-drawn]", ".explorer", ".network .stage", ".tokens"),
    ".goldviz-words",
)
FIRST = f".st-key-first-look :is({', '.join(FIGURES)})"
MEASURED = """first => {
    const { top, bottom } = first.getBoundingClientRect();
    const texts = document.createTreeWalker(document.querySelector(".stMainBlockContainer"), NodeFilter.SHOW_TEXT);
    const skipped = "button, style, .st-key-knobs, .goldviz-unseen, .goldviz-timeline, [data-testid=stIconMaterial]";
    const said = [];
    while (texts.nextNode()) {
        const { parentElement, textContent } = texts.currentNode;
        const range = document.createRange();
        range.selectNodeContents(texts.currentNode);
        const box = range.getBoundingClientRect();
        if (box.height && box.bottom <= top + 2 && parentElement.checkVisibility() && !parentElement.closest(skipped))
            said.push(textContent);
    }
    return {
        top, shown: (Math.min(bottom, innerHeight) - top) / (bottom - top),
        words: said.join(" ").split(/\\s+/).filter((word) => /\\w/.test(word)).length,
        length: document.querySelector(".stMain").scrollHeight,
        wider: document.documentElement.scrollWidth - innerWidth,
        levels: [...document.querySelectorAll(".stMain :is(h1, h2, h3, h4, h5, h6)")].map((one) => +one.tagName[1]),
    };
}"""

TOPS = """first => {
    window.tops = [];
    const look = () => {
        const { top } = document.querySelector(first)?.getBoundingClientRect() ?? {};
        const here = top + document.querySelector(".stMain").scrollTop;
        if (here && here !== tops.at(-1)) tops.push(here);
        requestAnimationFrame(look);
    };
    look();
}"""
"""Where the first figure's top is on the page, each time that it has moved."""


def settled(page: Page) -> None:
    """Wait until the first figure is there and the server has said all."""
    expect(page.locator(FIRST).first).to_be_visible(timeout=60_000)
    expect(page.locator(".stApp[data-test-script-state=running]")).to_have_count(0, timeout=60_000)
    expect(page.locator(".goldviz-figure-waiting")).to_have_count(0)


def in_css(colour: str) -> str:
    """#0a0b0c as a browser computes it: rgb(10, 11, 12)."""
    return f"rgb({', '.join(str(int(colour[start : start + 2], 16)) for start in (1, 3, 5))})"


@pytest.mark.parametrize(
    "name", thinned([*LOWEST, *(name for name in laboratories() if name not in LOWEST)], len(LOWEST))
)
def test_the_figure_comes_first(server: Server, open_page: Opener, name: str) -> None:
    page = open_page(f"{server.address}/{name}", height=900)
    settled(page)
    found = page.locator(FIRST).first.evaluate(MEASURED)
    assert found["top"] <= TOP
    assert found["shown"] >= IN_VIEW
    assert found["words"] <= WORDS
    assert found["length"] <= LONGEST
    assert found["wider"] <= 0
    levels = found["levels"]
    assert levels[:2] in ([1], [1, 2])
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels


def test_two_lanes_show_their_losses_in_one_window_and_are_presented_by_name(server: Server, open_page: Opener) -> None:
    page = open_page(address(server, "runs=example:as-in-the-document,example:fix-it-orthogonal"), height=900)
    settled(page)
    boxes = [figure(page, "loss", lane).bounding_box() for lane in (0, 1)]
    assert all(box and box["y"] + box["height"] <= 900 for box in boxes)
    assert len({(box["y"], round(box["width"]), box["height"]) for box in boxes if box}) == 1
    page.keyboard.press("p")
    presented = page.locator("[data-goldviz-presented]")
    for _ in range(2):
        expect(presented).to_have_attribute(
            "data-goldviz-presented", re.compile("As in the document|Fix it: orthogonal")
        )
        page.keyboard.press("n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "width"),
    [
        *((name, 1440) for name in ("depth-gradients", "recurrent-gradients", "ode-rnn")),
        *((name, 1440) for name in ("continuous-depth", "bert-pretraining", "char-gpt")),
        *((name, 390) for name in ("depth-gradients", "ode-rnn")),
    ],
)
def test_nothing_moves_when_a_run_begins_and_ends(server: Server, open_page: Opener, name: str, width: int) -> None:
    lab = laboratories()[name]
    small = importlib.import_module(f"tests.labs.{lab.folder}.cases").RUNS[0]
    query = urlencode(to_link(lab.declared.checked(small)))
    page = open_page(f"{server.address}/{name}?{query}", width=width, height=900)
    settled(page)
    page.evaluate(TOPS, FIRST)
    button(page, "Train").click()
    state(page, "Finished")
    settled(page)
    tops = page.evaluate("tops")
    assert max(tops) - min(tops) <= MOST_MOVED, tops


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_captions_can_be_read_by_everybody(server: Server, open_page: Opener, scheme: str) -> None:
    page = open_page(f"{server.address}/depth-gradients", scheme=scheme)
    caption = page.locator(".st-key-start [data-testid='stCaptionContainer'] p").first
    expect(caption).to_be_visible(timeout=30_000)
    ink = INKS["dark" if scheme == "dark" else "light"]
    expect(caption).to_have_css("color", in_css(ink.muted))
    expect(caption.locator("xpath=..")).to_have_css("opacity", "1")


def test_a_part_is_opened_linked_and_found_again(server: Server, open_page: Opener) -> None:
    page = open_page(address(server, "figure=gradient_factor"))
    wait_for_figure(page, "gradient_factor")
    assert figure(page, "gradient_by_layer").count() == 0, "what is closed is not sent"
    label = figure(page, "gradient_factor").get_attribute("aria-label") or ""
    assert re.search(r"\?[^?]*\d[^?]*$", label), "the label says a result after the question"

    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    for _ in range(STOPS - 2):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText").endswith("Train"):
            break
    expect(button(page, "Train")).to_be_focused()
    assert button(page, "Train").evaluate("one => parseFloat(getComputedStyle(one).outlineWidth)") >= 2

    wide = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    box = figure(page, "gradient_factor").bounding_box()
    assert box is not None
    assert box["y"] <= 0.6 * 844, "a phone's first screen shows the figure under its questions"
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.set_viewport_size(wide or {"width": 1440, "height": 900})

    open_part(page, "Why?")
    wait_for_figure(page, "why-gradient_factor")
    page.wait_for_url("**shown=why**")
    assert "figure=" not in page.url
    page.reload()
    wait_for_figure(page, "why-gradient_factor")
    expect(page.get_by_role("radio", name="Why?")).to_be_checked()


def test_presenting_goes_on_through_the_parts(server: Server, open_page: Opener) -> None:
    page = open_page(address(server) + "#present")
    settled(page)
    wait_for_figure(page)
    seen: list[str] = []
    for _ in range(9):
        shown = page.locator("[data-goldviz-presented] :is(.goldviz-figure, .goldviz-diagram)")
        expect(shown).to_have_count(1)
        box = shown.locator("xpath=ancestor::*[@data-goldviz-presented]")
        name = str(box.get_attribute("class"))
        if seen and name == seen[0]:
            break
        seen.append(name)
        page.keyboard.press("n")
        page.wait_for_function(
            "name => (document.querySelector('[data-goldviz-presented]')?.className ?? name) !== name",
            arg=name,
            timeout=30_000,
        )
    for name in ("gradient_by_layer", "loss", "network", "gradient_heat_map", "why-gradient_factor"):
        assert any(f"st-key-{name}-" in one for one in seen), name


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_settings_stand_in_a_sheet(server: Server, open_page: Opener, scheme: str) -> None:
    page = open_page(address(server), width=390, height=844, scheme=scheme)
    wait_for_figure(page)
    depth = page.get_by_role("slider", name="Depth")
    expect(depth).to_be_hidden()
    expect(button(page, "Train")).to_be_in_viewport()
    opens = page.locator(".goldviz-sheet")
    opens.click()
    expect(depth).to_be_visible()
    expect(opens).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(depth).to_be_hidden()
    expect(opens).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_page_follows_its_theme_before_the_script_runs_again(server: Server, open_page: Opener) -> None:
    """Grey words, the bar over the figures and the one under the thumb, where the system's theme changes."""
    page = open_page(address(server), width=390, height=844)
    settled(page)
    page.emulate_media(color_scheme="dark")
    for bar in (":has(> .st-key-timeline)", ".stElementContainer:has(.goldviz-sheet)"):
        expect(page.locator(bar).last).to_have_css("background-color", in_css(INKS["dark"].background))
    words = page.get_by_test_id("stCaptionContainer").first
    expect(words).to_have_css("color", in_css(INKS["dark"].muted))


def test_on_a_phone_every_figure_of_several_lanes_says_whose_it_is(server: Server, open_page: Opener) -> None:
    page = open_page(
        address(server, "runs=example:as-in-the-document,example:fix-it-orthogonal"), width=390, height=844
    )
    wait_for_figure(page)
    names = page.locator(".st-key-first-look .goldviz-lane")
    expect(names).to_have_text(["As in the document", "Fix it: orthogonal"] * 3)
    expect(names.first).to_be_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(names.first).to_be_hidden()
