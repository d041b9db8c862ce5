"""The database: its tables, how it is opened, and what it says when it cannot be."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import platformdirs
from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    func,
    insert,
    inspect,
    make_url,
    select,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from goldviz.runs.migrations import SCHEMA_VERSION, migrate

UPDATE_LOCK = 716_118
"""The number of the lock under which processes create or update the tables on PostgreSQL, one at a time."""

metadata = MetaData()

schema_version = Table("schema_version", metadata, Column("version", Integer, nullable=False))

runs = Table(
    "runs",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("experiment", String(64), nullable=False),
    Column("name", String(200), nullable=False),
    Column("settings", Text, nullable=False),
    Column("settings_version", Integer, nullable=False, server_default="1"),
    Column("variables", JSON, nullable=False),
    Column("coordinates", JSON, nullable=False),
    Column("attributes", JSON, nullable=False),
    Column("changes", JSON, nullable=False),
    Column("status", String(16), nullable=False),
    Column("message", Text, nullable=False),
    Column("created", Float, nullable=False),
    Column("heartbeat", Float, nullable=False),
    Column("step", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("instrument_seconds", Float, nullable=False),
    Column("version", Integer, nullable=False),
    Column("lease", String(16), nullable=False),
    Column("parent", String(16)),
    Column("parent_step", Integer),
    Index("runs_by_creation", "created"),
    Index("runs_by_status", "status"),
)


def _of_run(*columns: Column[Any], name: str) -> Table:
    owner: Column[Any] = Column("run_id", String(16), ForeignKey("runs.id", ondelete="CASCADE"), nullable=False)
    index = Index(f"{name}_by_run", "run_id")
    # Readers ask for what came after the last id they saw, so an id is never given twice.
    return Table(
        name, metadata, Column("id", Integer, primary_key=True), owner, *columns, index, sqlite_autoincrement=True
    )


batches = _of_run(
    Column("last_step", Integer, nullable=False), Column("data", LargeBinary, nullable=False), name="batches"
)
finals = _of_run(
    Column("variable", String(64), nullable=False), Column("data", LargeBinary, nullable=False), name="finals"
)
states = _of_run(
    Column("step", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
    name="states",
)
marks = _of_run(
    Column("step", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("changes", JSON, nullable=False),
    name="marks",
)
orders = _of_run(Column("kind", String(16), nullable=False), Column("changes", JSON, nullable=False), name="orders")


class StoreError(RuntimeError):
    """The database cannot do what was asked of it; the message is a sentence for a person."""


class StoreBusyError(StoreError):
    """The database is locked by another program just now."""


def default_url() -> str:
    """``GOLDVIZ_DATABASE_URL``, or a SQLite file in the user's data folder."""
    given = os.environ.get("GOLDVIZ_DATABASE_URL", "").strip()
    if given:
        return settled(given)
    return f"sqlite:///{Path(platformdirs.user_data_dir('goldviz', appauthor=False)) / 'runs.sqlite'}"


def settled(url: str) -> str:
    """An address that means the same in every process: a SQLite file by its whole path, PostgreSQL with its driver.

    Raises :class:`StoreError` for an address that several processes cannot share, or that is none.

    >>> settled("postgresql://host/goldviz")
    'postgresql+psycopg://host/goldviz'
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StoreError(
            "GOLDVIZ_DATABASE_URL is not a database address; allowed are, for example, "
            "sqlite:////home/me/runs.sqlite and postgresql://user:password@host/goldviz."
        ) from None
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername.startswith("sqlite"):
        if not parsed.database or ":memory:" in parsed.database or parsed.database.startswith("file:"):
            raise StoreError(
                f"The database address {url} names no file; allowed is, for example, sqlite:////home/me/runs.sqlite."
            )
        parsed = parsed.set(database=str(Path(parsed.database).expanduser().absolute()))
    return parsed.render_as_string(hide_password=False)


def shown(url: str) -> str:
    """A database's address without its password.

    >>> shown("postgresql://teacher:secret@host/goldviz")
    'postgresql://teacher:***@host/goldviz'
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        return "GOLDVIZ_DATABASE_URL"
    if parsed.drivername.startswith("sqlite"):
        return parsed.database or "in memory"
    return parsed.render_as_string(hide_password=True)


def open_engine(url: str) -> Engine:
    """Connect, create the tables where there are none, update those of an earlier version, and refuse a later one.

    Raises :class:`StoreError` with one sentence where that fails.
    """
    with sentences(url):
        parsed = make_url(url)
        sqlite = parsed.drivername.startswith("sqlite")
        if sqlite and parsed.database:
            try:
                Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                reason = error.strerror or str(error)
                raise StoreError(f"The folder of the database {parsed.database} cannot be made: {reason}.") from None
        options: dict[str, Any] = (
            {"poolclass": NullPool, "connect_args": {"timeout": 5}} if sqlite else {"pool_pre_ping": True}
        )
        engine = create_engine(parsed, **options)
        if sqlite:
            event.listen(engine, "connect", _prepare_sqlite)
        _create_or_update(engine, url)
        return engine


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.close()


def _create_or_update(engine: Engine, url: str) -> None:
    with engine.connect() as connection:
        version = _version(connection, url)
    if version == SCHEMA_VERSION:
        return
    if version is None and engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            # Readers and the writer do not wait for one another; the mode stays with the file.
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
    with engine.begin() as connection:
        _lock(connection)
        # Another process may have been faster.
        version = _version(connection, url)
        if version is None:
            metadata.create_all(connection)
            connection.execute(insert(schema_version).values(version=SCHEMA_VERSION))
        elif version < SCHEMA_VERSION:
            _update(connection, url, version)


def _update(connection: Connection, url: str, version: int) -> None:
    try:
        migrate(connection, version)
    except DBAPIError as error:
        raise StoreError(
            f"The database {shown(url)} could not be updated from schema {version} and stays as it was: "
            f"{' '.join(str(error.orig).split())}."
        ) from error


def _lock(connection: Connection) -> None:
    """Hold every other process that creates or updates the tables until this transaction ends."""
    if connection.dialect.name == "sqlite":
        # Python's driver would commit each table by itself, and another process would see half of them.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    elif connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(UPDATE_LOCK)))


def _version(connection: Connection, url: str) -> int | None:
    """The version of the tables, or None where there are none; raises :class:`StoreError` for a later one."""
    if not inspect(connection).has_table("schema_version"):
        return None
    found = connection.execute(select(schema_version.c.version)).scalar()
    if found is None or found > SCHEMA_VERSION:
        raise StoreError(
            f"The database {shown(url)} was written by a later goldviz (its schema is {found}, this one knows "
            f"{SCHEMA_VERSION}). Update goldviz, or name another database in GOLDVIZ_DATABASE_URL."
        )
    return int(found)


@contextmanager
def sentences(url: str) -> Iterator[None]:
    """Turn a database's own errors into :class:`StoreError` sentences."""
    try:
        yield
    except DBAPIError as error:
        reason = str(error.orig)
        raise (StoreBusyError if "locked" in reason else StoreError)(_sentence(reason, url)) from error
    except ImportError as error:
        raise StoreError(
            f"The database {shown(url)} needs a driver that is not installed ({error}); "
            'for PostgreSQL: pip install "goldviz[postgresql]".'
        ) from error
    except SQLAlchemyError as error:
        raise StoreError(f"The database address {shown(url)} cannot be used: {error}.") from error


def _sentence(reason: str, url: str) -> str:
    where = shown(url)
    causes = {
        "locked": f"The database {where} is locked by another program; close that program or wait, then try again.",
        "readonly": f"The database {where} cannot be written: it is read-only.",
        "unable to open": f"The database {where} cannot be opened: check that its folder exists and can be written.",
        "not a database": f"The file {where} is not a goldviz database.",
        "disk is full": f"The database {where} cannot be written: the disk is full.",
    }
    for sign, sentence in causes.items():
        if sign in reason:
            return sentence
    return f"The database {where} reports: {' '.join(reason.split())}."
