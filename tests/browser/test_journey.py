"""The whole way through the first laboratory, as a person goes it."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import (
    TRAINING,
    address,
    button,
    choose_preset,
    curve,
    figure,
    open_part,
    progress,
    quiet,
    set_number,
    state,
    step_at_rest,
    train,
    updates,
    wait_for_figure,
    wait_for_points,
)
from tests.browser.pointing import touch
from tests.thinned import thinned

Opener = Callable[..., Page]


def test_arrives_with_a_finished_figure_and_without_the_internet(server: Server, open_page: Opener) -> None:
    page = open_page(address(server))
    drawn = wait_for_figure(page)
    plain, residual = curve(drawn, "plain"), curve(drawn, "residual")
    assert len(plain) == len(residual) == 16
    assert max(plain[1:]) / plain[1] > 100, "the plain network's gradient dies on its way down"
    assert max(residual[1:]) / min(residual[1:]) < 10, "the residual network's stays"
    assert {url for url in page.requested if not url.startswith((server.address, "data:", "blob:"))} == set()  # type: ignore[attr-defined]
    refused = "performance.getEntriesByType('resource').filter(one => one.responseStatus >= 400).map(one => one.name)"
    assert page.evaluate(refused) == [], "a link to a page asks for nothing that is not there"


def test_the_whole_journey(server: Server, open_page: Opener, tmp_path: Path) -> None:
    page = open_page(address(server))
    wait_for_figure(page)

    # Break it: the recorded run of the preset is there at once.
    choose_preset(page, "Break it: sigmoid")
    expect(page.get_by_text("The slope is at most 1/4")).to_be_visible()
    expect(page.get_by_test_id("stSlider").filter(has_text="Depth").get_by_test_id("stSliderThumbValue")).to_have_text(
        "30"
    )

    # What is typed before all knobs stand at the preset is set back with them; the address follows at last.
    page.wait_for_url("**activation=sigmoid**")

    # Train it live: the curve grows in place.
    set_number(page, "epochs", "400")
    train(page)
    state(page, "Training")
    drawn = wait_for_figure(page)
    before = updates(drawn)
    expect(drawn).not_to_have_attribute("data-updates", str(before), timeout=TRAINING)
    # The first update may be that the run waits for its first epoch.
    wait_for_points(page, "gradient_by_layer", "plain", 31, TRAINING)

    # Pause holds the run where it is, a step is one step, and stopping keeps what was recorded.
    button(page, "Pause").click()
    state(page, "Paused")
    held = step_at_rest(page)
    assert 0 < held < 400
    button(page, "Step").click()
    expect(progress(page)).to_contain_text(f"Epoch {held + 1} of 400", timeout=TRAINING)
    state(page, "Paused")
    button(page, "Go on").click()
    state(page, "Training")
    button(page, "Stop").click()
    state(page, "Stopped")
    stopped_at = step_at_rest(page)
    assert stopped_at > held

    # Go back in time: the figure shows the epoch in view.
    thumb = page.get_by_role("slider", name=re.compile("Epoch in view"))
    latest = curve(wait_for_figure(page), "plain")
    thumb.press("Home")
    expect(figure(page, "gradient_by_layer")).to_contain_text("Epoch 1.")
    assert curve(figure(page, "gradient_by_layer"), "plain") != latest

    # Fork from a kept step, with another learning rate, in a lane beside.
    button(page, "Go back and fork").click()
    rate = page.get_by_test_id("stPopoverBody").get_by_role("spinbutton", name="Learning rate")
    rate.fill("0.01")
    rate.press("Tab")
    button(page, "Fork").click()
    expect(page.locator("[class*='st-key-gradient_by_layer-'] .goldviz-figure")).to_have_count(2)
    expect(page.get_by_text(re.compile("forked at epoch")).first).to_be_visible()
    state(page, "Training")
    button(page, "Stop").click()
    state(page, "Stopped")

    # Side by side means the same axes.
    wait_for_figure(page, lane=0)
    wait_for_figure(page, lane=1)
    # A lane that has just drawn its last record tells the other, which then draws anew.
    page.wait_for_function(
        """() => {
            const hosts = [...document.querySelectorAll("[class*='st-key-gradient_by_layer-'] .goldviz-figure")];
            return new Set(hosts.map(host => JSON.stringify(host.goldvizPlace.axes.yaxis.range))).size === 1;
        }"""
    )

    # A reload, and the link in another browser, show the same.
    link = page.url
    page.reload()
    wait_for_figure(page, lane=1)
    other = open_page(link)
    wait_for_figure(other, lane=1)
    for lane in (0, 1):
        assert curve(figure(other, "gradient_by_layer", lane), "plain") == curve(
            figure(page, "gradient_by_layer", lane), "plain"
        )

    # Take it along.
    _exports_work(page, tmp_path)


def _exports_work(page: Page, folder: Path) -> None:
    open_part(page, "Take it with you")
    saved = {}
    for name in ("Curves (CSV)", "Report (HTML)", "Python script"):
        with page.expect_download() as coming:
            button(page, name).click()
        saved[name] = folder / coming.value.suggested_filename
        coming.value.save_as(saved[name])
    assert saved["Curves (CSV)"].read_text(encoding="utf-8").startswith("\ufeffvariable,")
    report = saved["Report (HTML)"].read_text()
    assert "<html" in report
    assert "cdn.plot.ly" not in report.split("</script>")[-1]
    compile(saved["Python script"].read_text(), "script.py", "exec")


def test_the_exported_script_repeats_the_page_s_run(server: Server, open_page: Opener, tmp_path: Path) -> None:
    page = open_page(address(server, "epochs=3&depth=4"))
    wait_for_figure(page)
    train(page)
    state(page, "Finished")
    drawn = wait_for_figure(page, "loss")
    # The last epoch may be drawn after the page says that the run has finished.
    for network in ("plain", "residual"):
        wait_for_points(page, "loss", network, 3, TRAINING)
    # The loss on unseen samples, and thin behind it the training loss.
    shown = {
        variable: [curve(drawn, f"{network}{suffix}") for network in ("plain", "residual")]
        for variable, suffix in (("evaluation_loss", ""), ("loss", ", each epoch"))
    }
    open_part(page, "Take it with you")
    with page.expect_download() as coming:
        button(page, "Python script").click()
    script = tmp_path / "script.py"
    coming.value.save_as(script)
    subprocess.run([sys.executable, "-I", script, tmp_path / "curves.json"], check=True, cwd=tmp_path, timeout=120)
    curves = json.loads((tmp_path / "curves.json").read_text())
    for variable, values in shown.items():
        epochs = curves["curves"][variable]["values"]
        for number, network in enumerate(values):
            assert network == pytest.approx([networks[number][0] for networks in epochs], rel=1e-6), variable


def test_zoom_survives_updates_and_no_frame_is_blank(server: Server, open_page: Opener) -> None:
    page = open_page(address(server, "epochs=300&depth=6"))
    wait_for_figure(page)
    train(page)
    state(page, "Training")
    drawn = wait_for_figure(page, "loss")
    touch(drawn)
    area = drawn.locator(".nsewdrag").first.bounding_box()
    assert area is not None
    page.mouse.move(area["x"] + area["width"] * 0.3, area["y"] + area["height"] * 0.5)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * 0.6, area["y"] + area["height"] * 0.5, steps=5)
    page.mouse.up()
    zoomed = drawn.evaluate("host => host._fullLayout.xaxis.range")
    seen = updates(drawn)
    blank = page.evaluate(
        """async () => {
            let frames = 0, blank = 0;
            const end = performance.now() + 2000;
            while (performance.now() < end) {
                await new Promise(requestAnimationFrame);
                frames += 1;
                const hosts = document.querySelectorAll("[class*='st-key-loss-'] .goldviz-figure[data-drawn]");
                if (hosts.length === 0) blank += 1;
            }
            return blank / frames;
        }"""
    )
    assert blank == 0
    assert updates(drawn) > seen
    assert drawn.evaluate("host => host._fullLayout.xaxis.range") == zoomed
    assert zoomed[1] - zoomed[0] < 100
    button(page, "Stop").click()
    state(page, "Stopped")


def test_two_clicks_on_train_start_one_run(server: Server, open_page: Opener) -> None:
    page = open_page(address(server, "epochs=5&depth=3&width=7"))
    wait_for_figure(page)
    button(page, "Train").dblclick()
    state(page, "Finished")
    runs = open_page(f"{server.address}/runs")
    runs.get_by_label("Find").fill("no such run")
    runs.get_by_label("Find").press("Enter")
    expect(runs.get_by_text("No run matches.")).to_be_visible()
    import os

    os.environ["GOLDVIZ_DATABASE_URL"], kept = server.database, os.environ.get("GOLDVIZ_DATABASE_URL")
    try:
        import goldviz

        settings = [json.loads(text) for text in goldviz.runs()["settings"]]
    finally:
        if kept is None:
            del os.environ["GOLDVIZ_DATABASE_URL"]
        else:
            os.environ["GOLDVIZ_DATABASE_URL"] = kept
    assert sum(one.get("width") == 7 for one in settings) == 1


def test_a_finding_s_cure_runs_in_a_lane_beside_which_comes_into_view(server: Server, open_page: Opener) -> None:
    page = open_page(address(server))
    wait_for_figure(page)
    open_part(page, "What happened?")
    page.get_by_role("button", name=re.compile("^Try this")).first.click()
    expect(page.locator("[class*='st-key-gradient_by_layer-'] .goldviz-figure")).to_have_count(2)
    expect(page.get_by_text(re.compile("^Tried: ")).first).to_be_in_viewport()
    state(page, "Finished")
    page.wait_for_url(lambda url: "initialisation=orthogonal" in url)


def test_hot_settings_are_marked(server: Server, open_page: Opener) -> None:
    page = open_page(address(server, "epochs=600&depth=5"))
    wait_for_figure(page)
    train(page)
    state(page, "Training")
    button(page, "Change while it trains").click()
    rate = page.get_by_test_id("stPopoverBody").get_by_role("spinbutton", name="Learning rate")
    rate.fill("0.005")
    rate.press("Tab")
    button(page, "Apply from the next step").click()
    expect(figure(page, "loss")).to_contain_text("learning rate 0.005", timeout=TRAINING)
    page.keyboard.press("Escape")
    button(page, "Stop").click()
    state(page, "Stopped")


@pytest.fixture(
    scope="module",
    params=[(390, "dark"), pytest.param((1440, "light"), marks=pytest.mark.slow)],
    ids=lambda size: f"{size[0]}-{size[1]}",
)
def window(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A window of this width and theme, in which one page after another is opened: scripts are loaded once."""
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert not errors, errors


@pytest.mark.parametrize(
    "path",
    thinned(
        [
            "",
            "depth-gradients",
            "runs",
            "recurrent-gradients",
            "jacobian-lens",
            "lstm-valves",
            "backpropagation-by-hand",
            "backpropagation-steps",
            "backpropagation-steps?shown=error",
            "backpropagation-steps?shown=ways",
        ],
        ordinary=3,
    ),
)
def test_nothing_is_wider_than_the_window(server: Server, window: Page, path: str) -> None:
    page = window
    page.goto(f"{server.address}/{path}")
    expect(page.locator("h1")).to_be_visible()
    if path not in ("", "runs"):
        drawn = ".network[data-drawn]" if path == "backpropagation-steps" else ".goldviz-figure[data-drawn]"
        expect(page.locator(drawn).first).to_be_visible()
        quiet(page)
    overflow = "[...document.querySelectorAll('html, .stMain')].map((one) => one.scrollWidth - one.clientWidth)"
    assert max(page.evaluate(overflow)) <= 0
    cut = page.evaluate(
        """() => [...document.querySelectorAll('.goldviz-figure')].filter(host => {
            const inside = host.getBoundingClientRect();
            return [...host.querySelectorAll('text')].some(text => {
                const box = text.getBoundingClientRect();
                return box.width && (box.left < inside.left - 1 || box.right > inside.right + 1);
            });
        }).length"""
    )
    assert cut == 0, "labels of a figure are cut"


def test_on_a_phone_train_is_at_hand_and_leads_to_the_figure(server: Server, open_page: Opener) -> None:
    page = open_page(address(server, "epochs=300"), width=390, height=800)
    wait_for_figure(page)
    for position in ("0", "document.body.scrollHeight"):
        page.evaluate(f"(document.querySelector('.stMain') ?? document.body).scrollTo(0, {position})")
        box = button(page, "Train").bounding_box()
        assert box is not None
        assert 700 < box["y"] < 800 - box["height"]
    train(page)
    expect(page.get_by_role("button", name="Stop")).to_be_in_viewport()
    expect(wait_for_figure(page)).to_be_in_viewport()
