"""Databases that cannot be used, made for real."""

import sqlite3
from pathlib import Path

from goldviz.runs.store.migrations import SCHEMA_VERSION
from goldviz.runs.store.run_store import Store
from goldviz.ui.serving import services


def a_folder(file: Path) -> None:
    """A folder stands in the file's place."""
    services.close()
    file.unlink(missing_ok=True)
    file.mkdir()


def a_later_version(file: Path) -> None:
    """A later goldviz has written the file."""
    services.close()
    Store(f"sqlite:///{file}").close()
    connection = sqlite3.connect(file)
    connection.execute("UPDATE schema_version SET version = ?", (SCHEMA_VERSION + 1,))
    connection.commit()
    connection.close()


def another_file(file: Path) -> None:
    """The file is something else."""
    services.close()
    file.write_bytes(b"This is no database at all. " * 100)


FAULTS = {
    a_folder: "The database {file} cannot be opened: check that its folder exists and can be written.",
    a_later_version: "The database {file} was written by a later goldviz",
    another_file: "The file {file} is not a goldviz database.",
}
