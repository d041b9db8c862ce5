"""The addresses of pages: Streamlit's page, which is told there where its server is, and says what keeps it from there.

Without being told, its script first asks below the page's own address, and every link to a page begins with two
requests for what is not there. The page names its figures' modules and Plotly's, which arrive while that script starts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.routing import Route


def routes(root: str, pages: Sequence[str]) -> list[Route]:
    """A route for each page's address below ``root``, the server's base path with a slash at its end."""
    from starlette.requests import Request
    from starlette.responses import HTMLResponse
    from starlette.routing import Route

    def answered(request: Request) -> HTMLResponse:
        return HTMLResponse(told(root, request.url.path), headers={"Cache-Control": "no-cache"})

    return [Route(f"{root}{page}", answered) for page in pages]


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
