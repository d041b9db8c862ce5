"""Runs a script within bounds: ``python hold_process.py BYTES SECONDS SCRIPT ARGUMENTS``.

What harm a file or an expression does ends with the process, which the system holds to its bounds: whoever watches may
be gone. It imports nothing of goldviz, so it begins at once.
"""

from __future__ import annotations

import runpy
import sys
from contextlib import suppress
from types import ModuleType

MEMORY = 4
"""The exit code of a script that gets no more memory, unless a library of it ends the process by a signal."""


def held(script: ModuleType, memory: int, seconds: int, *arguments: str) -> list[str]:
    """The command that runs a script, which is ended beyond so many bytes of memory and seconds of a core."""
    # Without a script's folder on its path, as modules there have names of others.
    return [sys.executable, "-P", __file__, str(memory), str(seconds), str(script.__file__), *arguments]


def hold_to(memory: int, seconds: int) -> None:
    """Let the system end this process beyond these bounds, where it can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        for kind, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory)):
            resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    hold_to(int(sys.argv[1]), int(sys.argv[2]))
    del sys.argv[:3]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except MemoryError:
        sys.exit(MEMORY)
