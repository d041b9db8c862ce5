"""Two live figures on one page: what is pointed at in one is marked in the other, which is a picture."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from importlib.resources import files

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from goldviz.figures import elements
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Heatmap, Scatter
from goldviz.figures.theme import INKS
from tests.browser.figure_place import FigurePlace, figure_place
from tests.thinned import thinned

pytestmark = [pytest.mark.component, pytest.mark.slow]

PAGE = """<!doctype html><style>CSS</style>
<div class="parent"></div>
<div class="parent"></div>
<script type="module">
  import component from "/ui/assets/live_figure.js";
  import { panelsOf } from "/ui/assets/figure_panels.js";
  const parents = [...document.querySelectorAll(".parent")];
  const inks = INKS;
  window.errors = [];
  window.addEventListener("unhandledrejection", (event) => window.errors.push(event.reason.stack ?? event.reason));
  window.leave = [];
  window.fresh = () => {
    for (const leave of window.leave) leave?.();
    window.leave = [];
    for (const parent of parents) parent.innerHTML = '<div class="goldviz-figure" style="width: 500px"></div>';
    window.hosts = parents.map((parent) => parent.firstElementChild);
    window.errors.length = 0;
  };
  window.mount = (number, figure) => {
    window.leave[number] = component({
      data: { figure, subject: "a run", description: "", plotly: "/plotly.js", movable: false, theme: "light", inks },
      parentElement: parents[number],
      setTriggerValue: () => {},
    });
  };
  window.settled = async () => {
    await new Promise((resolve) => setTimeout(resolve));
    for (const host of window.hosts) await host.goldvizTurn;
  };
  // Where the marks of a figure stand, from its left and top edge.
  window.marks = (number) => [...window.hosts[number].querySelectorAll(".goldviz-marks > div")].map((line) => {
    const [place, { left, top }] = [line.getBoundingClientRect(), window.hosts[number].getBoundingClientRect()];
    return { left: place.left - left, top: place.top - top, width: place.width, height: place.height };
  });
  // Where a value of an axis stands in its figure.
  window.at = (number, name, value) => {
    const axis = window.axis(number, name);
    return axis.at(value);
  };
  window.axis = (number, name) => {
    const axes = panelsOf(window.hosts[number]).flatMap(({ xaxis, yaxis }) => [xaxis, yaxis]);
    return axes.find(({ id }) => id === name.replace("axis", ""));
  };
</script>"""

LAYERS = np.arange(16)


@pytest.fixture(scope="module")
def place(browser: Browser) -> Iterator[FigurePlace]:
    inks = json.dumps({theme: asdict(ink) for theme, ink in INKS.items()})
    css = (files("goldviz.ui") / "assets" / "live_figure.css").read_text(encoding="utf-8")
    with figure_place(browser, PAGE.replace("INKS", inks).replace("CSS", css), width=900, height=800) as place:
        yield place


def curve(x: list[object] | np.ndarray, name: str, **axis: object) -> str:
    """Points over one coordinate."""
    figure = Figure(Scatter(x=x, y=np.arange(len(x)), mode="lines+markers")).update_xaxes(**axis)
    look.apply(figure, "light", title="A curve", height=300, legend=False)
    elements.link(figure, "x", name)
    return figure.to_json()


def maps(x: str = "epoch", up: str = "layer", low: float = -0.5) -> str:
    """Two panels of a map each, layers up and epochs across."""
    figure = elements.panels(["One", "Other"], "light")
    for row in (1, 2):
        scale = {"zmin": 0, "zmax": 47, "colorscale": look.SEQUENTIAL}
        heat = Heatmap(x=[1, 2, 3], y=LAYERS, z=np.arange(48.0).reshape(16, 3), showscale=False, **scale)
        figure.add_trace(heat, row=row, col=1)
    figure.update_yaxes(range=(low, 15.5))
    look.apply(figure, "light", title="Maps", height=400, legend=False, hover="closest")
    elements.link(figure, "x", x)
    elements.link(figure, "y", up)
    return figure.to_json()


@pytest.fixture
def page(place: FigurePlace) -> Iterator[Page]:
    page = place.fresh()
    yield page
    page.evaluate("window.settled()")
    place.assert_well()


def show(page: Page, *figures: str) -> None:
    for number, figure in enumerate(figures):
        page.evaluate("([number, figure]) => window.mount(number, figure)", [number, figure])
    page.evaluate("window.hosts[0].goldvizPlace.touch()")
    page.wait_for_function("window.hosts[0].dataset.drawn === 'plotly' && window.hosts[1].dataset.drawn")
    page.evaluate("window.settled()")


def point(page: Page, value: object, number: int = 0) -> None:
    """Point at a value of the first figure's x axis; ``window.within`` then holds the other's marks one frame later."""
    x, y = page.evaluate(
        """([number, value]) => {
            const host = window.hosts[number];
            window.within = undefined;
            host.on("plotly_hover", () => {
                requestAnimationFrame(() => { window.within ??= window.marks(1 - number); });
            });
            const { left, top } = host.getBoundingClientRect();
            const { start, length } = window.axis(number, "yaxis");
            return [left + window.at(number, "xaxis", value), top + start + length / 2];
        }""",
        [number, value],
    )
    page.mouse.move(x, y)
    page.wait_for_function("window.within !== undefined")


def away(page: Page) -> None:
    page.mouse.move(890, 790)


def level_marks(page: Page, value: float) -> list[dict[str, float]]:
    """The lines that both panels of the map should have at a layer."""
    return page.evaluate(  # type: ignore[no-any-return]
        """(value) => ["", "2"].map((panel) => {
            const { start, length } = window.axis(1, `xaxis${panel}`);
            return { left: start, top: window.at(1, `yaxis${panel}`, value) - 0.5, width: length, height: 1 };
        })""",
        value,
    )


def same(marks: list[dict[str, float]], wanted: list[dict[str, float]]) -> bool:
    return len(marks) == len(wanted) and all(
        mark[side] == pytest.approx(other[side], abs=0.05)
        for mark, other in zip(marks, wanted, strict=True)
        for side in mark
    )


@pytest.mark.slow
def test_the_layer_that_is_pointed_at_is_marked_in_the_other_figure_within_a_frame(page: Page) -> None:
    show(page, curve(LAYERS, "layer"), maps())
    assert page.evaluate("window.hosts[1].dataset.drawn") == "picture"
    picture = "window.hosts[1].querySelector('.goldviz-picture')"
    page.evaluate(f"() => {{ window.before = {picture}; }}")
    for layer in (3, 11):
        point(page, layer)
        assert same(page.evaluate("window.within"), level_marks(page, layer))
        assert page.evaluate("window.marks(0)") == [], "the figure that is pointed at has Plotly's own label"
    away(page)
    page.wait_for_function("window.marks(1).length === 0")
    assert page.evaluate(f"window.before === {picture}"), "a mark is no draw"


DAYS = [f"2024-03-{day:02}" for day in range(1, 16)]


@pytest.mark.parametrize(
    ("one", "other", "value"),
    thinned(
        [
            (curve([1, 10, 100], "gap", type="log", dtick=1), curve([0, 50, 100], "gap"), 10),
            (curve([0, 10, 100], "gap"), curve([1, 10, 100], "gap", type="log", dtick=1), 10),
            (curve(DAYS, "day", type="date"), curve(DAYS[4:], "day", type="date"), "2024-03-11"),
        ]
    ),
    ids=["log to linear", "linear to log", "dates"],
)
@pytest.mark.slow
def test_axes_of_different_kinds_have_the_same_value_marked(page: Page, one: str, other: str, value: object) -> None:
    show(page, one, other)
    point(page, value)
    (mark,) = page.evaluate("window.within")
    assert mark["left"] + 0.5 == pytest.approx(page.evaluate("value => window.at(1, 'xaxis', value)", value), abs=0.05)
    assert mark["height"] == pytest.approx(page.evaluate("window.axis(1, 'yaxis').length"))


@pytest.mark.parametrize(
    "other",
    thinned([maps(low=5.5), maps(up="lag"), curve(["a", "b", "3"], "layer", type="category")]),
    ids=["outside the range", "another coordinate", "names"],
)
def test_what_has_no_place_in_the_other_figure_is_not_marked(page: Page, other: str) -> None:
    show(page, curve(LAYERS, "layer"), other)
    point(page, 3)
    assert page.evaluate("window.within") == []


def test_many_moves_of_the_pointer_are_one_frame_of_work(page: Page) -> None:
    show(page, curve(LAYERS, "layer"), maps())
    frames = page.evaluate("""async () => {
        const host = window.hosts[0];
        const { xaxis, yaxis } = host._fullLayout;
        const ask = window.requestAnimationFrame;
        let frames = 0;
        window.requestAnimationFrame = (work) => { frames += 1; return ask(work); };
        for (let x = 0; x < 9; x += 1) {
            host.emit("plotly_hover", { points: [{ x, y: 1, xaxis, yaxis }] });
            host.emit("plotly_unhover", { points: [] });
        }
        host.emit("plotly_hover", { points: [{ x: 9, y: 1, xaxis, yaxis }] });
        window.requestAnimationFrame = ask;
        await new Promise(ask);
        return frames;
    }""")
    assert frames == 1
    assert same(page.evaluate("window.marks(1)"), level_marks(page, 9))


@pytest.mark.parametrize("number", [0, 1], ids=["pointed at", "marked"])
def test_marks_follow_a_figure_that_is_drawn_anew(page: Page, number: int) -> None:
    show(page, curve(LAYERS, "layer"), maps())
    point(page, 7)
    page.evaluate("number => { window.hosts[number].style.width = '620px'; }", number)
    page.wait_for_function("number => window.hosts[number].goldvizPlace.width === 620", arg=number)
    page.evaluate("window.settled()")
    if number == 1:
        assert same(page.evaluate("window.marks(1)"), level_marks(page, 7))
    away(page)
    page.wait_for_function("window.marks(1).length === 0")
    point(page, 4)
    assert same(page.evaluate("window.within"), level_marks(page, 4))


def test_a_mark_goes_where_the_figure_drawn_anew_has_no_place_for_it(page: Page) -> None:
    show(page, curve(LAYERS, "layer"), maps())
    point(page, 3)
    assert page.evaluate("window.marks(1).length") == 2
    page.evaluate("figure => window.mount(1, figure)", maps(low=5.5))
    page.wait_for_function("window.hosts[1].dataset.updates === '2'")
    assert page.evaluate("window.marks(1)") == []


def test_marks_go_with_the_figure_that_is_pointed_at(page: Page) -> None:
    show(page, curve(LAYERS, "layer"), maps())
    point(page, 3)
    page.evaluate("async () => { window.leave[0](); await window.settled(); }")
    page.wait_for_function("window.marks(1).length === 0")
    left = page.evaluate(
        """async () => {
            const { pointing } = await import("/ui/assets/figure_link.js");
            return [window.hosts[0].children.length, "_ev" in window.hosts[0], pointing.host];
        }"""
    )
    assert left == [0, False, None], "nothing of the figure stays, and nothing listens to it"


def test_a_marked_figure_leaves_and_comes_back(page: Page) -> None:
    show(page, curve(LAYERS, "layer"), maps())
    point(page, 3)
    page.evaluate("() => window.leave[1]()")
    assert page.evaluate("window.marks(1)") == []
    point(page, 5)
    assert page.evaluate("window.within") == []
    page.evaluate("window.settled()")
    assert page.evaluate("window.hosts[1].children.length") == 0
    page.evaluate("figure => window.mount(1, figure)", maps())
    page.wait_for_function("window.hosts[1].dataset.updates === '2'")
    assert same(page.evaluate("window.marks(1)"), level_marks(page, 5)), "it is marked while the pointer rests"


def test_comings_and_goings_under_the_pointer_throw_nothing(page: Page) -> None:
    show(page, curve(LAYERS, "layer"), maps())
    point(page, 3)
    figures = [curve(LAYERS, "layer"), maps(), curve([1, 10, 100], "gap", type="log", dtick=1)]
    page.evaluate(
        """async ([figures, times]) => {
            for (let turn = 0; turn < times; turn += 1) {
                const number = turn % 2;
                window.mount(number, figures[turn % figures.length]);
                window.hosts[number].style.width = `${300 + (37 * turn) % 300}px`;
                if (turn % 3 === 0) await new Promise((resolve) => setTimeout(resolve, turn % 7));
                const full = window.hosts[1 - number]._fullLayout;
                const points = [{ x: turn % 16, y: 1, xaxis: full?.xaxis, yaxis: full?.yaxis }];
                if (full && window.hosts[1 - number].emit) window.hosts[1 - number].emit("plotly_hover", { points });
                if (turn % 5 === 1) window.leave[number]();
            }
            await window.settled();
            window.mount(0, figures[0]);
            window.mount(1, figures[1]);
            window.hosts[0].goldvizPlace.touch();
            await new Promise((resolve) => setTimeout(resolve, 50));
            await window.settled();
        }""",
        [figures, 60],
    )
    away(page)
    point(page, 6)
    assert same(page.evaluate("window.within"), level_marks(page, 6))
