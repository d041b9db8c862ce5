"""A Chromium for a benchmark, and pages in contexts of their own: no shared cache, no shared session."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's Chromium, without a window."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=flags)
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
