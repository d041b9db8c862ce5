"""From tokens to a GPT in a real browser: learn pieces of city names, train on such pieces, complete a text."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import button, figure, open_part, set_number, state, train, wait_for_figure

Opener = Callable[..., Page]
NAME = "char-gpt"
QUESTION = "Complete a text"
PIECES = "corpus=cities&vocabulary=270&pattern=gpt2&shown=entries"


def test_a_gpt_is_trained_on_pieces_and_completes_a_text(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/text-tokens?{PIECES}")
    # Until these settings are computed, the page shows the usual ones.
    page.locator("a[href*='vocabulary=270']", has_text="Train a GPT on pieces like these").click(timeout=60_000)
    # The first visit loads the laboratory.
    expect(figure(page, "loss").locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible(timeout=60_000)
    open_part(page, QUESTION)
    # The recorded run came with its weights, so the box works on arrival.
    expect(button(page, "Complete")).to_be_enabled()
    set_number(page, "steps", "40", experiment=NAME)
    train(page)
    state(page, "Finished")
    assert "tokens=pieces" in page.url
    assert "vocabulary=270" in page.url
    button(page, "Complete").click()
    written = page.locator("pre b")
    expect(written).to_be_visible(timeout=60_000)
    assert len(written.inner_text()) > 20
    for name in ("gpt-candidates", "gpt-lens", "gpt-looked"):
        wait_for_figure(page, name)
    prompt = page.get_by_role("textbox", name="Prompt")
    prompt.fill("")
    prompt.press("Control+Enter")
    expect(page.get_by_text("The prompt is empty")).to_be_visible()
