"""What parts of a page that the browser draws are made of: scripts, style sheets and HTML in ``assets``."""

from __future__ import annotations

from importlib.resources import files


def asset(name: str) -> str:
    """The text of one of these files."""
    return (files("goldviz.ui") / "assets" / name).read_text(encoding="utf-8")


def assets(*names: str) -> str:
    """Several of them, one after the other."""
    return "\n".join(map(asset, names))
