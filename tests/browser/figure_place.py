"""A place for live figures without goldviz's server: a page of a test's own, the components' modules, and Plotly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from playwright.sync_api import Browser, Page

from goldviz.figures.plotly_script import PLOTLY_SCRIPT
from goldviz.ui.serving.page_modules import modules


def _answers(page: str) -> Mapping[str, tuple[str, bytes]]:
    plotly = PLOTLY_SCRIPT.read_bytes()
    return {
        "/": ("text/html", page.encode()),
        **{f"/{path}": ("text/javascript", text.encode()) for path, text in modules().items()},
        "/plotly.js": ("text/javascript", plotly),
    }


class FigurePlace:
    """A page that stays open from test to test: a browser takes longer to read Plotly's script than most tests take."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.thrown: list[str] = []
        page.on("pageerror", lambda error: self.thrown.append(str(error.stack)))
        page.goto(address)
        page.wait_for_function("typeof window.fresh === 'function'")

    def fresh(self) -> Page:
        """The page with empty places for figures."""
        self.thrown.clear()
        self.page.mouse.move(0, 0)
        self.page.evaluate("window.fresh()")
        return self.page

    def assert_well(self) -> None:
        assert not self.thrown, self.thrown[0]
        assert self.page.evaluate("window.errors") == []


@contextmanager
def figure_place(browser: Browser, page: str, *, width: int, height: int) -> Iterator[FigurePlace]:
    """A place with ``page``, a document that offers ``window.fresh`` and keeps ``window.errors``."""
    answers = _answers(page)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, body = answers.get(self.path, ("text/plain", b""))
            self.send_response(200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    context = browser.new_context(viewport={"width": width, "height": height})
    try:
        yield FigurePlace(context.new_page(), f"http://127.0.0.1:{server.server_port}/")
    finally:
        context.close()
        server.shutdown()
        server.server_close()
