"""A report opened from a disk: its bytes, the time to its first figures, and a step of its slider, on a phone, too.

A phone is Chromium with its processor slowed six times. The first picture is that of any figure, before Plotly's script
has come. A step is asked for in that very frame, on a page of its own, and answered when pictures of it are on screen.
Opening ends when all figures in view are Plotly's, which may be pointed at.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser
from scrubbing import MOVES
from serving.chromium import chromium, fresh_page, watching_for

from goldviz.declare.registry import experiments, laboratories
from goldviz.export.report import report_of_run
from goldviz.runs.examples import example

IN_VIEW = (
    "[...document.querySelectorAll('[data-lane]')].filter((one) => one.getBoundingClientRect().top < innerHeight)"
    ".every((one) => one.querySelector('.goldviz-picture, .main-svg, canvas'))"
)
PICTURE = "document.querySelector('.goldviz-picture, .main-svg')"
STEPPED = """window.stepped = () => {
  const hosts = [...document.querySelectorAll(".goldviz-figure[data-lane]")];
  const said = () => hosts.map(({ ariaLabel }) => ariaLabel).join();
  if (!hosts.some((host) => host.querySelector(".goldviz-picture, .main-svg"))) return false;
  if (!window.saidBefore) {
    window.saidBefore = said();
    const slider = document.querySelector(".goldviz-timeline input");
    slider.value = Math.round(slider.max / 2);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  return said() !== window.saidBefore;
};"""
"""Asks for a step as soon as there is a picture; whether what figures say has changed."""
PHONE = 6


def write(laboratory: str, folder: Path) -> Path:
    """The report of a laboratory's first preset."""
    declared, figures = experiments()[laboratory], laboratories()[laboratory].figures().FIGURES
    preset = declared.presets[0].slug
    path = folder / f"{laboratory}.html"
    path.write_text(report_of_run(declared.preset(preset), example(declared, preset), figures), encoding="utf-8")
    return path


def answered(browser: Browser, path: Path, slower: int) -> float:
    """Milliseconds from an address to the answer of a step that is asked for as soon as anything is on screen."""
    with fresh_page(browser, before=STEPPED + watching_for(answered="window.stepped()")) as page:
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        page.goto(path.as_uri())
        while not (found := page.evaluate("window.paintedAt.answered")):
            page.wait_for_timeout(100)
        return float(found)


def measured(browser: Browser, path: Path, slower: int, rounds: int) -> tuple[float, float, list[float], int]:
    """Milliseconds to the first picture, of opening, of each move of the slider, and how many figures are in view."""
    with fresh_page(browser, before=watching_for(figures=IN_VIEW, picture=PICTURE)) as page:
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        page.goto(path.as_uri())
        while not (opened := page.evaluate("window.paintedAt.figures")):
            page.wait_for_timeout(100)
        pictured = page.evaluate("window.paintedAt.picture")
        page.wait_for_timeout(3000 * slower)
        found = page.evaluate(MOVES, rounds)
    return pictured, opened, found["times"], found["figures"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--openings", type=int, default=3)
    parser.add_argument("laboratories", nargs="*", default=["depth-gradients", "gold-forecast", "char-gpt"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        for laboratory in arguments.laboratories:
            path = write(laboratory, Path(name))
            print(f"{laboratory:<20}{path.stat().st_size / 1e6:.2f} MB")
            for slower in (1, PHONE):
                seen = [measured(browser, path, slower, arguments.rounds) for _ in range(arguments.openings)]
                stepped = statistics.median(answered(browser, path, slower) for _ in range(arguments.openings))
                pictured = statistics.median(one for one, _, _, _ in seen)
                opened = statistics.median(one for _, one, _, _ in seen)
                times = sorted(time for _, _, moves, _ in seen for time in moves)
                late = times[int(0.95 * (len(times) - 1))]
                print(
                    f"  processor / {slower}: first picture {pictured:.0f} ms, answers a step in {stepped:.0f} ms,"
                    f" opens in {opened:.0f} ms; a step {statistics.median(times):.0f} ms, 95 % below {late:.0f} ms"
                    f" ({seen[0][3]} figures in view, two frames in each)"
                )


if __name__ == "__main__":
    main()
