"""*Backpropagation, step by step* after an edit, in Chromium: the default network, and the largest one.

Milliseconds from a typed weight to the frame after the diagram, the formulas and all three gradients are drawn, of
which the script's own share is said; then until the server's answer, with autograd's numbers, is there.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page
from serving.chromium import chromium, fresh_page
from serving.server import APP, Server, running

NETWORKS = {
    "default, 3-4-4-2": "",
    "largest, six layers of 8, 4 samples": "?layers=6&width=8&inputs=8&outputs=8&samples=4&activation=gelu",
}
REST_MS = 2000
EDIT = """
(value) => new Promise(resolve => {
  const roots = [...document.querySelectorAll('*')].map(element => element.shadowRoot);
  const host = roots.find(one => one?.querySelector('.network')).querySelector('.network');
  const input = host.querySelector('input[data-place="w1.1.1"]');
  const started = performance.now();
  input.value = value;
  input.dispatchEvent(new InputEvent('input', { bubbles: true }));
  const script = Number(host.dataset.redraw);
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const painted = performance.now() - started;
    const look = () => host.dataset.checked === 'true'
      ? resolve({ script, painted, answered: performance.now() - started }) : setTimeout(look, 5);
    look();
  }));
})
"""


def edits(page: Page, server: Server, query: str, count: int) -> list[dict[str, float]]:
    """The times of ``count`` edits after a first one, with every number of the network in sight."""
    page.goto(f"{server.address}/backpropagation-steps{query}")
    page.locator(".network[data-checked=true]").wait_for()
    page.get_by_role("button", name="To the end").click()
    page.locator(".node[data-id='n1.1']").click()
    found = []
    for turn in range(1, count + 2):
        found.append(page.evaluate(EDIT, f"{turn / 10:.1f}"))
        # The figures below follow the server's answer.
        page.wait_for_timeout(REST_MS)
    return found[1:]


def row(words: str, times: list[float]) -> str:
    return f"  {words:<38} median {statistics.median(times):.0f} ms, at most {max(times):.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--edits", type=int, default=20)
    count = parser.parse_args().edits
    with (
        tempfile.TemporaryDirectory() as name,
        chromium() as browser,
        fresh_page(browser) as page,
        running(APP, Path(name)) as server,
    ):
        for words, query in NETWORKS.items():
            found = edits(page, server, query, count)
            print(f"{words} ({count} edits)")
            print(row("typed to drawn, the script's part", [one["script"] for one in found]))
            print(row("typed to painted", [one["painted"] for one in found]))
            print(row("typed to autograd's numbers", [one["answered"] for one in found]))


if __name__ == "__main__":
    main()
