"""From a visitor's arrival at a laboratory to its first figure painted, on a warm server.

A first visit comes with an empty browser; the next ones keep what the browser has learned to keep: scripts, Plotly,
fonts. Times run from the start of the navigation to the frame after which the page's heading, the first picture of the
main figure, be it before Streamlit has started, or the live figure with its curves, is on screen.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from serving.chromium import HEADING, watching_for
from serving.quiet_chromium import Visitor, quiet_chromium
from serving.server import APP, running

MOMENTS = {
    "heading": HEADING,
    "picture": "document.querySelector('#goldviz-first-view[data-pictured], .goldviz-figure svg path')",
    "figure": "document.querySelector('.goldviz-figure :is(.goldviz-picture, .main-svg) .trace path')",
}

PAGES = ["depth-gradients", "recurrent-gradients", "char-gpt", "ode-rnn"]


def arrive(visitor: Visitor, address: str) -> dict[str, float]:
    """Milliseconds from navigation to each of the moments."""
    found = visitor.painted_at(address, len(MOMENTS))
    time.sleep(0.5)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--visits", type=int, default=8)
    parser.add_argument("laboratories", nargs="*", default=PAGES)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, quiet_chromium() as browser, running(APP, Path(name)) as server:
        print(f"{'':<46}{'heading':<26}{'first picture':<26}live figure")
        for laboratory in arguments.laboratories:
            address = f"{server.address}/{laboratory}"
            first, again = [], []
            for _ in range(arguments.visits + 1):
                visitor = Visitor(browser, watching_for(**MOMENTS))
                first.append(arrive(visitor, address))
                again.append(arrive(visitor, address))
                visitor.leave()
            print(row(f"{laboratory}, an empty browser", first[1:]))
            print(row(f"{laboratory}, again", again[1:]))


def row(words: str, times: Sequence[dict[str, float]]) -> str:
    """Median, and the least and most, of each moment."""
    cells = []
    for moment in MOMENTS:
        own = sorted(one[moment] for one in times)
        cells.append(f"{statistics.median(own):7.0f} ms ({own[0]:.0f} to {own[-1]:.0f})")
    return f"{words:<46}{'   '.join(cells)}"


if __name__ == "__main__":
    main()
