"""What the server does besides answering visitors."""

import asyncio
import logging
import re
from importlib.resources import files
from pathlib import Path
from urllib.parse import urljoin

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.runtime.pages_manager import PagesManager

from goldviz.declare.registry import laboratories
from goldviz.figures.plotly_script import PLOTLY_SCRIPT, VERSION
from goldviz.runs.store.run_store import Store
from goldviz.ui import chrome
from goldviz.ui.serving import addresses, deep_links, page_modules, server, services
from goldviz.ui.serving.page_modules import edition, module_path, modules
from tests.runs.strangers import lost_pages, trained


def test_plotly_comes_from_this_server_and_is_kept_by_the_browser() -> None:
    with TestClient(Starlette(routes=server.routes())) as client:
        answer = client.get(addresses.plotly_address())
    assert answer.status_code == 200
    assert answer.content == server.COMPILED_WHOLE + PLOTLY_SCRIPT.read_bytes()
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize(("accepted", "coding"), [("gzip, br", "gzip"), ("identity", None)])
def test_plotly_travels_as_small_as_the_browser_takes_it(accepted: str, coding: str | None) -> None:
    with TestClient(Starlette(routes=server.routes())) as client:
        answer = client.get(addresses.plotly_address(), headers={"Accept-Encoding": accepted})
    assert answer.headers.get("content-encoding") == coding
    assert answer.content == server.COMPILED_WHOLE + PLOTLY_SCRIPT.read_bytes()
    assert (int(answer.headers["content-length"]) < len(answer.content) / 2) == (coding == "gzip")


IMPORTED = re.compile(r'(?:from|^import) "(\.[^"]+)";', re.MULTILINE)


def test_a_page_s_module_is_fetched_once_and_so_is_whatever_it_imports() -> None:
    text = (files("goldviz") / "ui" / "assets" / "live_figure.js").read_text(encoding="utf-8")
    address = module_path("ui/assets/live_figure.js")
    with TestClient(Starlette(routes=server.routes())) as client:
        answer = client.get(address)
        unknown = client.get(address.replace(edition(), "0000"))
        assert client.get(module_path("ui/components.py")).status_code == 404
        for path, own in modules().items():
            for imported in IMPORTED.findall(own):
                assert client.get(urljoin(module_path(path), imported)).status_code == 200, (path, imported)
    assert answer.text == re.sub(r"^ *//.*$", "", text, flags=re.MULTILINE)
    assert "export default function" in answer.text
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]
    assert unknown.status_code == 404
    assert "immutable" not in unknown.headers.get("cache-control", "")


def test_another_text_of_a_module_has_another_address(monkeypatch: pytest.MonkeyPatch) -> None:
    before = module_path("ui/assets/timeline.js")
    changed = {**modules(), "ui/assets/figure_fill.js": ""}
    monkeypatch.setattr(page_modules, "modules", lambda: changed)
    edition.cache_clear()
    try:
        assert module_path("ui/assets/timeline.js") != before
    finally:
        edition.cache_clear()


def test_another_plotly_has_another_address() -> None:
    assert addresses.plotly_address().endswith(f"?v={VERSION}")


def test_nothing_else_is_served() -> None:
    with TestClient(Starlette(routes=server.routes())) as client:
        assert client.get("/goldviz/../app.py").status_code == 404
        assert client.get("/goldviz/").status_code == 404
        assert client.post(addresses.PLOTLY_PATH).status_code == 405


@pytest.fixture
def _pages_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)


async def _up_and_down() -> bool:
    async with server.lifespan(None):
        for _ in range(12_000):
            if services.executor_ready():
                return True
            await asyncio.sleep(0.01)
    return False


@pytest.mark.usefixtures("_pages_directory")
def test_workers_come_and_go_with_the_server() -> None:
    assert asyncio.run(_up_and_down())
    assert not services.executor_ready()


@pytest.mark.usefixtures("_pages_directory")
def test_a_server_without_a_database_comes_up_and_says_so(database: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def up() -> None:
        async with server.lifespan(None):
            await asyncio.sleep(0)

    database.mkdir()
    with caplog.at_level(logging.ERROR, server.__name__):
        asyncio.run(up())
    assert [record.getMessage() for record in caplog.records if record.name == server.__name__]
    assert str(database) in caplog.text


def test_a_page_s_own_address_tells_streamlit_s_script_where_the_server_is() -> None:
    page = deep_links.told("/lab/", "/lab/runs")
    assert page.index('connect("/lab/", "/lab/runs", ') < page.index('<script type="module" crossorigin')
    addresses = {route.path for route in server.routes() if isinstance(route, Route)}
    assert {"/", "/runs", "/claims", *(f"/{name}" for name in laboratories())} <= addresses


def test_every_page_is_found_by_its_hyphens_and_by_its_underscores_and_told_where_the_server_is() -> None:
    paths = [page.path for page in [*chrome.laboratories(), *chrome.pages_of_no_laboratory()]]
    assert not [path for path in paths if "_" in path]
    with TestClient(Starlette(routes=server.routes())) as client:
        for path in paths:
            assert "connect(" in client.get(f"/{path}").text
            led = client.get(f"/{path.replace('-', '_')}?depth=8&depth=9")
            assert (led.status_code, led.url.path, led.url.query) == (200, f"/{path}", b"depth=8&depth=9")


@pytest.mark.parametrize("base", ["/", "/lab/"])
def test_a_page_names_every_module_of_its_figures_once_behind_streamlit_s_script(base: str) -> None:
    page = deep_links.told(base, f"{base}text-tokens")
    named = re.findall(r'<link rel="modulepreload"[^>]* href="([^"]+/scripts/[^"]+)">', page)
    assert page.index(named[0]) > page.index('<script type="module" crossorigin')
    assert f"{base[:-1]}{module_path('labs/text_tokens/assets/reading.js')}" in named
    assert not [path for path in named if "inside_bert" in path]
    for path in named:
        own = modules()[path.removeprefix(f"{base[:-1]}{module_path('')}")]
        assert {urljoin(path, imported) for imported in IMPORTED.findall(own)} <= set(named)
    assert len(named) == len(set(named))


@pytest.mark.usefixtures("_pages_directory")
def test_a_server_looks_through_its_database_as_it_starts(database: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Store(f"sqlite:///{database}")
    trained(store)
    store.close()
    lost_pages(database)
    with caplog.at_level(logging.ERROR, logger="goldviz.runs.store.run_store"):
        asyncio.run(_up_and_down())
    assert f"The database {database} is damaged" in caplog.text
