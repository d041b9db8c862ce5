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
from streamlit.web.server.starlette import starlette_websocket
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from goldviz.origins import Origin, allowed_host
from goldviz.ui.serving.middleware import hosts


async def talk(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text(f"{socket.headers['host']} from {socket.headers.get('origin')}")
    await socket.close()


def served(address: str = "127.0.0.1", *more: str, trusted: str = "nobody", scheme: str = "http") -> TestClient:
    """A server in front of which a proxy at the address ``trusted`` may tell the visitor's scheme."""
    here = Route("/", lambda _: PlainTextResponse("hello"), methods=["GET", "POST"])
    allowed = frozenset[Origin]().union(*map(allowed_host, more))
    guard = Middleware(hosts.KnownHosts, address=address, more=allowed)
    app = Starlette(routes=[here, WebSocketRoute("/talk", talk)], middleware=[guard])
    return TestClient(ProxyHeadersMiddleware(app, trusted_hosts=trusted), base_url=f"{scheme}://testserver")  # type: ignore[arg-type]


def status(client: TestClient, host: str, method: str = "GET", origin: str = "", scheme: str = "") -> int:
    headers = (
        {"host": host} | ({"origin": origin} if origin else {}) | ({"x-forwarded-proto": scheme} if scheme else {})
    )
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
    ("host", "origin"),
    [
        ("127.0.0.1:8501", "https://127.0.0.1:8501"),
        ("127.0.0.1:8501", "http://127.0.0.1"),
        ("127.0.0.1", "http://127.0.0.1:8501"),
        ("127.0.0.1", "ws://127.0.0.1"),
        ("127.0.0.1", "http://127.0.0.1/"),
        ("127.0.0.1", "http://me@127.0.0.1"),
        ("127.0.0.1", "http://127.0.0.1:80, http://evil.example"),
    ],
)
def test_a_page_of_another_scheme_or_port_is_another_site(host: str, origin: str) -> None:
    assert status(served(), host, "POST", origin) == 403


@pytest.mark.parametrize(
    ("host", "origin"), [("LOCALHOST:80", "http://localhost"), ("[0::1]:8501", "http://[::1]:8501")]
)
def test_one_origin_may_be_written_in_several_ways(host: str, origin: str) -> None:
    assert status(served(), host, "POST", origin) == 200


def test_a_server_that_speaks_https_itself_takes_its_own_pages() -> None:
    client = served(scheme="https")
    assert status(client, "localhost:8501", "POST", "https://localhost:8501") == 200
    assert status(client, "localhost:8501", "POST", "http://localhost:8501") == 403


def test_the_scheme_that_a_proxy_tells_counts_where_the_proxy_is_trusted() -> None:
    asked = ("localhost:8501", "POST", "https://localhost:8501", "https")
    assert status(served(trusted="testclient"), *asked) == 200
    assert status(served(trusted="testclient"), "localhost:8501", "POST", "http://localhost:8501", "https") == 403
    assert status(served(trusted="10.0.0.1"), *asked) == 403


@pytest.mark.parametrize(
    ("allowed", "taken", "refused"),
    [
        (
            "class.example",
            ["http://class.example", "https://class.example", "http://class.example:80", "https://class.example:443"],
            ["http://class.example:8080", "https://class.example:80", "https://other.example", "ftp://class.example"],
        ),
        (
            "class.example:8443",
            ["http://class.example:8443", "https://class.example:8443"],
            ["http://class.example", "https://class.example"],
        ),
        ("https://class.example", ["https://class.example"], ["http://class.example", "https://class.example:8443"]),
        ("http://[FD00::5]:8080", ["http://[fd00::5]:8080"], ["http://[fd00::5]", "https://[fd00::5]:8080"]),
        ("fd00::5", ["http://[fd00::5]", "https://[fd00::5]"], ["http://[fd00::5]:8080"]),
    ],
)
def test_what_allow_host_allows_is_exact(allowed: str, taken: list[str], refused: list[str]) -> None:
    client = served("127.0.0.1", allowed)
    found = {origin: status(client, "127.0.0.1:8501", "POST", origin) for origin in [*taken, *refused]}
    assert found == dict.fromkeys(taken, 200) | dict.fromkeys(refused, 403)
    (host, *_) = {origin.host for origin in allowed_host(allowed)}
    # The name alone is what a proxy with $host leaves of the visitor's address.
    assert status(client, f"[{host}]" if ":" in host else host) == 200
    assert status(client, "other.example") == 403


def test_what_comes_twice_is_refused() -> None:
    client = served()
    twice = [("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://evil.example")]
    assert client.post("/", headers=twice).status_code == 403
    assert client.get("/", headers=[("host", "localhost"), ("host", "evil.example")]).status_code == 403


def test_a_refused_page_is_told_the_option_that_allows_it() -> None:
    answer = served().post("/", headers={"host": "127.0.0.1:8501", "origin": "https://lab.example:8443"})
    assert answer.text == (
        "This server was not told that people open it at https://lab.example:8443. Whoever runs it can allow that:\n"
        "goldviz serve --allow-host https://lab.example:8443"
    )
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.headers["x-content-type-options"] == "nosniff"
    # What is no origin is not repeated.
    hidden = served().post("/", headers={"host": "127.0.0.1:8501", "origin": "http://<b>"})
    assert hidden.text == "This server answers no page whose origin the browser does not name."


def test_streamlit_sees_the_address_that_the_visitor_sees_whatever_host_a_proxy_sends() -> None:
    asked = {"host": "127.0.0.1:8501", "origin": "https://lab.example"}
    with served("127.0.0.1", "lab.example").websocket_connect("/talk", headers=asked) as mine:
        said = mine.receive_text()
    host, _, origin = said.partition(" from ")
    assert said == "lab.example from https://lab.example"
    assert starlette_websocket._is_origin_allowed(origin, host)


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
        assert mine.receive_text() == "localhost from http://localhost"


def test_other_scopes_pass() -> None:
    seen: list[str] = []

    async def app(scope: object, receive: object, send: object) -> None:
        seen.append("lifespan")

    async def nothing(_: Message | None = None) -> Message:
        return {}

    asyncio.run(hosts.KnownHosts(app, "127.0.0.1", frozenset())({"type": "lifespan"}, nothing, nothing))  # type: ignore[arg-type]
    assert seen == ["lifespan"]
