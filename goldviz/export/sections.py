"""The parts of an exported script: which modules it needs, and the text of each as it stands there.

Sources are read as text and never imported. A module's table, TOML beside it under its name, comes with it.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable

INDENT = "    "
SHAPES = "jaxtyping"
"""The library of shapes in annotations, which a script does without."""


@dataclass(frozen=True)
class Module:
    """One module of a package by its name, its source, and the table that it reads; no table is the empty text."""

    name: str
    source: str
    table: str = ""

    @property
    def subject(self) -> str:
        """The first line of what it says of itself."""
        return self._parts[0]

    def imports(self) -> tuple[str, ...]:
        """The full names of all that it imports, be they modules or what these define; not those for type checkers."""
        return self._parts[1]

    def imports_at_once(self) -> tuple[str, ...]:
        """The same without what its functions import when they are called."""
        return self._parts[2]

    @cached_property
    def _parts(self) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        # Parsed once for all three: the tree itself would take ten times the memory of the source.
        tree = ast.parse(self.source)
        subject = (ast.get_docstring(tree) or "").partition("\n")[0]
        return subject, tuple(self._imported(_running(tree))), tuple(self._imported(tree.body))

    def _imported(self, nodes: Iterable[ast.AST]) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                if node.level:
                    raise ValueError(f"{self.name} imports by a relative name, which a script cannot follow.")
                yield from (f"{node.module}.{alias.name}" for alias in node.names)

    @cached_property
    def text(self) -> str:
        """Its source as a script holds it: indented, with :class:`typing.Annotated` where jaxtyping's types stood.

        Before it stands its table, which :class:`goldviz.export.one_file.Tables` reads.
        """
        lines = self.source.splitlines()
        for node in reversed(ast.parse(self.source).body):
            if isinstance(node, ast.ImportFrom) and node.module == SHAPES:
                lines[node.lineno - 1 : node.end_lineno] = [_without_shapes(node)]
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":  # It stands at the script's top.
                before, after = lines[: node.lineno - 1], lines[node.end_lineno or node.lineno :]
                lines = before + (after[1:] if after[:1] == [""] else after)
        table = f"{INDENT}TABLE = r'''\n{self.table}'''\n\n" if self.table else ""
        return table + indented("\n".join(lines)).strip("\n")


def _without_shapes(node: ast.ImportFrom) -> str:
    """``Annotated[Tensor, "batch hidden"]`` says to Python what jaxtyping's ``Float[Tensor, "batch hidden"]`` says."""
    return f"from typing import {', '.join(f'Annotated as {alias.asname or alias.name}' for alias in node.names)}"


def module_named(name: str) -> Module | None:
    """The module or package of this name; None where a package has no file of that name."""
    root, *parts = name.split(".")
    place: Traversable = files(root)
    for part in parts[:-1]:
        place = place / part
    inside = place / (parts[-1] if parts else "")
    for file in (inside / "__init__.py", place / f"{inside.name}.py") if parts else (place / "__init__.py",):
        if file.is_file():
            table = place / f"{inside.name}.toml"
            return _module(
                name, file.read_text(encoding="utf-8"), table.read_text(encoding="utf-8") if table.is_file() else ""
            )
    return None


@cache
def _module(name: str, source: str, table: str) -> Module:
    """One object for the same texts: another script that needs them does not have them read through again."""
    return Module(name, source, table)


def needed(first: Module, imports: Callable[[Module], Iterable[str]]) -> list[Module]:
    """``first`` and all that it needs of its own package and of goldviz, each before what it imports.

    ``imports`` says which of a module's imports count. A package counts only where a name is imported that its
    ``__init__`` defines.
    """
    roots = {one.partition(".")[0] for one in (first.name, __name__)}
    modules = {first.name: first}
    named = cache(module_named)
    for module in _growing(modules):
        for name in imports(module):
            if name.partition(".")[0] not in roots:
                continue
            target = named(name) or named(name.rpartition(".")[0])
            if target is None:
                raise ModuleNotFoundError(f"{module.name} imports {name}, which has no source.")
            modules.setdefault(target.name, target)
    return list(modules.values())


def _growing(modules: dict[str, Module]) -> Iterator[Module]:
    """The modules in the order in which they were found, those included that are found meanwhile."""
    done = 0
    while done < len(modules):
        yield list(modules.values())[done]
        done += 1


def indented(source: str) -> str:
    """The source one level deeper; lines within a text stay as they are, unless the text is a docstring.

    >>> print(indented("a = 1"))
        a = 1
    """
    inside = _within_texts(source)
    lines = source.splitlines()
    return "\n".join(INDENT + line if line and number not in inside else line for number, line in enumerate(lines, 1))


def _within_texts(source: str) -> set[int]:
    """The lines that begin inside a text that is a value."""
    documentation: set[int] = set()
    long: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            documentation.add(node.lineno)
        elif isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno:
            long.add(node.lineno)
    inside: set[int] = set()
    if long <= documentation:
        return inside
    start = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        if kind.endswith("STRING_START"):
            start = token.start[0]
        if kind == "STRING" or kind.endswith("STRING_END"):
            first = token.start[0] if kind == "STRING" else start
            if first not in documentation:
                inside.update(range(first + 1, token.end[0] + 1))
    return inside


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """All statements but those that only a type checker sees."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr) and not (
            isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
        ):
            yield child
            yield from _running(child)


def libraries(modules: Iterable[Module], imports: Callable[[Module], Iterable[str]]) -> set[str]:
    """The roots of all that these modules import."""
    return {name.partition(".")[0] for module in modules for name in imports(module)}
