"""Benchmarks and the scripts in docs are run by hand; what they import of the package is there all the same."""

import ast
import importlib
from pathlib import Path

import pytest

from tests.places import ROOT

SCRIPTS = sorted([*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "docs").glob("*.py")])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: str(script.relative_to(ROOT)))
def test_what_it_imports_is_there(script: Path) -> None:
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "goldviz":
            module = importlib.import_module(str(node.module))
            for name in (alias.name for alias in node.names):
                if not hasattr(module, name):
                    importlib.import_module(f"{node.module}.{name}")
