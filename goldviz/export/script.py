"""The exported script: one Python file that repeats a run without goldviz.

It holds the very source of the procedure and of every module that the procedure needs, each in a namespace of its own,
so it gives the same numbers as the laboratory. The sources are read as text; building a script does not load torch.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from goldviz.export.sections import SHAPES, Module, indented, libraries, module_named, needed

INSTALLED_AS = {"sklearn": "scikit-learn"}
"""Packages that are installed under another name than that of their import."""
LOADER = "goldviz.export.one_file"
RECORDER = "goldviz.export.standalone"
FOR_STATES = "safetensors"
"""What keeps a run's states on the way; a script keeps none."""
LONGEST_LINE = 120

HOW_TO_READ = """\
Each module of goldviz that the run needs stands below under ``if __name__ == "its name":``; the table MODULES lists
them in their order. The first says what the run does, the next are what it uses, and the settings and the run itself
stand at the very end. Python runs this file once as a script, and once more for each module that is imported, under
that module's name: so every module keeps its names to itself."""


def script(heading: str, procedure: str, settings: Mapping[str, Any], changes: Mapping[int, Mapping[str, Any]]) -> str:
    """The script that calls ``train(settings, record)`` of the module ``procedure``.

    ``changes[step]`` are the settings that were changed when ``step`` was done. All values are written as Python
    literals, so they have to be checked before: plain numbers, texts and tuples of these.
    """
    first, recorder = _module(procedure), _module(RECORDER)
    modules = [*needed(first, Module.imports), recorder]
    at_once = [*needed(first, Module.imports_at_once), recorder]
    return "\n".join(
        [
            f'"""{heading}',
            "",
            *_requirements(modules, at_once, {procedure.partition(".")[0], RECORDER.partition(".")[0]}),
            "Name a JSON file after the script to keep its curves.",
            "",
            HOW_TO_READ,
            '"""',
            "",
            "from __future__ import annotations",
            "",
            "MODULES = {",
            *(_row(module) for module in modules),
            "}",
            "",
            "if __name__ not in MODULES:",
            _module(LOADER).text,
            "",
            "    OneFile(sys._getframe().f_code, MODULES).take_over()",
            *(f'\n\nif __name__ == "{module.name}":\n{module.text}' for module in modules),
            "",
            "",
            'if __name__ == "__main__":',
            indented(_run(procedure, settings, changes)),
            "",
        ]
    )


def _module(name: str) -> Module:
    module = module_named(name)
    if module is None:
        raise ModuleNotFoundError(f"There is no source of {name}.")
    return module


def _requirements(modules: Sequence[Module], at_once: Sequence[Module], own: Set[str]) -> list[str]:
    """What has to be installed, in sentences; what functions import when they are called is told apart."""
    there = sys.stdlib_module_names | own | {SHAPES, FOR_STATES}
    always = libraries(at_once, Module.imports_at_once) - there
    at_times = libraries(modules, Module.imports) - there - always
    words = f"Exported from goldviz; needs {_listed(['Python 3.11', *_installed(always)])}."
    if at_times:
        words += f" Some of its functions import more when they are called: {_listed(_installed(at_times))}."
    return textwrap.wrap(words, LONGEST_LINE, break_on_hyphens=False)


def _installed(roots: Iterable[str]) -> list[str]:
    """Libraries under the names by which they are installed; torch first."""
    return sorted((INSTALLED_AS.get(root, root) for root in roots), key=lambda name: (name != "torch", name))


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _row(module: Module) -> str:
    start = f'    "{module.name}": '
    subject = textwrap.shorten(module.subject, LONGEST_LINE - len(start) - 3, placeholder=" …")
    return f"{start}{json.dumps(subject, ensure_ascii=False)},"


def _run(procedure: str, settings: Mapping[str, Any], changes: Mapping[int, Mapping[str, Any]]) -> str:
    """The end of the script: what it runs, with which settings."""
    return "\n".join(
        [
            "from types import SimpleNamespace",
            "",
            f"from {RECORDER} import run_standalone",
            f"from {procedure} import train",
            "",
            _literal("SETTINGS = SimpleNamespace(", [f"{name}={value!r}" for name, value in settings.items()], ")"),
            "# Step -> settings that were changed when it was done.",
            _literal("CHANGES = {", [f"{step}: {values!r}" for step, values in sorted(changes.items())], "}"),
            "run_standalone(train, SETTINGS, CHANGES, sys.argv[1:])",
        ]
    )


def _literal(start: str, entries: Sequence[str], end: str) -> str:
    return "\n".join([start, *(f"    {entry}," for entry in entries), end]) if entries else start + end
