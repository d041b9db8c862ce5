"""Docstrings below the attributes of a class, which Python itself forgets: read from the class's source when asked."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from goldviz.syntax_trees import syntax_tree


def attribute_docstrings(cls: type, root: type) -> Mapping[str, str]:
    """The docstring below each attribute, on one line, of a class and of those of its bases that derive from ``root``.

    Empty for a class whose source is not at hand, such as one of a console.

    >>> from goldviz.declare.settings import Experiment
    >>> attribute_docstrings(Experiment, Experiment)["seeds"]
    'Random seeds. Several give every curve a band.'
    """
    docstrings: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, root):
            docstrings |= docstrings_below(base.__module__, base.__qualname__)
    return docstrings


@cache
def docstrings_below(module: str, class_name: str = "") -> Mapping[str, str]:
    """The docstring below each attribute of this class alone, or of the module, on one line."""
    try:
        body = _definition(module, class_name).body
    except (LookupError, OSError, TypeError):
        return {}
    docstrings = {}
    for statement, below in pairwise(body):
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        match below, targets:
            case ast.Expr(value=ast.Constant(value=str(text))), [ast.Name(id=name)]:
                docstrings[name] = " ".join(text.split())
    return docstrings


def _definition(module: str, name: str) -> ast.ClassDef | ast.Module:
    """A module, or where it defines a class, by its qualified name."""
    node = syntax_tree(inspect.getsource(sys.modules[module]))
    for part in filter(None, name.replace("<locals>.", "").split(".")):
        node = next((inner for inner in ast.walk(node) if getattr(inner, "name", "") == part), ast.Pass())
    if not isinstance(node, ast.ClassDef | ast.Module):
        raise LookupError(f"{module} defines no class {name}.")
    return node
