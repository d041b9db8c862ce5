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
from serving.chromium import chromium, fresh_page
from serving.server import APP, Server, running

EMPTY = "import streamlit as st\n\nst.title('Empty')\n"

WATCH = """
(() => {
  window.paintedAt = {};
  const looked = {
    heading: () => document.querySelector('h1')?.innerText,
    everything: () => document.querySelector('h1')?.innerText &&
      !document.querySelector('[data-testid="stStatusWidget"]') &&
      document.querySelector('.stApp')?.getAttribute('data-test-script-state') === 'notRunning',
  };
  const look = () => {
    for (const [name, found] of Object.entries(looked)) {
      // What is there in a frame's callback is painted with that frame; the next callback comes after it.
      if (!(name in window.paintedAt) && found()) {
        window.paintedAt[name] = 0;
        requestAnimationFrame(() => { window.paintedAt[name] = performance.now(); });
      }
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();
"""
MOMENTS = {"paint": "first paint of anything", "heading": "heading painted", "everything": "page complete"}


def visit(browser: Browser, server: Server) -> dict[str, float]:
    """Milliseconds from navigation to each of the moments."""
    with fresh_page(browser, before=WATCH) as page:
        page.goto(server.address)
        page.wait_for_function("window.paintedAt.heading > 0 && window.paintedAt.everything > 0")
        found: dict[str, float] = page.evaluate(
            "({...window.paintedAt, paint: performance.getEntriesByName('first-contentful-paint')[0].startTime})"
        )
        return found


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
