"""Backpropagation step by step in a real browser: by keyboard and mouse, with a number changed on the way."""

import re
from collections.abc import Callable

import numpy as np
from playwright.sync_api import Locator, Page, expect

from goldviz.labs.backpropagation_steps.settings import BackpropagationSteps
from tests.browser.app_server import Server

Opener = Callable[..., Page]
STEPS = 14
REDRAW_MS = 150


def network(page: Page) -> Locator:
    return page.locator(".network")


def at(page: Page, step: int) -> None:
    expect(network(page)).to_have_attribute("data-drawn", str(step))


def shown(text: str) -> float:
    return float(text.replace("−", "-"))


def test_a_learner_steps_through_changes_a_weight_and_goes_on(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/backpropagation-steps?activation=sigmoid&last=identity")
    at(page, 0)
    box = page.locator(".node[data-id='n1.2']")
    expect(box).to_have_attribute("aria-label", "neuron 2 of layer 1")
    network(page).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    at(page, 3)
    page.get_by_role("button", name="Step ▶").click()
    expect(page.locator("[data-part=title]")).to_have_text("The loss")
    page.keyboard.press("End")
    at(page, STEPS)
    box.click()
    expect(page.locator("[data-key=head]")).to_have_text("Neuron 2 of layer 1")

    weight = page.locator("input[data-place='w1.2.1']")
    weight.fill("2.5")
    changed = BackpropagationSteps(activation="sigmoid", last="identity", edits="w1.2.1=2.5").compute()
    here = changed.sel(layer=1, unit=2)
    np.testing.assert_allclose(
        shown(page.locator("[data-key=roww0-hand]").inner_text()),
        float(here["weight_gradient"].sel(before=1)),
        rtol=1e-5,
    )
    np.testing.assert_allclose(
        shown(page.locator("[data-key=rowd-nudge]").inner_text()), float(here["delta"].sel(sample=1)), rtol=1e-4
    )
    assert float(network(page).get_attribute("data-redraw") or "inf") < REDRAW_MS
    expect(page).to_have_url(re.compile(r"edits=w1\.2\.1%3D2\.5"))
    expect(network(page)).to_have_attribute("data-checked", "true")
    by_hand = page.locator("[data-key=roww0-hand]").inner_text()
    expect(page.locator("[data-key=roww0-auto]")).to_have_text(by_hand)
    expect(weight).to_be_focused()
    expect(weight).to_have_value("2.5")

    loss = f"{changed.attrs['loss_after_update']:.4g}"
    expect(page.locator("[data-part=words] b")).to_have_text(loss)
    page.get_by_role("button", name="Go on with the new weights").click()
    at(page, 0)
    page.get_by_role("button", name="To the end").click()
    expect(page.locator("[data-part=words]")).to_contain_text(f"the loss goes from {loss}")
    page.wait_for_url(f"**step={STEPS}**")
    at(page, STEPS)
