"""Matches an expression in a process of its own: ``python pattern_process.py SECONDS``.

It reads the expression as a line of JSON and then a text, and writes a line of JSON, which says what is wrong with the
expression or nothing, and where each match begins and ends. What an expression takes ends with the process, which the
system holds to its bounds; it imports nothing of goldviz, so it begins in a tenth of a second.
"""

from __future__ import annotations

import json
import sys
from array import array
from itertools import chain

TIME = 3
"""The exit code of an expression that takes too much of it."""


def main(seconds: float) -> int:
    """Answer one question, and return the exit code."""
    import regex

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
    sys.stdout.buffer.write(b'""\n')
    edges.tofile(sys.stdout.buffer)
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
