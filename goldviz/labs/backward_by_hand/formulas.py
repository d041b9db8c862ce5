"""A small grammar of formulas over named tensors: Python reads them, and nothing of them is ever run as Python.

The signs of printed formulas are read as well: × · ⊙ ᵀ − ^. What a tree may be made of is said where it is carried out,
in :mod:`goldviz.labs.backward_by_hand.evaluation`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from goldviz.syntax_trees import syntax_tree

LONGEST = 400
"""Characters of a formula."""
MOST_PARTS = 120
"""Numbers, names and operations of a formula."""

PRINTED = str.maketrans({"×": "*", "·": "*", "⊙": "*", "−": "-", "–": "-", "^": "**", "ᵀ": ".T"})
STRANGE = re.compile(r"[^A-Za-z_0-9.\s+\-*/@(),]|//")
Formula: TypeAlias = ast.expr


class FormulaError(ValueError):
    """A formula that cannot be read or carried out, in a sentence for a person."""


def parse(text: str) -> Formula:
    """The tree of a formula; raises :class:`FormulaError` with a sentence for a text that is none, or is too large.

    >>> written_out(parse("-a⊙b.T + sum(c, 0)"))
    '-a * b.T + sum(c, 0)'
    >>> parse("a +")
    Traceback (most recent call last):
    goldviz.labs.backward_by_hand.formulas.FormulaError: The formula ends where a number, name or bracket is missing.
    """
    if len(text) > LONGEST:
        raise FormulaError(f"The formula has {len(text):,} characters; allowed are {LONGEST}.")
    plain = " ".join(text.translate(PRINTED).split())
    if not plain:
        raise FormulaError("The formula is empty.")
    if strange := STRANGE.search(plain):
        raise FormulaError(f"“{strange.group()}” is no part of a formula.")
    try:
        tree: Formula = syntax_tree(plain, "eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        raise FormulaError(_unread(plain, getattr(error, "offset", None) or 1)) from None
    parts = sum(isinstance(part, ast.expr) for part in ast.walk(tree))
    if parts > MOST_PARTS:
        raise FormulaError(f"The formula has {parts} numbers, names and signs; allowed are {MOST_PARTS}.")
    return tree


def _unread(text: str, offset: int) -> str:
    """Why a text is no formula, as far as it goes."""
    if text.count("(") > text.count(")"):
        return "A bracket is opened and not closed."
    if text.count("(") < text.count(")"):
        return "A bracket is closed and was not opened."
    if text[-1] in "+-*/@,.":
        return "The formula ends where a number, name or bracket is missing."
    before, rest = text[: offset - 1].rstrip(), text[offset - 1 :].lstrip()
    due = "a sign such as * or +" if rest[:1].isalnum() or rest[:1] in "(_" else "a number, a name or a bracket"
    return f"{f'After “{before[-24:]}” there' if before else 'There'} is “{rest[:24]}” where {due} is due."


def written_out(formula: Formula) -> str:
    """A part as one would write it, cut in the middle where it is long."""
    text = ast.unparse(formula)
    return text if len(text) <= 48 else f"{text[:22]} … {text[-22:]}"


def names_in(formula: Formula) -> Iterator[str]:
    """The names of tensors and sizes in a formula, from left to right, each as often as it stands there."""
    if isinstance(formula, ast.Name):
        yield formula.id
    parts = formula.args if isinstance(formula, ast.Call) else ast.iter_child_nodes(formula)
    for part in parts:
        if isinstance(part, ast.expr):
            yield from names_in(part)


def written(shape: Sequence[int]) -> str:
    """A shape in words.

    >>> written((12, 3)), written((4,)), written(())
    ('12 × 3', '4', 'one number')
    """
    return " × ".join(map(str, shape)) or "one number"
