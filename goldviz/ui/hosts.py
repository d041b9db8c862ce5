"""Under which names the server answers, so that a foreign web page cannot talk to it through a visitor's browser.

A page of another site may point its own name at this machine (DNS rebinding); its requests then look like the server's
own, but for the name in their ``Host``. Numbers cannot be rebound, and neither can names that only this machine has.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

VARIABLE = "GOLDVIZ_HOSTS"
"""More names, separated by commas; ``goldviz serve --allow-host`` sets it."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
READING = frozenset({"GET", "HEAD", "OPTIONS"})


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class KnownHosts:
    """ASGI middleware: 403 for other hosts than the server's, and for what pages of other sites send.

    A server that listens on loopback answers under loopback's names alone, any other also by number and under the
    machine's own name; both under the names that ``more`` adds.
    """

    def __init__(self, app: ASGIApp, address: str, more: frozenset[str]) -> None:
        self._app, self._more = app, more
        self._own = LOOPBACK | more
        self._by_number = address not in LOOPBACK
        if self._by_number:
            self._own |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = headers.get(b"host", ""), headers.get(b"origin", "")
        writes = scope["type"] == "websocket" or scope["method"] not in READING
        if self._knows(_host_of(f"//{host}")) and not (writes and origin and not self._same(origin, host)):
            return await self._app(scope, receive, send)
        return await _refuse(scope, receive, send)

    def _knows(self, host: str) -> bool:
        return host in self._own or (self._by_number and _is_number(host))

    def _same(self, origin: str, host: str) -> bool:
        # A proxy may have put another name into Host; the visitor's own is then among those that were named.
        return origin.lower().partition("://")[2] == host.lower() or _host_of(origin) in self._more


def _host_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    from starlette.responses import PlainTextResponse
    from starlette.websockets import WebSocketClose

    if scope["type"] == "websocket":
        # Before it is accepted: the server answers with 403.
        return await WebSocketClose(1008)(scope, receive, send)
    sentence = "This server does not answer under this name. Whoever runs it can allow it with --allow-host."
    return await PlainTextResponse(sentence, 403)(scope, receive, send)


def from_environment() -> frozenset[str]:
    """The names that the environment adds."""
    names = os.environ.get(VARIABLE, "").lower().split(",")
    return frozenset(name.strip().strip("[]") for name in names if name.strip())
