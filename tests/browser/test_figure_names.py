"""Every figure of the recorded examples at every width that a lane has: no word is cut, on another, or on a curve."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from goldviz.declare.laboratory import Laboratory
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment
from goldviz.figures import theme as look
from goldviz.figures.diagram import Diagram
from goldviz.figures.draft import Figure, Scatter
from goldviz.figures.theme import inks
from tests.browser.figure_place import FigurePlace, figure_place
from tests.labs.figures_drawn import figures_of

pytestmark = [pytest.mark.component, pytest.mark.slow]

WIDTHS = (944, 460, 358)
"""Pixels of a figure in one and two lanes of a window of 1440, and on a phone of 390."""
NARROW = (300, 224)
"""In three and four lanes, which runs alone have."""
CASES = [
    pytest.param(lab, width, id=f"{lab.name}-{width}")
    for lab in laboratories().values()
    for width in (*WIDTHS, *(NARROW if issubclass(lab.declared, Experiment) else ()))
]

PAGE = """<!doctype html><div id="parent"></div>
<script type="module">
  import component from "/ui/assets/live_figure.js";
  const inks = INKS;
  const parent = document.getElementById("parent");
  let leaves = [];
  window.errors = [];
  window.addEventListener("unhandledrejection", (event) => window.errors.push(event.reason.stack ?? event.reason));
  window.fresh = () => {
    leaves.forEach((leave) => leave());
    leaves = [];
    parent.innerHTML = "";
  };
  window.show = async (figures, width) => {
    window.fresh();
    const hosts = figures.map(([name, figure, theme]) => {
      const box = parent.appendChild(document.createElement("div"));
      box.innerHTML = `<div class="goldviz-figure" style="width: ${width}px"></div>`;
      const data = { figure, subject: name, description: "", plotly: "/plotly.js", movable: false, theme, inks };
      leaves.push(component({ data, parentElement: box, setTriggerValue: () => {} }));
      return [name, box.firstChild];
    });
    const faults = {};
    for (const [name, host] of hosts) {
      host.goldvizPlace.touch();
      while (host.dataset.drawn !== "plotly") await new Promise((resolve) => setTimeout(resolve, 20));
      await host.goldvizTurn;
      const own = window.faultsOf(host);
      if (own.length) faults[name] = own;
    }
    return faults;
  };
</script>"""


@pytest.fixture(scope="module")
def place(browser: Browser) -> Iterator[FigurePlace]:
    with figure_place(browser, PAGE.replace("INKS", json.dumps(inks())), width=1440, height=1000) as place:
        place.page.add_script_tag(path=Path(__file__).parent / "drawn_words.js")
        yield place


def sent(figures: dict[str, Figure]) -> list[tuple[str, str, str]]:
    """Each figure's name, its JSON and the theme that it was drawn for."""
    return [
        (name, figure.to_json(), str(figure.layout["template"]).removeprefix("goldviz_"))
        for name, figure in figures.items()
        if figure.data and not isinstance(figure, Diagram)
    ]


@pytest.mark.parametrize(("lab", "width"), CASES)
def test_no_word_of_a_figure_is_cut_or_on_something_else(place: FigurePlace, lab: Laboratory, width: int) -> None:
    faults = place.page.evaluate("([figures, width]) => window.show(figures, width)", [sent(figures_of(lab)), width])
    place.assert_well()
    assert faults == {}


def two(**more: object) -> Figure:
    """Two curves, and what is laid over them."""
    figure = Figure([Scatter(x=[1, 2, 3], y=[1, level, 2], mode="lines", name=f"to {level}") for level in (2, 3)])
    figure.update_xaxes(range=(1, 3)).update_yaxes(range=(0, 4))
    look.apply(figure, "light", title="Two curves")
    return figure.update_layout(more)


def test_a_planted_fault_is_seen(place: FigurePlace) -> None:
    def over(text: str, **where: object) -> Figure:
        return two(annotations=[{"text": text, "showarrow": False, "bgcolor": "#ffffff", **where}])

    figures = {
        "well": two(),
        "plate": over("a plate", x=2, y=2, xref="x", yref="y"),
        "cut": over("words that the figure's edge cuts", x=3, y=0.5, xref="x", yref="y", xanchor="left"),
        "words": over("words on a number", x=0, y=0, xref="paper", yref="paper", yshift=-8, yanchor="top"),
    }
    faults = place.page.evaluate("([figures, width]) => window.show(figures, width)", [sent(figures), 460])
    assert {name: {one.partition(":")[0] for one in own} for name, own in faults.items()} == {
        "plate": {"on a curve"},
        "cut": {"cut"},
        "words": {"on each other"},
    }
