"""A Chromium for a benchmark, with pages in contexts of their own: no shared cache, no shared session.

What is watched for on a page is timed to the frame after which it is on screen.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's Chromium, without a window."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def fresh_page(browser: Browser, *, before: str = "") -> Iterator[Page]:
    """A page in a context of its own; ``before`` is a script that runs ahead of the page's own."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, color_scheme="light")
    if before:
        context.add_init_script(before)
    yield context.new_page()
    context.close()


HEADING = "document.querySelector('h1')?.innerText"

_WATCH = """
(() => {
  window.paintedAt = {};
  const looked = { %s };
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


def watching_for(**moments: str) -> str:
    """A script to run ahead of a page's own: notes when each of these expressions is first true on screen."""
    return _WATCH % ", ".join(f"{name}: () => {found}" for name, found in moments.items())


def painted_at(page: Page, moments: Iterable[str]) -> dict[str, float]:
    """Milliseconds from the start of the navigation to each of the moments watched for, once all have come."""
    page.wait_for_function(" && ".join(f"window.paintedAt.{name} > 0" for name in moments))
    found: dict[str, float] = page.evaluate("window.paintedAt")
    return found
