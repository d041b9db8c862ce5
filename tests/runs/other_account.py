"""A second account of the machine, for real where the tests may take one on, and what it can reach."""

import json
import os
import shutil
import subprocess
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

NOBODY = 65534
SHADOWED = ("cloudpickle", "goldviz", "multiprocessing", "numpy", "psutil", "streamlit", "torch", "tornado")
"""Modules that goldviz's processes import; a file of this name that comes first is carried out in place of each."""

PYTHON = "/usr/bin/python3"
"""The environment's own may lie where the other account cannot go."""

needs_another_account = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0 or shutil.which("setpriv") is None or not Path(PYTHON).exists(),
    reason=f"only the administrator can take on another account, by setpriv and {PYTHON}",
)


def as_nobody(script: str, *arguments: object) -> str:
    """What a Python script prints that the other account carries out, with nothing but Python's own modules."""
    switch = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--", PYTHON, "-I", "-c")
    command = [*switch, textwrap.dedent(script), *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd="/", env={})
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def folder_of_all() -> Iterator[Path]:
    """A temporary folder of all accounts, as /tmp is, in which another account was first.

    It made Dask's folder there, and laid modules that write down whom they were carried out by into both.
    """
    with TemporaryDirectory(prefix="of-all-") as name:
        place = Path(name)
        place.chmod(0o1777)
        as_nobody(LAY_MODULES, place, *SHADOWED)
        yield place


LAY_MODULES = """
    import os, sys
    place, *names = sys.argv[1:]
    os.umask(0)
    os.mkdir(f"{place}/dask-scratch-space")
    for folder in (place, f"{place}/dask-scratch-space"):
        for name in names:
            with open(f"{folder}/{name}.py", "w") as module:
                print(f"import os; print('{name} as', os.getuid(), file=open('{place}/carried-out', 'a'))", file=module)
                print("raise ImportError('another account was here')", file=module)
"""


def carried_out(place: Path) -> str:
    """The modules of the other account that were carried out, and as whom."""
    told = place / "carried-out"
    return told.read_text() if told.exists() else ""


def open_to_nobody(entries: Iterable[str]) -> list[str]:
    """Those of these files and folders in whose place the other account could put something of its own."""
    found: list[str] = json.loads(as_nobody(OPEN_TO_ME, *entries))
    return found


OPEN_TO_ME = """
    import json, os, stat, sys

    def open_to_me(entry):
        something = False  # is there already, one step nearer to what is asked about
        while True:
            try:
                found = os.stat(entry)
            except FileNotFoundError:
                pass
            except PermissionError:
                something = True
            else:
                writable = os.access(entry, os.W_OK)
                if found.st_uid == os.getuid() or writable and not (something and found.st_mode & stat.S_ISVTX):
                    return True
                something = True
            if entry == "/":
                return False
            entry = os.path.dirname(entry)

    def taken(entry):
        return not os.path.isabs(entry) or open_to_me(entry) or open_to_me(os.path.realpath(entry))

    print(json.dumps([entry for entry in sys.argv[1:] if taken(entry)]))
"""
