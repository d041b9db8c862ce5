"""Exported scripts, run where nothing of goldviz can be imported: one child process for all of them."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CHILD = """
import os, runpy, sys, traceback
from importlib import import_module
# What any of them needs is imported once for all.
scripts = sys.argv[2:]
for library in sys.argv[1].split():
    import_module(library)
for name in scripts:
    # A copy of this process for each: what one script imports or sets, the next does not find.
    child = os.fork()
    if child == 0:
        code = 1
        try:
            sys.modules.update(goldviz=None, jaxtyping=None)
            sys.argv = [f"{name}.py", f"{name}.json"]
            runpy.run_path(f"{name}.py", run_name="__main__")
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    os.waitpid(child, 0)
"""


LIBRARIES = (
    "arch",
    "pandas",
    "scipy.stats",
    "sklearn.linear_model",
    "tokenizers",
    "torch",
    "torchdiffeq",
    "transformers",
)


def run_alone(scripts: Mapping[str, str], folder: Path) -> dict[str, Any]:
    """What each script kept, by its name; raises ``AssertionError`` with what a script that failed said."""
    for name, text in scripts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    roots = {
        found for text in scripts.values() for found in re.findall(r"^ *(?:import|from) (\w+)", text, re.MULTILINE)
    }
    needed = " ".join(library for library in LIBRARIES if library.partition(".")[0] in roots)
    command = [sys.executable, "-I", "-c", CHILD, needed, *scripts]
    said = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=240)
    for name in scripts:
        assert (folder / f"{name}.json").exists(), f"{name}: {said.stderr}"
    return {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in scripts}
