"""The attention explorer at its largest text: a BERT-base of random weights, 512 pieces, 12 x 12 heads, in Chromium.

Seconds from the end of the reading (the forward pass with every head's tile and summaries) to the frame after which
the overview of all heads is on screen, with the first head's exact map; bytes of both; memory of the server above
the model while it reads and answers; and how long a change of head, and a move of the pointer, take to be painted.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, Response, expect
from serving.chromium import chromium, fresh_page
from serving.server import running

PAGE = Path(__file__).parent / "serving" / "attention_page.py"
READING_MS = 120_000

WATCH_PAINT = """
() => {
  window.painted = 0;
  const roots = () => [...document.querySelectorAll('*')].map(element => element.shadowRoot);
  const root = () => roots().find(one => one?.querySelector('.explorer'));
  window.explorerRoot = root;
  const look = () => {
    const host = root()?.querySelector('.explorer');
    if (host?.dataset.drawn && host.dataset.drawn !== window.seenBefore) {
      requestAnimationFrame(() => {
        window.painted = performance.timeOrigin + performance.now();
        window.seenBefore = host.dataset.drawn;
      });
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
"""
CHANGE_HEAD = """
(index) => new Promise(resolve => {
  const host = window.explorerRoot().querySelector('.explorer');
  const { overview } = host.goldvizExplorer;
  const place = overview.placeOf(index);
  const box = overview.canvas.getBoundingClientRect();
  const at = { clientX: box.left + place.x + 5, clientY: box.top + place.y + 5, bubbles: true };
  const wanted = `head/${Math.floor(index / 12)}/${index % 12}?`;
  const started = performance.now();
  new MutationObserver((_, observer) => {
    if (!host.dataset.shown.startsWith(wanted)) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - started)));
  }).observe(host, { attributes: true, attributeFilter: ['data-shown'] });
  overview.canvas.dispatchEvent(new MouseEvent('click', at));
})
"""
MOVE = """
([name, share]) => new Promise(resolve => {
  const host = window.explorerRoot().querySelector('.explorer');
  const canvas = host.goldvizExplorer[name].canvas;
  const box = canvas.getBoundingClientRect();
  const at = {
    clientX: box.left + (0.2 + 0.7 * share) * box.width,
    clientY: box.top + (0.9 - 0.6 * share) * box.height,
    bubbles: true,
  };
  const started = performance.now();
  canvas.dispatchEvent(new PointerEvent('pointermove', at));
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - started)));
})
"""


def facts(page: Page) -> dict[str, float]:
    """The numbers that stand on the page."""
    found: dict[str, float] = json.loads(page.get_by_test_id("stText").inner_text())
    return found


def row(words: str, times: list[float]) -> str:
    ordered = sorted(times)
    return (
        f"{words:<46} median {statistics.median(ordered):.0f} ms, at most {ordered[-1]:.0f} ms ({len(ordered)} times)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--readings", type=int, default=5)
    parser.add_argument("--heads", type=int, default=24, help="how many heads are chosen, one after another")
    arguments = parser.parse_args()
    sent: dict[str, int] = {}

    def note(response: Response) -> None:
        if "/goldviz/exhibits/" in response.url:
            name = "overview" if response.url.endswith("overview") else "head"
            sent[name] = max(sent.get(name, 0), int(response.headers["content-length"]))

    with tempfile.TemporaryDirectory() as name, chromium() as browser, fresh_page(browser) as page:
        folder = Path(name)
        script = Path(shutil.copy(PAGE, folder))
        page.on("response", note)
        with running(script, folder) as server:
            page.goto(server.address)
            button = page.get_by_role("button", name="Read", exact=True)
            expect(button).to_be_visible(timeout=READING_MS)
            painted, readings = [], []
            for turn in range(arguments.readings + 1):
                page.evaluate(WATCH_PAINT)
                button.click()
                page.wait_for_function("window.painted > 0", timeout=READING_MS)
                page.wait_for_timeout(1000)
                if turn:
                    # The first reading warms everything up.
                    readings.append(facts(page))
                    painted.append(page.evaluate("window.painted") - 1000 * readings[-1]["ended"])
            changes = [page.evaluate(CHANGE_HEAD, 1 + turn * 5 % 143) for turn in range(arguments.heads)]
            moves = {
                name: [page.evaluate(MOVE, [name, turn / 40]) for turn in range(40)] for name in ("overview", "map")
            }
            page.get_by_role("button", name="Memory", exact=True).click()
            expect(page.get_by_test_id("stText")).to_contain_text("above_model")
            above = facts(page)["above_model"]
    seconds = {name: statistics.median(one[name] for one in readings) for name in ("plain", "reading")}
    print(f"plain forward pass {seconds['plain']:.2f} s; reading with tiles and summaries {seconds['reading']:.2f} s")
    print(row("end of the reading to the painted overview", painted))
    print(f"bytes of the overview {sent['overview']:,}, of one head {sent['head']:,}")
    print(f"server's memory above the model, at most       {above:.0f} MB")
    print(row("click on a tile to its exact map painted", changes))
    print(row("pointer over the overview to its words painted", moves["overview"]))
    print(row("pointer over the map to its value painted", moves["map"]))


if __name__ == "__main__":
    main()
