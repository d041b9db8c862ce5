"""What a person does on a laboratory's page, as functions on a Playwright page."""

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, TimeoutError, expect

from tests.browser.app_server import Server

TRAINING = 60_000


def address(server: Server, query: str = "") -> str:
    return f"{server.address}/depth-gradients{'?' + query if query else ''}"


def figure(page: Page, name: str, lane: int = -1) -> Locator:
    """A figure by its name; the last lane's unless another is asked for."""
    return page.locator(f"[class*='st-key-{name}-'] .goldviz-figure").nth(lane)


def wait_for_figure(page: Page, name: str = "gradient_by_layer", lane: int = -1) -> Locator:
    drawn = figure(page, name, lane)
    expect(drawn.locator(":is(.goldviz-picture, .main-svg)").first).to_be_visible()
    return drawn


def state(page: Page, word: str) -> None:
    """Wait until the last lane is in this state."""
    badges = page.locator(
        ".stMarkdownBadge",
        has_text=re.compile("Waiting|Training|Paused|Finished|Stopped|Diverged|Failed|Interrupted|Recorded"),
    )
    expect(badges.last).to_contain_text(word, timeout=TRAINING)


def button(page: Page, name: str) -> Locator:
    """The last button with exactly this name."""
    return page.get_by_role("button", name=name, exact=True).last


def train(page: Page, *, beside: bool = False) -> str:
    """Press Train and wait until the address names the new run; returns its id."""
    before = _runs(page.url)
    button(page, "Train beside" if beside else "Train").click()
    page.wait_for_url(lambda address: _runs(address) not in ("", before), timeout=TRAINING)
    return _runs(page.url).split(",")[-1]


def _runs(address: str) -> str:
    """The runs in view, as the address names them; settings in it change by themselves."""
    return parse_qs(urlsplit(address).query).get("runs", [""])[0]


def choose_preset(page: Page, name: str) -> None:
    """Choose in the menu of presets, which lists only some of many: the rest are found by their words."""
    page.get_by_role("combobox", name=re.compile("Start from")).fill(name)
    page.get_by_role("option", name=name).first.click()


def open_part(page: Page, question: str) -> None:
    """Open a part of the page by its question on the strip, and wait until it is there."""
    page.locator(".st-key-strip").get_by_role("radio", name=question, exact=True).click()
    expect(page.get_by_role("heading", name=question, level=2, exact=True)).to_be_attached()


def set_number(page: Page, setting: str, value: str, experiment: str = "depth-gradients") -> None:
    box = page.locator(f".st-key-setting-{experiment}-{setting} input").first
    box.fill(value)
    box.press("Enter")


HEIGHTS = """(host, name) => {
    const kinds = { i1: Int8Array, i2: Int16Array, i4: Int32Array, u1: Uint8Array, f4: Float32Array, f8: Float64Array };
    const bytes = (sent) => Uint8Array.from(atob(sent), (letter) => letter.charCodeAt(0)).buffer;
    const numbers = (sent) => Array.from(sent?.bdata ? new kinds[sent.dtype](bytes(sent.bdata)) : sent ?? []);
    const traces = (host.goldvizPlace?.drawn?.data ?? []).filter((trace) => name === undefined || trace.name === name);
    return traces.map((trace) => numbers(trace.y));
}"""
"""The y values of a figure's traces, or of those of a name, however they were sent."""


def curve(drawn: Locator, name: str) -> list[float]:
    """The y values of a figure's longest trace of this name, as they are on screen."""
    found: list[list[float]] = drawn.evaluate(HEIGHTS, name)
    return max(found, key=len, default=[])


def wait_for_points(page: Page, figure_name: str, name: str, count: int, timeout: float | None = None) -> None:
    """Wait until one of the lanes' figures of a name has a trace of this name with so many points."""
    page.wait_for_function(
        f"""([figure, name, count]) =>
            [...document.querySelectorAll(`[class*='st-key-${{figure}}-'] .goldviz-figure`)]
                .some((host) => ({HEIGHTS})(host, name).some((heights) => heights.length === count))""",
        arg=[figure_name, name, count],
        timeout=timeout,
    )


def updates(drawn: Locator) -> int:
    return int(drawn.get_attribute("data-updates") or 0)


def progress(page: Page) -> Locator:
    """The last lane's progress."""
    return page.locator(".goldviz-progress").last


def step_in_progress(page: Page) -> int:
    """The step that the last lane's progress bar names."""
    text = progress(page).inner_text()
    found = re.search(r"Epoch (\d+) of", text)
    return int(found.group(1)) if found else 0


def step_at_rest(page: Page) -> int:
    """The same of a run that is at rest: its state may be told before its last step is."""
    expect(progress(page)).not_to_contain_text(re.compile("left|starting"))
    return step_in_progress(page)


def wait_for_step(page: Page, step: int) -> None:
    """Wait until the last lane's progress bar has come to this step."""
    page.wait_for_function(
        """step => {
            const bars = document.querySelectorAll(".goldviz-progress");
            return Number(bars[bars.length - 1]?.innerText.match(/Epoch (\\d+) of/)?.[1]) >= step;
        }""",
        arg=step,
        timeout=TRAINING,
    )


def press_until_address(page: Page, name: str, part: str, presses: int = 10) -> None:
    """Press a button again and again until the address has this part."""
    for _ in range(presses):
        button(page, name).click()
        try:
            page.wait_for_url(lambda address: part in address, timeout=8_000)
        except TimeoutError:
            continue
        return
    raise AssertionError(f"{presses} presses of {name} led nowhere: {page.url}")


def quiet(page: Page) -> None:
    """Wait until the server has nothing more to say and no figure waits for its turn to be drawn."""
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    page.wait_for_function(
        """async () => {
            const hosts = [...document.querySelectorAll(".goldviz-figure")];
            if (hosts.some((host) => !host.dataset.updates)) return false;
            await Promise.all(hosts.map((host) => host.goldvizTurn));
            return true;
        }"""
    )
