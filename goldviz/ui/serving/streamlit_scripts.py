"""Streamlit's own scripts of what stands on every laboratory's page. It asks for each when the first such part arrives,
and for what that imports after it: named in the page, they come while Streamlit starts and the page's script runs."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

PARTS = (
    *("BidiComponent", "Button", "ButtonGroup", "Checkbox", "Html"),
    *("NumberInput", "Selectbox", "Slider", "TextInput"),
)
"""What Streamlit calls the parts of a page that a laboratory's has."""
FOLDER = "static/js"
"""Where they lie below the server's address."""
IMPORTED = re.compile(r'(?:from|import)"\./([^"/]+\.js)"')


@cache
def scripts_ahead() -> tuple[str, ...]:
    """The files of these parts and all that they import, but those that Streamlit's page names itself."""
    static = files("streamlit") / "static"
    folder = static / "static" / "js"
    named = (static / "index.html").read_text(encoding="utf-8")
    waiting = sorted(one.name for one in folder.iterdir() if one.name.partition(".")[0] in PARTS)
    found: list[str] = []
    while waiting:
        script = waiting.pop()
        if script not in found and f"/{script}" not in named:
            found.append(script)
            waiting += IMPORTED.findall((folder / script).read_text(encoding="utf-8"))
    return tuple(found)
