"""Series, attention and time to think: files of one's own, networks that are trained, and what attention costs."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import HEIGHTS, button, open_part, state, train, wait_for_figure

Opener = Callable[..., Page]
SMALL = "horizon=4&look_back=8&season=4&contenders=nlinear&epochs=1&rows=300&channels=2"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A series of 300 days, and one whose second day stands there twice."""
    values = np.random.default_rng(0).standard_normal((300, 2)).cumsum(axis=0)
    days = np.datetime64("2020-01-01") + np.arange(300)
    rows = [f"{day},{a:.4f},{b:.4f}" for day, (a, b) in zip(days, values, strict=True)]
    paths = {"own": tmp_path / "rates.csv", "twice": tmp_path / "twice.csv"}
    paths["own"].write_text("\n".join(["date,gold,silver", *rows]))
    paths["twice"].write_text("\n".join(["date,gold,silver", *rows[:2], *rows[1:]]))
    return paths


def test_a_file_is_refused_or_forecast(server: Server, open_page: Opener, files: dict[str, Path]) -> None:
    page = open_page(f"{server.address}/leaderboard?{SMALL}")
    wait_for_figure(page, "same_forecast")
    page.get_by_role("button", name="Use a file of your own").click()
    chosen = page.get_by_test_id("stFileUploaderDropzoneInput")
    chosen.set_input_files(str(files["twice"]))
    expect(page.get_by_text("Rows 3 and 4 of twice.csv have the same time; allowed is each time once.")).to_be_visible()
    chosen.set_input_files(str(files["own"]))
    button(page, "Use this series").click()
    expect(page).to_have_url(re.compile("series=[0-9a-f]{16}"))
    source = page.locator(".st-key-series-source")
    expect(source).to_contain_text("300 rows of one day each, 2 channels.")
    page.keyboard.press("Escape")
    expect(page.locator("[class*='st-key-not-yet']")).to_contain_text("Not trained on rates.csv yet.")
    train(page)
    state(page, "Finished")
    table = wait_for_figure(page, "table")
    assert "NLinear" in table.evaluate("host => host.goldvizPlace.axes.yaxis.ticktext")


def test_a_transformer_learns_a_series_and_says_how_far_it_sees(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/series-attention?steps=30&width=8&networks=transformer&kernel=5")
    wait_for_figure(page, "horizon")
    train(page)
    state(page, "Finished")
    fan = wait_for_figure(page, "fan")
    assert max(map(len, fan.evaluate(HEIGHTS))) > 5
    open_part(page, "Why?")
    expect(page.get_by_text("In this run, at its last look, the Transformer's error is")).to_be_visible()


def test_what_attention_costs_is_computed_measured_and_probed(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/attention-cost")
    wait_for_figure(page, "multiplications")
    open_part(page, "Does it see the future?")
    wait_for_figure(page, "moves")
    expect(
        page.get_by_text("Full attention and LogSparse in the same test: 0 % and 0 % of the past move.")
    ).to_be_visible()
    open_part(page, "How long here?")
    measured = wait_for_figure(page, "time")
    assert measured.evaluate("host => host.goldvizPlace.drawn.data.length") >= 4


@pytest.mark.slow
def test_a_network_learns_how_long_to_think(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/adaptive-computation?steps=30&bits=3&most=4&hidden=8&look_every=10")
    wait_for_figure(page, "thoughts")
    train(page)
    state(page, "Finished")
    bars = wait_for_figure(page, "thoughts")
    assert bars.evaluate("host => host.goldvizPlace.axes.yaxis.ticktext.length") == 3
    open_part(page, "Why?")
    expect(page.get_by_text("In this run, at its last look, the network with τ takes")).to_be_visible()


@pytest.mark.slow
def test_networks_look_for_a_symbol_and_are_timed(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/attention-against-recurrence?steps=30&distance=6&width=8")
    wait_for_figure(page, "by_distance")
    train(page)
    state(page, "Finished")
    right = wait_for_figure(page, "by_distance")
    assert right.evaluate("host => host.goldvizPlace.axes.xaxis.range[1]") < 7
    open_part(page, "How long here?")
    seconds = wait_for_figure(page, "time")
    assert seconds.evaluate("host => host.goldvizPlace.drawn.data.length") == 4
    open_part(page, "Why?")
    expect(page.get_by_text("In this run, the Transformer is right on")).to_be_visible()
