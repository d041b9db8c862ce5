"""What parts of a page that the browser draws are made of: scripts, style sheets and HTML in ``assets``."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING

import streamlit as st

from goldviz.ui.serving.server import SCRIPTS_PATH, address, scripts

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

LOADER = """const address = new URL("{address}", location.origin).href;
const found = await import(address).catch(() => import(`${{address}}?again`));
export default found.default;
"""
"""What Streamlit sends along with every part of a page, again with each of its changes; the browser keeps the rest."""


def asset(name: str) -> str:
    """The text of one of these files."""
    return (files("goldviz.ui") / "assets" / name).read_text(encoding="utf-8")


def assets(*names: str) -> str:
    """Several of them, one after the other."""
    return "\n".join(map(asset, names))


def stepped(name: str, **words: str) -> str:
    """The HTML of a part that is stepped through, with its bar of buttons, whose places in braces these words fill."""
    return asset(name).replace("<!-- bar -->", asset("bar.html").format(**words).strip())


def component(
    name: str, *, js: str, html: str = "", css: str | None = None, isolated: bool = False
) -> ComponentRenderer:
    """A part of the page that a script draws, in the page's own styles unless it is ``isolated``."""
    file = f"{name}-{hashlib.blake2b(js.encode(), digest_size=8).hexdigest()}.js"
    scripts[file] = js
    loader = LOADER.format(address=address(f"{SCRIPTS_PATH}/{file}"))
    return st.components.v2.component(f"goldviz_{name}", html=html, css=css, js=loader, isolate_styles=isolated)
