"""Rows as they stand in a database that others may have written to: every value is checked before it is believed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from safetensors import SafetensorError

from goldviz.declare.data_labels import ATTRIBUTE
from goldviz.runs.store.schema import StoreError

UNFINISHED = ("queued", "running")
STATUSES = (*UNFINISHED, "paused", "finished", "stopped", "diverged", "failed", "interrupted")
UNCLEAR = "unclear"
"""How a run is listed whose row says what this version does not understand; its message says what that is."""
LATEST_MOMENT = 9e9
"""Seconds since 1970 that a calendar still has."""
SHOWN_CHARACTERS = 40

_TEXTS = ("id", "experiment", "name", "settings", "status", "message")
_COUNTS = ("step", "total", "version")
_AMOUNTS = ("seconds", "instrument_seconds")
_OBJECTS = ("attributes", "changes")
_UNREADABLE = (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError, SafetensorError)


class DamagedRunError(StoreError):
    """What was recorded of one run cannot be read; others are not concerned."""

    def __init__(self, run_id: str, error: Exception) -> None:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        super().__init__(
            f"The records of run {run_id} are damaged and cannot be read ({type(error).__name__}: {reason}). "
            "Other runs are not affected; delete this one on the runs page."
        )


class TooLargeRunError(DamagedRunError):
    """What was recorded of one run takes more memory than any may; it is told before it is read."""

    def __init__(self, run_id: str, need: str, allowed: str) -> None:
        StoreError.__init__(
            self,
            f"Run {run_id} cannot be shown: its records would take {need} of memory; allowed are up to {allowed}. "
            "Other runs are not affected.",
        )


@contextmanager
def reading_of(run_id: str) -> Iterator[None]:
    """Turn what goes wrong while a run's records are read into :class:`DamagedRunError`."""
    try:
        yield
    except MemoryError as error:
        raise TooLargeRunError(run_id, "more", "what this process has") from error
    except _UNREADABLE as error:
        raise DamagedRunError(run_id, error) from error


def settled_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A run's row with a neutral value for each that cannot be one, which lists the run as unclear and says why."""
    values, wrong = dict(row), []
    for names, holds, neutral in (
        (_TEXTS, _is_text, ""),
        (_COUNTS, _is_count, 0),
        (_AMOUNTS, _is_amount, 0.0),
        (_OBJECTS, _is_object, {}),
        (("created",), _is_moment, 0.0),
    ):
        for name in names:
            if not holds(values[name]):
                wrong.append(f"{name.replace('_', ' ')} is {_short(values[name])}")
                values[name] = neutral
    if not wrong and values["status"] not in STATUSES:
        wrong.append(f"this version knows no state {_short(values['status'])}")
    if not _is_version(values["settings_version"]):
        values["settings_version"] = 0
    values["attributes"] = _settled_facts(values["attributes"])
    if wrong:
        values |= {"status": UNCLEAR, "message": f"Its row in the database is not understood: {', '.join(wrong)}."}
    return values


def _settled_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a run without those that cannot be what readers take them for."""
    readable = {ATTRIBUTE: _are_labels, "took": _is_amount, "step_dimension": _is_text}
    readable_facts = {name: value for name, value in facts.items() if name not in readable or readable[name](value)}
    return {"step_dimension": "step", **readable_facts}


def checked_labels(about: Mapping[str, Any]) -> dict[str, Any]:
    """Variables, coordinates and attributes as mappings; raises ValueError, naming the one that is none."""
    for name, value in about.items():
        if not _is_object(value):
            raise ValueError(f"its {name} are {_short(value)}")
    for name, variable in about["variables"].items():
        if not (_is_object(variable) and _are_texts(variable.get("dims"))):
            raise ValueError(f"its variable {_short(name)} is {_short(variable)}")
    return dict(about)


def marks_of(marks: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The changes of hot settings; raises ValueError, naming one that is none."""
    for mark in marks:
        if not (_is_object(mark["changes"]) and _is_count(mark["step"])):
            raise ValueError(f"the change at step {_short(mark['step'])} is {_short(mark['changes'])}")
    return marks


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_labels(value: Any) -> bool:
    return _is_object(value) and all(map(_is_text, value.values()))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and value >= 0


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and value >= 0


def _is_moment(value: Any) -> bool:
    return _is_amount(value) and value < LATEST_MOMENT


def _is_version(value: Any) -> bool:
    return isinstance(value, int) and value >= 1


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _are_texts(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(map(_is_text, value))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
