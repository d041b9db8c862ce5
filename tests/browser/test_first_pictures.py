"""A figure's first picture, the live figure and a moving report: the same marks and words at the same places."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from goldviz.declare.registry import experiments, laboratories
from goldviz.export.report import lane_of_run, report_of_lanes
from goldviz.figures.theme import inks
from goldviz.runs.examples import example
from tests.browser.figure_place import FigurePlace, figure_place

pytestmark = [pytest.mark.component, pytest.mark.slow]

PARTS = Path(__file__).parent / "picture_parts.js"
LABORATORIES = ("depth-gradients", "recurrent-gradients")
"""Two whose figures have curves, points, bars, cells, panels, names at ends and axes of powers."""
WITHIN = 1.0
"""Pixels that a mark or a word may be away from where another draws it."""
FEWEST = 0.4
"""The share of all figures that have a first picture, at least; the others wait for Plotly."""

PAGE = """<!doctype html><div id="parent"></div>
<script type="module">
  import component from "/ui/assets/live_figure.js";
  const parent = document.getElementById("parent");
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  let leave = () => undefined;
  window.errors = [];
  window.addEventListener("error", (event) => window.errors.push(event.message));
  window.addEventListener("unhandledrejection", (event) => window.errors.push(event.reason.stack ?? event.reason));
  window.fresh = () => {
    leave();
    parent.innerHTML = "";
  };
  // A figure's first picture, if it has one, and the live figure in its place.
  window.drawn = async (figure, width) => {
    window.fresh();
    parent.innerHTML = `<div class="goldviz-figure" style="width: ${width}px"></div>`;
    const host = parent.firstChild;
    const data = { figure, subject: figure, description: "", plotly: "/plotly.js", theme: "light", inks: INKS };
    leave = component({ data, parentElement: parent, setTriggerValue: () => {} });
    const pictured = host.querySelector(".goldviz-picture");
    const picture = pictured && window.partsOf(host, window.PICTURE);
    const before = host.offsetHeight;
    while (!host.dataset.updates) await pause(5);
    await host.goldvizTurn;
    const live = window.partsOf(host, window.LIVE);
    return { picture, live, jump: Math.abs(host.offsetHeight - before) };
  };
</script>""".replace("INKS", json.dumps(inks()))

AT_STEP = """async (share) => {
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const slider = document.querySelector(".goldviz-timeline input");
  slider.value = Math.round(Number(slider.min) + share * (slider.max - slider.min));
  slider.dispatchEvent(new Event("input"));
  const hosts = [...document.querySelectorAll(".goldviz-figure[data-lane]")];
  const waits = ({ goldvizPlace: place }) => place.moved || place.drawn !== place.want().figure;
  while (hosts.some(waits)) await pause(20);
  await pause(50);
  const plain = (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
  return hosts.map((host) => {
    const figure = JSON.stringify(host.goldvizPlace.want().figure, plain);
    return { name: host.dataset.name, width: host.clientWidth, figure, parts: window.partsOf(host, window.LIVE) };
  });
}"""
"""Every figure of a report at a step, by the step's share of the way: as data, and where its parts stand."""


@pytest.fixture(scope="module")
def place(browser: Browser) -> Iterator[FigurePlace]:
    with figure_place(browser, PAGE, width=1440, height=1000) as place:
        place.page.add_script_tag(path=PARTS)
        yield place


def at_steps(browser: Browser, name: str, file: Path) -> Iterator[tuple[float, dict[str, Any]]]:
    """Each figure of the report of a laboratory's first example, at its first, its middle and its last step."""
    declared = experiments()[name]
    preset = declared.presets[0].slug
    lane = lane_of_run(declared.preset(preset), example(declared, preset), laboratories()[name].figures().FIGURES)
    file.write_text(report_of_lanes([lane]), encoding="utf-8")
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    page.add_script_tag(path=PARTS)
    expect(page.locator("[data-lane]:not([data-drawn])")).to_have_count(0)
    for share in (0, 0.5, 1):
        yield from ((share, one) for one in page.evaluate(AT_STEP, share))
    context.close()


@pytest.mark.parametrize("name", LABORATORIES)
def test_picture_live_figure_and_report_agree(browser: Browser, place: FigurePlace, name: str, tmp_path: Path) -> None:
    differ: dict[str, list[str]] = {}
    pictured = count = 0
    for share, one in at_steps(browser, name, tmp_path / "report.html"):
        found = place.page.evaluate("([figure, width]) => window.drawn(figure, width)", [one["figure"], one["width"]])
        pairs = [("report", one["parts"])]
        count += 1
        if found["picture"]:
            pictured += 1
            pairs.append(("picture", found["picture"]))
            assert found["jump"] <= 8, one["name"]
        for which, parts in pairs:
            different = place.page.evaluate(
                "([one, other, within]) => window.differencesOf(one, other, within)", [parts, found["live"], WITHIN]
            )
            if different:
                differ[f"{one['name']} at {share}: {which}"] = different[:4]
    place.assert_well()
    assert differ == {}
    assert pictured >= FEWEST * count
