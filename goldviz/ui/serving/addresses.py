"""Where a visitor's browser finds what the server has, under the base path where it has one."""

from __future__ import annotations

from goldviz.figures.plotly_script import VERSION

PLOTLY_PATH = "/goldviz/plotly.min.js"


def address(path: str) -> str:
    """A route's address for a visitor's browser, under the server's base path where it has one."""
    return f"{base_path()}{path}"


def plotly_address() -> str:
    """Where a browser gets Plotly's script, which it keeps until goldviz has another."""
    return address(f"{PLOTLY_PATH}?v={VERSION}")


def base_path() -> str:
    """The path that the server stands under, such as ``/class/lab``; empty where it is at the top."""
    from streamlit import get_option

    base = str(get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""
