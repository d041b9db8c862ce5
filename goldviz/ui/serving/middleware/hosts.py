"""Under which names the server answers, so that a foreign web page cannot talk to it through a visitor's browser.

A page of another site may point its own name at this machine (DNS rebinding); its requests then look like the server's
own, but for the name in their ``Host``. Numbers cannot be rebound, and neither can names that only this machine has.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING

from goldviz.origins import Origin, origin_of, origin_of_request

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
READING = frozenset({"GET", "HEAD", "OPTIONS"})
SCHEMES = {"ws": "http", "wss": "https"}
"""By which scheme a page comes that opens a web socket by this one."""


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class KnownHosts:
    """ASGI middleware: 403 for other hosts than the server's, and for what pages of other origins send.

    A server that listens on loopback answers under loopback's names alone, any other also by number and under the
    machine's own name; both under the hosts of ``more``. A web socket, and whatever writes, must come from a page of
    the origin at which the request arrives, or of one in ``more``.
    """

    def __init__(self, app: ASGIApp, address: str, more: frozenset[Origin]) -> None:
        self._app, self._more = app, more
        self._own = LOOPBACK | {origin.host for origin in more}
        self._by_number = address not in LOOPBACK
        if self._by_number:
            self._own |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        # The server has taken the scheme from X-Forwarded-Proto where a proxy on a trusted address sent it.
        scheme = str(scope["scheme"])
        here = origin_of_request(SCHEMES.get(scheme, scheme), _header(scope, b"host"))
        header = _header(scope, b"origin")
        if here is None or not (here.host in self._own or (self._by_number and _is_number(here.host))):
            return await _refuse(
                scope,
                receive,
                send,
                "This server does not answer under this name. Whoever runs it can allow it with --allow-host.",
            )
        writes = scope["type"] == "websocket" or scope["method"] not in READING
        if not (writes and header):
            return await self._app(scope, receive, send)
        origin = origin_of(header)
        if origin is None or (origin != here and origin not in self._more):
            return await _refuse(scope, receive, send, _not_told(origin))
        return await self._app(_reached_at(origin, scope), receive, send)


def _header(scope: Scope, name: bytes) -> str:
    """A header's value; several of one name are no host and no origin."""
    return ", ".join(value.decode("latin-1") for header, value in scope["headers"] if header == name)


def _reached_at(origin: Origin, scope: Scope) -> Scope:
    """The request as the visitor's browser sent it, whatever ``Host`` a proxy put in its place.

    Streamlit compares the two anew, and before it looked at a list of allowed origins it would ask a server elsewhere
    for this machine's address.
    """
    host = str(origin).partition("://")[2].encode("latin-1")
    others = [(name, value) for name, value in scope["headers"] if name not in (b"host", b"origin")]
    return {**scope, "headers": [*others, (b"host", host), (b"origin", str(origin).encode("latin-1"))]}


def _not_told(origin: Origin | None) -> str:
    if origin is None:
        return "This server answers no page whose origin the browser does not name."
    return (
        f"This server was not told that people open it at {origin}. "
        f"Whoever runs it can allow that:\ngoldviz serve --allow-host {origin}"
    )


async def _refuse(scope: Scope, receive: Receive, send: Send, sentence: str) -> None:
    from starlette.responses import PlainTextResponse
    from starlette.websockets import WebSocketClose

    if scope["type"] == "websocket":
        # Before it is accepted: the server answers with 403.
        return await WebSocketClose(1008)(scope, receive, send)
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return await PlainTextResponse(sentence, 403, headers)(scope, receive, send)
