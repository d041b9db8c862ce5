"""The exported script: one Python file that repeats a run without goldviz.

It holds the very source of the procedure and of every module that the procedure needs, one after another, so it gives
the same numbers as the laboratory. The sources are read as text; building a script does not load torch.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from importlib.resources import files
from typing import Any

from goldviz.declare.laboratory import laboratory_of
from goldviz.declare.settings import Experiment, SettingsError, label

PACKAGE = "goldviz"
INSTALLED_AS = {"sklearn": "scikit-learn"}
"""Packages that are installed under another name than that of their import."""
LEFT_OUT = (PACKAGE, "jaxtyping", "__future__")
"""Imports that the script does without: its own parts, and annotations, which it never evaluates."""


def build(settings: Experiment, changes: Mapping[int, Mapping[str, Any]] | None = None) -> str:
    """The script that repeats a run of ``settings``.

    ``changes[step]`` are the hot settings that were changed when ``step`` was done. All values are checked against the
    experiment and written as Python literals. Raises :class:`goldviz.declare.settings.SettingsError` for changes that
    the experiment does not allow.
    """
    procedure = f"{laboratory_of(type(settings)).package}.train"
    modules = _needed([procedure, f"{PACKAGE}.export.standalone"])
    bodies = {module: _Body(module) for module in modules}
    parts = [f"# {module.replace('.', '/')}.py\n\n{body.text}" for module, body in bodies.items()]
    imports = [node for body in bodies.values() for node in body.imports]
    checked = {step: _checked(settings, values) for step, values in sorted((changes or {}).items())}
    return "\n".join(
        [
            f'"""{settings.title}: {settings.question}',
            "",
            f"Exported from goldviz; needs Python 3.11 and {_listed(_libraries(imports))}.",
            "Name a JSON file after the script to keep its curves.",
            '"""',
            "",
            "from __future__ import annotations",
            "",
            *_merged(imports),
            "",
            "\n\n".join(parts),
            "",
            _literal("SETTINGS = SimpleNamespace(", [f"{k}={v!r}" for k, v in settings.model_dump().items()], ")"),
            "# Step -> settings that were changed when it was done.",
            _literal("CHANGES = {", [f"{step}: {values!r}" for step, values in checked.items()], "}"),
            "",
            'if __name__ == "__main__":',
            "    run_standalone(train, SETTINGS, CHANGES, sys.argv[1:])",
            "",
        ]
    )


def _checked(settings: Experiment, values: Mapping[str, Any]) -> dict[str, Any]:
    hot = settings.hot_settings()
    for name in values:
        if name not in hot:
            raise SettingsError({name: f"{label(name)} cannot change while a run goes on; {', '.join(hot)} can."})
    new = settings.changed(**values)
    return {name: getattr(new, name) for name in values}


def _literal(start: str, entries: Iterable[str], end: str) -> str:
    return "\n".join([start, *(f"    {entry}," for entry in entries), end])


def _source(module: str) -> str:
    path = files(PACKAGE).joinpath(*module.split(".")[1:-1], module.rpartition(".")[2] + ".py")
    return path.read_text(encoding="utf-8")


def _needed(modules: Iterable[str]) -> list[str]:
    """The modules and all that they import of the package, each after what it imports."""
    order: list[str] = []
    for module in modules:
        before = [node.module or "" for node in _package_imports(module)]
        for name in [*_needed(before), module]:
            if name not in order:
                order.append(name)
    return order


def _package_imports(module: str) -> Iterator[ast.ImportFrom]:
    """Imports of the package that hold when the module runs, which those for type checkers do not."""
    for node in ast.parse(_source(module)).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == PACKAGE:
            renamed = [name.name for name in node.names if name.asname]
            if renamed:
                raise ValueError(f"{module} imports {renamed[0]} under another name, which a script cannot follow.")
            yield node


class _Body:
    """A module's text without its imports, and the imports that the script keeps."""

    def __init__(self, module: str) -> None:
        source = _source(module)
        tree = ast.parse(source)
        lines = source.splitlines()
        shapes = {name for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "jaxtyping"
                  for name in (alias.name for alias in node.names)}  # fmt: skip
        self.imports: list[ast.Import | ast.ImportFrom] = []
        for node in tree.body:
            imported = isinstance(node, ast.Import | ast.ImportFrom)
            if not (imported or _for_type_checkers(node) or _is_annotation(node, shapes) or node is tree.body[0]):
                continue
            if isinstance(node, ast.Import | ast.ImportFrom) and _root(node) not in LEFT_OUT:
                self.imports.append(node)
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = ""
        text = "\n".join(lines).strip()
        self.text = f"{_comment(ast.get_docstring(tree) or '')}\n\n\n{text}\n"


def _merged(imports: Iterable[ast.Import | ast.ImportFrom]) -> list[str]:
    """Import statements, each module named once, torch last."""
    whole = {ast.unparse(name) for node in imports if isinstance(node, ast.Import) for name in node.names} | {"sys"}
    parts: dict[str, set[str]] = {}
    for node in imports:
        if isinstance(node, ast.ImportFrom):
            parts.setdefault(node.module or "", set()).update(
                ast.unparse(name) for name in node.names if name.name != "TYPE_CHECKING"
            )
    lines = {name: f"import {name}" for name in whole}
    lines |= {f"{name} ": f"from {name} import {', '.join(sorted(found))}" for name, found in parts.items()}
    return [lines[name] for name in sorted(lines, key=lambda name: (name.startswith("torch"), name))]


def _libraries(imports: Iterable[ast.Import | ast.ImportFrom]) -> list[str]:
    """What has to be installed for these imports, under the names by which it is installed; torch first."""
    roots = {_root(node) for node in imports} - set(sys.stdlib_module_names)
    return sorted((INSTALLED_AS.get(root, root) for root in roots), key=lambda name: (name != "torch", name))


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _root(node: ast.Import | ast.ImportFrom) -> str:
    name = (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name
    return name.partition(".")[0]


def _for_type_checkers(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _is_annotation(node: ast.stmt, shapes: Set[str]) -> bool:
    """Whether the statement names a tensor's shape, which only annotations use."""
    return isinstance(node, ast.Assign) and any(
        isinstance(part, ast.Name) and part.id in shapes for part in ast.walk(node.value)
    )


def _comment(text: str) -> str:
    return "\n".join(f"# {line}".rstrip() for line in text.splitlines())
