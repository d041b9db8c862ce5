"""A server answers under its own names, and to its own pages."""

import asyncio
import socket

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect

from goldviz.ui import hosts


async def talk(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("hello")
    await socket.close()


def served(address: str = "127.0.0.1", *more: str) -> TestClient:
    here = Route("/", lambda _: PlainTextResponse("hello"), methods=["GET", "POST"])
    guard = Middleware(hosts.KnownHosts, address=address, more=frozenset(more))
    return TestClient(Starlette(routes=[here, WebSocketRoute("/talk", talk)], middleware=[guard]))


def status(client: TestClient, host: str, method: str = "GET", origin: str = "") -> int:
    headers = {"host": host} | ({"origin": origin} if origin else {})
    return client.request(method, "/", headers=headers).status_code


@pytest.mark.parametrize("host", ["127.0.0.1:8501", "localhost:8501", "LOCALHOST", "[::1]:8501"])
def test_a_loopback_server_answers_under_the_names_of_loopback(host: str) -> None:
    assert status(served(), host) == 200
    assert status(served(), host, "POST", f"http://{host}") == 200


@pytest.mark.parametrize(
    "host", ["rebound.example:8501", "192.168.1.5:8501", "localhost.example", "127.0.0.1.example", "[::1", "", "a b"]
)
def test_any_other_name_is_refused(host: str) -> None:
    answer = served().get("/", headers={"host": host})
    assert answer.status_code == 403
    assert answer.text == "This server does not answer under this name. Whoever runs it can allow it with --allow-host."


def test_a_server_for_a_network_answers_by_number_and_under_its_machine_s_name() -> None:
    client = served("0.0.0.0")
    for host in ("192.168.1.5:8501", "[fd00::5]:8501", "localhost", f"{socket.gethostname()}:8501"):
        assert status(client, host) == 200
    assert status(client, "rebound.example:8501") == 403
    assert status(served("0.0.0.0", "class.example"), "class.example") == 200


def test_what_pages_of_other_sites_send_is_refused() -> None:
    client = served()
    for origin in ("http://evil.example", "http://localhost:3000", "null", "http://127.0.0.1:8501.evil.example"):
        assert status(client, "127.0.0.1:8501", "POST", origin) == 403
    # Behind a proxy that puts its own name into Host, the visitor's is among those that were named.
    assert status(served("127.0.0.1", "class.example"), "127.0.0.1:8501", "POST", "https://class.example") == 200


@pytest.mark.parametrize(
    ("host", "origin"), [("rebound.example", "http://rebound.example"), ("127.0.0.1", "http://evil.example")]
)
def test_a_web_socket_of_another_site_gets_403(host: str, origin: str) -> None:
    client = served()
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/talk", headers={"host": host, "origin": origin}),
    ):
        pass
    with client.websocket_connect("/talk", headers={"host": "localhost", "origin": "http://localhost"}) as mine:
        assert mine.receive_text() == "hello"


def test_other_scopes_pass() -> None:
    seen: list[str] = []

    async def app(scope: object, receive: object, send: object) -> None:
        seen.append("lifespan")

    async def nothing(_: Message | None = None) -> Message:
        return {}

    asyncio.run(hosts.KnownHosts(app, "127.0.0.1", frozenset())({"type": "lifespan"}, nothing, nothing))  # type: ignore[arg-type]
    assert seen == ["lifespan"]


def test_names_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(hosts.VARIABLE, " Class.example,[fd00::1], ,")
    assert hosts.from_environment() == {"class.example", "fd00::1"}
