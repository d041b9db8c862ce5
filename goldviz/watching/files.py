"""Files of watched runs: what a machine without a server wrote is brought into this machine's store.

Such a file is a store of its own, with the tables of any other. It may come from anybody, so it is only read, no view
and no trigger of it is run, and every value is checked before it is written here. It is read twice, record by record:
first to see that all of it fits, and what it would take in memory, then to keep it.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from safetensors import SafetensorError

from goldviz.data.tables.whole_files import size_of
from goldviz.runs.execution.limits import gigabytes
from goldviz.runs.recorder import Batch, Progress
from goldviz.runs.store.arrays import MOST_BYTES, Stacked, batch_from_bytes, row_bytes, steps_along
from goldviz.runs.store.migrations import SCHEMA_VERSION
from goldviz.runs.store.run_store import Store
from goldviz.runs.store.schema import StoreError
from goldviz.watching.declared import VARIABLES, WATCHED, WatchedScript
from goldviz.watching.layers import MOST_HEADS
from goldviz.watching.scalars import LONGEST, MOST_SCALARS
from goldviz.watching.through_time import PLACES
from goldviz.watching.versions import LEFT_OUT, VERSION

LARGEST_FILE = 2 * 2**30
"""Bytes of a file that is opened."""
LARGEST_VALUE = 64 * 2**20
"""Bytes of one value in it."""
MOST_RUNS = 100
MOST_LAYERS = 20_000
MOST_LEFT_OUT = 100
MOST_FACTS = 4 * 2**20
"""Bytes of one thing that a run says beside its numbers."""
MOST_PARTS = 500_000
"""Values in it, each of which takes a hundred bytes of memory or more however few it takes in the file."""
MOST_BATCHES = 1_000_000
MOST_MESSAGE = 500
LAST_STEP = 2**31 - 1
"""The last one that every database keeps."""
DIMS = {name: one.dims for name, one in VARIABLES.items()}
COMPUTED = "SELECT count(*) FROM pragma_table_xinfo(?) WHERE hidden"
ENDED = ("finished", "stopped", "failed", "diverged")
SHAPES = {"value_bin": 61, "magnitude_bin": 54, "time": PLACES}


class RunFileError(RuntimeError):
    """A file that holds no watched run that can be read, in one sentence."""

    for_a_person = True


def brought_in(file: Path, store: Store) -> list[str]:
    """Keep the watched runs of a file in this store, and return their ids here.

    Raises :class:`RunFileError` where the file is none of goldviz's, is too large, or holds what no watched run does.
    """
    name = file.name
    if not file.is_file():
        raise RunFileError(f"There is no file {name}.")
    size = size_of((file, file.with_name(f"{name}-wal")))
    if size > LARGEST_FILE:
        raise RunFileError(f"{name} is larger than 2 GB; allowed is a file of watched runs up to that size.")
    try:
        with _only_read(file) as connection:
            question = "SELECT rowid FROM runs WHERE experiment = ? ORDER BY created LIMIT ?"
            places = [place for (place,) in connection.execute(question, (WATCHED, MOST_RUNS))]
            if not places:
                raise RunFileError(f"{name} holds no watched run; one is written by goldviz.watch(..., to={name!r}).")
            first, second = _Room(size), _Room(size)
            for place in places:
                _look_through(_read(connection, place, name, first), name)
            return [_kept(_read(connection, place, name, second), store) for place in places]
    except (RunFileError, StoreError):
        raise
    except MemoryError as error:
        raise RunFileError(f"{name} asks for more memory than there is.") from error
    except sqlite3.OperationalError as error:
        raise RunFileError(f"{name} {_why_not(file, error)}.") from error
    except (sqlite3.Error, SafetensorError, ValueError, TypeError, KeyError, ArithmeticError, RecursionError) as error:
        reason = " ".join(str(error).split())[:120]
        raise RunFileError(f"{name} cannot be read as a file of watched runs: {reason}.") from error


def _why_not(file: Path, error: sqlite3.Error) -> str:
    """Why tables cannot be asked: another version's may have other columns."""
    try:
        with _only_read(file) as connection:
            (version,) = connection.execute("SELECT version FROM schema_version").fetchone()
    except (sqlite3.Error, TypeError, RunFileError):
        version = None
    if isinstance(version, int) and version != SCHEMA_VERSION:
        return f"was written by another goldviz: its tables are of version {version}, this one knows {SCHEMA_VERSION}"
    return f"cannot be read as a file of watched runs: {' '.join(str(error).split())[:120]}"


@contextmanager
def _only_read(file: Path) -> Iterator[sqlite3.Connection]:
    """A connection that writes nothing, and for which the file's own code is text."""
    # Without a log beside it nobody writes, and a reader then leaves no log behind that it could not take away.
    how = "mode=ro" if file.with_name(f"{file.name}-wal").exists() else "immutable=1"
    address = f"file:{quote(str(file.absolute()))}?{how}"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA cell_size_check = ON")
        named = "SELECT name FROM sqlite_master WHERE name IN ('runs', 'batches') AND type = 'table' AND rootpage > 0"
        tables = {name for (name,) in connection.execute(named)}
        # A column that is computed, and a table that is one in name alone, take what their formula says.
        computed = [connection.execute(COMPUTED, (table,)).fetchone()[0] for table in sorted(tables)]
        if computed != [0, 0]:
            raise RunFileError(f"{file.name} is no file of watched runs; allowed is what goldviz.watch wrote.")
        yield connection


@dataclass
class _Room:
    """What may still be read of a file: no more bytes than it has itself, for pages of it may be named many times."""

    left: int
    batches: int = MOST_BATCHES

    def take(self, size: int, file: str) -> None:
        self.left, self.batches = self.left - size, self.batches - 1
        if self.left < 0 or self.batches < 0:
            raise RunFileError(f"{file} names more records than it can hold; allowed is what goldviz.watch wrote.")


@dataclass(frozen=True)
class _ReadRun:
    """A run as it stands in a file, checked; its batches are as they are read."""

    script: WatchedScript
    name: str
    progress: Progress
    labels: Mapping[str, Any]
    facts: Mapping[str, Any]
    batches: Iterator[_ReadBatch]
    left_out: set[str]
    status: str
    message: str


@dataclass
class _ReadBatch(Batch):
    """Records of some steps, whole arrays of them: one by one they would take many times as much."""

    steps_of: dict[str, np.ndarray] = field(default_factory=dict)

    def stacked(self) -> Stacked:
        """Each variable's steps and values."""
        return {name: (self.steps_of[name], whole) for name, [whole] in self.values.items()}


def _read(connection: sqlite3.Connection, place: int, file: str, room: _Room) -> _ReadRun:
    row = connection.execute(
        "SELECT id, name, settings, variables, coordinates, attributes, status, message, step, seconds, "
        "instrument_seconds FROM runs WHERE rowid = ?",
        (place,),
    ).fetchone()
    run_id, name, settings, variables, coordinates, attributes, status, message, step, seconds, instrument = row
    config, declared, labels, facts = map(_object, (settings, variables, coordinates, attributes))
    layers = labels.get("layer")
    if not isinstance(layers, list) or len(layers) > MOST_LAYERS or not all(isinstance(one, str) for one in layers):
        raise RunFileError(f"{file} does not name its layers by up to {MOST_LAYERS:,} texts.")
    heads = len(_numbers(labels["head"], len(labels["head"]))) if "head" in labels else 0
    if heads > MOST_HEADS:
        raise RunFileError(f"{file} has {heads:,} attention heads; allowed are up to {MOST_HEADS}.")
    sizes = {"layer": len(layers), **SHAPES, "head": heads, "scalar": MOST_SCALARS}
    of_heads = {"head": [*range(heads)]} if heads else {}
    bins = {dim: size for dim, size in SHAPES.items() if dim in labels and len(labels[dim]) == size}
    own = labels.get("scalar")
    named = isinstance(own, list) and len(own) == MOST_SCALARS and all(isinstance(one, str) for one in own)
    scalars = {"scalar": [one[:LONGEST] for one in own]} if isinstance(own, list) and named else {}
    known = _known(declared, ({*SHAPES} & {*labels} - {*bins}) | ({"scalar"} - {*scalars}))
    labels = {"layer": layers} | of_heads | scalars | {dim: _numbers(labels[dim], size) for dim, size in bins.items()}
    left_out: set[str] = set()

    def batches() -> Iterator[_ReadBatch]:
        for (data,) in connection.execute("SELECT data FROM batches WHERE run_id = ? ORDER BY id", (run_id,)):
            if not isinstance(data, bytes):
                raise RunFileError(f"{file} has records that are no bytes.")
            room.take(len(data), file)
            yield _batch(data, known, sizes, left_out, file)

    return _ReadRun(
        WatchedScript(config),
        str(name),
        Progress(_count(step), 0, _amount(seconds), _amount(instrument)),
        labels,
        {key: facts[key] for key in FACTS if key in facts},
        batches(),
        left_out,
        status if status in ENDED else "interrupted",
        str(message)[:MOST_MESSAGE],
    )


def _look_through(run: _ReadRun, file: str) -> None:
    """Read all of a run, and refuse it where it would take too much in memory.

    A file may ask for thousands of times its own size: a row that one step has is made for all steps.
    """
    steps: dict[str, int] = {}
    rows: dict[str, int] = {}
    for batch in run.batches:
        records = batch.stacked()
        rows |= row_bytes(records)
        for dim, own in steps_along(DIMS, records).items():
            steps[dim] = steps.get(dim, 0) + len(own)
    need = sum(steps[DIMS[name][0]] * size for name, size in rows.items())
    if need > MOST_BYTES:
        allowed = f"allowed are up to {gigabytes(MOST_BYTES)}"
        raise RunFileError(f"{file} has a run whose numbers would take {gigabytes(need)} of memory; {allowed}.")


def _known(declared: Mapping[str, Any], strange: set[str]) -> set[str]:
    """The variables that this goldviz knows along the dimensions that the file says, none of which is strange.

    Another version may have more variables, or dimensions and bins of its own.
    """
    return {
        name
        for name, one in VARIABLES.items()
        if not strange & {*one.dims}
        and not (isinstance(told := declared.get(name), Mapping) and told.get("dims") != [*one.dims])
    }


def _kept(run: _ReadRun, store: Store) -> str:
    """Write a run into the store; nothing stays there of one that cannot be written whole."""
    run_id = store.create(run.script, name=run.name, status="running")
    try:
        store.append(run_id, run.progress, coordinates=run.labels, attributes=run.facts)
        for batch in run.batches:
            store.append(run_id, run.progress, batch=batch)
        left_out = {LEFT_OUT: sorted(run.left_out)[:MOST_LEFT_OUT]}
        store.append(run_id, run.progress, attributes=left_out, status=run.status, message=run.message)
    except BaseException:
        with suppress(StoreError):
            store.delete([run_id])
        raise
    return run_id


FACTS = ("layers", "model", "optimiser", "command", "commit", "torch", VERSION, "watched", "intervals", "tried")
"""What a run says beside its numbers."""


def _batch(data: bytes, known: set[str], sizes: Mapping[str, int], left_out: set[str], file: str) -> _ReadBatch:
    """Records of some steps, each of the shape and kind that its variable has; what is unknown is added to those left
    out."""
    batch = _ReadBatch(0)
    for name, (steps, values) in batch_from_bytes(data).items():
        if name not in known:
            if len(left_out) < MOST_LEFT_OUT:
                left_out.add(name[:60])
            continue
        shape = tuple(sizes[dim] for dim in VARIABLES[name].dims[1:])
        fits = values.shape == (len(steps), *shape) and values.dtype == np.float32 and steps.dtype == np.int64
        if not fits or steps.ndim != 1 or (np.diff(steps) <= 0).any() or ((steps < 1) | (steps > LAST_STEP)).any():
            raise RunFileError(f"{file} holds records of {name} that do not fit their layers and steps.")
        if len(steps):
            batch.steps_of[name], batch.values[name] = steps, [values]
            batch.last_step = max(batch.last_step, int(steps[-1]))
    return batch


def _object(text: Any) -> dict[str, Any]:
    if not isinstance(text, str) or len(text) > MOST_FACTS or sum(map(text.count, "[{,:")) > MOST_PARTS:
        raise ValueError(f"its facts are no text of up to 4 MB and {MOST_PARTS:,} values")
    told = json.loads(text, parse_constant=_finite, parse_float=_finite)
    if not isinstance(told, dict):
        raise ValueError("its facts are no object")
    return told


def _finite(number: str) -> float | None:
    """A number, or nothing for one that is not finite, which no database but SQLite keeps among a run's facts."""
    return value if math.isfinite(value := float(number)) else None


def _numbers(values: Any, size: int) -> list[float]:
    numbers = [float(value) for value in values]
    if len(numbers) != size or not all(map(math.isfinite, numbers)):
        raise ValueError(f"its bins are not {size} numbers")
    return numbers


def _count(value: Any) -> int:
    if not isinstance(value, int) or not 0 <= value <= LAST_STEP:
        raise ValueError(f"its step is none from 0 to {LAST_STEP:,}")
    return value


def _amount(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and 0 <= value < 1e12 else 0.0
