"""What Chromium's accessibility tree has of figures: their names and descriptions, at the step in view."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from goldviz.declare.registry import laboratories
from goldviz.export.report import lane_of_run, report_of_lanes
from goldviz.runs.examples import example
from tests.browser.app_server import Server
from tests.browser.laboratory_page import address, wait_for_figure
from tests.browser.spoken import assert_each_figure_says_what_it_shows, spoken

Opener = Callable[..., Page]

LAB = laboratories()["depth-gradients"]
AT_STEP = """async (step) => {
  const hosts = [...document.querySelectorAll(".goldviz-figure[data-drawn]")];
  const slider = document.querySelector(".goldviz-timeline input");
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const said = () => hosts.map((host) => [host.ariaLabel, host.ariaDescription]);
  slider.value = step;
  slider.dispatchEvent(new Event("input"));
  for (let waited = 0; waited < 5000; waited += 5) {
    if (hosts.every(({ goldvizPlace: place }) => place.drawn === place.want().figure)) break;
    await pause(5);
  }
  const pictures = said();
  hosts.forEach((host) => host.goldvizPlace.touch());
  const isLive = ({ dataset }) => dataset.drawn === "plotly";
  for (let waited = 0; waited < 20000 && !hosts.every(isLive); waited += 50) await pause(50);
  await Promise.all(hosts.map((host) => host.goldvizTurn));
  return { pictures, live: said() };
}"""
"""What figures are called at a step: their pictures, and what Plotly draws when they are touched."""


def assert_said_at_each_step(page: Page, host: Locator) -> None:
    said = []
    for step in (3, 7):
        found = page.evaluate(AT_STEP, step)
        assert found["pictures"] == found["live"]
        name, about = spoken(page, host)
        assert [name, about] in found["live"]
        assert f"Epoch {step}." in name
        said.append((name, about))
    assert all(one != other for one, other in zip(*said, strict=True)), "name and range are of the step in view"


def test_a_report_s_figures_are_named_at_the_step_in_view(browser: Browser, tmp_path: Path) -> None:
    preset, figures = LAB.declared.presets[0].slug, LAB.figures().FIGURES
    lane = lane_of_run(LAB.declared.preset(preset), example(LAB.declared, preset), figures)
    path = tmp_path / "report.html"
    path.write_text(report_of_lanes([lane]), encoding="utf-8")
    context = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    expect(page.locator("[data-lane]:not([data-drawn])")).to_have_count(0)
    assert assert_each_figure_says_what_it_shows(page) == page.locator(".goldviz-figure").count()
    assert_said_at_each_step(page, page.locator('[data-name="gradient_by_layer"]'))
    context.close()


def test_a_page_s_figures_are_named_at_the_step_in_view(server: Server, open_page: Opener) -> None:
    page = open_page(address(server))
    host = wait_for_figure(page)
    expect(host).to_have_attribute("aria-description", re.compile("from"))
    assert assert_each_figure_says_what_it_shows(page) > 1
    assert_said_at_each_step(page, host)
