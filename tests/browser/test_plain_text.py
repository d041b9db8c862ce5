"""A run's name is text from a person: the browser shows exactly that text, and nothing in it takes effect."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.store.run_store import Store
from goldviz.ui.words import WORD_JOINER
from tests.browser.app_server import Server
from tests.browser.laboratory_page import address

NAMES = [
    "<b>x</b> <script>alert(1)</script> <!-- c --> &lt; &copy; &#65;",
    "[x](http://a.example) ![i](x.png) https://a.example www.a.example me@a.example",
    "> **bold** _i_ `code` ~~gone~~ # head | a | b | $x^2$ \\(y\\) a\\b",
    "1. :smile: :material/error: :streamlit: :red[x] :blue-badge[y] a -> b <- c <-> d -- e >= f",
]


def test_names_are_shown_as_they_were_written(server: Server, open_page: Callable[..., Page]) -> None:
    store = Store(server.database)
    ids = [store.create(DepthGradients(), name=name, status="stopped") for name in NAMES]
    laboratory = open_page(address(server, f"runs={','.join(ids)}"))
    titles = laboratory.locator(".st-key-lanes [data-testid=stMarkdownContainer] strong")
    expect(titles).to_have_count(len(NAMES))
    home = open_page(server.address)
    for place, (run_id, name) in enumerate(zip(ids, NAMES, strict=True)):
        link = home.locator(f"[data-testid=stPageLink] a[href*='{run_id}'] p")
        expect(link).to_be_visible()
        for shown in (titles.nth(place), link):
            assert shown.inner_text().replace(WORD_JOINER, "") == name
            assert shown.locator("*").count() == 0
    store.delete(ids)
