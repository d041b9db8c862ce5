"""*Backward by hand* after an edit, in Chromium: from the key to the frame in which the answer is on screen.

Run by hand: python benchmarks/backward_by_hand.py

Three edits, each 16 times: a letter of a formula (to its verdict), the slider of places (to the graph), and a knob (to
the first figure, and to the last in sight). Beside them stands the server's processor time for each edit, which other
programs on the machine disturb little. Goal: under 150 ms.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page
from serving.chromium import chromium, fresh_page
from serving.server import APP, Server, running

EDITS = 16
REST_MS = 1200
"""Between two edits: what is drawn out of sight after one is not to disturb the next."""

WATCH = """
window.timed = (changed, edit) => new Promise((done) => {
  const before = changed();
  const began = performance.now();
  // What is there in a frame's callback is painted with that frame; the next callback comes after it.
  const look = () => changed() === before ? requestAnimationFrame(look)
    : requestAnimationFrame(() => done(performance.now() - began));
  edit();
  requestAnimationFrame(look);
});
window.figureOf = (start) => [...document.querySelectorAll(".goldviz-figure")].find(
  (host) => host.getAttribute("aria-label")?.startsWith(start));
window.typed = (input, value) => {
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  set.call(input, value);
  input.dispatchEvent(new Event("input", { bubbles: true }));
};
"""
FORMULA = """
(turn) => timed(() => document.querySelector(".formula-verdict").textContent,
  () => typed(document.querySelector(".formula input"), turn % 2 ? "(probs - onehot(Y)) / n" : "probs - onehot(Y)"))
"""
SLIDER = """
(turn) => timed(() => figureOf("What is known").layout.shapes.map((shape) => shape.path).join(),
  () => typed(document.querySelector(".goldviz-timeline input"), 20 + turn))
"""
KNOB = """
(figure) => {
  const drawn = () => JSON.stringify(figureOf(figure)?.layout?.title?.text) + figureOf(figure)?.dataset.updates;
  // From the key in the page: how long the key takes to come there says nothing of the page.
  window.answer = new Promise((done) => document.addEventListener("keydown",
    () => done(timed(drawn, () => {})), { once: true, capture: true }));
}
"""
FIRST, LAST = "What is known", "Which numbers"


def settle(page: Page) -> None:
    page.wait_for_timeout(REST_MS)


def formula(page: Page, turn: int) -> float:
    return float(page.evaluate(FORMULA, turn))


def slider(page: Page, turn: int) -> float:
    return float(page.evaluate(SLIDER, turn))


def knob_to(figure: str) -> Callable[[Page, int], float]:
    def edit(page: Page, turn: int) -> float:
        knob = page.get_by_role("slider", name="Hidden")
        knob.focus()
        page.evaluate(KNOB, figure)
        knob.press("ArrowRight" if turn % 2 == 0 else "ArrowLeft")
        return float(page.evaluate("window.answer"))

    return edit


WAYS = {
    "a formula, to its verdict": formula,
    "the slider, to the graph": slider,
    "a knob, to the graph": knob_to(FIRST),
    "a knob, to the numbers beside it": knob_to(LAST),
}


def measured(page: Page, server: Server, edit: Callable[[Page, int], float]) -> tuple[list[float], float]:
    """Milliseconds of each edit after two to warm up, and the server's processor time for one."""
    for turn in (0, 1):
        edit(page, turn)
        settle(page)
    times, used = [], server.cpu_seconds()
    for turn in range(EDITS):
        times.append(edit(page, turn))
        settle(page)
    return times, (server.cpu_seconds() - used) / EDITS * 1e3


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as name,
        running(APP, Path(name)) as server,
        chromium() as browser,
        fresh_page(browser, before=WATCH) as page,
    ):
        page.goto(f"{server.address}/backward-by-hand?place=30")
        page.locator(".goldviz-figure :is(.goldviz-picture, .main-svg)").first.wait_for(timeout=120_000)
        page.locator(".formula-hint").wait_for(timeout=60_000)
        page.wait_for_timeout(8000)
        print(f"{'':<36}{'median':>9}{'least':>9}{'most':>9}{'server CPU':>13}")
        for words, edit in WAYS.items():
            times, used = measured(page, server, edit)
            row = "".join(f"{value:6.0f} ms" for value in (statistics.median(times), min(times), max(times)))
            print(f"{words:<36}{row}{used:10.0f} ms")


if __name__ == "__main__":
    main()
