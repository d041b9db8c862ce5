"""The path below which the server answers, and what it says to those who come without it.

A proxy that takes the path away would send whoever is redirected there back here, again and again; so a page says it.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class BelowBasePath:
    """ASGI middleware: for what comes without the server's base path, 404 and a sentence that names the option."""

    def __init__(self, app: ASGIApp, base: str) -> None:
        self._app, self._base = app, base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is below the base path; a visitor of the path itself goes on to the slash after it."""
        from starlette.responses import HTMLResponse, RedirectResponse

        path = scope.get("path", "")
        if scope["type"] != "http" or not self._base or path.startswith(f"{self._base}/"):
            return await self._app(scope, receive, send)
        if path != self._base:
            return await HTMLResponse(without(self._base), 404, {"Cache-Control": "no-store"})(scope, receive, send)
        query = scope["query_string"].decode("latin-1")
        return await RedirectResponse(f"{self._base}/" + (f"?{query}" if query else ""))(scope, receive, send)


def without(base: str) -> str:
    """The page for those who come without the base path."""
    assets = files("goldviz.ui") / "assets"
    page, style = ((assets / name).read_text(encoding="utf-8") for name in ("base_path.html", "apart.css"))
    return page.replace("/* style */", style).replace("{root}", f"{base}/").replace("{base}", base)
