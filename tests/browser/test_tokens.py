"""Tokens in a real browser: merges stepped without the server, a token under the pointer, and another text."""

import re
from collections.abc import Callable
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from goldviz.labs.text_tokens.settings import TextTokens
from tests.browser.app_server import Server

Opener = Callable[..., Page]
TEXT = "san <b>*san*</b> שלום 👩‍👧 san santa sand san antonio"
COUNT_MESSAGES = """() => {
    const { send } = WebSocket.prototype;
    window.told = 0;
    WebSocket.prototype.send = function (message) { window.told++; send.call(this, message); };
}"""


def test_a_learner_steps_through_merges_and_brings_a_text(server: Server, open_page: Opener) -> None:
    link = {"text": TEXT, "corpus": "own", "beside": "none"}
    computed = TextTokens.checked(link).compute()
    counts, last = computed["own_tokens"].values.astype(int).tolist(), computed.sizes["merge"]
    page = open_page(f"{server.address}/text-tokens?{urlencode(link)}")
    stepper = page.locator(".tokens")
    expect(stepper).to_have_attribute("data-drawn", str(last), timeout=60_000)
    left, right = page.locator("[data-part=text-0] .token"), page.locator("[data-part=text-1] .token")
    expect(left).to_have_count(counts[0][last])
    assert page.locator("[data-part=text-0] b").count() == 0
    expect(page.locator("[data-part=text-0]")).to_contain_text("<b>*")
    page.wait_for_load_state("networkidle")

    page.evaluate(COUNT_MESSAGES)
    stepper.focus()
    page.keyboard.press("Home")
    expect(left).to_have_count(len(TEXT.encode()))
    for step in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        expect(stepper).to_have_attribute("data-drawn", str(step))
        expect(left).to_have_count(counts[0][step])
        expect(right).to_have_count(counts[1][step])
    expect(page.locator("[data-part=words]")).to_contain_text("Merge 3:")
    expect(page.locator(".pair.first")).to_be_visible()
    page.get_by_role("button", name="Play").click()
    expect(stepper).to_have_attribute("data-drawn", str(last))
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    left.first.hover()
    expect(page.locator("[data-part=held]")).to_contain_text("is token")
    assert page.evaluate("window.told") == 0, "stepping asks nothing of the server"

    field = page.get_by_role("textbox", name="Text to cut")
    field.fill("los san")
    field.press("Control+Enter")
    expect(page.locator("[data-part=text-0]")).to_contain_text("los")
    expect(page.locator("[data-part=text-0]")).not_to_contain_text("שלום")
    expect(page).to_have_url(re.compile(r"text=los(\+|%20)san"))
