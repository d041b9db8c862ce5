"""A person who meets a term of the documents in a page's words."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from goldviz.declare.glossary import terms
from tests.browser.app_server import Server
from tests.browser.laboratory_page import choose_preset

Opener = Callable[..., Page]


def marked(page: Page) -> list[str]:
    """The slugs of the terms marked on the page, in its order."""
    slugs: list[str] = page.locator(".goldviz-term").evaluate_all("all => all.map(one => one.dataset.term)")
    return slugs


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_the_first_use_explains_by_pointer_touch_and_keyboard(
    server: Server, open_page: Opener, width: int, scheme: str
) -> None:
    page = open_page(f"{server.address}/recurrent-gradients?shown=why", width=width, scheme=scheme)
    word, tip = page.locator(".goldviz-term").first, page.locator("#goldviz-term")
    expect(word).to_be_visible(timeout=30_000)
    expect(page.locator("[data-term=jacobian]")).to_have_count(1)
    found = marked(page)
    assert len(set(found)) == len(found) > 2
    assert page.locator("h1 .goldviz-term, h5 .goldviz-term, a .goldviz-term, .katex .goldviz-term").count() == 0
    term = next(term for term in terms() if term.slug == found[0])
    for reach, leave in (
        (word.hover, lambda: page.mouse.move(1, 1)),
        (word.focus, lambda: page.keyboard.press("Escape")),
        (word.click, lambda: page.keyboard.press("Escape")),
    ):
        reach()
        expect(tip).to_be_visible()
        expect(tip).to_contain_text(term.words)
        expect(tip).to_contain_text(term.equation)
        box = tip.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        leave()
        expect(tip).to_be_hidden()
        word.blur()


def test_words_that_change_keep_no_leftovers(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/depth-gradients?shown=why")
    for preset in ("Break it: sigmoid", "Fix it: normalise", "As in the document"):
        expect(page.locator(".goldviz-term").first).to_be_visible(timeout=30_000)
        choose_preset(page, preset)
    page.wait_for_timeout(2_000)
    found = marked(page)
    assert len(set(found)) == len(found) > 0
    for word in page.locator(".goldviz-term").all():
        whole = word.locator("xpath=ancestor::*[@data-testid='stMarkdownContainer']").inner_text()
        assert whole.count(word.inner_text()) >= 1
    page.goto(f"{server.address}/glossary")
    expect(page.locator(".st-key-glossary-terms strong")).to_have_count(len(terms()))
