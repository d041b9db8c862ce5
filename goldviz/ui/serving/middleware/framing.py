"""In whose frames pages may be shown: a click in a hidden frame of another site would be a click on *Train*.

``frame-ancestors`` alone says it. Every browser that can run the pages puts it before ``X-Frame-Options``, which could
name no sites.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.origins import Origin

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "Content-Security-Policy"


def policy(origins: frozenset[Origin]) -> str:
    """The header's value: pages of the server itself, and of these origins.

    >>> policy(frozenset({Origin("https", "site.example", 443)}))
    "frame-ancestors 'self' https://site.example"
    """
    return " ".join(["frame-ancestors 'self'", *sorted(map(str, origins))])


class FrameAncestors:
    """ASGI middleware: the header on every answer."""

    def __init__(self, app: ASGIApp, origins: frozenset[Origin]) -> None:
        self._app = app
        self._header = (HEADER.lower().encode("latin-1"), policy(origins).encode("latin-1"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back with the header."""

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), self._header]}
            await send(message)

        await self._app(scope, receive, sent)
