"""Syntax trees of Python in a process that has several threads."""

from __future__ import annotations

import ast
from typing import Any, Literal

AT_MOST = 100
"""Times that a source is read."""


def syntax_tree(source: str, mode: Literal["exec", "eval"] = "exec") -> Any:
    """What ``ast.parse`` gives.

    CPython before 3.12.1 counts how deep trees go for all threads together: where another thread reads one meanwhile,
    be it Streamlit's, the count may not come out, which says nothing of the source. Then it is read once more.
    """
    for _ in range(AT_MOST):
        try:
            return ast.parse(source, mode=mode)
        except SystemError as error:
            trouble = error
    raise trouble
