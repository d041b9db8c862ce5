"""The component of a live figure alone, without a server: draws, resizes and purges that meet one another."""

import json
from collections.abc import Iterator
from importlib.resources import files

import pytest
from playwright.sync_api import Browser, Page, Route

PLACE = "http://figure.test"
PAGE = """<!doctype html><div id="parent"><div class="goldviz-figure" style="width: 600px"></div></div>
<script type="module">
  import component from "/live_figure.js";
  const parent = document.getElementById("parent");
  window.errors = [];
  window.addEventListener("unhandledrejection", (event) => window.errors.push(event.reason.stack ?? event.reason));
  window.host = parent.firstElementChild;
  window.mount = (figure) =>
    component({
      data: { figure, subject: "a run", description: "", plotly: "/plotly.js", movable: false },
      parentElement: parent,
      setTriggerValue: () => {},
    });
</script>"""

MICROTASKS = 12
"""How many turns of the queue of promises a purge is tried after: a draw of Plotly 7.1 takes five."""


def _answer(route: Route) -> None:
    path = route.request.url.removeprefix(PLACE)
    if path == "/live_figure.js":
        script = (files("goldviz.ui") / "assets" / "live_figure.js").read_text(encoding="utf-8")
        route.fulfill(body=script, content_type="text/javascript")
    elif path == "/plotly.js":
        script = (files("plotly") / "package_data" / "plotly.min.js").read_text(encoding="utf-8")
        route.fulfill(body=script, content_type="text/javascript")
    else:
        route.fulfill(body=PAGE, content_type="text/html")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 900, "height": 600})
    page = context.new_page()
    thrown: list[str] = []
    page.on("pageerror", lambda error: thrown.append(str(error.stack)))
    page.route(f"{PLACE}/**", _answer)
    page.goto(PLACE)
    page.wait_for_function("typeof window.mount === 'function'")
    page.evaluate("figure => window.mount(figure)", figure(1))
    page.wait_for_function("window.host.dataset.updates === '1'")
    yield page
    page.wait_for_function("(window.host.goldvizTurn ?? Promise.resolve()).then(() => true)")
    assert not thrown, thrown[0]
    assert page.evaluate("window.errors") == []
    context.close()


def figure(top: float, *, traces: int = 1) -> str:
    """Another number of traces is drawn from the start, in most steps; another value in fewer."""
    data = [{"type": "scatter", "x": [1, 2, 3], "y": [trace, top, 2]} for trace in range(traces)]
    axis = {"automargin": True, "title": {"text": "Epoch"}}
    return json.dumps({"data": data, "layout": {"height": 400, "autosize": True, "xaxis": axis, "yaxis": axis}})


def hover(page: Page) -> None:
    box = page.locator(".nsewdrag").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function("typeof window.host._fullLayout._rehover === 'function'")


@pytest.mark.parametrize("traces", [1, 2], ids=["values change", "traces change"])
def test_a_purge_waits_for_the_draw_that_it_meets(page: Page, traces: int) -> None:
    """Whenever a page goes while its figure under the pointer is drawn, nothing is thrown."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    hover(page)
    page.evaluate(
        """async ([figures, microtasks]) => {
            for (let after = 0; after < microtasks; after += 1) {
                const leave = window.mount(figures[after % 2]);
                for (let turn = 0; turn < after; turn += 1) await null;
                leave();
                window.mount(figures[2]);
                await new Promise((resolve) => setTimeout(resolve));
                await window.host.goldvizTurn;
            }
        }""",
        [[figure(5, traces=traces), figure(7, traces=traces), figure(3)], MICROTASKS],
    )
    assert page.evaluate("window.host._fullData[0].y[1]") == 3, "the figure that was mounted last is shown"


def test_many_updates_draw_the_latest_and_a_purge_leaves_nothing(page: Page) -> None:
    hover(page)
    page.evaluate(
        """async (figures) => {
            let leave;
            for (const figure of figures) leave = window.mount(figure);
            window.dispatchEvent(new Event("resize"));
            await new Promise((resolve) => setTimeout(resolve));
            leave();
            await window.host.goldvizTurn;
        }""",
        [figure(top) for top in range(2, 30)],
    )
    assert page.evaluate(
        "[window.host.children.length, '_fullLayout' in window.host, 'drawn' in window.host.dataset]"
    ) == [
        0,
        False,
        False,
    ]


def test_a_figure_follows_its_width(page: Page) -> None:
    page.evaluate("""() => {
        window.host.style.width = "420px";
        for (let i = 0; i < 50; i += 1) window.dispatchEvent(new Event("resize"));
    }""")
    page.wait_for_function("window.host._fullLayout.width === 420")
    page.evaluate("figure => window.mount(figure)", figure(4))
    page.wait_for_function("window.host.dataset.updates === '2'")
    assert page.evaluate("[window.host._fullLayout.width, window.host._fullLayout.height]") == [420, 400]
