"""Every worked example in a docstring of the package holds: what stands at ``>>>`` gives what stands below it."""

import ast
import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "goldviz").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
}
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef


@pytest.mark.parametrize("name", MODULES)
def test_the_worked_examples_of_a_module_hold(name: str) -> None:
    """By the source, for doctest itself passes over cached properties."""
    names = vars(importlib.import_module(name))
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        words = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
        if words:
            runner.run(doctest.DocTestParser().get_doctest(words, dict(names), name, str(MODULES[name]), 0))
    assert runner.summarize(verbose=False).failed == 0
    assert runner.tries > 0
