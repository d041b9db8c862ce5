"""The page's scripts for a file that a browser opens from a disk, where no module can import another.

Each module becomes a function that is called once, after those that it imports. Nothing else of it changes, so that a
report is drawn by what draws the page.
"""

from __future__ import annotations

import re
from importlib.resources import files
from posixpath import dirname, join, normpath

COMMENT = re.compile(r"^ *//.*$", re.MULTILINE)
"""A line that is a comment: it travels empty, so that lines keep their numbers."""
IMPORT = re.compile(r'^import (?:(\w+) from |\{([^}]*)\} from )?"([^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (default )?((?:async )?function|class|const) ?(\w*)", re.MULTILINE)
DEFAULT = "exported"
"""What a module's nameless default export is called within it."""


def module_text(path: str) -> str:
    """What a browser gets of a module, by its path in the package, such as ``ui/assets/timeline.js``."""
    return COMMENT.sub("", files("goldviz").joinpath(path).read_text(encoding="utf-8"))


def in_one_script(entry: str) -> str:
    """A script that does what the module ``entry`` does, with all modules that it imports inside.

    Raises ValueError for modules that import one another in a circle.
    """
    parts: dict[str, str] = {}
    _take(entry, parts, ())
    # Nothing in a script may end the element that it stands in.
    return "\n".join(["const modules = {};", *parts.values()]).replace("</", r"<\/")


def _take(path: str, parts: dict[str, str], way: tuple[str, ...]) -> None:
    if path in way:
        raise ValueError(f"These modules import one another: {', '.join([*way[way.index(path) :], path])}.")
    text, folder = module_text(path), dirname(path)
    for module in IMPORT.finditer(text):
        imported = normpath(join(folder, module[3]))
        if imported not in parts:
            _take(imported, parts, (*way, path))
    names = [f"default: {DEFAULT}" if export[1] else export[3] for export in EXPORT.finditer(text)]
    body = EXPORT.sub(
        lambda export: f"const {DEFAULT} = {export[2]}" if export[1] else f"{export[2]} {export[3]}", text
    )
    body = IMPORT.sub(lambda module: _of_modules(module, normpath(join(folder, module[3]))), body)
    lines = [line for line in body.split("\n") if line]
    parts[path] = "\n".join([f'modules["{path}"] = (() => {{', *lines, f"return {{ {', '.join(names)} }};", "})();"])


def _of_modules(module: re.Match[str], path: str) -> str:
    """What stands in place of an import; nothing where only the module's doing is asked for."""
    default, names = module[1], module[2]
    wanted = f"default: {default}" if default else (names or "").strip().rstrip(",").replace(" as ", ": ")
    return f'const {{ {wanted} }} = modules["{path}"];' if wanted else ""
