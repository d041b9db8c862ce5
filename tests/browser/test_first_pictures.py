"""A figure's first picture, the live figure and a moving report: the same marks and words at the same places."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from goldviz.declare.registry import experiments, laboratories
from goldviz.export.report import Lane, lane_of_run, report_of_lanes
from goldviz.export.report_frames import carried
from goldviz.figures.theme import inks
from goldviz.runs.examples import example, has_example
from tests.browser.figure_place import FigurePlace, figure_place

pytestmark = [pytest.mark.component, pytest.mark.slow]

PARTS = Path(__file__).parent / "picture_parts.js"
WITHIN = 1.0
"""Pixels that a mark or a word may be away from where another draws it."""
JUMP = 8
"""Pixels by which a figure may grow when the live one takes its picture's place."""
STEPS = (0, 0.5, 1)
"""The steps that are looked at, by their share of the way: the first, the middle and the last."""
WIDTH = 1000
MOST = 3_000_000
"""Characters of numbers of a laboratory's example, more than any has."""
WAITING = {
    "a diagram": "drawn on a canvas of its own, without Plotly, as soon as its numbers have come",
}
"""With what a figure of a recorded example waits for Plotly, and why it is not drawn before."""

PAGE = """<!doctype html><div id="parent"></div>
<script type="module">
  import component from "/ui/assets/live_figure.js";
  import { bytesOf, decoded, filledFigure, merged } from "/ui/assets/figure_fill.js";
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
  // A figure's first picture, if it has one, the live figure, and the same where Plotly is not told its margins.
  window.drawn = async (figure, width) => {
    window.fresh();
    parent.innerHTML = `<div class="goldviz-figure" style="width: ${width}px"></div>`;
    const host = parent.firstChild;
    const data = { figure, subject: figure, description: "", plotly: "/plotly.js", theme: "light", inks: INKS };
    leave = component({ data, parentElement: parent, setTriggerValue: () => {} });
    await host.goldvizTurn;
    const pictured = host.querySelector(".goldviz-picture");
    const picture = pictured && window.partsOf(host, window.PICTURE);
    const { waits } = host.dataset;
    const before = host.offsetHeight;
    host.goldvizPlace.touch();
    while (host.dataset.drawn !== "plotly") await pause(5);
    await host.goldvizTurn;
    const live = window.partsOf(host, window.LIVE);
    const jump = Math.abs(host.offsetHeight - before);
    const { laid } = host.goldvizPlace.now;
    await Plotly.relayout(host, { margin: laid.margin });
    // For each margin that it finds Plotly widens axes of one scale once more, whose reach it was given.
    const axes = Object.keys(laid).filter((key) => /^[xy]axis/.test(key) && laid[key].range);
    if (axes.some((key) => laid[key].scaleanchor)) {
      const { l, r, t, b } = host._fullLayout._size;
      const ranges = axes.map((key) => [`${key}.range`, [...laid[key].range]]);
      await Plotly.relayout(host, { margin: { ...laid.margin, l, r, t, b }, ...Object.fromEntries(ranges) });
    }
    return { picture, waits, live, alone: window.partsOf(host, window.LIVE), jump };
  };
  // Each figure of a report's numbers at these shares of its steps, one that does not move once.
  window.figuresOf = async (text, shares) => {
    const zipped = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
    const message = decoded(await new Response(zipped).arrayBuffer());
    const lane = merged(undefined, message.header.lanes[0], message);
    const labels = Object.values(lane.steps)[0] ?? [0];
    const plain = (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
    return Object.keys(lane.figures).flatMap((name) => {
      const steps = shares.map((share) => labels[Math.round(share * (labels.length - 1))]);
      const figures = steps.map((step) => JSON.stringify(filledFigure(lane, name, step).figure, plain));
      return [...new Set(figures)].map((figure) => [name, steps[figures.indexOf(figure)], figure]);
    });
  };
</script>""".replace("INKS", json.dumps(inks()))

AT_STEP = """async (share) => {
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const slider = document.querySelector(".goldviz-timeline input");
  slider.value = Math.round(Number(slider.min) + share * (slider.max - slider.min));
  const hosts = [...document.querySelectorAll(".goldviz-figure[data-lane]")];
  // A figure keeps the room of the steps before, so that it stands still; one that is drawn alone has none to keep.
  for (const host of hosts) host.goldvizPlace.room = undefined;
  slider.dispatchEvent(new Event("input"));
  const waits = ({ goldvizPlace: place }) => place.drawn !== place.want().figure;
  while (hosts.some(waits)) await pause(20);
  await pause(50);
  const plain = (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
  return hosts.map((host) => {
    const figure = JSON.stringify(host.goldvizPlace.want().figure, plain);
    return { name: host.dataset.name, width: host.clientWidth, figure, parts: window.partsOf(host, window.PICTURE) };
  });
}"""
"""Every figure of a report at a step, by the step's share of the way: as data, and where its parts stand."""


@pytest.fixture(scope="module")
def place(browser: Browser) -> Iterator[FigurePlace]:
    with figure_place(browser, PAGE, width=1440, height=1000) as place:
        place.page.add_script_tag(path=PARTS)
        yield place


def recorded_lanes(name: str) -> Iterator[tuple[str, Lane]]:
    """What a report shows of each recorded example of a laboratory, by the preset's slug."""
    declared = experiments()[name]
    for slug in (preset.slug for preset in declared.presets if has_example(declared, preset.slug)):
        figures = laboratories()[name].figures().FIGURES
        yield slug, lane_of_run(declared.preset(slug), example(declared, slug), figures)


def differences(place: FigurePlace, one: Any, other: Any) -> list[str]:
    """In what two lists of parts differ, the first few."""
    found: list[str] = place.page.evaluate("(given) => window.differencesOf(...given)", [one, other, WITHIN])
    return found[:4]


@pytest.mark.parametrize("name", experiments())
def test_a_picture_is_what_plotly_draws_or_waits_with_a_known_reason(place: FigurePlace, name: str) -> None:
    differ: dict[str, list[str]] = {}
    for slug, lane in recorded_lanes(name):
        text = carried({"lane": lane.frames}, MOST).text
        for figure, step, drawing in place.page.evaluate("(given) => window.figuresOf(...given)", [text, STEPS]):
            where = f"{slug}, {figure} at {step}"
            found = place.page.evaluate("(given) => window.drawn(...given)", [drawing, WIDTH])
            different = differences(place, found["live"], found["alone"])
            if found["picture"] is None:
                if found["waits"] not in WAITING:
                    different = [f"waits with {found['waits']}", *different]
            else:
                different += differences(place, found["picture"], found["alone"])
            if different or found["jump"] > JUMP:
                differ[where] = [f"grows by {found['jump']}", *different]
    place.assert_well()
    assert differ == {}


@pytest.mark.parametrize("name", experiments())
def test_a_report_moves_to_what_plotly_draws_at_a_step(
    browser: Browser, place: FigurePlace, name: str, tmp_path: Path
) -> None:
    _, lane = next(recorded_lanes(name))
    file = tmp_path / "report.html"
    file.write_text(report_of_lanes([lane]), encoding="utf-8")
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    page.add_script_tag(path=PARTS)
    expect(page.locator("[data-lane]:not([data-drawn])")).to_have_count(0)
    differ: dict[str, list[str]] = {}
    for share in STEPS:
        for one in page.evaluate(AT_STEP, share):
            found = place.page.evaluate("(given) => window.drawn(...given)", [one["figure"], one["width"]])
            different = differences(place, one["parts"], found["alone"])
            if different:
                differ[f"{one['name']} at {share}"] = different
    context.close()
    place.assert_well()
    assert differ == {}
