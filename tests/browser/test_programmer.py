"""From a programmer that learns to a question of one's own about a table of one's own, in a real browser."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import button, figure, open_part, state, train, wait_for_figure

Opener = Callable[..., Page]


def test_a_program_is_learned_and_answers_a_question_of_one_s_own(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/neural-programmer")
    # The first visit loads the laboratory.
    expect(figure(page, "controller").locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible(timeout=60_000)
    open_part(page, "Your own question")
    expect(page.get_by_role("button", name="Train it now")).to_be_visible()
    train(page)
    state(page, "Finished")
    question, table = (page.get_by_role("textbox", name=name) for name in ("Question", "Table: columns a"))
    table.fill("0.2\n0.5\n0.9")
    table.press("Control+Enter")
    question.fill("sum a where a greater 0.4")
    question.press("Enter")
    button(page, "Ask").click()
    expect(page.get_by_text("The program answers 1.40, the right answer.")).to_be_visible(timeout=60_000)
    question.fill("mean a")
    question.press("Enter")
    expect(page.get_by_text("The word 'mean' is unknown")).to_be_visible()
    expect(question).to_have_value("mean a")
    open_part(page, "The programs as text")
    expect(page.get_by_text("greater a → sum a").first).to_be_visible()
    open_part(page, "One question")
    wait_for_figure(page, "programmer-controller")
