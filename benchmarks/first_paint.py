"""First paint of the home page against an empty Streamlit app (``st.title`` alone), served in the same way.

Both servers are warm; every visit is a fresh browser context, so nothing is cached, and the two take turns. Times
run from the start of the navigation to the frame after which the page's heading, or its last element, is on screen.
Ratios are of neighbours in time, so a busy machine disturbs them little.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser
from serving.chromium import HEADING, chromium, fresh_page, painted_at, watching_for
from serving.server import APP, Server, running

EMPTY = "import streamlit as st\n\nst.title('Empty')\n"

COMPLETE = f"""{HEADING} &&
  !document.querySelector('[data-testid="stStatusWidget"]') &&
  document.querySelector('.stApp')?.getAttribute('data-test-script-state') === 'notRunning'"""
WATCHED = {"heading": HEADING, "everything": COMPLETE}
MOMENTS = {"paint": "first paint of anything", "heading": "heading painted", "everything": "page complete"}


def visit(browser: Browser, server: Server) -> dict[str, float]:
    """Milliseconds from navigation to each of the moments."""
    with fresh_page(browser, before=watching_for(**WATCHED)) as page:
        page.goto(server.address)
        found = painted_at(page, WATCHED)
        # The browser notes its first paint a moment after it.
        noted = page.wait_for_function("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
        paint = float(noted.json_value())
        return {**found, "paint": paint}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--visits", type=int, default=15)
    visits = parser.parse_args().visits
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        script = folder / "empty" / "app.py"
        script.parent.mkdir()
        script.write_text(EMPTY)
        with running(script, folder) as empty, running(APP, folder) as goldviz:
            servers = {"empty app": empty, "home page": goldviz}
            for server in servers.values():
                visit(browser, server)
                visit(browser, server)
            times: dict[str, list[dict[str, float]]] = {who: [] for who in servers}
            for turn in range(visits):
                for who in sorted(servers, reverse=turn % 2 == 1):
                    times[who].append(visit(browser, servers[who]))
    print(f"{'median of ' + str(visits) + ' visits':<26}{'empty app':>12}{'home page':>12}{'ratio':>8}")
    for moment, words in MOMENTS.items():
        plain, own = ([one[moment] for one in times[who]] for who in ("empty app", "home page"))
        ratio = statistics.median(mine / theirs for mine, theirs in zip(own, plain, strict=True))
        print(f"{words:<26}{statistics.median(plain):9.0f} ms{statistics.median(own):9.0f} ms{ratio:8.2f}")


if __name__ == "__main__":
    main()
