"""Benchmarks and the scripts in docs are run by hand; what they import of the package is there all the same."""

import ast
import importlib
from pathlib import Path

import pytest

from tests.places import ROOT

ALIKE = 8
"""So many lines in a row, blank ones and imports aside, are a part that scripts share, and belong into one place."""
SCRIPTS = sorted([*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "docs").glob("*.py")])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: str(script.relative_to(ROOT)))
def test_what_it_imports_is_there(script: Path) -> None:
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "goldviz":
            module = importlib.import_module(str(node.module))
            for name in (alias.name for alias in node.names):
                if not hasattr(module, name):
                    importlib.import_module(f"{node.module}.{name}")


def test_no_two_benchmarks_share_a_part() -> None:
    found: dict[tuple[str, ...], set[str]] = {}
    for script in (ROOT / "benchmarks").rglob("*.py"):
        read = [line.strip() for line in script.read_text(encoding="utf-8").splitlines()]
        lines = [line for line in read if line and not line.startswith(("import ", "from "))]
        for first in range(len(lines) - ALIKE + 1):
            found.setdefault(tuple(lines[first : first + ALIKE]), set()).add(script.name)
    shared = {part: names for part, names in found.items() if len(names) > 1}
    assert not shared
