"""The recurrent laboratory in a real browser: trained live, and computed at once."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import (
    TRAINING,
    choose_preset,
    curve,
    figure,
    quiet,
    set_number,
    state,
    train,
    updates,
    wait_for_points,
)

Opener = Callable[..., Page]


def first_figure(page: Page, name: str):  # type: ignore[no-untyped-def]
    drawn = figure(page, name)
    # The first page of a server that has just begun brings all its modules along.
    expect(drawn.locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible(timeout=TRAINING)
    return drawn


def test_the_rnn_s_gradient_dies_where_the_lstm_s_lives(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/recurrent-gradients")
    drawn = first_figure(page, "jacobian_by_lag")
    rnn, lstm = curve(drawn, "RNN"), curve(drawn, "LSTM")
    assert rnn[-1] < -10
    assert abs(lstm[-1]) < 1

    choose_preset(page, "Fix it: orthogonal")
    expect(page.get_by_text("the plain RNN learns it").first).to_be_visible()
    set_number(page, "steps", "40", experiment="recurrent-gradients")
    train(page)
    state(page, "Finished")
    wait_for_points(page, "loss", "RNN", 40)
    page.reload()
    state(page, "Finished")


@pytest.mark.parametrize(
    ("part", "told", "of_step"),
    [
        ("", "host.goldvizPlace?.drawn?.layout.shapes?.[0]?.x0", "told.every(mark => mark === step)"),
        (
            "&shown=passed",
            "host.goldvizPlace?.now?.layout.title.text",
            "told.every(Boolean) && told.some(title => title.endsWith(`at step\\u00a0${step}?`))",
        ),
    ],
    ids=["the maps mark the step", "a title names it"],
)
def test_the_lens_answers_at_once_and_its_link_shows_the_same(
    server: Server, open_page: Opener, part: str, told: str, of_step: str
) -> None:
    page = open_page(f"{server.address}/jacobian-lens?cell=lstm&length=30&hidden=4000{part}")
    expect(page.get_by_text("Hidden is '4000'").or_(page.get_by_text("Hidden is 4000"))).to_be_visible()
    drawn = page.locator(".goldviz-figure").first
    expect(drawn.locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible()
    quiet(page)
    before = updates(drawn)
    slider = page.get_by_role("slider", name=re.compile("Follow a change"))
    slider.press("ArrowRight")
    expect(drawn).not_to_have_attribute("data-updates", str(before))
    assert updates(drawn) > before, "the figure was built anew"
    expect(slider).to_be_focused()
    all_told = f"[...document.querySelectorAll('.goldviz-figure')].map(host => {told} ?? '')"
    # A second key may be on its way: the link and what is shown under it are read at one moment.
    seen = page.wait_for_function(
        f"""() => {{
            const step = Number(new URL(location).searchParams.get("start"));
            const told = {all_told};
            return step > 0 && {of_step} && {{ link: location.href, told }};
        }}"""
    ).json_value()
    other = open_page(seen["link"])
    other.wait_for_function(f"seen => JSON.stringify({all_told}) === JSON.stringify(seen)", arg=seen["told"])


def test_the_slider_needs_the_server_only_when_it_rests(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/jacobian-lens?length=20&hidden=8")
    drawn = first_figure(page, "map")
    play = page.get_by_role("button", name="Play")
    expect(play).to_be_enabled()
    line = "host => host.goldvizPlace.drawn.layout.shapes[0].x0"
    slider = page.get_by_role("slider", name=re.compile("Follow a change"))
    for position in (3, 9, 5):
        # As under a finger that does not let go.
        slider.evaluate(
            "(input, to) => { input.value = to; input.dispatchEvent(new Event('input', { bubbles: true })); }", position
        )
        page.wait_for_function(f"([host, to]) => ({line})(host) === to", arg=[drawn.element_handle(), position])
    assert "start" not in page.url
    slider.dispatch_event("change")
    page.wait_for_url("**start=5**")

    # Played and stopped in the page itself: it is at its end before a busy machine looks again. What is played moves in
    # the drawing alone.
    while_playing, moved = slider.evaluate(
        """(slider, host) => new Promise(resolve => {
            const drawn = () => host.querySelector(".goldviz-picture .shape").getAttribute("d");
            const space = () => slider.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
            const before = drawn();
            const look = () => {
                if (Number(slider.value) <= 7) return requestAnimationFrame(look);
                const seen = [location.href, drawn() !== before];
                space();
                resolve(seen);
            };
            space();
            look();
        })""",
        drawn.element_handle(),
    )
    assert moved
    assert "start=5" in while_playing
    rested = int(slider.input_value())
    page.wait_for_url(f"**start={rested}**")
    page.wait_for_function(f"([host, to]) => ({line})(host) === to", arg=[drawn.element_handle(), rested])
    choose_preset(page, "Break it: vanishing")
    expect(slider).to_have_value("0")
    page.wait_for_function(f"host => ({line})(host) === 0", arg=drawn.element_handle())


def test_an_empty_text_is_a_sentence_and_the_last_good_one_stays(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/backpropagation-by-hand")
    expect(page.locator(".goldviz-figure :is(.goldviz-picture, .main-svg)").first).to_be_visible()
    count = page.locator(".goldviz-figure").count()
    box = page.locator(".st-key-setting-backpropagation-by-hand-text input")
    box.fill("")
    box.press("Enter")
    expect(page.get_by_text("allowed is a text of 2 to 40 characters").first).to_be_visible()
    expect(page.locator(".goldviz-figure")).to_have_count(count)
    box.fill("golden")
    box.press("Enter")
    expect(page.get_by_text("allowed is a text of 2 to 40 characters")).to_have_count(0)


def test_an_open_forget_gate_lets_the_gradient_reach_further(server: Server, open_page: Opener) -> None:
    shut = open_page(f"{server.address}/lstm-valves?shown=why&forget_bias=-2")
    expect(shut.get_by_text("back it falls below 1/100").first).to_be_visible()
    wide = open_page(f"{server.address}/lstm-valves?shown=why&forget_bias=4")
    expect(wide.get_by_text("It stays above 1/100").first).to_be_visible()
