"""The recorder of an exported script: keeps every curve in lists, and needs nothing but Python.

:mod:`goldviz.export.script` copies this file's text into the script.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

LONGEST_PRINTED = 2000
"""Characters. A final variable that is longer goes to the file alone."""


class StandaloneRecord:
    """What a procedure sees instead of goldviz's recorder.

    ``changes[step]`` are the settings that changed when ``step`` was done: they hold from the next one on.
    """

    restored = None
    processes = 1

    def __init__(self, settings: SimpleNamespace, changes: Mapping[int, Mapping[str, Any]]) -> None:
        self.settings = settings
        self.changes = changes
        self.step = 0
        self.labels: dict[str, list[Any]] = {}
        self.facts: dict[str, Any] = {}
        self.curves: dict[str, dict[str, list[Any]]] = {}
        self.finals: dict[str, Any] = {}
        self._release: Callable[[], None] = lambda: None

    def coordinates(self, **labels: list[Any]) -> None:
        """Label the fixed dimensions."""
        self.labels |= labels

    def attribute(self, **facts: Any) -> None:
        """Note facts about the run."""
        self.facts.update(facts)

    def steps(self, n: int, state: Callable[[], bytes] | None = None) -> Iterator[int]:
        """Number the steps 1 to ``n``; states are not kept."""
        for self.step in range(1, n + 1):
            self.settings = SimpleNamespace(**{**vars(self.settings), **self.changes.get(self.step - 1, {})})
            yield self.step
        self._release()

    def __call__(self, name: str, values: Any) -> None:
        """Keep a variable's values at this step."""
        self.late(name, [self.step], [values])

    def holds_back(self, release: Callable[[], None]) -> None:
        """``release`` hands over by :meth:`late` what a procedure measured of several steps at once."""
        self._release = release

    def late(self, name: str, steps: Sequence[int], values: Any) -> None:
        """Keep a variable's values at earlier steps."""
        curve = self.curves.setdefault(name, {"steps": [], "values": []})
        curve["steps"] += steps
        curve["values"] += [_plain(value) for value in values]

    def because(self, reason: str) -> None:
        """Keep the first reason why numbers were not finite."""
        self.facts.setdefault("not_finite", f"At step {self.step}: {reason}")

    def once(self, name: str, values: Any) -> None:
        """Keep a variable that has no growing dimension."""
        self.finals[name] = _plain(values)

    @contextmanager
    def instrument(self) -> Iterator[None]:
        """Measuring is not timed here."""
        yield


def _plain(values: Any) -> Any:
    """Lists of numbers, with None for what JSON has no number for."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, list):
        return [_plain(value) for value in values]
    return None if isinstance(values, float) and not math.isfinite(values) else values


def run_standalone(
    procedure: Callable[[Any, Any], None],
    settings: SimpleNamespace,
    changes: Mapping[int, Mapping[str, Any]],
    files: list[str],
) -> None:
    """Run ``procedure``, print how it ended, and write everything that it recorded to the JSON file named, if any."""
    record = StandaloneRecord(settings, changes)
    procedure(settings, record)
    if "loss" in record.curves:
        rows = record.curves["loss"]["values"][-1]
        for network, losses in zip(record.labels.get("network", range(len(rows))), rows, strict=True):
            print(f"{network}: loss {losses} at step {record.step}, for seeds {record.labels['seed']}")
    for name, values in record.finals.items():
        if len(str(values)) <= LONGEST_PRINTED:
            print(f"{name}: {values}")
    for file in files[:1]:
        outcome = {
            "settings": vars(settings),
            "coordinates": record.labels,
            "facts": record.facts,
            "curves": record.curves,
            "finals": record.finals,
        }
        place = Path(file).resolve()
        # An earlier file stays where the disk is full; what is no file, such as a terminal, has nothing beside it.
        beside = place.with_name(f".{place.name}.part") if place.is_file() or not place.exists() else place
        beside.write_text(json.dumps(outcome), encoding="utf-8")
        beside.replace(place)
