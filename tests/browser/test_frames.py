"""Figures that follow a run without the page's script: what grows, what is scrubbed, what goes away meanwhile."""

import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Route, expect

from goldviz.runs.store.run_store import Store
from tests.browser import app_server
from tests.browser.app_server import Server, running
from tests.browser.laboratory_page import (
    HEIGHTS,
    TRAINING,
    address,
    button,
    curve,
    figure,
    progress,
    quiet,
    set_number,
    state,
    train,
    updates,
    wait_for_figure,
    wait_for_step,
)

Opener = Callable[..., Page]

LONG = "epochs=2000&depth=3"
NETWORK = re.compile(
    r"Failed to load resource|WebSocket connection to '[^']*' failed"
    r"|Client Error in reaching server endpoint|Streamlit server is not responding|Cannot send rerun backMessage"
)
"""What Chromium and Streamlit say on the console of requests that failed; Streamlit tries some addresses in vain."""


def listen(page: Page) -> None:
    """Keep the errors that a page ``said`` on its console, and the ``messages`` that come by its web socket."""
    page.said, page.messages = [], []  # type: ignore[attr-defined]

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and not NETWORK.match(message.text):
            page.said.append(message.text)  # type: ignore[attr-defined]

    def count(message: str | bytes) -> None:
        page.messages.append(message)  # type: ignore[attr-defined]

    page.on("console", hear)
    page.on("pageerror", lambda error: page.said.append(str(error)))  # type: ignore[attr-defined]
    page.on("websocket", lambda socket: socket.on("framereceived", count))


@pytest.fixture
def visit(open_page: Opener) -> Iterator[Opener]:
    """Open an address on a page that may say nothing on its console."""
    pages = []

    def listened(address: str, **more: object) -> Page:
        page = open_page("about:blank", **more)
        listen(page)
        pages.append(page)
        page.goto(address)
        return page

    yield listened
    assert [words for page in pages for words in page.said] == []  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def laboratory(server: Server, browser: Browser) -> Iterator[Page]:
    """A page on which one run after another is trained: it is loaded once."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    listen(page)
    page.goto(address(server, LONG))
    wait_for_figure(page)
    yield page
    context.close()


@pytest.fixture
def growing(laboratory: Page) -> Iterator[Page]:
    """That page with a run that grows."""
    page = laboratory
    train(page)
    state(page, "Training")
    wait_for_step(page, 3)
    yield page
    if button(page, "Stop").is_visible():
        stop(page)
    for left in range(figures(page).count() - 1, 0, -1):
        quiet(page)
        button(page, "Close lane").click()
        expect(figures(page)).to_have_count(left)
    assert page.said == []  # type: ignore[attr-defined]


def stop(page: Page) -> None:
    button(page, "Stop").click()
    state(page, "Stopped")


def timeline(page: Page) -> Locator:
    return page.get_by_role("slider", name=re.compile("in view"))


def step_in_view(page: Page) -> int:
    return int(timeline(page).input_value())


def figures(page: Page) -> Locator:
    """The main figure of every lane."""
    return page.locator("[class*='st-key-gradient_by_layer-'] .goldviz-figure")


def findings(page: Page) -> list[str]:
    """What was found, without its numbers."""
    return page.locator(".st-key-closer-look p", has=page.locator(".stMarkdownBadge")).all_inner_texts()


def test_the_page_s_script_rests_while_a_run_grows(growing: Page) -> None:
    page, drawn = growing, figure(growing, "gradient_by_layer")
    for _ in range(3):
        quiet(page)
        found, words, heard = findings(page), progress(page).inner_text(), len(page.messages)  # type: ignore[attr-defined]
        diagram = page.locator(".goldviz-diagram")
        often = [(host.element_handle(), updates(host) + 2) for host in (drawn, diagram)]
        page.wait_for_timeout(2000)
        for host, count in often:
            page.wait_for_function("([host, count]) => host.dataset.updates >= count", arg=[host, count])
        # A finding that comes or goes is more than numbers.
        if findings(page) == found:
            break
    else:
        pytest.fail("the findings never settle")
    assert progress(page).inner_text() != words
    assert page.messages[heard:] == []  # type: ignore[attr-defined]


def test_of_a_hundred_steps_the_last_one_asked_for_is_shown(growing: Page) -> None:
    """Each time a person comes to rest, while the run goes on growing."""
    page, drawn = growing, figure(growing, "gradient_by_layer")
    wait_for_step(page, 31)
    for burst in range(10):
        steps = [1 + (7 * (10 * burst + number)) % 31 for number in range(10)]
        timeline(page).evaluate(
            """async (slider, steps) => {
                for (const step of steps) {
                    slider.value = step;
                    slider.dispatchEvent(new Event("input", { bubbles: true }));
                    await new Promise((resolve) => setTimeout(resolve, 5));
                }
                slider.dispatchEvent(new Event("change", { bubbles: true }));
            }""",
            steps,
        )
        expect(drawn).to_contain_text(f"Epoch {steps[-1]}.")
        assert step_in_view(page) == steps[-1]
    timeline(page).press("End")
    stop(page)
    expect(drawn).to_contain_text(f"Epoch {timeline(page).get_attribute('max')}.")


def test_what_one_tab_asks_of_a_run_the_other_shows(growing: Page, visit: Opener) -> None:
    page, other = growing, visit(growing.url)
    state(other, "Training")
    both = (page, other)
    for tab, asked, shown in ((other, "Pause", "Paused"), (page, "Go on", "Training"), (other, "Stop", "Stopped")):
        button(tab, asked).click()
        for one in both:
            state(one, shown)
    for one in both:
        wait_for_figure(one, "loss")
        quiet(one)
    assert progress(page).inner_text() == progress(other).inner_text()
    assert curve(figure(page, "loss"), "plain") == curve(figure(other, "loss"), "plain")

    # A fork stands beside where it was made; whoever follows the link has both.
    button(page, "Go back and fork").click()
    button(page, "Fork").click()
    expect(figures(page)).to_have_count(2)
    expect(figures(other)).to_have_count(1)
    # The address is written when all of the page is drawn.
    page.wait_for_url(re.compile(r"runs=\w+(%2C|,)\w+"))
    other.goto(page.url)
    expect(figures(other)).to_have_count(2)
    state(other, "Training")
    stop(other)
    state(page, "Stopped")


def test_a_run_that_is_deleted_while_it_is_watched_goes_with_a_sentence(
    server: Server, growing: Page, visit: Opener
) -> None:
    run_id = growing.url.rpartition("runs=")[2]
    beside = visit(address(server, f"runs=example:as-in-the-document,{run_id}"))
    wait_for_figure(beside)
    expect(figures(beside)).to_have_count(2)
    Store(server.database).delete([run_id])
    for tab in (growing, beside):
        expect(tab.get_by_text(f"There is no run '{run_id}'")).to_have_count(1)
        expect(figures(tab)).to_have_count(1)
        state(tab, "Recorded example")
        expect(figure(tab, "gradient_by_layer")).to_contain_text("Epoch 20.")
        expect(tab).not_to_have_url(re.compile(run_id))


@contextmanager
def cut_off(page: Page, server: Server) -> Iterator[None]:
    """No network, and a server that answers nothing on the web socket that is open."""
    page.context.set_offline(True)
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.process.send_signal(signal.SIGCONT)
        page.context.set_offline(False)


def test_a_layer_that_is_chosen_in_the_diagram_is_marked_and_said(server: Server, visit: Opener) -> None:
    page = visit(address(server, "runs=example:fix-it-normalise"))
    drawn = wait_for_figure(page)
    quiet(page)
    diagram = page.locator(".goldviz-diagram")
    canvas, said, marks = diagram.locator("canvas"), diagram.locator("output"), drawn.locator(".goldviz-chosen")
    place = diagram.evaluate(
        """host => {
            const box = host.goldvizPlace.shown.layout.boxes.find(({ node }) => node[1] === "layer 4");
            return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        }"""
    )
    canvas.click(position=place)
    expect(said).to_have_text(re.compile(r"^Layer 4: plain network .*, residual network .* at epoch 60\.$"))
    expect(marks).to_have_count(1)
    canvas.press("ArrowRight")
    expect(said).to_have_text(re.compile(r"^Layer 5: "))
    expect(canvas).to_have_attribute("aria-label", re.compile("Layer 5: "))
    at = drawn.evaluate("host => host.goldvizPlace.axes.xaxis.at(5)")
    assert abs(marks.evaluate("mark => mark.offsetLeft") - at) < 2
    times = diagram.evaluate(
        """host => Array.from({ length: 15 }, () => {
            const began = performance.now();
            host.goldvizPlace.drawNow();
            return performance.now() - began;
        })"""
    )
    # The quickest: others may use the machine meanwhile.
    assert min(times) < 16, times
    canvas.press("Escape")
    expect(marks).to_have_count(0)


def test_scrubbing_and_playing_need_no_server(server: Server, visit: Opener) -> None:
    page = visit(address(server, "runs=example:fix-it-normalise"))
    drawn, thumb = wait_for_figure(page), timeline(page)
    quiet(page)
    asked = len(page.requested)  # type: ignore[attr-defined]
    with cut_off(page, server):
        thumb.press("Home")
        expect(drawn).to_contain_text("Epoch 1.")
        thumb.press("ArrowRight")
        thumb.press("ArrowRight")
        expect(drawn).to_contain_text("Epoch 3.")
        thumb.evaluate("slider => { slider.value = 40; slider.dispatchEvent(new Event('input')); }")
        expect(drawn).to_contain_text("Epoch 40.")
        thumb.fill("10")
        expect(drawn).to_contain_text("Epoch 10.")
        thumb.press(" ")
        page.wait_for_function("slider => Number(slider.value) >= 12", arg=thumb.element_handle())
        thumb.press(" ")
        rested = step_in_view(page)
        assert 12 <= rested < 60
        expect(drawn).to_contain_text(f"Epoch {rested}.")
        page.wait_for_timeout(300)
        assert step_in_view(page) == rested
    assert page.requested[asked:] == []  # type: ignore[attr-defined]
    # The server, back again, hears of the step and moves nothing.
    quiet(page)
    assert step_in_view(page) == rested
    expect(drawn).to_contain_text(f"Epoch {rested}.")


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL], ids=["closed", "killed"])
def test_a_page_goes_on_or_says_so_when_its_server_comes_back(
    end: signal.Signals, tmp_path: Path, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, port = f"sqlite:///{tmp_path / 'runs.sqlite'}", app_server.free_port()
    monkeypatch.setattr(app_server, "free_port", lambda: port)
    with running(database, tmp_path / "first.log") as first:
        page = visit(address(first, LONG))
        wait_for_figure(page)
        run_id = train(page)
        state(page, "Training")
        wait_for_step(page, 20)
        first.process.send_signal(end)
        first.process.wait()
        expect(progress(page)).to_contain_text("The server does not answer")
        # Streamlit says so as well, in a window over the page.
        page.keyboard.press("Escape")
        timeline(page).press("Home")
        expect(figure(page, "gradient_by_layer")).to_contain_text("Epoch 1.")
    with running(database, tmp_path / "second.log"):
        # Where Streamlit does not ask for the page by itself, the page asks for a reload.
        lost = page.get_by_text("This page is not known to the server any more. Reload it.")
        expect(lost.or_(page.get_by_text("Interrupted")).first).to_be_visible()
        if lost.is_visible():
            page.reload()
        state(page, "Interrupted")
        expect(page.get_by_text("can be continued.")).to_be_visible()
        assert run_id in page.url
        expect(progress(page)).to_contain_text(re.compile(r"^Epoch \d+ of 2000"))
        button(page, "Go on").click()
        state(page, "Training")
        timeline(page).press("End")
        drawn = wait_for_figure(page)
        for _ in range(3):
            expect(drawn).not_to_have_attribute("data-updates", str(updates(drawn)), timeout=TRAINING)
        stop(page)


WIDTHS = """() => {
    const unfit = new Map();
    let before = performance.now();
    window.longestUnfit = 0;
    const look = () => {
        const now = performance.now();
        const frame = Math.min(50, now - before);
        before = now;
        for (const host of document.querySelectorAll(".goldviz-figure[data-drawn]")) {
            const { top, bottom } = host.getBoundingClientRect();
            const fits = !host.clientWidth || host.goldvizPlace.width === host.clientWidth;
            unfit.set(host, fits || bottom < 0 || top > innerHeight ? 0 : (unfit.get(host) ?? 0) + frame);
            window.longestUnfit = Math.max(window.longestUnfit, unfit.get(host));
        }
        requestAnimationFrame(look);
    };
    look();
}"""
"""From now on ``longestUnfit`` is the longest that a figure in sight was not as wide as its column, in ms; a frame for
which a busy machine took longer counts as 50."""

HALF_A_SECOND = """async () => {
    const end = performance.now() + 500;
    for (let frame = 0; frame < 30 || performance.now() < end; frame += 1) await new Promise(requestAnimationFrame);
}"""
"""As many frames as half a second has where the machine is not busy."""

CONTRASTS = """() => {
    const numbers = (colour) => [...colour.match(/[\\d.]+/g).map(Number), 1].slice(0, 4);
    const channel = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    const light = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
    const paperUnder = (place) => {
        for (; place; place = place.parentElement) {
            const paper = numbers(getComputedStyle(place).backgroundColor);
            if (paper[3] === 1) return paper;
        }
        return [255, 255, 255];
    };
    const inSight = ({ top, bottom, width }) => width && bottom > 0 && top < innerHeight;
    const texts = [...document.querySelectorAll(".goldviz-figure text")];
    return texts.filter((text) => text.textContent.trim() && inSight(text.getBoundingClientRect())).map((text) => {
        const style = getComputedStyle(text);
        const paper = paperUnder(text.closest("svg"));
        const ink = numbers(style.fill);
        const share = ink[3] * Number(style.fillOpacity);
        const seen = ink.slice(0, 3).map((one, place) => share * one + (1 - share) * paper[place]);
        const [bright, dark] = [light(seen), light(paper)].sort((one, other) => other - one);
        return [(bright + 0.05) / (dark + 0.05), text.textContent, `${style.fill} on ${paper}`];
    });
}"""


def test_lanes_side_by_side_fit_their_columns_and_a_flip_of_the_theme(server: Server, visit: Opener) -> None:
    page = visit(address(server, "epochs=3&depth=3"))
    wait_for_figure(page)
    page.evaluate(WIDTHS)
    for lanes in (2, 3, 4):
        if lanes == 4:
            set_number(page, "epochs", "2000")
        train(page, beside=True)
        expect(figures(page)).to_have_count(lanes)
        state(page, "Training" if lanes == 4 else "Finished")
        for lane in range(lanes):
            wait_for_figure(page, lane=lane)
    assert page.evaluate("window.longestUnfit") < 500

    wait_for_step(page, 3)
    for scheme, paper in (("dark", "20,22,26"), ("light", "255,255,255")):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.evaluate(HALF_A_SECOND)
        for name in ("gradient_by_layer", "loss"):
            figure(page, name).scroll_into_view_if_needed()
            assert_readable(page, paper)
    stop(page)


def assert_readable(page: Page, paper: str) -> None:
    """Every text of the figures in sight stands out from the theme's paper."""
    found = page.evaluate(CONTRASTS)
    assert len(found) > 20
    assert {words.partition(" on ")[2].removesuffix(",1") for _, _, words in found} == {paper}
    assert min(found)[0] >= 4.5, sorted(found)[:5]


def test_a_theme_from_the_menu_reaches_every_figure_of_a_run_that_grows(growing: Page) -> None:
    for theme, paper in (("Dark", "20,22,26"), ("Light", "255,255,255"), ("System", "255,255,255")):
        growing.get_by_test_id("stMainMenu").click()
        growing.get_by_test_id(f"stMainMenuItem-theme-{theme}").click()
        growing.keyboard.press("Escape")
        growing.evaluate(HALF_A_SECOND)
        for name in ("gradient_by_layer", "loss"):
            figure(growing, name).scroll_into_view_if_needed()
            assert_readable(growing, paper)


LINK = """path => {
    const found = [...document.querySelectorAll("a[href]")].map((link) => [link, new URL(link.href)]);
    const link = found.find(([, where]) => where.pathname === path && !where.search);
    link?.[0].click();
    return Boolean(link);
}"""


LISTS = ("/runs", "/claims")
"""Pages whose links stand in a menu of the bar, which is made as it is opened."""


@pytest.mark.timeout(900)
def test_lanes_pages_and_sizes_that_come_and_go_a_hundred_times_under_the_pointer_say_nothing(
    server: Server, visit: Opener
) -> None:
    page = visit(address(server, "epochs=3&depth=3"))
    page.mouse.move(420, 460)
    for turn in range(100):
        page.set_viewport_size({"width": 1440 - 17 * (turn % 9), "height": 1000 - 50 * (turn % 3)})
        page.emulate_media(color_scheme="dark" if turn % 2 else "light")
        for place in range(4):
            page.mouse.move(200 + 110 * place, 420 + 30 * (turn % 5))
        if turn % 4 == 3:
            # To a list, home, to a laboratory and back, mostly before anything of a page is drawn.
            for path in ("/runs", "/", "/ode-rnn", "/claims", "/", "/depth-gradients"):
                if path in LISTS:
                    page.get_by_role("button", name="More", exact=True).click()
                page.wait_for_function(LINK, arg=path, timeout=TRAINING)
                page.wait_for_url(re.compile(rf"{re.escape(server.address + path)}(\?|$)"))
            continue
        drawn = figures(page)
        expect(drawn.last).to_be_visible(timeout=TRAINING)
        lanes = drawn.count()
        button(page, "Train beside" if lanes == 1 else "Close lane").click()
        timeline(page).press("Home" if turn % 2 else "End")
        expect(drawn).to_have_count(3 - lanes if lanes < 3 else lanes - 1, timeout=TRAINING)
    wait_for_figure(page)
    quiet(page)


def test_figures_fit_their_columns_while_their_frames_are_on_the_way(server: Server, visit: Opener) -> None:
    page = visit(address(server, "epochs=3&depth=3"))
    drawn = wait_for_figure(page)
    quiet(page)
    wide = drawn.bounding_box()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/goldviz/frames/*", hold)
    train(page, beside=True)
    expect(figures(page)).to_have_count(2)
    page.wait_for_function(
        """([host, wide]) => host.clientWidth < 0.9 * wide && host.goldvizPlace.width === host.clientWidth""",
        arg=[figure(page, "gradient_by_layer", 0).element_handle(), wide and wide["width"]],
        timeout=5000,
    )
    assert held, "frames were asked for"


def test_a_touch_screen_has_no_toolbars_and_its_timeline_follows_a_tap(server: Server, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    listen(page)
    page.goto(address(server))
    drawn = wait_for_figure(page)
    drawn.tap()
    page.wait_for_timeout(300)
    toolbars = page.locator(".modebar").evaluate_all(
        "bars => bars.filter((bar) => bar.getBoundingClientRect().height && getComputedStyle(bar).opacity > 0).length"
    )
    assert toolbars == 0
    box = timeline(page).bounding_box()
    assert box is not None
    timeline(page).tap(position={"x": 3, "y": box["height"] / 2})
    expect(drawn).to_contain_text("Epoch 1.")
    timeline(page).tap(position={"x": box["width"] / 2, "y": box["height"] / 2})
    expect(drawn).to_contain_text(re.compile(r"Epoch 1[01]\."))
    context.close()
    assert page.said == []  # type: ignore[attr-defined]


EPOCHS = """(host) => {
    window.epochsShown = new Set();
    const look = () => {
        const epoch = host.textContent.match(/Epoch (\\d+)/)?.[1];
        if (epoch) window.epochsShown.add(Number(epoch));
        requestAnimationFrame(look);
    };
    look();
}"""
"""From now on ``epochsShown`` holds each epoch that this figure says it shows, in however short a moment."""


def epochs_shown(page: Page) -> list[int]:
    return sorted(page.evaluate("[...window.epochsShown]"))


def test_a_figure_that_is_drawn_anew_for_every_step_follows_the_timeline(server: Server, visit: Opener) -> None:
    page = visit(f"{server.address}/gold-forecast")
    skill, scoreboard = (wait_for_figure(page, name) for name in ("skill", "scoreboard"))
    for one in (skill, scoreboard):
        expect(one).to_contain_text("Epoch 20")
    # Forecasts are recorded every second epoch.
    timeline(page).press("Home")
    for one in (skill, scoreboard):
        expect(one).to_contain_text(re.compile(r"Epoch 2\b"))
    skill.evaluate(EPOCHS)
    assert step_in_view(page) == 2
    for epoch in (4, 6):
        timeline(page).press("ArrowRight")
        assert step_in_view(page) == epoch
        expect(skill).to_contain_text(re.compile(rf"Epoch {epoch}\b"))
    page.wait_for_timeout(300)
    assert epochs_shown(page) == [2, 4, 6], "on the way from one step to the next no third one is shown"
    timeline(page).press("End")
    for one in (skill, scoreboard):
        expect(one).to_contain_text("Epoch 20")


def test_a_figure_that_is_drawn_anew_stays_at_its_step_while_the_run_grows(server: Server, visit: Opener) -> None:
    page = visit(f"{server.address}/gold-forecast?epochs=200&hidden=8&window=5&refits=2&test_years=2&look_every=1")
    wait_for_figure(page, "skill")
    train(page)
    wait_for_step(page, 6)
    timeline(page).press("Home")
    skill = figure(page, "skill")
    expect(skill).to_contain_text("Epoch 1.")
    before = progress(page).inner_text()
    skill.evaluate(EPOCHS)
    page.wait_for_timeout(3000)
    assert progress(page).inner_text() != before
    assert epochs_shown(page) == [1]
    stop(page)


PATHS = f"host => JSON.stringify(({HEIGHTS})(host))"


def test_who_comes_back_to_a_page_finds_all_of_it_at_the_step_in_view(server: Server, visit: Opener) -> None:
    page = visit(f"{server.address}/ode-rnn?shown=observations")
    explored = page.locator("[class*='st-key-explore-path-'] .goldviz-figure")

    def followed() -> str:
        """Where the network goes in the figure with observations to drag, as of the weights that the server took."""
        expect(explored.locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible()
        quiet(page)
        return str(explored.evaluate(PATHS))

    latest = followed()
    timeline(page).press("Home")
    page.wait_for_timeout(1000)
    first = followed()
    assert first != latest
    page.get_by_role("link", name="goldviz").first.click()
    expect(page).to_have_url(f"{server.address}/")
    expect(timeline(page)).to_have_count(0)
    page.go_back()
    expect(explored.locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible()
    page.wait_for_timeout(1000)
    assert step_in_view(page) == 1
    assert followed() == first
