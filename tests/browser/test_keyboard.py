"""*Gradient flow in depth* from one end to the other with keys alone: no pointer is ever used."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import TRAINING, address, button, curve, figure, state, wait_for_figure
from tests.browser.test_first_sight import STOPS

Opener = Callable[..., Page]
FAR = 90
"""Stops after which what was looked for is not found."""


def at_rest(page: Page) -> None:
    """Wait until a figure of the open part, or a finding, is there and the server has said all."""
    shown = page.locator(
        ":is(.st-key-first-look, .st-key-closer-look) :is(:is(.goldviz-picture, .main-svg), canvas, .stMarkdown)"
    )
    expect(shown.first).to_be_visible(timeout=60_000)
    expect(page.locator(".stApp[data-test-script-state=running]")).to_have_count(0, timeout=60_000)


def go_to(page: Page, wanted: Locator, key: str = "Tab", stops: int = FAR) -> Locator:
    """Press a key until this has the focus, which must be seen."""
    for _ in range(stops):
        if wanted.evaluate("one => one === document.activeElement || one.contains(document.activeElement)"):
            return wanted
        page.keyboard.press(key)
    at = page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
    raise AssertionError(f"{stops} times {key} did not lead to {wanted}; the focus is at {at}")


def seen(page: Page) -> None:
    """What has the focus is marked and in the window."""
    page.wait_for_function("""() => {
        const one = document.activeElement, box = one.getBoundingClientRect();
        const marked = (node) => {
            const style = getComputedStyle(node);
            return parseFloat(style.outlineWidth) >= 1 && style.outlineStyle !== "none" || style.boxShadow !== "none";
        };
        const around = [one, one.parentElement, one.parentElement?.parentElement, ...one.children].filter(Boolean);
        return around.some(marked) && box.bottom > 0 && box.top < innerHeight;
    }""")


def from_the_top(page: Page) -> None:
    """Begin where a page begins: before the link that skips the navigation."""
    page.evaluate("document.activeElement.blur(); window.getSelection().removeAllRanges()")
    page.keyboard.press("Control+Home")
    page.reload()
    at_rest(page)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to main content")).to_be_focused()
    page.keyboard.press("Enter")


def open_by_arrows(page: Page, question: str) -> None:
    """Choose on the strip of questions."""
    strip = page.locator(".st-key-strip")
    wanted = strip.get_by_role("radio", name=question, exact=True)
    go_to(page, strip.get_by_role("radiogroup"))
    for _ in range(12):
        if wanted.evaluate("one => one === document.activeElement"):
            break
        page.keyboard.press("ArrowRight")
    seen(page)
    page.keyboard.press("Space")
    expect(wanted).to_be_checked()
    expect(page.get_by_role("heading", name=question, level=2, exact=True)).to_be_attached()


def test_all_of_a_laboratory_is_at_hand_on_the_keyboard(server: Server, open_page: Opener) -> None:
    page = open_page(address(server), height=900)
    at_rest(page)
    from_the_top(page)
    train = button(page, "Train")
    go_to(page, train, stops=STOPS - 1)
    seen(page)

    # A preset from the menu, and settings of one's own.
    menu = page.get_by_role("combobox", name=re.compile("Start from"))
    go_to(page, menu, "Shift+Tab")
    page.keyboard.type("sigmoid")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The slope is at most 1/4")).to_be_visible()
    depth = page.get_by_role("slider", name="Depth")
    go_to(page, depth)
    seen(page)
    before = int(str(depth.get_attribute("aria-valuenow") or depth.input_value()))
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**depth={before - 10}**")
    expect(depth).to_have_value(str(before - 10))
    epochs = page.locator(".st-key-setting-depth-gradients-epochs input").first
    go_to(page, epochs)
    page.keyboard.press("Control+a")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    page.wait_for_url("**epochs=12**")

    # A run, and another one in a lane beside it.
    go_to(page, train, "Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**runs=**", timeout=TRAINING)
    state(page, "Finished")
    beside = button(page, "Train beside")
    go_to(page, beside)
    page.keyboard.press("Enter")
    expect(page.locator("[class*='st-key-gradient_by_layer-'] .goldviz-figure")).to_have_count(2, timeout=TRAINING)
    state(page, "Finished")

    # Another epoch, and playing.
    thumb = page.get_by_role("slider", name=re.compile("Epoch in view"))
    drawn = wait_for_figure(page)
    latest = curve(drawn, "plain")
    go_to(page, thumb)
    seen(page)
    page.keyboard.press("Home")
    expect(figure(page, "gradient_by_layer")).to_contain_text("Epoch 1.")
    assert curve(drawn, "plain") != latest
    page.keyboard.press("Space")
    page.wait_for_function("slider => Number(slider.value) >= 5", arg=thumb.element_handle())
    page.keyboard.press("Space")

    # A layer of the diagram, and out of it again.
    canvas = page.locator(".goldviz-diagram canvas").first
    go_to(page, canvas)
    seen(page)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".goldviz-diagram output").first).to_contain_text(re.compile("Layer|Input", re.IGNORECASE))
    page.keyboard.press("Escape")
    expect(page.locator(".goldviz-chosen")).to_have_count(0)

    # One figure for a projector, the next one, and back.
    page.keyboard.press("p")
    presented = page.locator("[data-goldviz-presented]")
    expect(presented).to_have_count(1)
    name = str(presented.get_attribute("class"))
    page.keyboard.press("n")
    page.wait_for_function(
        "was => (document.querySelector('[data-goldviz-presented]')?.className ?? was) !== was",
        arg=name,
        timeout=30_000,
    )
    page.keyboard.press("Escape")
    expect(presented).to_have_count(0)

    # Another question, and the cure that a finding proposes.
    from_the_top(page)
    open_by_arrows(page, "What happened?")
    each = page.locator(".st-key-closer-look summary", has_text="Each finding")
    go_to(page, each)
    seen(page)
    page.keyboard.press("Enter")
    cure = page.get_by_role("button", name=re.compile("^Try this")).first
    expect(cure).to_be_visible()
    go_to(page, cure)
    seen(page)
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("^Tried: ")).first).to_be_visible(timeout=TRAINING)


def test_a_story_is_followed_on_the_keyboard(server: Server, open_page: Opener) -> None:
    page = open_page(address(server, "story=deep-plain.4"), height=900)
    at_rest(page)
    from_the_top(page)
    go_to(page, page.get_by_role("link", name="Next"), stops=STOPS)
    seen(page)
    page.keyboard.press("Enter")
    expect(page.get_by_text("5 of 6")).to_be_visible(timeout=30_000)
    asks = page.locator(".st-key-story-asks")
    expect(asks).to_be_visible()
    go_to(page, asks)
    page.keyboard.press("Space")
    expect(page.get_by_text(re.compile("^(Right|You said): "))).to_be_visible()
