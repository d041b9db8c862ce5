"""What follows a person's pointer, in Chromium: a head chosen in *Inside BERT*, an observation dragged in *ODE-RNN*,
another field or one block more in *Residual steps to flow*.

Milliseconds from the pointer's release: until the last change below the overview of heads, where the chosen head's
figures and equations stand; until the path through the moved observation is drawn; and until the field's picture is,
for a seed that the server has not seen, or that of one block more. ``--only`` names some of these.
"""

from __future__ import annotations

import argparse
import itertools
import re
import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from playwright.sync_api import Locator, Page
from serving.chromium import chromium, fresh_page
from serving.server import APP, Server, running

REST_MS = 1500
RELEASES = "addEventListener('pointerup', ({ timeStamp }) => { window.released = timeStamp; }, { capture: true });"
WATCHED = """
() => {
  window.changed = NaN;
  const explorer = [...document.querySelectorAll('*')].find(one => one.shadowRoot?.querySelector('.explorer'));
  const below = change => explorer.compareDocumentPosition(change.target) & Node.DOCUMENT_POSITION_FOLLOWING
    && change.target.isConnected;
  window.watching?.disconnect();
  window.watching = new MutationObserver(changes => { if (changes.some(below)) window.changed = performance.now(); });
  const whole = { childList: true, subtree: true, characterData: true };
  window.watching.observe(document.querySelector('[data-testid=stMain]'), whole);
}
"""
REDRAWN = """
(host, [rest, before]) => new Promise(resolve => {
  const look = () => {
    if (window.pathOf(host) !== before) resolve(performance.now() - window.released);
    else if (performance.now() - window.released > rest) resolve(NaN);
    else requestAnimationFrame(look);
  };
  look();
})
"""
DROPPED = """
(host, [rest, number, moved]) => {
  const group = trace => host.querySelector(`.trace${host._fullData.find(({ name }) => name === trace).uid}`);
  const place = () =>
    group('observed').querySelectorAll('.point')[number].getAttribute('transform').match(/[-\\d.]+/g).map(Number);
  const path = () => [...group('forecast').querySelectorAll('.js-line')].map(line => line.getAttribute('d')).join();
  const before = { place: place(), path: path(), figure: window.pathOf(host) };
  const times = [NaN, NaN];
  window.dropped = new Promise(resolve => {
    const look = () => {
      const now = performance.now() - window.released;
      const there = place().every((at, side) => Math.abs(at - before.place[side] - moved[side]) < 1);
      if (there && path() !== before.path) times[0] ||= now;
      if (there && window.pathOf(host) !== before.figure) times[1] ||= now;
      if (times[1] || now > rest) resolve(times);
      else requestAnimationFrame(look);
    };
    addEventListener('pointerup', () => requestAnimationFrame(look), { once: true });
  });
}
"""
PATH = """
window.pathOf = host => JSON.stringify((host._fullData ?? []).filter(trace => trace.name === 'forecast' || host.whole)
  .map(trace => Array.from(trace.y?._inputArray ?? trace.y ?? [])));
"""
FIELDS = {
    "spiral": ("Spiral onto an ellipse", ""),
    "moons": ("Two moons, trained as a flow", ""),
    "rings": ("Two rings, trained as a flow", ""),
    "lifted": ("Two rings and one more dimension", ""),
    "separate": ("Two rings, trained as a flow", "&sharing=separate"),
}
"""What is chosen in the page's list of fields, and what else the page's address says."""
SEEDS = itertools.count(1)


def heads(page: Page, server: Server, count: int) -> list[float]:
    """Choosing ``count`` heads in turn, after a first one."""
    page.goto(f"{server.address}/inside-bert")
    page.locator(".explorer[data-drawn][data-shown]").wait_for()
    page.wait_for_timeout(2 * REST_MS)
    found = []
    for turn in range(count + 1):
        place = page.locator(".explorer").evaluate(
            """(host, turn) => {
              const overview = host.goldvizExplorer.overview;
              const { x, y } = overview.placeOf((turn * 5 + 1) % overview.shown.length);
              return { x: x + overview.tile / 2, y: y + overview.tile / 2 };
            }""",
            turn,
        )
        page.evaluate(WATCHED)
        page.locator(".explorer [data-part=overview]").click(position=place)
        page.wait_for_timeout(REST_MS)
        found.append(float(page.evaluate("window.changed - window.released")))
    return found[1:]


def drags(page: Page, server: Server, count: int, seen: int = 0) -> list[float]:
    """Dragging one observation up and down ``count`` times, after a first one: until the path through its new place is
    drawn, or (``seen`` is 1) until Plotly has the whole figure of it."""
    page.goto(f"{server.address}/ode-rnn?shown=observations")
    figure = page.locator("[class*='st-key-explore-path-'] .goldviz-figure").first
    figure.locator(":is(.goldviz-picture, .main-svg)").first.wait_for()
    found = []
    for turn in range(count + 1):
        page.wait_for_timeout(REST_MS)
        figure.scroll_into_view_if_needed()
        place = figure.locator(".shapelayer path").nth(3).bounding_box()
        assert place is not None
        x, y, down = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2, 30 if turn % 2 else -30
        figure.evaluate(DROPPED, [REST_MS, 3, [0, down]])
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y + down, steps=6)
        page.mouse.up()
        found.append(float(page.evaluate("window.dropped")[seen]))
    return found[1:]


def fields(page: Page, server: Server, count: int, name: str) -> list[float]:
    """Choosing a field ``count`` times, always with another seed, after a first time."""
    words, link = FIELDS[name]
    found = []
    for _ in range(count + 1):
        figure = _carried(page, f"{server.address}/residual-flow?seed={next(SEEDS)}{link}")
        page.get_by_role("combobox", name=re.compile("Field")).first.click()
        page.get_by_role("option", name=words).first.hover()
        found.append(_chosen(page, figure))
    return found[1:]


def blocks(page: Page, server: Server, count: int, name: str) -> list[float]:
    """One block more, ``count`` times on the same page, after a first time."""
    figure = _carried(page, f"{server.address}/residual-flow?blocks=20&field={name}")
    found = []
    for _ in range(count + 1):
        page.locator(".st-key-setting-residual-flow-blocks").get_by_test_id("stNumberInputStepUp").hover()
        found.append(_chosen(page, figure))
        page.wait_for_timeout(REST_MS)
    return found[1:]


def _carried(page: Page, address: str) -> Locator:
    """The page's picture, once all that comes with it is there."""
    page.goto(address)
    figure = page.locator("[class*='st-key-carried-'] .goldviz-figure").first
    figure.locator(":is(.goldviz-picture, .main-svg)").first.wait_for()
    page.wait_for_timeout(3 * REST_MS)  # The figures of all other depths come after those in sight.
    return figure


def _chosen(page: Page, figure: Locator) -> float:
    """From the release of the pointer where it is, to the picture drawn anew."""
    before = figure.evaluate("host => { host.whole = true; return window.pathOf(host); }")
    page.mouse.down()
    page.mouse.up()
    return float(figure.evaluate(REDRAWN, [4 * REST_MS, before]))


def row(words: str, times: list[float]) -> str:
    return (
        f"{words:<44} median {statistics.median(times):.0f} ms ({min(times):.0f}-{max(times):.0f}, {len(times)} times)"
    )


MEASURED: dict[str, tuple[str, Callable[[Page, Server, int], list[float]]]] = {
    "heads": ("a head chosen, to all below it", heads),
    "drags": ("an observation dropped, to its path", drags),
    "dragged": ("an observation dropped, to its whole figure", partial(drags, seen=1)),
    **{f"field-{name}": (f"field {name} chosen, to its picture", partial(fields, name=name)) for name in FIELDS},
    **{
        f"blocks-{name}": (f"one block more of {name}, to its picture", partial(blocks, name=name))
        for name in ("spiral", "moons")
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--times", type=int, default=12)
    parser.add_argument("--only", nargs="+", choices=MEASURED, default=list(MEASURED))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, chromium() as browser, running(APP, Path(name)) as server:
        for one in asked.only:
            words, measured = MEASURED[one]
            with fresh_page(browser, before=RELEASES + PATH) as page:
                print(row(words, measured(page, server, asked.times)), flush=True)


if __name__ == "__main__":
    main()
