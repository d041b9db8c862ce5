"""Parts of pages alone, without a server: where their words stand, and what they say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.figure_place import figure_place

pytestmark = pytest.mark.component

PAGE = """<!doctype html><div id="parent"></div><script>
window.errors = [];
window.fresh = () => (document.getElementById("parent").innerHTML = "");
</script>"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    with figure_place(browser, PAGE, width=900, height=600) as place:
        yield place.page
        place.assert_well()


NAMED = """async (layouts) => {
  const { namedAtEnds } = await import("/ui/assets/figure_names.js");
  const measure = (words) => 7 * words.length;
  return layouts.map(([layout, data]) => namedAtEnds(layout, data, 600, measure, (colour) => colour).margin);
}"""


def test_a_run_that_begins_names_its_curves_where_they_stay(page: Page) -> None:
    def at_epoch(n: int) -> list[Any]:
        axes = {"xaxis": {"range": [0.5, n + 0.5]}, "yaxis": {"range": [0, 1]}}
        layout = {"showlegend": True, "height": 360, "margin": {"t": 95, "b": 44, "l": 12, "r": 30}, **axes}
        epochs = list(range(1, n + 1))
        lines = [
            {"type": "scatter", "mode": "lines+markers", "name": name, "x": epochs, "y": [level] * n}
            for name, level in (("plain", 0.2), ("residual", 0.8))
        ]
        return [layout, lines]

    margins = page.evaluate(NAMED, [at_epoch(n) for n in (1, 2, 3, 20)])
    assert margins[0] == margins[1] == margins[2] == margins[3]


PAINTED = """async ({ parts, width }) => {
  const { placed } = await import("/ui/assets/diagram_layout.js");
  const { paintDiagram } = await import("/ui/assets/diagram_draw.js");
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = "12px sans-serif";
  const layout = placed(parts, width, (words) => pen.measureText(words).width);
  const said = [];
  pen.fillText = (words, x, y) => said.push([words, y]);
  const ink = { text: "#000", muted: "#666", surface: "#fff", gap: "#ccc", accent: "#a80", tones: {} };
  const colour = { values: layout.boxes.map(() => 1), limits: [0, 2], scale: "linear" };
  const diagram = { parts, scale: [[0, "#000000"], [1, "#ffffff"]] };
  paintDiagram(pen, diagram, layout, colour, { ink, font: "sans-serif", chosen: [], pointed: [] });
  return said;
}"""


def test_the_numbers_of_layers_stand_inside_their_boxes_or_below_them_all_alike(page: Page) -> None:
    nodes = [[str(number), f"Layer {number}", number - 1, 0, 1, 1, "layer", None] for number in range(1, 16)]
    wires = [[at, at + 1, "on"] for at in range(14)]
    part = {"heading": "plain", "colour": "#000", "nodes": nodes, "wires": wires, "row": 30}
    heights = {}
    for width in (944, 300, 240, 200):
        said = page.evaluate(PAINTED, {"parts": [part], "width": width})
        heights[width] = {round(y) for words, y in said if words != "plain"}
        assert {"1", "15"} <= {words for words, _ in said}
    assert all(len(several) == 1 for several in heights.values()), heights


BAR = """async (share) => {
  const { default: component } = await import("/ui/assets/progress.js");
  const parent = document.getElementById("parent");
  parent.innerHTML = '<div class="goldviz-progress"><div class="goldviz-progress-words"></div>' +
    '<div class="goldviz-progress-room"><div class="goldviz-progress-done"></div></div></div>';
  const leave = component({
    data: { address: `/nowhere/${share}`, lane: "a", share, words: "Epoch 20 of 20 · 8 s", sense: "" },
    parentElement: parent,
    setTriggerValue: () => {},
  });
  const host = parent.firstElementChild;
  leave();
  return [host.classList.contains("goldviz-progress-whole"), host.textContent];
}"""


def test_a_run_that_is_over_keeps_its_words_and_no_full_bar(page: Page) -> None:
    assert page.evaluate(BAR, 0.5) == [False, "Epoch 20 of 20 · 8 s"]
    assert page.evaluate(BAR, 1) == [True, "Epoch 20 of 20 · 8 s"]


SLIDER = """async ({ words, step }) => {
  const { default: component } = await import("/ui/assets/timeline.js");
  const parent = document.getElementById("parent");
  parent.innerHTML = '<div class="goldviz-position"></div><div class="goldviz-timeline">' +
    '<button type="button"></button><input type="range" min="1" value="1"><output></output></div>';
  const leave = component({
    data: { key: `page-${step}`, first: 1, last: 49, words, step, meaning: "", plays: true },
    parentElement: parent,
    setStateValue: () => {},
    setTriggerValue: () => {},
  });
  const found = [".goldviz-position", "output"].map((name) => parent.querySelector(name).textContent);
  const told = parent.querySelector("input").getAttribute("aria-valuetext");
  leave();
  return [...found, told];
}"""


def test_a_place_that_has_words_is_told_by_them_and_by_no_other_number(page: Page) -> None:
    hours = [f"{hour}:00 UTC" for hour in range(49)]
    assert page.evaluate(SLIDER, {"words": hours, "step": 20}) == ["19:00 UTC", "", "19:00 UTC"]
    assert page.evaluate(SLIDER, {"words": ["Step"], "step": 12}) == ["Step", "12", "12"]
