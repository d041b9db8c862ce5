"""What a preset changes out of sight is counted and listed, and a fork begins at the step in view."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.ui.panels import controls
from tests.browser.app_server import Server
from tests.browser.laboratory_page import address, button, choose_preset, state, train, wait_for_figure, wait_for_step

Opener = Callable[..., Page]
FOLDED = [name for names in controls.groups(DepthGradients).values() for name in names]


@pytest.mark.parametrize("width", [1440, 390])
def test_settings_that_a_preset_changes_out_of_sight_are_counted_and_listed(
    server: Server, open_page: Opener, width: int
) -> None:
    page = open_page(address(server))
    page.set_viewport_size({"width": width, "height": 900})
    wait_for_figure(page)
    title = page.locator(".st-key-more-depth-gradients summary")
    expect(title).to_have_text(re.compile(r"More settings$"))
    preset = max(DepthGradients.presets, key=lambda one: len(set(one.changes) & set(FOLDED)))
    choose_preset(page, preset.name)
    settings = DepthGradients.preset(preset.slug)
    differing = [name for name in settings.differences() if name in FOLDED and name not in settings.without_effect()]
    expect(title).to_contain_text(f"{len(differing)} differ")
    if width < 640:
        page.locator(".goldviz-sheet").click()
    listed = page.locator(".st-key-differing")
    expect(listed).to_be_visible()
    assert listed.inner_text().count(",") == len(differing) - 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if width < 640:
        page.locator(".goldviz-sheet").click()
    page.go_back()
    expect(title).to_have_text(re.compile(r"More settings$"))


def test_a_fork_begins_at_the_step_in_view_and_all_kept_states_are_offered(server: Server, open_page: Opener) -> None:
    page = open_page(address(server, "epochs=12&samples=64"))
    wait_for_figure(page)
    train(page)
    wait_for_step(page, 12)
    state(page, "Finished")
    slider = page.locator(".goldviz-timeline input")
    slider.focus()
    for _ in range(5):
        slider.press("ArrowLeft")
    expect(page).to_have_url(re.compile("step=7(&|$)"))
    button(page, "Go back and fork").click()
    choice = page.get_by_role("combobox", name=re.compile("From epoch"))
    expect(choice).to_be_visible()
    expect(choice).to_have_value("7")
    choice.click()
    assert page.get_by_role("option").count() >= 6
