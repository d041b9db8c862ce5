"""The manual backward pass in a real browser: a formula is judged while it is typed, and the slider moves the graph."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from goldviz.ui.serving.page_modules import module_path
from tests.browser.app_server import Server
from tests.browser.laboratory_page import figure, open_part, updates, wait_for_figure

Opener = Callable[..., Page]
HOLD = """() => {
    const { send } = WebSocket.prototype;
    const held = [];
    WebSocket.prototype.send = function (message) { held.push(() => send.call(this, message)); };
    window.letGo = () => { WebSocket.prototype.send = send; held.forEach((one) => one()); };
}"""
"""What the page would tell its own script waits."""


def test_a_formula_is_judged_while_it_is_typed_and_follows_the_settings(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/backward-by-hand?samples=5&hidden=3&shown=own")
    expect(page.locator(".formula-hint")).to_be_visible(timeout=60_000)
    expect(page.locator(".formula-hint")).to_contain_text("Expected shape: 5 × 12")
    field, verdict = page.get_by_role("textbox", name="dlogits ="), page.locator(".formula-verdict")
    field.fill("probs - onehot(Y)")
    expect(verdict).to_contain_text("All of yours times 0.2 would be right.")
    expect(page.locator(".formula canvas")).to_be_visible()
    field.press("End")
    field.press_sequentially(" / n")
    expect(verdict).to_contain_text("60 of 60 numbers")
    field.fill("(probs - onehot(Y)) / n")
    expect(verdict).to_contain_text("Equal to autograd")
    expect(page.locator(".formula canvas")).to_be_hidden()

    page.locator(".formula select").select_option("dW2")
    typed = page.get_by_role("textbox", name="dW2 =")
    typed.fill("<img src=x onerror=alert(1)>")
    expect(verdict).to_contain_text("“<” is no part of a formula.")
    typed.fill("dlogits.T @ h")
    expect(verdict).to_contain_text("Expected is 3 × 12 (hidden unit × character). Its transpose would fit.")

    open_part(page, "What do gradients say?")
    open_part(page, "Can you write it?")
    expect(typed).to_have_value("dlogits.T @ h")
    expect(verdict).to_contain_text("Expected is 3 × 12")

    open_part(page, "At a glance")
    wait_for_figure(page, "graph")
    knob = page.get_by_role("slider", name="Hidden")
    page.evaluate(HOLD)
    before = updates(figure(page, "graph"))
    with page.expect_response("**/goldviz/queries/**") as told:
        knob.press("ArrowRight")
    assert '"hidden":4' in (told.value.request.post_data or "")
    assert "graph" in told.value.json()["figures"]
    expect(figure(page, "graph")).to_have_attribute("data-updates", str(before + 1))
    page.evaluate("window.letGo()")
    page.wait_for_url("**hidden=4**")
    page.wait_for_function(
        "async (module) => (await import(module)).positionsPage('backward-by-hand').ahead === undefined",
        arg=f"{server.address}{module_path('ui/assets/frames_page.js')}",
    )
    knob.press("ArrowLeft")
    page.wait_for_url("**hidden=3**")

    slider = page.get_by_role("slider", name=re.compile("Forward 1 of 20"))
    slider.press("End")
    page.wait_for_url("**place=46**")
    expect(page.get_by_text("Backward 26 of 26: dC = add_rows(X, demb)").first).to_be_visible()

    figure(page, "graph").locator(".textpoint", has_text="dlogits").click(force=True)
    page.wait_for_url("**place=28**")
    expect(page.get_by_text("dlogits by hand")).to_be_visible()
    expect(figure(page, "tensor")).to_contain_text("dlogits, 5 × 12")
