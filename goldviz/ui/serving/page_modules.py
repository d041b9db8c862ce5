"""Scripts of pages: ES modules that the browser imports from the server, at the paths that they have in the package.

They lie in ``ui/assets``, and a laboratory's own in its folder ``assets``. An address begins with a hash of them all:
relative imports lead where they lead on disk, a module is one for all parts of a page, and a browser may keep it for
good.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from goldviz.export.page_scripts import in_one_script, module_text

if TYPE_CHECKING:
    from starlette.routing import Route

MODULES_PATH = "/goldviz/scripts"
PACKAGE = Path(__file__).parents[2]
ALLOWED_TO_STAY = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
"""Headers of what never changes under its address."""
_INLINE = ("connection", "visits", "typed_numbers", "steady_clicks", "share", "waits", "narrow")
INLINE = tuple(f"ui/assets/{name}.js" for name in _INLINE)
"""They stand in every page itself, so nobody fetches them."""
FIRST_VIEW = "ui/assets/first_view.js"
"""It draws before all else has come, so it has within it what it imports."""


@cache
def modules() -> Mapping[str, str]:
    """What the browser gets of every module, by its path in the package, such as ``ui/assets/timeline.js``."""
    paths = [*PACKAGE.glob("ui/assets/*.js"), *PACKAGE.glob("labs/*/assets/*.js")]
    named = sorted(one.relative_to(PACKAGE).as_posix() for one in paths)
    return {path: in_one_script(path) if path == FIRST_VIEW else module_text(path) for path in named}


@cache
def edition() -> str:
    """A name for the modules as they are now."""
    return hashlib.blake2b(repr(sorted(modules().items())).encode(), digest_size=6).hexdigest()


def module_path(module: str) -> str:
    """The path of a module on the server, under its base path."""
    return f"{MODULES_PATH}/{edition()}/{module}"


def modules_ahead(page: str) -> list[str]:
    """What parts of all pages are drawn with, and what a laboratory at this address has of its own.

    Named in the page itself, they arrive while Streamlit starts; found import by import, they take a round each.
    """
    own = f"labs/{page.replace('-', '_')}/"
    apart = (*INLINE, FIRST_VIEW)
    return [module for module in modules() if module.startswith(("ui/", own)) and module not in apart]


def routes(base: str) -> list[Route]:
    """The route of all modules under a server's base path."""
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    def module(request: Request) -> Response:
        text = modules().get(request.path_params["module"]) if request.path_params["edition"] == edition() else None
        if text is None:
            return Response("There is no such script. Reload the page.", 404, media_type="text/plain")
        return Response(text, headers=ALLOWED_TO_STAY, media_type="text/javascript")

    return [Route(f"{base}{MODULES_PATH}/{{edition}}/{{module:path}}", module)]
