"""Cut the long suite into parts: ``make test-long PART=2/5`` takes the second of five.

A part is a share of the seconds, not of the tests: ``tests/seconds.json`` has those of every file, and of every test
that takes long by itself. The other tests of a file stay together, for they share their runs. ``python -m tests.parts
REPORT ...`` keeps the seconds anew, of the reports that pytest writes by ``--junitxml``.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

SECONDS = Path(__file__).with_name("seconds.json")
LONG = 20
"""Seconds from which on a test is a unit by itself."""
UNKNOWN = 0.5
"""Seconds of a test of which nothing is known yet."""


def part(text: str) -> tuple[int, int]:
    """The number of a part and of all parts, from 1: ``part("2/5")`` is ``(2, 5)``.

    Raises:
        ValueError: if it is no such share.
    """
    number, _, parts = text.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise ValueError(f"PART={text} is none; 2/5 is the second of five parts.")
    return int(number), int(parts)


def unit(test: str, seconds: Mapping[str, float]) -> str:
    """What goes into one part together with a test: its file, or the long test alone."""
    return test if test in seconds else test.partition("::")[0]


def shares(tests: Sequence[str], parts: int, seconds: Mapping[str, float]) -> dict[str, int]:
    """The part of every test's unit, from 0: the longest first, each into what is the shortest part so far."""
    counted = Counter(unit(test, seconds) for test in tests)
    known = {name: seconds.get(name, UNKNOWN * number) for name, number in counted.items()}
    filled, share = [0.0] * parts, {}
    for name in sorted(known, key=lambda name: (-known[name], name)):
        share[name] = filled.index(min(filled))
        filled[share[name]] += known[name]
    return share


def of_part(tests: Sequence[str], text: str) -> list[bool]:
    """Which tests belong to a part, ``"2/5"``."""
    number, parts = part(text)
    seconds: dict[str, float] = json.loads(SECONDS.read_text(encoding="utf-8"))
    share = shares(tests, parts, seconds)
    return [share[unit(test, seconds)] == number - 1 for test in tests]


def seconds_of(reports: Iterable[Path]) -> dict[str, float]:
    """Seconds of every file without its long tests, and of each of these, as reports tell them."""
    seconds: Counter[str] = Counter()
    for report in reports:
        for case in ElementTree.parse(report).iter("testcase"):
            module, took = str(case.get("classname")), float(case.get("time", 0))
            file = module.replace(".", "/") + ".py"
            seconds[f"{file}::{case.get('name')}" if took >= LONG else file] += took
    return {name: round(took, 1) for name, took in sorted(seconds.items())}


if __name__ == "__main__":
    lines = [f"  {json.dumps(name)}: {took}" for name, took in seconds_of(map(Path, sys.argv[1:])).items()]
    SECONDS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
