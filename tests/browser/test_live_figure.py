"""The component of a live figure alone, without a server: draws, resizes and purges that meet one another."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from plotly.colors import sample_colorscale

from goldviz.figures import draft, elements
from goldviz.figures import theme as look
from goldviz.figures.theme import INKS
from tests.browser.figure_place import FigurePlace, figure_place
from tests.thinned import thinned

pytestmark = pytest.mark.component

PAGE = """<!doctype html><div id="parent"></div>
<script type="module">
  import component from "/ui/assets/live_figure.js";
  const parent = document.getElementById("parent");
  const inks = INKS;
  window.errors = [];
  window.addEventListener("unhandledrejection", (event) => window.errors.push(event.reason.stack ?? event.reason));
  let leave = () => {};
  window.fresh = () => {
    leave();
    parent.innerHTML = '<div class="goldviz-figure" style="width: 600px"></div>';
    window.host = parent.firstElementChild;
    window.errors.length = 0;
  };
  window.mount = (figure, description = "") =>
    (leave = component({
      data: { figure, subject: "a run", description, plotly: "/plotly.js", movable: false, theme: "light", inks },
      parentElement: parent,
      setTriggerValue: () => {},
    }));
</script>"""

ASSETS = Path(__file__).parents[2] / "goldviz" / "ui" / "assets"
MICROTASKS = 12
"""How many turns of the queue of promises a purge is tried after: a draw of Plotly 7.1 takes five."""


@pytest.fixture(scope="module")
def place(browser: Browser) -> Iterator[FigurePlace]:
    inks = json.dumps({theme: asdict(ink) for theme, ink in INKS.items()})
    with figure_place(browser, PAGE.replace("INKS", inks), width=900, height=600) as place:
        yield place


@pytest.fixture
def page(place: FigurePlace) -> Iterator[Page]:
    page = place.fresh()
    page.evaluate("figure => { window.mount(figure); window.host.goldvizPlace.touch(); }", figure(1))
    page.wait_for_function("window.host.dataset.drawn === 'plotly'")
    page.evaluate("window.host.goldvizTurn")
    yield page
    page.wait_for_function("(window.host.goldvizTurn ?? Promise.resolve()).then(() => true)")
    place.assert_well()


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


@pytest.mark.parametrize("traces", thinned([2, 1]))
@pytest.mark.slow
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


def test_a_draw_that_would_change_nothing_is_left_out(page: Page) -> None:
    counted = page.evaluate("""async () => {
        const react = window.Plotly.react;
        let draws = 0;
        window.Plotly.react = (...given) => ((draws += 1), react(...given));
        const drawn = async () => {
            await new Promise((resolve) => setTimeout(resolve));
            await window.host.goldvizTurn;
            return draws;
        };
        try {
            for (let turn = 0; turn < 3; turn += 1) window.host.goldvizPlace.draw();
            const same = await drawn();
            window.host.style.setProperty("--st-background-color", "#101010");
            window.host.goldvizPlace.draw();
            const dark = await drawn();
            window.host.style.width = "500px";
            window.host.goldvizPlace.draw();
            return [same, dark, await drawn()];
        } finally {
            window.Plotly.react = react;
        }
    }""")
    assert counted == [0, 1, 2]


def test_a_figure_follows_its_width(page: Page) -> None:
    page.evaluate("""() => {
        window.host.style.width = "420px";
        for (let i = 0; i < 50; i += 1) window.dispatchEvent(new Event("resize"));
    }""")
    page.wait_for_function("window.host._fullLayout.width === 420")
    page.evaluate("figure => window.mount(figure)", figure(4))
    page.wait_for_function("window.host.dataset.updates === '2'")
    assert page.evaluate("[window.host._fullLayout.width, window.host._fullLayout.height]") == [420, 400]


def worded(theme: look.Theme = "light") -> str:
    """A figure with as many words as any of ours: a long question, three lines of notes, five names, a reference."""
    made = draft.Figure()
    for name in ("plain", "residual", "LSTM with peepholes", "GRU with decay", "ODE-RNN"):
        made.add_trace(draft.Scatter(x=[1, 2, 3], y=[1, 3, 2], name=name))
    made.update_xaxes(title_text="Layer")
    made.update_yaxes(title_text="Norm of dL/dW", range=(0, 4))
    elements.reference_line(made, 1.0, "1: nothing lost", theme)
    notes = ["Largest norm / layer 1's: plain 3·10<sup>5</sup>, residual 1.2.", "Epoch 12. Median of 5 seeds; " * 3]
    title = "What does each block do to the gradient & its length on its way back?"
    return look.apply(made, theme, title=title, notes=notes).to_json()


def show(page: Page, figure: str, width: int) -> None:
    page.evaluate(
        """async ([figure, width]) => {
            window.host.style.width = `${width}px`;
            window.mount(figure);
            await new Promise((resolve) => setTimeout(resolve));
            await window.host.goldvizTurn;
        }""",
        [figure, width],
    )
    page.wait_for_function("width => window.host._fullLayout?.width === width", arg=width)


def test_what_a_figure_shows_stands_behind_its_i(page: Page) -> None:
    page.evaluate("figure => { window.mount(figure, 'Dotted: after clipping.'); }", figure(2))
    page.get_by_label("More about this figure").click()
    expect(page.locator(".goldviz-info p")).to_have_text("Dotted: after clipping.")
    expect(page.locator(".goldviz-info p")).to_be_visible()


def test_numbers_stand_out_from_their_cells(page: Page) -> None:
    """A light cell's number has a contrast of 6 to 1, where Plotly's dark grey has 3 on the first of them; a dark one's
    white has 3 at least."""
    shares = [place / 20 for place in range(21)]
    made = draft.Figure(draft.Heatmap(z=[shares], texttemplate="%{z:.2f}", colorscale=look.SEQUENTIAL, zmin=0, zmax=1))
    page.add_style_tag(path=ASSETS / "live_figure.css")
    show(page, look.apply(made, "light", title="Scale").to_json(), 1200)
    inks = page.locator(".heatmap-label text").evaluate_all("texts => texts.map(text => getComputedStyle(text).fill)")
    cells = sample_colorscale(look.SEQUENTIAL, shares)
    assert len(inks) == len(cells)
    for ink, cell in zip(map(hexed, inks), map(hexed, cells), strict=True):
        assert look.contrast(ink, cell) >= (3 if ink == "#ffffff" else 6), (ink, cell)


def hexed(colour: str) -> str:
    """rgb(1, 2, 3) as #010203."""
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


@pytest.mark.parametrize("width", thinned([224, 944, 300, 460], 2))
def test_words_are_neither_cut_nor_printed_over_each_other(page: Page, width: int) -> None:
    show(page, worded(), width)
    words = page.evaluate("""() => {
        const place = window.host.getBoundingClientRect();
        const box = (selector) => {
            const { left, right, top, bottom } = window.host.querySelector(selector).getBoundingClientRect();
            const [across, down] = [place.left, place.top];
            return { left: left - across, right: right - across, top: top - down, bottom: bottom - down };
        };
        const parts = { title: ".gtitle", notes: ".gtitle-subtitle", legend: ".legend", plot: ".nsewdrag" };
        return Object.fromEntries(Object.entries(parts).map(([name, selector]) => [name, box(selector)]));
    }""")
    for box in words.values():
        assert box["left"] >= -1, words
        assert box["right"] <= width + 1, words
        assert box["top"] >= -2, words
    assert words["title"]["bottom"] <= words["notes"]["top"] + 4, words
    assert words["notes"]["bottom"] <= words["legend"]["top"] + 1, words
    assert words["legend"]["bottom"] <= words["plot"]["top"] + 4, words
    assert words["plot"]["bottom"] - words["plot"]["top"] > 200, "the words leave the curves their room"


def test_powers_of_ten_are_as_large_as_the_other_axis_s_numbers(page: Page) -> None:
    made = draft.Figure()
    made.add_trace(draft.Scatter(x=[1, 2, 3], y=[1e-6, 1, 10]))
    made.update_yaxes(title_text="Loss", **elements.log_axis((-6, 1)))
    show(page, look.apply(made, "light", title="How large is the loss?", notes=["Epoch 3."]).to_json(), 600)
    sizes = """axis => [...window.host.querySelectorAll(`.${axis}tick text`)]
        .map((one) => getComputedStyle(one).fontSize)"""
    assert set(page.evaluate(sizes, "x")) == set(page.evaluate(sizes, "y")) == {f"{look.TEXT}px"}


def test_a_figure_goes_with_its_column(page: Page) -> None:
    show(page, worded(), 944)
    for width in (460, 300, 224, 944):
        page.evaluate("width => { window.host.style.width = `${width}px`; }", width)
        page.wait_for_function("width => window.host._fullLayout.width === width", arg=width)
    assert page.evaluate("window.host._fullLayout.title.text.split('<br>').length") == 1


def named(*names: str) -> str:
    """Rows with a name each."""
    made = draft.Figure()
    made.add_trace(draft.Bar(x=[1] * len(names), y=list(range(len(names))), orientation="h"))
    made.update_yaxes(tickvals=list(range(len(names))), ticktext=names)
    return look.apply(made, "light", title="Whom does it find?").to_json()


def numbered(top: float) -> str:
    """A curve up to a number."""
    made = draft.Figure(draft.Scatter(x=[1, 2], y=[0, top]))
    return look.apply(made, "light", title="How far does it go?").to_json()


@pytest.mark.parametrize(
    ("narrow", "wide", "keeps"),
    [(named("a", "b"), named("a", "extraordinarily long"), False), (numbered(5), numbered(0.00375), True)],
    ids=["names", "numbers"],
)
def test_numbers_keep_the_room_that_a_step_needed_and_names_have_their_own(
    page: Page, narrow: str, wide: str, keeps: bool
) -> None:
    """Axes stand still while numbers grow and shrink; where names change, the plot is another one."""
    room, lefts = [], []
    for shown in (narrow, wide, narrow):
        show(page, shown, 600)
        room.append(page.evaluate("window.host._fullLayout._size.l"))
        lefts.append(
            page.evaluate("""() => Math.min(...[...window.host.querySelectorAll(".ytick")].map(
            (name) => name.getBoundingClientRect().left)) - window.host.getBoundingClientRect().left""")
        )
    assert room[0] < room[1]
    assert room[2] == room[keeps]
    assert min(lefts) >= 0, "no name is cut"


CONTRASTS = """() => {
    const channel = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    const light = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
    const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const paper = light(numbers(getComputedStyle(window.host.parentElement).backgroundColor));
    return [...window.host.querySelectorAll("text")].filter((text) => text.textContent.trim()).map((text) => {
        const ink = light(numbers(getComputedStyle(text).fill));
        return [(Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05), text.textContent];
    });
}"""


def test_a_flip_of_the_theme_leaves_every_word_readable(page: Page) -> None:
    show(page, worded(), 600)
    for theme in ("dark", "light", "dark"):
        page.evaluate(
            """paper => {
                window.host.parentElement.style.setProperty("--st-background-color", paper);
                window.host.parentElement.style.background = paper;
            }""",
            INKS[theme].background,  # type: ignore[index]
        )
        page.wait_for_function("theme => window.host.goldvizPlace.theme === theme", arg=theme)
        page.evaluate("window.host.goldvizTurn")
        found = page.evaluate(CONTRASTS)
        assert len(found) > 10
        assert min(found)[0] >= 4.5, min(found)


def test_what_is_no_colour_of_the_page_keeps_its_colour(page: Page) -> None:
    show(page, worded(), 600)
    before = page.evaluate("window.host._fullData.map((trace) => trace.line.color)")
    page.evaluate("window.host.parentElement.style.setProperty('--st-background-color', '#14161a')")
    page.wait_for_function("window.host.goldvizPlace.theme === 'dark'")
    assert page.evaluate("window.host._fullData.map((trace) => trace.line.color)") == before


def test_the_toolbar_is_one_stop_of_the_keyboard(page: Page) -> None:
    titles = page.locator(".modebar-btn").evaluate_all("tools => tools.map(tool => tool.dataset.title)")
    assert "Share chart..." not in titles, "no figure is sent to Plotly's servers"
    focused = "document.activeElement.dataset.title ?? document.activeElement.tagName"
    page.evaluate("""() => {
        document.body.insertAdjacentHTML("beforeend", "<button id='after'>After</button>");
        document.activeElement.blur();
    }""")
    seen = []
    for key in ("Tab", "ArrowRight", "End", "ArrowRight", "ArrowLeft", "Home"):
        page.keyboard.press(key)
        seen.append(page.evaluate(focused))
    assert seen == [titles[0], titles[1], titles[-1], titles[0], titles[-1], titles[0]]
    page.keyboard.press("ArrowRight")
    page.evaluate("figure => { window.mount(figure); }", figure(5))
    page.wait_for_function("window.host.dataset.updates === '2'")
    assert page.evaluate(focused) == titles[1], "a draw takes the tool in hand away from nobody"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "after"
    page.evaluate("document.getElementById('after').remove()")


def test_a_figure_is_presented_by_a_key_and_left_by_another(page: Page) -> None:
    presented = "[window.host.parentElement.hasAttribute('data-goldviz-presented'), location.hash]"
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<input id=typed>')")
    page.focus("#typed")
    page.keyboard.press("p")
    assert page.evaluate(presented) == [False, ""], "who types a p means the letter"
    page.evaluate("document.getElementById('typed').remove()")
    page.keyboard.press("p")
    page.wait_for_function("window.host._fullLayout.height === (600 - 96) / 1.5")
    assert page.evaluate(presented) == [True, "#present"]
    page.keyboard.press("Tab")
    assert page.evaluate(presented) == [True, "#present"], "other keys do what they always do"
    page.keyboard.press("Escape")
    page.wait_for_function("window.host._fullLayout.height === 400")
    assert page.evaluate(presented) == [False, ""]


def test_a_hundred_comings_and_goings_under_the_pointer_throw_nothing(page: Page) -> None:
    hover(page)
    page.evaluate(
        """async ([figures, times]) => {
            for (let turn = 0; turn < times; turn += 1) {
                const leave = window.mount(figures[turn % figures.length]);
                window.host.style.width = `${300 + (37 * turn) % 500}px`;
                if (turn % 3 === 0) await new Promise((resolve) => setTimeout(resolve, turn % 7));
                window.host.parentElement.style.setProperty("--st-background-color", turn % 2 ? "#14161a" : "#ffffff");
                if (turn % 4 === 1) leave();
            }
            await new Promise((resolve) => setTimeout(resolve, 50));
            await window.host.goldvizTurn;
            window.mount(figures[0]);
            window.host.goldvizPlace.touch();
            await new Promise((resolve) => setTimeout(resolve, 50));
            await window.host.goldvizTurn;
        }""",
        [[figure(5), figure(7, traces=2), worded()], 100],
    )
    page.mouse.move(5, 5)
    assert page.evaluate("window.host._fullData.length") == 1
