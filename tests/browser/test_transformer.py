"""From an encoder and a decoder that learn to a sentence that they write word by word, in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import button, figure, open_part, quiet, set_number, state, train, wait_for_figure

Opener = Callable[..., Page]
NAME = "translation-transformer"


@pytest.mark.slow
def test_a_transformer_learns_and_writes_a_sentence_step_by_step(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/{NAME}?longest=5&task=reversal&settings_version=2")
    # The first visit loads the laboratory.
    expect(figure(page, "pair").locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible(timeout=60_000)
    expect(figure(page, "alignment").locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible()
    open_part(page, "Your own sentence")
    expect(page.get_by_role("button", name="Train it now")).to_be_visible()
    set_number(page, "steps", "40", experiment=NAME)
    train(page)
    state(page, "Finished")
    button(page, "Write").click()
    expect(page.get_by_text("The percentage is the probability of the whole answer")).to_be_visible(timeout=60_000)
    wait_for_figure(page, "transformer-step")
    sentence = page.get_by_role("textbox", name="Sentence")
    sentence.fill("a b ß")
    sentence.press("Enter")
    expect(page.get_by_text("has never read")).to_be_visible()
    expect(sentence).to_have_value("a b ß")


@pytest.mark.slow
def test_pointing_at_a_written_word_leaves_its_lines_alone(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/{NAME}")
    pair = figure(page, "pair")
    expect(pair.get_by_text("European", exact=True)).to_be_visible(timeout=60_000)
    quiet(page)
    expect(pair.locator(".goldviz-faded")).to_have_count(0)
    word = pair.get_by_text("Bank", exact=True)
    word.hover()
    expect(pair.locator(".main-svg").first).to_be_attached(timeout=30_000)
    word.hover(position={"x": 3, "y": 6})
    expect(pair.locator(".hovertext")).to_contain_text("bank")
    expect(pair.locator(".goldviz-faded").first).to_be_attached()
    traces = pair.locator(".scatterlayer > .trace")
    assert pair.locator(".goldviz-faded").count() < traces.count()
