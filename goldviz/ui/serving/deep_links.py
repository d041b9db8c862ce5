"""The addresses of pages: Streamlit's page, which is told there where its server is, and says what keeps it from there.

Without being told, its script first asks below the page's own address, and every link to a page begins with two
requests for what is not there. The page names its figures' modules and Plotly's, which arrive while that script starts;
at a laboratory's address it shows how the page opens (:mod:`goldviz.ui.serving.first_view`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.routing import Route


ROOT = '<div id="root"></div>'


def routes(root: str, pages: Sequence[str]) -> list[Route]:
    """A route for each page's address below ``root``, the server's base path with a slash at its end, and one that
    leads there from its address with underscores."""
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, RedirectResponse
    from starlette.routing import Route

    def answered(request: Request) -> HTMLResponse:
        page = told(root, request.url.path)
        view = first_view_at(root, request.url.path, request.query_params.keys())
        if view:
            page = with_first_view(page, root[:-1], view)
        return HTMLResponse(page, headers={"Cache-Control": "no-cache"})

    def led(request: Request) -> RedirectResponse:
        spelled = request.url.path.removeprefix(root).replace("_", "-")
        return RedirectResponse(f"{root}{spelled}{'?' if request.url.query else ''}{request.url.query}")

    underscored = [page.replace("-", "_") for page in pages if "-" in page]
    return [
        *(Route(f"{root}{page}", answered) for page in pages),
        *(Route(f"{root}{page}", led) for page in underscored),
    ]


def first_view_at(root: str, path: str, asked: Iterable[str] = ()) -> str:
    """What the page at this path opens with, where it is a laboratory's and that is known; else nothing.

    Settings that an address asks for stand in the panel beside the same figures; what else is ``asked``, the page alone
    knows to show.
    """
    from goldviz.declare.registry import laboratories
    from goldviz.ui.serving.first_view import views

    name = path.removeprefix(root)
    lab = laboratories().get(name)
    return views.held(name) if lab is not None and {*asked} <= {*lab.declared.model_fields} else ""


@cache
def with_first_view(page: str, base: str, view: str) -> str:
    """The page with this view over its empty root, and first of all with what draws it."""
    from goldviz.ui.serving import first_view

    page = page.replace("<head>", f"<head>{first_view.ahead(base)}", 1)
    return page.replace(ROOT, f"{ROOT}\n{view}{first_view.drawing(base)}", 1)


@cache
def told(root: str, path: str) -> str:
    """Streamlit's page at this path, with a script before all others that names the server's address."""
    from importlib.resources import files

    from goldviz.declare.registry import laboratories
    from goldviz.ui.serving.addresses import plotly_address
    from goldviz.ui.serving.page_modules import INLINE, module_path, modules_ahead

    assets = files("goldviz.ui") / "assets"
    script = "\n".join((files("goldviz") / module).read_text(encoding="utf-8") for module in INLINE)
    apart = (assets / "apart.css").read_text(encoding="utf-8")
    told_of = ", ".join(map(json.dumps, (root, path, apart)))
    of_page = ["readNumbersAsTyped(document)", "keepClicks(document)", "nameWaits(document)"]
    calls = ["keepVisits(window)", *of_page, "shareLinks(window)"]
    start = "\n".join([script, f"connect({told_of});", *(f"{call};" for call in calls)])
    page = (files("streamlit") / "static" / "index.html").read_text(encoding="utf-8")
    # Behind Streamlit's own, which they must not delay.
    ahead = "".join(
        f'<link rel="modulepreload" fetchpriority="low" href="{root[:-1]}{module_path(module)}">\n'
        for module in modules_ahead(path.removeprefix(root))
    )
    if path.removeprefix(root) in laboratories():
        ahead += f'<link rel="preload" as="script" fetchpriority="low" href="{plotly_address()}">\n'
    page = page.replace("<head>", f'<head><script type="module">\n{start}\n</script>', 1)
    return page.replace("</head>", f"{ahead}</head>", 1)
