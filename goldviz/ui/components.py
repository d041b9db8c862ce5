"""What parts of a page that the browser draws are made of: modules, style sheets and HTML in folders ``assets``.

What pages share lies in ``goldviz/ui/assets``, and what a laboratory alone has in ``assets`` of its package.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import streamlit as st

from goldviz.ui.serving.addresses import address
from goldviz.ui.serving.page_modules import module_path

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

SHARED = "goldviz.ui"
LOADER = """const at = new URL("{address}", location.origin).href;
const load = (wait) => import(at).catch(async (error) => {{
  if (wait > 20000) throw error;
  await new Promise((later) => setTimeout(later, wait));
  return load(2 * wait);
}});
export default (await load(250)).default;
"""
"""What Streamlit sends along with every part of a page, again with each of its changes; the browser keeps the rest.

A server that was away is asked again, at the same address: at another one, parts of a page would share nothing.
"""


def asset(name: str, package: str = SHARED) -> str:
    """The text of one of these files; without it, none."""
    file = files(package) / "assets" / name
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def component(
    name: str, package: str = SHARED, *, script: str = "", html: str = "", isolated: bool = False
) -> ComponentRenderer:
    """A part of the page that the default export of a package's module draws: ``name``.js, or another ``script``.

    Its HTML and its style sheet are ``name``.html and ``name``.css, where the package has them. It has the page's own
    styles unless it is ``isolated``: then it has those of buttons, sliders and choices that such parts share.
    """
    module = f"{package.removeprefix('goldviz.').replace('.', '/')}/assets/{script or name}.js"
    style = asset("controls.css") * isolated + asset(f"{script or name}.css", package)
    return st.components.v2.component(
        f"goldviz_{name}",
        html=html or asset(f"{name}.html", package),
        css=style or None,
        js=LOADER.format(address=address(module_path(module))),
        isolate_styles=isolated,
    )
