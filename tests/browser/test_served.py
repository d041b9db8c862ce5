"""The app in another site's frame, behind a proxy and below a path, in a real browser."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import Server, running
from tests.browser.before_server import framing_site, proxy
from tests.browser.laboratory_page import wait_for_figure
from tests.ports import free_port

Opener = Callable[..., Page]
APP = "[data-testid=stApp] h1"
NAME = "lab.localhost"
"""A browser finds it on this machine, and neither goldviz nor Streamlit takes it for the machine's own."""


@dataclass
class Placed:
    """A server below /lab/ that knows the proxy in front of it, and a site that may show its pages."""

    server: Server
    proxy: str
    site: str


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Placed]:
    folder = tmp_path_factory.mktemp("placed")
    with ExitStack() as stack:
        site, port = stack.enter_context(framing_site()), free_port()
        more = {
            "GOLDVIZ_EMBEDDING": site,
            "GOLDVIZ_HOSTS": f"{NAME}:{port}",
            "GOLDVIZ_JOB_WORKERS": "0",
            "STREAMLIT_SERVER_BASE_URL_PATH": "lab",
        }
        database = f"sqlite:///{folder / 'runs.sqlite'}"
        server = stack.enter_context(running(database, folder / "server.log", 0, more, base="/lab"))
        stack.enter_context(proxy(server.address, port=port))
        yield Placed(server, f"http://{NAME}:{port}", site)


def test_another_site_s_frame_stays_empty(server: Server, open_page: Opener) -> None:
    with framing_site() as site:
        page = open_page(site)
        with page.expect_console_message(lambda said: "frame-ancestors 'self'" in said.text):
            page.goto(f"{site}/?{server.address}/depth-gradients")
        frame = page.locator("iframe").content_frame
        expect(frame.locator("body")).to_be_attached()
        expect(frame.get_by_test_id("stApp")).to_have_count(0)


def test_a_site_that_is_named_shows_the_app_in_its_frame(placed: Placed, open_page: Opener) -> None:
    page = open_page(f"{placed.site}/?{placed.server.address}/glossary")
    expect(page.locator("iframe").content_frame.locator(APP)).to_have_text("Glossary")


def test_a_page_whose_web_socket_is_refused_names_the_option(server: Server, open_page: Opener) -> None:
    with proxy(server.address) as front:
        page = open_page(front)
        said = page.get_by_role("alert")
        expect(said).to_contain_text(f"goldviz serve --allow-host {front}")
        expect(said).to_be_in_viewport(ratio=1)
        page.close()


def test_a_proxy_that_is_named_and_a_base_path_lead_through_the_pages(placed: Placed, open_page: Opener) -> None:
    page = open_page(f"{placed.proxy}/lab/depth-gradients")
    wait_for_figure(page)
    page.goto(f"{placed.proxy}/lab")
    page.locator("[data-testid=stPageLink] a").filter(has_text="Gradient flow in depth").first.click()
    page.wait_for_url(re.compile(re.escape(f"{placed.proxy}/lab/depth-gradients")))
    outside = [url for url in page.requested if url.startswith("http") and not url.startswith(f"{placed.proxy}/lab")]  # type: ignore[attr-defined]
    assert outside == []
    page.goto(f"{placed.proxy}/depth-gradients")
    expect(page.get_by_role("link")).to_have_attribute("href", "/lab/")


def test_a_proxy_that_takes_the_path_away_is_told(server: Server, open_page: Opener) -> None:
    with proxy(server.address, strips="/lab") as front:
        page = open_page(f"{front}/lab/runs")
        expect(page.get_by_role("alert")).to_contain_text("Start goldviz with --base-path lab, and let the proxy keep")
        page.close()
