"""Matches an expression in a process of its own: ``python pattern_process.py SECONDS BYTES``.

It reads the expression as a line of JSON and then a text, and writes a line of JSON, which says what is wrong with the
expression or nothing, and where each match begins and ends. What an expression takes ends with the process, which the
system holds to its bounds; it imports nothing of goldviz, so it begins in a tenth of a second.
"""

from __future__ import annotations

import json
import sys
from array import array
from contextlib import suppress
from itertools import chain

TIME, MEMORY = 3, 4
"""Exit codes of an expression that takes too much."""


def hold_to(seconds: float, memory: int) -> None:
    """Let the system end this process beyond these bounds, where it can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        for kind, most in ((resource.RLIMIT_CPU, int(seconds) + 2), (resource.RLIMIT_AS, memory)):
            resource.setrlimit(kind, (most, most))


def main(seconds: float, memory: int) -> int:
    """Answer one question, and return the exit code."""
    import regex

    hold_to(seconds, memory)
    try:
        expression = json.loads(sys.stdin.buffer.readline())
        text = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
        try:
            pattern = regex.compile(expression)
        except (regex.error, RecursionError, OverflowError, ValueError) as error:  # the last of flags that contradict
            sys.stdout.write(json.dumps(str(error) or "it is nested too deeply"))
            return 0
        # In order, because an expression may search from the end.
        spans = sorted(match.span() for match in pattern.finditer(text, timeout=seconds))
        edges = array("q", chain.from_iterable(spans))
    except TimeoutError:
        return TIME
    except MemoryError:
        return MEMORY
    sys.stdout.buffer.write(b'""\n')
    edges.tofile(sys.stdout.buffer)
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2])))
