"""Somebody's own script: the page is open before it begins, follows it while it trains, and tells what went wrong."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from goldviz.runs.recorder import Batch, Progress
from goldviz.runs.store.run_store import Store
from goldviz.watching.declared import WatchedScript
from tests.browser.app_server import Server, environment_of, own_faults, running

SCRIPT = """
import time
import torch, goldviz
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))
model[2].requires_grad_(False)
optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
with goldviz.watch(model, optimizer, name="a script of mine") as record:
    for step in range(1, 301):
        x = torch.randn(32, 8)
        loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        record.step(loss=loss * (float("inf") if step == 280 else 1))
        time.sleep(0.05)
"""


OFFERING = """
import pathlib, time
import torch, goldviz
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))
model[0].requires_grad_(False)
model[2].requires_grad_(False)
optimizer = torch.optim.AdamW(model.parameters(), 3e-3)

def step(state, order, number):
    x = torch.randn(32, 8, generator=torch.Generator().manual_seed(1000 * order + number))
    loss = nn.functional.cross_entropy(state["model"](x), x[:, :3].argmax(1))
    state["optimizer"].zero_grad()
    loss.backward()
    state["optimizer"].step()
    return loss

state = {"model": model, "optimizer": optimizer}
with goldviz.watch(model, optimizer, name="offers trials") as record:
    record.offer_trials(step, state, steps=60)
    for number in range(1, 2001):
        record.step(loss=step(state, 0, number))
        assert not model[0].weight.requires_grad
        time.sleep(0.05)
        if (pathlib.Path(__file__).parent / "enough").exists():
            break
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """One that no script has written to: its page waits for the first."""
    with running(f"sqlite:///{tmp_path / 'runs.sqlite'}", tmp_path / "server.log") as up:
        yield up
        assert not own_faults(tmp_path / "server.log")


def test_a_script_is_followed_from_its_first_step_to_its_cards(
    server: Server, open_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = open_page(f"{server.address}/your_network")
    # Until a script has begun, a recorded run stands here that fails.
    expect(page.get_by_text("The gradient vanishes on its way to the first layers")).to_be_visible()
    expect(page.get_by_text("Gradient norm by layer and step", exact=True)).to_be_visible()
    page.get_by_text("Watch your own").click()
    expect(page.get_by_text("Put three lines around the loop")).to_be_visible()
    (tmp_path / "mine.py").write_text(SCRIPT)
    environment = environment_of(server.database, tmp_path, 1, {})
    script = subprocess.Popen([sys.executable, str(tmp_path / "mine.py")], env=environment)
    try:
        state = page.locator("[class*=stMarkdownBadge]").first
        expect(state).to_contain_text("Training")
        expect(page.get_by_text("A recorded example")).to_have_count(0)
        expect(page.locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible()
        place = page.locator(".goldviz-progress-words")
        expect(place).to_contain_text(re.compile(r"Step \d+ ·"))
        expect(place).not_to_have_text(place.inner_text())
        expect(page.get_by_text("Layers are frozen that the optimiser holds")).to_be_visible()
        expect(page.get_by_text("A value was no finite number")).to_be_visible()
        expect(page.locator("[class*=stMarkdownBadge]").filter(has_text="Finished")).to_be_visible()
        assert script.wait(60) == 0
    finally:
        script.kill()
    expect(page.get_by_text("requires_grad_")).to_be_visible()
    query = page.get_by_role("textbox", name="Layers")
    query.fill("2 : weight")
    query.press("Enter")
    expect(page.get_by_text("Weight norm of these layers", exact=True)).to_be_visible()
    # A layer that is chosen in the diagram is asked for in the map, with the quantities that were.
    page.get_by_text("Modules", exact=True).click()
    canvas = page.locator(".goldviz-diagram canvas")
    expect(canvas).to_be_visible()
    canvas.press("ArrowRight")
    canvas.press("Enter")
    expect(query).to_have_value("0 : weight")
    query.fill("2 : weight")
    query.press("Enter")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_text("Weight norm by layer and step", exact=True)).to_be_visible()
    # What another process writes now the page notices by itself.
    store = Store(server.database)
    [run], _ = store.list()
    store.append(run.id, Progress(run.step, 0, run.seconds, 0.0), status="running")
    expect(page.locator("[class*=stMarkdownBadge]").filter(has_text="Training")).to_be_visible()
    store.append(run.id, Progress(run.step, 0, run.seconds, 0.0), status="finished")
    expect(page.locator("[class*=stMarkdownBadge]").filter(has_text="Finished")).to_be_visible()
    store.create(WatchedScript(), name="another of mine", status="running")
    store.close()
    expect(page.get_by_text("another of mine has begun.")).to_be_visible()
    expect(page.get_by_text("Weight norm by layer and step", exact=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Show it").click()
    expect(page.get_by_text("No step yet")).to_be_visible()
    expect(page.get_by_text("has begun")).to_have_count(0)


def test_a_timeline_steps_back_by_arrow_keys_while_the_run_grows(
    server: Server, open_page: Callable[..., Page], tmp_path: Path
) -> None:
    store = Store(server.database)
    names = ["first", "second"]
    run_id = store.create(WatchedScript(), name="grows", status="running")
    facts = {"layers": [[name, "Linear", 10] for name in names]}

    def trained(first: int, last: int) -> None:
        batch = Batch(first)
        for step in range(first, last + 1):
            batch.add("loss", step, np.float32(1 / step))
            batch.add("gradient_by_layer", step, np.array([1e-3 / step, 1e-1], np.float32))
            batch.last_step = step
        progress = Progress(last, 0, last / 10, 0.1)
        store.append(run_id, progress, batch=batch, coordinates={"layer": names}, attributes=facts)

    trained(1, 20)
    page = open_page(f"{server.address}/your-network?run={run_id}")
    slider = page.get_by_role("slider", name="Step in view")
    expect(slider).to_have_attribute("aria-valuetext", "Step 20 of 20")
    expect(page.get_by_text("At step 20.")).to_be_visible()
    trained(21, 30)
    expect(slider).to_have_attribute("aria-valuetext", "Step 30 of 30")
    expect(page.get_by_text("At step 30.")).to_be_visible()
    slider.focus()
    for _ in range(3):
        slider.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "Step 27 of 30")
    expect(page.get_by_text("At step 27.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"step=27"))
    trained(31, 40)
    expect(slider).to_have_attribute("aria-valuetext", "Step 27 of 40")
    expect(page.locator(".goldviz-progress-words")).to_contain_text("Step 40 ·")
    expect(page.get_by_text("At step 27.")).to_be_visible()
    page.reload()
    expect(slider).to_have_attribute("aria-valuetext", "Step 27 of 40")
    expect(page.get_by_text("At step 27.")).to_be_visible()
    store.append(run_id, Progress(40, 0, 4.0, 0.1), status="interrupted")
    store.close()
    expect(page.get_by_text("Interrupted")).to_be_visible()
    slider.press("End")
    expect(page.get_by_text("At step 40.")).to_be_visible()


@pytest.mark.slow
def test_a_rate_that_is_changed_on_the_page_holds_from_the_step_that_the_page_tells(
    server: Server, open_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = open_page(f"{server.address}/your_network")
    (tmp_path / "mine.py").write_text(SCRIPT.replace('name="a script of mine"', 'name="turned", knobs=True'))
    script = subprocess.Popen(
        [sys.executable, str(tmp_path / "mine.py")], env=environment_of(server.database, tmp_path, 1, {})
    )
    try:
        expect(page.locator("[class*=stMarkdownBadge]").first).to_contain_text("Training")
        page.get_by_text("Change it while it trains").click()
        rate = page.get_by_role("spinbutton", name="Learning rate")
        rate.fill("0.0001")
        rate.press("Tab")
        page.get_by_role("button", name="Change it").click()
        told = page.get_by_text(re.compile(r"From step \d+ on: learning rate 0\.0001 \(was 0\.003\)\."))
        expect(told).to_be_visible()
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert script.wait(120) == 0
    finally:
        script.kill()
    expect(told).to_be_visible()


def test_a_cure_is_tried_on_the_run_from_its_card_and_the_card_tells_the_measured_difference(
    server: Server, open_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = open_page(f"{server.address}/your_network")
    (tmp_path / "mine.py").write_text(OFFERING)
    script = subprocess.Popen(
        [sys.executable, str(tmp_path / "mine.py")], env=environment_of(server.database, tmp_path, 1, {})
    )
    try:
        expect(page.locator("[class*=stMarkdownBadge]").first).to_contain_text("Training")
        expect(page.get_by_text("Layers are frozen that the optimiser holds")).to_be_visible()
        expect(page.get_by_text("nobody tried it on your run").first).to_be_visible()
        page.get_by_role("button", name="Try it on my run").click()
        told = page.get_by_text(
            re.compile(
                r"Tried on this run\. let every layer learn: helped, loss -0\.\d+ \[-0\.\d+, -0\.\d+\] \(60 steps"
            )
        )
        expect(told).to_be_visible()
        expect(
            page.get_by_text(re.compile(r"Tried after step \d+: let every layer learn\. The script"))
        ).to_be_visible()
        expect(page.get_by_role("button", name="Try it on my run")).to_have_count(0)
        # The script trains on, with its layers as frozen as they were.
        place = page.locator(".goldviz-progress-words")
        expect(place).not_to_have_text(place.inner_text())
        page.set_viewport_size({"width": 390, "height": 844})
        expect(told).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        (tmp_path / "enough").touch()
        assert script.wait(60) == 0
    finally:
        script.kill()
    expect(page.locator("[class*=stMarkdownBadge]").filter(has_text="Finished")).to_be_visible()
    expect(told).to_be_visible()
