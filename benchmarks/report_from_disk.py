"""A report opened from a disk: its bytes, the time to its first figures, and a step of its slider, on a phone, too.

A phone is Chromium with its processor slowed six times. Opening ends when all figures in view are on screen; the first
picture is that of any figure, before Plotly's script has come.
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
    ".every((one) => one.querySelector('.main-svg, canvas')) && Boolean(document.querySelector('.main-svg'))"
)
PICTURE = "document.querySelector('.goldviz-picture, .main-svg')"
PHONE = 6


def write(laboratory: str, folder: Path) -> Path:
    """The report of a laboratory's first preset."""
    declared, figures = experiments()[laboratory], laboratories()[laboratory].figures().FIGURES
    preset = declared.presets[0].slug
    path = folder / f"{laboratory}.html"
    path.write_text(report_of_run(declared.preset(preset), example(declared, preset), figures), encoding="utf-8")
    return path


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
                pictured = statistics.median(one for one, _, _, _ in seen)
                opened = statistics.median(one for _, one, _, _ in seen)
                times = sorted(time for _, _, moves, _ in seen for time in moves)
                late = times[int(0.95 * (len(times) - 1))]
                print(
                    f"  processor / {slower}: first picture {pictured:.0f} ms, opens in {opened:.0f} ms; a step"
                    f" {statistics.median(times):.0f} ms, 95 % below {late:.0f} ms ({seen[0][3]} figures in view, two"
                    " frames in each)"
                )


if __name__ == "__main__":
    main()
