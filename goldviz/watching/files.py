"""Files of watched runs: what a machine without a server wrote is brought into this machine's store.

Such a file is a store of its own, with the tables of any other. It may come from anybody, so it is only read, no view
and no trigger of it is run, and every value is checked before it is written here.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from safetensors import SafetensorError

from goldviz.runs.recorder import Batch, Progress
from goldviz.runs.store.arrays import batch_from_bytes
from goldviz.runs.store.migrations import SCHEMA_VERSION
from goldviz.runs.store.run_store import Store
from goldviz.watching.declared import VARIABLES, WATCHED, WatchedScript
from goldviz.watching.layers import MOST_HEADS
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
"""Bytes of what a run says beside its numbers."""
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
    if file.stat().st_size > LARGEST_FILE:
        raise RunFileError(f"{name} is larger than 2 GB; allowed is a file of watched runs up to that size.")
    try:
        with _only_read(file) as connection:
            rows = connection.execute(
                "SELECT id, name, settings, variables, coordinates, attributes, status, message, step, seconds, "
                "instrument_seconds FROM runs WHERE experiment = ? ORDER BY created LIMIT ?",
                (WATCHED, MOST_RUNS),
            ).fetchall()
            if not rows:
                raise RunFileError(f"{name} holds no watched run; one is written by goldviz.watch(..., to={name!r}).")
            read = [_read(connection, row, name) for row in rows]
    except RunFileError:
        raise
    except sqlite3.OperationalError as error:
        raise RunFileError(f"{name} {_why_not(file, error)}.") from error
    except (sqlite3.Error, SafetensorError, ValueError, TypeError, KeyError, ArithmeticError, RecursionError) as error:
        reason = " ".join(str(error).split())[:120]
        raise RunFileError(f"{name} cannot be read as a file of watched runs: {reason}.") from error
    return [_kept(run, store) for run in read]


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
        tables = dict(connection.execute("SELECT name, type FROM sqlite_master WHERE name IN ('runs', 'batches')"))
        columns = "SELECT count(*) FROM sqlite_master AS one, pragma_table_xinfo(one.name) AS had WHERE had.hidden"
        computed = connection.execute(columns).fetchone()[0]
        # A column that is computed, and a table that is one in name alone, take what their formula says.
        if tables != {"runs": "table", "batches": "table"} or computed:
            raise RunFileError(f"{file.name} is no file of watched runs; allowed is what goldviz.watch wrote.")
        yield connection


@dataclass(frozen=True)
class _ReadRun:
    """A run as it stood in a file, checked."""

    script: WatchedScript
    name: str
    progress: Progress
    labels: Mapping[str, Any]
    facts: Mapping[str, Any]
    batches: Sequence[Batch]
    status: str
    message: str


def _read(connection: sqlite3.Connection, row: tuple[Any, ...], file: str) -> _ReadRun:
    run_id, name, settings, variables, coordinates, attributes, status, message, step, seconds, instrument = row
    config, declared, labels, facts = map(_object, (settings, variables, coordinates, attributes))
    layers = labels.get("layer")
    if not isinstance(layers, list) or len(layers) > MOST_LAYERS or not all(isinstance(one, str) for one in layers):
        raise RunFileError(f"{file} does not name its layers by up to {MOST_LAYERS:,} texts.")
    sizes = {"layer": len(layers), **SHAPES}
    heads = len(_numbers(labels["head"], len(labels["head"]))) if "head" in labels else 0
    if heads > MOST_HEADS:
        raise RunFileError(f"{file} has {heads:,} attention heads; allowed are up to {MOST_HEADS}.")
    sizes["head"] = heads
    of_heads = {"head": [*range(heads)]} if heads else {}
    bins = {dim: size for dim, size in SHAPES.items() if dim in labels and len(labels[dim]) == size}
    known = _known(declared, {*SHAPES} & {*labels} - {*bins})
    labels = {"layer": layers} | of_heads | {dim: _numbers(labels[dim], size) for dim, size in bins.items()}
    left_out: set[str] = set()
    progress = Progress(_count(step), 0, _amount(seconds), _amount(instrument))
    batches = [_batch(data, known, sizes, left_out, file) for (data,) in connection.execute(
        "SELECT data FROM batches WHERE run_id = ? ORDER BY id", (run_id,)
    )]  # fmt: skip
    kept_facts = {key: facts[key] for key in FACTS if key in facts} | {LEFT_OUT: sorted(left_out)[:MOST_LEFT_OUT]}
    over = status if status in ENDED else "interrupted"
    return _ReadRun(WatchedScript(config), str(name), progress, labels, kept_facts, batches, over, str(message)[:500])


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
    run_id = store.create(run.script, name=run.name, status="running")
    store.append(run_id, run.progress, coordinates=run.labels, attributes=run.facts)
    for batch in run.batches:
        store.append(run_id, run.progress, batch=batch)
    store.append(run_id, run.progress, status=run.status, message=run.message)
    return run_id


FACTS = (
    "layers",
    "model",
    "optimiser",
    "command",
    "commit",
    "torch",
    VERSION,
    "watched",
    "intervals",
    "tried",
)
"""What a run says beside its numbers."""


def _batch(data: Any, known: set[str], sizes: Mapping[str, int], left_out: set[str], file: str) -> Batch:
    """Records of some steps, each of the shape and kind that its variable has; what is unknown is added to those left
    out."""
    batch = Batch(0)
    for name, (steps, values) in batch_from_bytes(bytes(data)).items():
        if name not in known:
            left_out.add(name[:60])
            continue
        shape = tuple(sizes[dim] for dim in VARIABLES[name].dims[1:])
        fits = values.shape == (len(steps), *shape) and values.dtype == np.float32 and steps.dtype == np.int64
        if not fits or (np.diff(steps) <= 0).any() or (steps < 1).any():
            raise RunFileError(f"{file} holds records of {name} that do not fit their layers and steps.")
        for step, value in zip(steps.tolist(), values, strict=True):
            batch.add(name, step, value)
        batch.last_step = max(batch.last_step, int(steps[-1]) if len(steps) else 0)
    return batch


def _object(text: Any) -> dict[str, Any]:
    if not isinstance(text, str | bytes) or len(text) > MOST_FACTS:
        raise ValueError("its facts are no text of up to 4 MB")
    told = json.loads(text)
    if not isinstance(told, dict):
        raise ValueError("its facts are no object")
    return told


def _numbers(values: Any, size: int) -> list[float]:
    numbers = [float(value) for value in values]
    if len(numbers) != size or not all(map(math.isfinite, numbers)):
        raise ValueError(f"its bins are not {size} numbers")
    return numbers


def _count(value: Any) -> int:
    return value if isinstance(value, int) and 0 <= value < 2**40 else 0


def _amount(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and 0 <= value < 1e12 else 0.0
