"""Small runs of laboratories. Each is trained once in a session, however many tests and processes look at it."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import xarray as xr
from filelock import FileLock

from goldviz.data.tables.whole_files import digest, write_whole
from goldviz.declare.instant import Instant
from goldviz.declare.laboratory import Laboratory, laboratory_of
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Experiment, schemas
from goldviz.runs.recorder import Ended, Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks
from tests.thinned import TRAINED_AS_WELL, represented

LABORATORIES = list(laboratories().values())
TRAINED = [lab for lab in LABORATORIES if issubclass(lab.declared, Experiment)]
INSTANT = [lab for lab in LABORATORIES if issubclass(lab.declared, Instant)]


def chosen(names: Sequence[str]) -> list[Laboratory]:
    """The laboratories of these names, or all."""
    return [lab for lab in LABORATORIES if lab.name in names or not names]


def cases(lab: Laboratory) -> ModuleType:
    """``cases.py`` of a laboratory's tests: its small runs, and what they are held to."""
    return importlib.import_module(f"tests.labs.{lab.folder}.cases")


def with_own(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A table by laboratory, with what laboratories say under its name in ``cases.py`` of their own tests."""
    return {**table, **{lab.name: getattr(cases(lab), name) for lab in LABORATORIES if hasattr(cases(lab), name)}}


def headline(lab: Laboratory) -> str:
    """The variable that says how a run goes: the loss, or the first that must stay finite where nothing is learned."""
    variables = lab.declared.variables
    return "loss" if "loss" in variables else next(name for name, one in variables.items() if one.must_stay_finite)


shared_folder: Path | None = None
"""Where the processes of a session leave whole runs for each other; none where all tests are in one process."""


@dataclass(frozen=True)
class Small:
    """One small run of a laboratory: what it changes from the defaults."""

    lab: Laboratory
    number: int
    changes: Mapping[str, Any]

    def settings(self, **more: Any) -> Experiment:
        return self.lab.declared(**{**self.changes, **more})

    def __str__(self) -> str:
        return f"{self.lab.name}-{self.number}"


SMALL = [Small(lab, number, changes) for lab in TRAINED for number, changes in enumerate(cases(lab).RUNS)]
EVERY_SMALL = pytest.mark.parametrize("small", represented(SMALL, also=TRAINED_AS_WELL), ids=str)
"""Of which the ordinary suite trains one of each representative."""
REPRESENTED = pytest.mark.parametrize("lab", represented(TRAINED), ids=lambda lab: lab.name)
EVERY_TRAINED = pytest.mark.parametrize("lab", TRAINED, ids=lambda lab: lab.name)
EVERY_INSTANT = pytest.mark.parametrize("lab", INSTANT, ids=lambda lab: lab.name)
EVERY_LABORATORY = pytest.mark.parametrize("lab", LABORATORIES, ids=lambda lab: lab.name)


def endless(lab: Laboratory) -> Experiment:
    """A small run of as many steps as are allowed."""
    declared = lab.declared
    steps = {name for name in ("steps", "epochs", "pretraining_steps") if name in declared.model_fields}
    settings: Experiment = declared(**cases(lab).RUNS[0])
    return settings.changed(**{name: schemas(declared)[name]["maximum"] for name in steps})


class Keeping(Memory):
    """A sink that keeps the states as well."""

    def checkpoint(self, step: int, state: bytes) -> None:
        self.finals.setdefault("states", {})[step] = state  # type: ignore[call-overload]

    def __getstate__(self) -> dict[str, Any]:
        # A function without a name cannot travel, and nobody watches a run that is over.
        return {name: value for name, value in vars(self).items() if name != "watch"}

    @property
    def states(self) -> dict[int, bytes]:
        return self.finals["states"]  # type: ignore[return-value]


def carried_out(settings: Experiment, **recorder: Any) -> tuple[Keeping, str]:
    """What a run keeps, and how it ended; ``recorder`` may start it later or end it earlier."""
    sink, status = Keeping(), "finished"
    try:
        laboratory_of(settings).run(settings, Recorder(settings, sink, NobodyAsks(), **recorder))
    except Ended as ended:
        status = ended.status
    return sink, status


@cache
def whole(settings: Experiment) -> Keeping:
    """What the whole run keeps, states and all. Shared: look, and change nothing."""
    if shared_folder is None:
        return _trained(settings)
    name = digest(f"{settings.name} {settings.model_dump_json()}".encode())
    file = shared_folder / f"{name}.pickle"
    with FileLock(shared_folder / f"{name}.lock"):
        if file.exists():
            there: Keeping = pickle.loads(file.read_bytes())
            return there
        sink = _trained(settings)
        write_whole(file, pickle.dumps(sink))
        return sink


def _trained(settings: Experiment) -> Keeping:
    sink, status = carried_out(settings)
    assert status == "finished"
    return sink


def small_run(settings: Experiment) -> xr.Dataset:
    """The dataset of a whole run, a copy of the caller's own."""
    kept = whole(settings)
    facts = {**kept.facts, "marks": "[]", "status": "finished", "title": ""}
    declared = {name: asdict(variable) for name, variable in settings.variables.items()}
    finals = {name: values for name, values in kept.finals.items() if name != "states"}
    memory = Memory(records=kept.records, labels=kept.labels, facts=facts, finals=finals, progress=kept.progress)
    return memory.dataset(declared, {"status": "finished"}).copy(deep=True)
