"""What the shell's commands print, where nobody reads it any more: ``goldviz claims | head``."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from goldviz.cli.errors import UNREAD


def flushed(code: int) -> int:
    """The exit code, once all that was printed is out; raises ``OSError`` where it cannot be written."""
    for stream in _streams():
        stream.flush()
    return code


def abandoned() -> int:
    """Let what a reader has left unread go nowhere, and return the exit code of a command that the signal ended.

    Python writes its streams out once more when it ends, and would complain of the same pipe then.
    """
    for stream in _streams():
        try:
            stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
    return UNREAD


def _streams() -> list[TextIO]:
    # A stream that was closed before the start is None.
    return [stream for stream in (sys.stdout, sys.stderr) if stream is not None]
