"""What other programs, people and disks do to a database, done for real to a SQLite file."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from goldviz.runs.recorder import Batch, Progress
from goldviz.runs.store.run_store import Store
from tests.runs.toy import Toy

Change = Callable[[Path, str], None]


def told(file: Path, *statements: str, **values: Any) -> None:
    """Carry SQL out as another program would, with nothing checked."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("pragma ignore_check_constraints = on")
        for statement in statements:
            connection.execute(statement, values)


def row(**values: Any) -> Change:
    """Other values in the row of a run."""

    def change(file: Path, run_id: str) -> None:
        columns = ", ".join(f"{name} = :{name}" for name in values)
        told(file, f"update runs set {columns} where id = :id", **values, id=run_id)

    return change


def content(table: str, **values: Any) -> Change:
    """Other values in what was kept of a run."""

    def change(file: Path, run_id: str) -> None:
        columns = ", ".join(f"{name} = :{name}" for name in values)
        told(file, f"update {table} set {columns} where run_id = :id", **values, id=run_id)

    return change


def records(**tensors: np.ndarray) -> Change:
    """Records that are sound as a file and make no sense for the run; each with the step that it is of."""
    steps = {f"{name}@steps": np.ones(1, np.int64) for name in tensors}
    return content("batches", data=save(tensors | steps))


ROWS: dict[str, Change] = {
    "a state that nobody knows": row(status="dancing <b>x</b>"),
    "a step that is a word": row(step="many"),
    "a negative total": row(total=-4),
    "a time that is no number": row(seconds="long"),
    "a moment that is none": row(created="yesterday"),
    "a moment that no calendar has": row(created=1e300),
    "a name that is no text": row(name=b"\xff\x00\xfe"),
    "attributes that are no JSON": row(attributes="{no json"),
    "attributes that are a list": row(attributes="[1]"),
    "changes that are no JSON": row(changes="no json"),
    "a message that is a number": row(message=b"\x00"),
}
"""Rows that are listed as unclear."""

READ: dict[str, Change] = {
    "a name that is not UTF-8": lambda file, run_id: told(
        file, "update runs set name = cast(x'fffe41' as text) where id = :id", id=run_id
    ),
    "a very long name": row(name="x" * 100_000),
    "no version of its settings": row(settings_version="none"),
    "version 0 of its settings": row(settings_version=0),
    "settings that are no JSON": row(settings="no json"),
    "settings nested beyond measure": row(settings="[" * 100_000),
    "a laboratory that there is not": row(experiment="<i>none</i>"),
    "facts of another kind": row(attributes='{"data_labels": 5, "took": "long", "step_dimension": null}'),
    "a step beyond all": row(step=2**62, total=1),
}
"""Rows that are listed as they are."""

RECORDS: dict[str, Change] = {
    "variables that are no JSON": row(variables="no json"),
    "variables that are a list": row(variables="[]"),
    "a variable without dimensions": row(variables='{"norm": 5}'),
    "a variable without words": row(variables='{"norm": {"dims": ["epoch"]}}'),
    "coordinates that are no JSON": row(coordinates="{"),
    "records that are empty": content("batches", data=b""),
    "records that are noise": content("batches", data=bytes(range(256)) * 4),
    "records that say they are endless": content("batches", data=b"\xff" * 64),
    "records that are a text": content("batches", data="what was here?"),
    "records without their steps": content("batches", data=save({"norm": np.ones((1, 2), np.float32)})),
    "records of an unknown variable": records(x=np.ones(1)),
    "values beyond their dimensions": records(norm=np.ones((1, 2, 3, 4), np.float32)),
    "a last value that is noise": content("finals", data=b"noise"),
    "a last value of an unknown variable": content("finals", variable="nobody"),
    "a change of settings that is no JSON": content("marks", changes="no json"),
}
"""Records that cannot be read."""


def noise(file: Path) -> None:
    """A disk that has lost pages: all but the first is noise."""
    told(file, "pragma wal_checkpoint(truncate)")
    size = file.stat().st_size
    with file.open("r+b") as written:
        written.seek(4096)
        written.write(b"\xa5" * (size - 4096))


def lost_pages(file: Path) -> None:
    """A disk that has lost the pages of the records' index alone."""
    told(file, "pragma wal_checkpoint(truncate)")
    with closing(sqlite3.connect(file)) as connection:
        [page] = connection.execute("select rootpage from sqlite_master where name = 'batches_by_run'").fetchone()
    with file.open("r+b") as written:
        written.seek((page - 1) * 4096)
        written.write(b"\xa5" * 4096)


FILES: dict[str, tuple[Callable[[Path], None], str]] = {
    "no version": (lambda file: told(file, "delete from schema_version"), "it says no version of its tables"),
    "version 0": (
        lambda file: told(file, "update schema_version set version = 0"),
        "the version of its tables is 0",
    ),
    "a version that is a word": (
        lambda file: told(file, "update schema_version set version = 'two'"),
        "the version of its tables is 'two'",
    ),
    "a missing column": (lambda file: told(file, "alter table runs drop column message"), "no such column"),
    "a missing table": (lambda file: told(file, "drop table batches"), "no such table"),
    "noise": (noise, "is damaged"),
    "a column that is computed": (
        lambda file: told(file, "alter table batches add column more as (hex(zeroblob(400000000)))"),
        "batches is computed",
    ),
    "a table that is a view": (
        lambda file: told(file, "alter table marks rename to own", "create view marks as select * from own"),
        "marks is computed",
    ),
    "a table with a trigger": (
        lambda file: told(file, "create trigger more after insert on runs begin delete from batches; end"),
        "more is computed",
    ),
}
"""What makes a whole database useless, and what is said of it."""


def trained(store: Store, name: str = "", variable: str = "norm") -> str:
    """A run with records, a last value, a change of settings and a kept state."""
    run_id = store.create(Toy(epochs=4), name=name)
    for step in (1, 2):
        batch = Batch(step)
        batch.add(variable, step, np.array([step], np.float32))
        marked = [{"step": 1, "text": "changed", "changes": {"drift": 0.5}}] if step == 1 else []
        once = {"end": np.zeros(1, np.float32)} if step == 2 else {}
        store.append(
            run_id,
            Progress(step, 4, float(step), 0.0),
            batch=batch,
            once=once,
            new_marks=marked,
            checkpoint=(step, b"state"),
            coordinates={"seed": [0]},
            status="finished",
        )
    return run_id
