"""Rescue: every run of a damaged SQLite file that can be read goes into a new file in its place."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from safetensors import SafetensorError

from goldviz.runs.store import arrays
from goldviz.runs.store.run_store import Store
from goldviz.runs.store.schema import SET_ASIDE, StoreError, default_url, file_of, metadata, settled, shown

NEW = ".rescued"
BESIDE = ("", "-wal", "-shm")
"""SQLite's files of one database."""
NEUTRAL: Mapping[str, Any] = {
    "name": "",
    "settings_version": 1,
    "variables": "{}",
    "coordinates": "{}",
    "attributes": "{}",
    "changes": "{}",
    "status": "interrupted",
    "message": "Rescued from a damaged database.",
    "created": 0.0,
    "heartbeat": 0.0,
    "step": 0,
    "total": 0,
    "seconds": 0.0,
    "instrument_seconds": 0.0,
    "version": 0,
    "lease": "",
}
"""What stands in a run's row where a column was lost."""
TABLES = ("runs", "batches", "finals", "states", "marks")
"""What is saved, a run before what belongs to it."""
UNREADABLE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What reading damaged pages raises; the second where SQLite's message quotes bytes that are no text."""
FARTHEST = 2**40
"""No table has more rows than that."""


@dataclass(frozen=True)
class Rescued:
    """How many runs and rows of records were saved, how many rows were not, and where the old file is."""

    runs: int
    rows: int
    lost: int
    aside: Path


def rescue(url: str | None = None) -> Rescued:
    """Make a new file of what can be read of a database, and set the old one aside.

    Raises :class:`goldviz.runs.store.schema.StoreError` where there is no file, where it is in use, or where nothing in
    it can be read; then all stays as it was.
    """
    address = settled(url) if url else default_url()
    file = file_of(address)
    if file is None:
        raise StoreError(f"The database {shown(address)} is no file: restore it with its own tools.")
    if not file.is_file():
        raise StoreError(f"There is no file {file} to rescue runs from.")
    aside, fresh = _free(file, SET_ASIDE), _free(file, NEW)
    try:
        with closing(_opened(file)) as old:
            Store(f"sqlite:///{fresh}").close()
            with closing(sqlite3.connect(fresh)) as new:
                runs, rows, lost_rows = _copied(old, new)
        if not runs:
            raise StoreError(f"Nothing in {file} can be read; it stays as it was. Name another file to begin anew.")
        for ending in BESIDE:
            with suppress(FileNotFoundError):
                os.rename(f"{file}{ending}", f"{aside}{ending}")
        os.rename(fresh, file)
    except (OSError, sqlite3.DatabaseError) as error:
        raise StoreError(f"The runs of {file} could not be rescued: {' '.join(str(error).split())}.") from error
    finally:
        for ending in BESIDE:
            Path(f"{fresh}{ending}").unlink(missing_ok=True)
    return Rescued(runs, rows, lost_rows, aside)


def _free(file: Path, ending: str) -> Path:
    """A name beside the file that nothing has yet."""
    names = (Path(f"{file}{ending}{'' if number == 1 else f'-{number}'}") for number in range(1, 10_000))
    return next(name for name in names if not name.exists())


def _opened(file: Path) -> sqlite3.Connection:
    old = sqlite3.connect(f"file:{quote(str(file))}?mode=rw", uri=True, isolation_level=None, timeout=1)
    old.row_factory = sqlite3.Row
    old.text_factory = lambda text: text.decode(errors="replace")
    # So one table whose description is damaged does not keep the others from being read.
    with suppress(*UNREADABLE):
        old.execute("PRAGMA writable_schema = ON")
    try:
        old.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            old.close()
            raise StoreError(f"The database {file} is in use: stop goldviz first.") from None
    except UNREADABLE:
        pass  # so damaged that it cannot be locked; reading may still give something
    return old


def _copied(old: sqlite3.Connection, new: sqlite3.Connection) -> tuple[int, int, int]:
    run_ids: set[str] = set()
    rows = lost_rows = 0
    for table in TABLES:
        columns = [column.name for column in metadata.tables[table].columns if column.name != "id" or table == "runs"]
        marks = ", ".join(f":{column}" for column in columns)
        into = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608 - our own tables' names
        count = 0
        for row in _rows(old, table):
            count += 1
            values = {column: row.get(column, NEUTRAL.get(column)) for column in columns}
            if not (_useful(table, values, run_ids) and _taken(new, into, values)):
                lost_rows += 1
            elif table == "runs":
                run_ids.add(str(values["id"]))
            else:
                rows += 1
        lost_rows += max(0, _count(old, table) - count)
    new.commit()
    return len(run_ids), rows, lost_rows


def _taken(new: sqlite3.Connection, into: str, values: Mapping[str, Any]) -> bool:
    try:
        new.execute(into, values)
    except sqlite3.IntegrityError:
        return False
    return True


def _useful(table: str, values: Mapping[str, Any], run_ids: set[str]) -> bool:
    """Whether a row belongs to a run that was saved, and its bytes are what they should be."""
    if table == "runs":
        return isinstance(values["id"], str) and isinstance(values["experiment"], str)
    if values["run_id"] not in run_ids:
        return False
    if table not in ("batches", "finals"):
        return True
    try:
        (arrays.batch_from_bytes if table == "batches" else arrays.array_from_bytes)(values["data"])
    except (KeyError, TypeError, ValueError, SafetensorError):
        return False
    return True


def _rows(old: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    """A table's rows in their order; those on a damaged page are stepped over, in steps that grow until one reads."""
    start, step = 0, 1
    query = f"SELECT rowid AS place, {_stored(old, table)} FROM {table} NOT INDEXED WHERE rowid >= ? ORDER BY rowid"  # noqa: S608
    while step < FARTHEST:
        try:
            for row in old.execute(query, (start,)):
                values = dict(row)
                start, step = values.pop("place") + 1, 1
                yield values
        except UNREADABLE:
            start, step = start + step, 2 * step
        else:
            return


def _stored(old: sqlite3.Connection, table: str) -> str:
    """A table's columns that stand in the file; all, where its description is damaged."""
    with suppress(*UNREADABLE):
        stored = old.execute("SELECT name FROM pragma_table_xinfo(?) WHERE NOT hidden", (table,))
        names = {name for (name,) in stored} & {column.name for column in metadata.tables[table].columns}
        return ", ".join(sorted(names)) or "*"
    return "*"


def _count(old: sqlite3.Connection, table: str) -> int:
    """How many rows a table should have; 0 where nobody knows any more."""
    with suppress(*UNREADABLE):
        return int(old.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608
    return 0
