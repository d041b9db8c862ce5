"""From a move of the timeline to every figure in view drawn at its step, in Chromium: the server is not asked.

A recorded example is open; the timeline goes through all its steps, back and forth, as a key held down does. Each move
waits until what it asked for is drawn and on screen, so a step's time is the whole of a page's figures and diagrams.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page
from serving.chromium import chromium, fresh_page
from serving.server import APP, running

MOVES = """async (rounds) => {
  const slider = document.querySelector("input[type=range][aria-label*='in view']");
  const inView = (host) => host.getBoundingClientRect().top < innerHeight;
  const hosts = () => [...document.querySelectorAll(".goldviz-figure[data-drawn]")].filter(inView);
  const drawn = () => Promise.all(hosts().map((host) => host.goldvizTurn));
  const frame = () => new Promise(requestAnimationFrame);
  const moveTo = async (value) => {
    await frame();
    const began = performance.now();
    slider.value = value;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await frame();
    await drawn();
    await frame();
    return performance.now() - began;
  };
  const times = [];
  const [first, last] = [Number(slider.min), Number(slider.max)];
  const stride = Math.max(1, Math.floor((last - first) / 20));
  for (let round = 0; round < rounds; round += 1)
    for (let step = last; step >= first; step -= stride) times.push(await moveTo(step));
  return { times, figures: hosts().length };
}"""


def moves(page: Page, address: str, rounds: int) -> tuple[list[float], int]:
    """Milliseconds of each move, and how many figures are in view."""
    page.goto(address)
    page.locator(".goldviz-figure :is(.goldviz-picture, .main-svg) .trace").first.wait_for()
    page.wait_for_timeout(2000)
    found = page.evaluate(MOVES, rounds)
    return found["times"], found["figures"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("laboratories", nargs="*", default=["depth-gradients", "recurrent-gradients", "char-gpt"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, chromium() as browser, running(APP, Path(name)) as server:
        for laboratory in arguments.laboratories:
            with fresh_page(browser) as page:
                times, figures = moves(page, f"{server.address}/{laboratory}", arguments.rounds)
            times.sort()
            median, late = statistics.median(times), times[int(0.95 * (len(times) - 1))]
            counted = f"{figures} figures in view, {len(times)} moves with two frames in each"
            print(f"{laboratory:<24}median {median:3.0f} ms, 95 % below {late:3.0f} ms ({counted})")


if __name__ == "__main__":
    main()
