"""A run as it grows: reads only what is new."""

from __future__ import annotations

import json
import threading
from collections.abc import Hashable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from goldviz.arrays.light import LightDataset
from goldviz.declare.kept import in_todays_words
from goldviz.declare.kinds import roles_of
from goldviz.declare.registry import experiments
from goldviz.runs.execution.limits import gigabytes
from goldviz.runs.store.arrays import MOST_BYTES, Stacked, bytes_needed, joined, light_dataset
from goldviz.runs.store.rows import TooLargeRunError, reading_of
from goldviz.runs.store.run import About, Run

if TYPE_CHECKING:
    from goldviz.declare.settings import Experiment


class Records(Protocol):
    """What is read of a store: its rows of a run, and the records that were written after others."""

    def together(self) -> AbstractContextManager[None]:
        """What this thread reads meanwhile shares one connection."""

    def run_and_labels(self, run_id: str) -> tuple[Run, Hashable]:
        """One run, and what tells whether :meth:`about` would say anything new of it."""

    def about(self, run_id: str) -> About:
        """What a run's records are labelled with."""

    def records_after(self, run_id: str, position: int) -> tuple[Stacked, int]:
        """Records written after a position (0 at first) and the new position."""


class LiveRun:
    """One run's records, brought up to date at each :meth:`refresh`. Safe to share between viewers."""

    def __init__(self, store: Records, run_id: str) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._records: Stacked = {}
        self._position = 0
        self._version = -1
        self._last_step = 0
        self._light: LightDataset | None = None
        self._labels: Hashable = None
        self._about: About | None = None
        self._variables: Declared = {}
        self.run_id = run_id

    @property
    def nbytes(self) -> int:
        """How much memory its records take."""
        return sum(steps.nbytes + values.nbytes for steps, values in self._records.values())

    def refresh(self) -> Run:
        """Read the run's row, and its new records where there are any. Raises :class:`UnknownRunError`."""
        with self._lock, reading_of(self.run_id), self._store.together():
            return self._refresh()

    def snapshot(self) -> tuple[Run, LightDataset]:
        """The run's row and all that has been recorded until now, labelled; the same records while nothing is new."""
        with self._lock, reading_of(self.run_id), self._store.together():
            run = self._refresh()
            if self._light is None:
                self._light = self._build(run)
            return run, self._light

    def _refresh(self) -> Run:
        run, labels = self._store.run_and_labels(self.run_id)
        if labels != self._labels:
            self._labels, self._about, self._variables = labels, None, {}
        if run.version == self._version:
            return run
        new, position = self._store.records_after(self.run_id, self._position)
        if run.step < self._last_step or _overlap(self._records, new):
            # The run went back to an earlier step and goes on from there: read it anew.
            self._records = {}
            new, position = self._store.records_after(self.run_id, 0)
        self._position = position
        self._records = joined([self._records, new])
        self._version, self._last_step, self._light = run.version, run.step, None
        return run

    def _build(self, run: Run) -> LightDataset:
        about = self._about = self._about or self._store.about(self.run_id)
        facts: dict[str, Any] = {
            **about.attributes,
            "run_id": run.id,
            "title": run.name,
            "experiment": run.experiment,
            "settings": run.settings,
            "settings_version": run.settings_version,
            "status": run.status,
            "message": run.message,
            "duration": run.seconds,
            "instrument_seconds": run.instrument_seconds,
            "marks": about.marks,
        }
        settings_class = experiments().get(run.experiment)
        self._variables = self._variables or _in_todays_kinds(about.variables, _todays(settings_class))
        need = bytes_needed({name: self._variables[name]["dims"] for name in self._records}, self._records)
        if need > MOST_BYTES:
            raise TooLargeRunError(run.id, gigabytes(need), gigabytes(MOST_BYTES))
        records = light_dataset(self._variables, about.coordinates, self._records, about.once, facts)
        if settings_class is None:
            # Nobody declares it any more, or nobody ever did: its variables' own kinds give the roles.
            return records
        records.attrs = {**in_todays_words(settings_class, records.attrs), "roles": _roles(settings_class)}
        return records


Declared = Mapping[str, Mapping[str, Any]]


def _in_todays_kinds(variables: Declared, todays: Declared) -> Declared:
    """What a run was stored with, and what it may yet record: one that was paused by an older version goes on with the
    variables of today, and has the kinds of today."""
    kinds = {name: todays.get(name, one).get("kind", "") for name, one in variables.items()}
    return {**todays, **{name: {**one, "kind": kinds[name]} for name, one in variables.items()}}


@cache
def _todays(settings_class: type[Experiment] | None) -> Declared:
    return {name: asdict(variable) for name, variable in settings_class.variables.items()} if settings_class else {}


@cache
def _roles(settings_class: type[Experiment] | None) -> str:
    return json.dumps(roles_of(settings_class.variables) if settings_class else {})


def _overlap(old: Stacked, new: Stacked) -> bool:
    return any(name in old and steps[0] <= old[name][0][-1] for name, (steps, _) in new.items())
