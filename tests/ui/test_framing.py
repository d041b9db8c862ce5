"""Every answer says in whose frames it may be shown."""

import tomllib
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from goldviz.origins import EMBEDDING
from goldviz.ui.serving import addresses, server
from goldviz.ui.serving.middleware import framing

ROOT = Path(__file__).parents[2]


def fails(_request: Request) -> Response:
    raise RuntimeError("for this test")


def headers_of_answers() -> dict[str, tuple[int, list[str]]]:
    """Each answer's status, and what its headers say of frames."""
    routes = [*server.routes(), Route("/fails", fails)]
    app = Starlette(routes=routes, middleware=server.middleware(), exception_handlers=server.exception_handlers())
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        answers = {
            "page": client.get("/"),
            "deep link": client.get("/runs"),
            "script": client.get(addresses.PLOTLY_PATH),
            "nothing": client.get("/nothing"),
            "wrong method": client.post(addresses.PLOTLY_PATH),
            "other host": client.get("/", headers={"host": "evil.example"}),
            "other origin": client.post("/", headers={"origin": "http://evil.example"}),
            "failure": client.get("/fails"),
        }
    return {name: (one.status_code, one.headers.get_list(framing.HEADER)) for name, one in answers.items()}


STATUS = {
    "page": 200,
    "deep link": 200,
    "script": 200,
    "nothing": 404,
    "wrong method": 405,
    "other host": 403,
    "other origin": 403,
    "failure": 500,
}


def test_no_other_site_may_frame_any_answer() -> None:
    assert headers_of_answers() == {name: (status, ["frame-ancestors 'self'"]) for name, status in STATUS.items()}


def test_sites_that_are_named_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EMBEDDING, "https://b.example:8443, https://a.example, https://*.example")
    said = "frame-ancestors 'self' https://a.example https://b.example:8443"
    assert headers_of_answers() == {name: (status, [said]) for name, status in STATUS.items()}


def test_no_host_elsewhere_may_steer_a_page_that_it_frames() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["client"]["allowedOrigins"] == []
