"""A live run in the browser: click on *Train* to its first painted point, blank frames while it goes on, the zoom.

The server, its worker and the page are warm. Times are taken inside the page: from the click's event to the frame
after which the figure of the loss shows a curve of the new run.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect
from serving.chromium import chromium, fresh_page
from serving.server import APP, running

QUERY = "epochs=400"

expect.set_options(timeout=30_000)

WATCH_CLICK = """
() => {
  const figure = () => [...document.querySelectorAll('[class*="st-key-loss-"] .goldviz-figure')].at(-1);
  const length = () => Math.max(0, ...(figure()?._fullData ?? []).filter(trace => trace.name === 'plain').map(
    trace => Array.from(trace.y?._inputArray ?? trace.y ?? []).filter(Number.isFinite).length));
  const started = () => [...document.querySelectorAll('.stMarkdownBadge')].some(
    badge => /Waiting|Training/.test(badge.innerText));
  const before = length();
  window.moments = {};
  const button = document.querySelector('[class*="st-key-train-"] button');
  button.addEventListener('click', () => {
    const clicked = performance.now();
    const note = name => { window.moments[name] ??= performance.now() - clicked; };
    const look = () => {
      if (started()) note('head');
      // A new run has recorded less than the one before it.
      if (length() > 0 && length() !== before) {
        requestAnimationFrame(() => note('point'));
        return;
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, { capture: true, once: true });
}
"""
COUNT_FRAMES = """
async seconds => {
  const hosts = () => [...document.querySelectorAll('[class*="st-key-loss-"] .goldviz-figure')];
  const updates = () => hosts().reduce((sum, host) => sum + Number(host.dataset.updates || 0), 0);
  const before = updates(), nodes = new Set(hosts());
  let frames = 0, blank = 0;
  const end = performance.now() + 1000 * seconds;
  while (performance.now() < end) {
    await new Promise(requestAnimationFrame);
    frames += 1;
    const shown = hosts();
    shown.forEach(host => nodes.add(host));
    if (!shown.length || !shown.every(host => host.querySelector('.marks .trace, .scatterlayer .trace'))) blank += 1;
  }
  return { frames, blank, updates: updates() - before, nodes: nodes.size };
}
"""

RANGES = """
() => {
  const figure = [...document.querySelectorAll('[class*="st-key-loss-"] .goldviz-figure')].at(-1);
  return [[...figure._fullLayout.xaxis.range], [...figure._fullLayout.yaxis.range]];
}
"""


def stop(page: Page) -> None:
    page.get_by_role("button", name="Stop", exact=True).last.click()
    expect(page.locator(".stMarkdownBadge", has_text="Stopped").last).to_be_visible()


def zoom(page: Page) -> list[list[float]]:
    """Drag a rectangle over the figure of the loss, as a person does; returns the ranges of its axes."""
    figure = page.locator("[class*='st-key-loss-'] .goldviz-figure").last
    figure.scroll_into_view_if_needed()
    figure.hover()
    figure.locator(".nsewdrag").first.wait_for()
    box = figure.locator(".nsewdrag").first.bounding_box()
    if box is None:
        raise RuntimeError("The figure of the loss cannot be dragged over: it is not on screen.")
    before = page.evaluate(RANGES)
    for share, act in ((0.3, page.mouse.down), (0.6, page.mouse.up)):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + share * box["height"], steps=5)
        act()
    page.wait_for_function(f"JSON.stringify(({RANGES})()) !== JSON.stringify({before})")
    ranges: list[list[float]] = page.evaluate(RANGES)
    return ranges


def click_and_watch(page: Page) -> dict[str, float]:
    """Milliseconds from the click to the new run's head and to its first point."""
    page.evaluate(WATCH_CLICK)
    page.get_by_role("button", name="Train", exact=True).click()
    page.wait_for_function("window.moments.point", timeout=30_000)
    found: dict[str, float] = page.evaluate("window.moments")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clicks", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=10, help="how long frames are counted")
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running(APP, Path(folder)) as server,
        chromium() as browser,
        fresh_page(browser) as page,
    ):
        page.goto(f"{server.address}/depth-gradients?{QUERY}")
        expect(page.locator(".goldviz-figure :is(.goldviz-picture, .main-svg)").first).to_be_visible()
        clicks = []
        for turn in range(arguments.clicks + 1):
            moments = click_and_watch(page)
            if turn:
                # The first click warms everything up.
                clicks.append(moments)
            stop(page)
            # Two clicks within a second count as one.
            page.wait_for_timeout(1500)
        click_and_watch(page)
        zoomed = zoom(page)
        seen = page.evaluate(COUNT_FRAMES, arguments.seconds)
        kept = page.evaluate(RANGES) == zoomed
        stop(page)
    for name, words in {"head": "click to the new run's head", "point": "click to its first point painted"}.items():
        times = sorted(one[name] / 1000 for one in clicks)
        print(
            f"{words:<34} median {statistics.median(times):.2f} s, from {times[0]:.2f} to {times[-1]:.2f} s"
            f" ({len(times)} clicks)"
        )
    print(
        f"blank frames of a live run         {seen['blank']} of {seen['frames']}"
        f" ({seen['blank'] / seen['frames']:.0%}),"
        f" {seen['updates']} updates of {seen['nodes']} figure in {arguments.seconds:g} s"
    )
    print(f"zoom after these updates           {'kept' if kept else 'lost'}")


if __name__ == "__main__":
    main()
