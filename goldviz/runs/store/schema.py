"""The database: its tables, how it is opened, and what it says when it cannot be."""

from __future__ import annotations

import json
import logging
import os
import secrets
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import platformdirs
from sqlalchemy import (
    JSON,
    URL,
    Column,
    Connection,
    Dialect,
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
    TypeDecorator,
    create_engine,
    event,
    func,
    insert,
    inspect,
    make_url,
    select,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

from goldviz.data.tables.private_files import closed_to_others, private_file, private_folder
from goldviz.runs.store.migrations import SCHEMA_VERSION, migrate

UPDATE_LOCK = 716_118
"""The number of the lock under which processes create or update the tables on PostgreSQL, one at a time."""

LOCK_SECONDS = 5.0
"""How long SQLite waits by itself where another program holds the database."""
PAUSES = (0.05, 0.1, 0.2)
"""Seconds before a new file is tried again. SQLite refuses at once, and waits for nobody, where two processes make one
file and turn it to its write-ahead log at the same moment."""
BIRTHMARK = "birthmark"
"""Under which a connection's information has its database's number: a file that takes another's place has another."""
LEAST_FREE = 2**20
"""Bytes: a disk with less room fails in many words, and is full."""
LONGEST_JSON = 16 * 2**20
"""Characters of one column; its values take up to thirty times as many bytes."""
SET_ASIDE = ".damaged"
"""Behind a file's name: a damaged one out of which runs were rescued."""

log = logging.getLogger(__name__)


class Words(TypeDecorator[str]):
    """A text that any program may have put together, as an error's: what not every database keeps is replaced.

    No database keeps half a surrogate pair, as in the name of a file that is no UTF-8, and PostgreSQL keeps no NUL. A
    run that fails with such words has ended all the same.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """The text as it is written."""
        return None if value is None else value.replace("\0", "\u2400").encode("utf-8", "replace").decode()


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
    Column("message", Words, nullable=False),
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
checkpoints = _of_run(
    Column("step", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
    name="states",
)
marks = _of_run(
    Column("step", Integer, nullable=False),
    Column("text", Words, nullable=False),
    Column("changes", JSON, nullable=False),
    name="marks",
)
commands = _of_run(Column("kind", String(16), nullable=False), Column("changes", JSON, nullable=False), name="orders")


class StoreError(RuntimeError):
    """The database cannot do what was asked of it; the message is a sentence for a person."""


class StoreBusyError(StoreError):
    """The database is locked by another program just now."""


class StoreFullError(StoreError):
    """The disk of the database is full."""


def from_json(text: str | bytes) -> Any:
    """What a JSON column holds; the text itself where it is no JSON, which no reader takes for an object.

    A text whose values would take very much memory is none either.
    """
    if len(text) > LONGEST_JSON:
        return f"{len(text):,} characters"
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return str(text)


def default_url() -> str:
    """``GOLDVIZ_DATABASE_URL``, or a SQLite file in the user's data folder."""
    address = os.environ.get("GOLDVIZ_DATABASE_URL", "").strip()
    if address:
        return settled(address)
    return f"sqlite:///{Path(platformdirs.user_data_dir('goldviz', appauthor=False)) / 'runs.sqlite'}"


def settled(url: str) -> str:
    """An address that means the same in every process: a SQLite file by its whole path, PostgreSQL with its driver.

    Raises :class:`StoreError` for an address that several processes cannot share, or that is none.

    >>> settled("postgresql://host/goldviz")
    'postgresql+psycopg://host/goldviz'
    """
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        raise StoreError(
            "GOLDVIZ_DATABASE_URL is not a database address; allowed are, for example, "
            "sqlite:////home/me/runs.sqlite and postgresql://user:password@host/goldviz."
        ) from None
    if address.drivername == "postgresql":
        address = address.set(drivername="postgresql+psycopg")
    if address.drivername.startswith("sqlite"):
        if not address.database or ":memory:" in address.database or address.database.startswith("file:"):
            raise StoreError(
                f"The database address {url} names no file; allowed is, for example, sqlite:////home/me/runs.sqlite."
            )
        address = address.set(database=str(Path(address.database).expanduser().absolute()))
    try:
        return address.render_as_string(hide_password=False)
    except UnicodeError:
        raise StoreError("The database address holds characters that no address has.") from None


def shown(url: str) -> str:
    """A database's address without its password.

    >>> shown("postgresql://teacher:secret@host/goldviz")
    'postgresql://teacher:***@host/goldviz'
    """
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        return "GOLDVIZ_DATABASE_URL"
    if address.drivername.startswith("sqlite"):
        return address.database or "in memory"
    return address.render_as_string(hide_password=True)


def file_of(url: str) -> Path | None:
    """The file of a SQLite database; None for any other."""
    address = make_url(url)
    return Path(address.database) if address.drivername.startswith("sqlite") and address.database else None


def files_of(file: Path) -> list[Path]:
    """All that SQLite keeps of one database, and what a rescue has set aside of it."""
    beside = [Path(f"{file}{ending}") for ending in ("-wal", "-shm", "-journal")]
    return [file, *beside, *file.parent.glob(f"{escape(file.name + SET_ASIDE)}*")]


def open_engine(url: str) -> Engine:
    """Connect, create the tables where there are none, update those of an earlier version, and refuse a later one.

    A SQLite file that cannot be written is opened for reading. Raises :class:`StoreError` with one sentence where that
    fails.
    """
    with sentences(url):
        try:
            engine = _engine(url)
            _create_or_update(engine, url)
        except UnicodeError:
            raise
        except (TypeError, ValueError) as error:
            # What stands behind the question mark of an address goes to the driver as it is.
            raise _unusable(url, error) from error
        return engine


def _engine(url: str) -> Engine:
    file = file_of(url)
    if file is None:
        return create_engine(url, pool_pre_ping=True, json_deserializer=from_json)
    _make_folder(file)
    address = _for_reading(file) if reads_only(file) else make_url(url)
    options: dict[str, Any] = {"poolclass": NullPool, "connect_args": {"timeout": LOCK_SECONDS}}
    engine = create_engine(address, json_deserializer=from_json, **options)
    event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _make_folder(file: Path) -> None:
    try:
        private_folder(file.parent)
        there = file.is_file()  # a name that is too long is told here
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or str(error)
        raise StoreError(f"The folder of the database {str(file)[:200]} cannot be made: {reason}.") from None
    if not there:
        # SQLite's other files get the rights of this one. Where it cannot be made, SQLite says why.
        with suppress(OSError):
            private_file(file)
    elif is_foreign(file):
        raise StoreError(_sentence("not a database", f"sqlite:///{file}"))
    elif closed_to_others(files_of(file))[0]:
        log.warning("Other accounts of this machine had rights to the database %s; they have none any more.", file)


def is_foreign(file: Path) -> bool:
    """Whether a file is none of goldviz's: no database of SQLite, or one with another program's tables alone.

    What is damaged, held by another program or cannot be opened may be goldviz's.
    """
    # SQLite itself looks: to close a file that is opened besides would give up the locks of this process.
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)) as probe:
            names = {name for (name,) in probe.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB"
    return bool(names) and names.isdisjoint(metadata.tables)


def reads_only(file: Path) -> bool:
    """Whether a SQLite file is there that can be read and not written, as on a disk that is mounted read-only."""
    writable = all(os.access(one, os.W_OK) for one in (file, file.parent))
    return not writable and file.is_file() and os.access(file, os.R_OK)


def _for_reading(file: Path) -> URL:
    """An address that reads a file alone. Where readers cannot even lay down that they read, nobody else writes."""
    ways = ({"mode": "ro", "uri": "true"}, {"mode": "ro", "immutable": "1", "uri": "true"})
    addresses = [URL.create("sqlite", database=f"file:{quote(str(file))}", query=query) for query in ways]
    address = f"{addresses[0].database}?mode=ro"
    with suppress(sqlite3.OperationalError):
        probe = sqlite3.connect(address, uri=True)
        try:
            probe.execute("SELECT 1 FROM sqlite_master").fetchone()
            return addresses[0]
        finally:
            probe.close()
    return addresses[1]


def _prepare_sqlite(connection: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
    # A text of another program need not be UTF-8.
    connection.text_factory = lambda text: text.decode(errors="replace")
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA synchronous = NORMAL")
    record.info[BIRTHMARK] = cursor.execute("PRAGMA user_version").fetchone()[0]
    cursor.close()


def birthmark(engine: Engine) -> int:
    """The number by which a SQLite database is known again, 0 for any other."""
    with engine.connect() as connection:
        return int(connection.info.get(BIRTHMARK, 0))


def _create_or_update(engine: Engine, url: str) -> None:
    file = file_of(url)
    with engine.connect() as connection:
        if file is not None:
            _check_tables(connection, url)
        version = _version(connection, url)
        is_ours = file is None or connection.info[BIRTHMARK] or reads_only(file)
    if version == SCHEMA_VERSION and is_ours:
        return
    if version is None and file is not None:
        for pause in PAUSES:
            with suppress(OperationalError):
                _write_tables(engine, url)
                return
            time.sleep(pause)
    _write_tables(engine, url)


def _write_tables(engine: Engine, url: str) -> None:
    file = file_of(url)
    with engine.connect() as connection:
        version = _version(connection, url)
    if version is None and file is not None:
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
        if file is not None and not connection.exec_driver_sql("PRAGMA user_version").scalar_one():
            connection.exec_driver_sql(f"PRAGMA user_version = {1 + secrets.randbelow(2**31 - 1)}")


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


def _check_tables(connection: Connection, url: str) -> None:
    """Raise :class:`StoreError` where a table of a SQLite file is one in name alone, or computes what is read of it.

    A few bytes of a formula give as much as they say.
    """
    kinds = connection.exec_driver_sql("SELECT name, tbl_name, type, rootpage FROM sqlite_master").all()
    strange = [one.name for one in kinds if one.tbl_name in metadata.tables and one.type == "trigger"]
    for one in kinds:
        if one.name in metadata.tables:
            hidden = "SELECT count(*) FROM pragma_table_xinfo(?) WHERE hidden"
            plain = one.type == "table" and one.rootpage
            if not plain or connection.exec_driver_sql(hidden, (one.name,)).scalar():
                strange.append(one.name)
    if strange:
        reason = f"{strange[0][:60]} is computed"
        raise StoreError(f"The database {shown(url)} is not as goldviz wrote it: {reason}. {way_out(url)}")


def _version(connection: Connection, url: str) -> int | None:
    """The version of the tables, or None where there are none; raises :class:`StoreError` for a later one."""
    if not inspect(connection).has_table("schema_version"):
        return None
    version = connection.execute(select(schema_version.c.version)).scalar()
    if not isinstance(version, int) or version < 1:
        reason = "it says no version of its tables" if version is None else f"the version of its tables is {version!r}"
        raise StoreError(f"The database {shown(url)} is not as goldviz wrote it: {reason}. {way_out(url)}")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"The database {shown(url)} was written by a later goldviz (its schema is {version}, this one knows "
            f"{SCHEMA_VERSION}). Update goldviz, or name another database in GOLDVIZ_DATABASE_URL."
        )
    return version


def way_out(url: str) -> str:
    """What a person can do about a damaged database, in a sentence."""
    if file_of(url) is None:
        return "Restore it from a backup, or name another database in GOLDVIZ_DATABASE_URL."
    return "Stop goldviz and say 'goldviz rescue': it saves every run that can be read."


@contextmanager
def sentences(url: str) -> Iterator[None]:
    """Turn a database's own errors into :class:`StoreError` sentences."""
    try:
        yield
    except DBAPIError as error:
        raise _fault(str(error.orig), url) from error
    except ImportError as error:
        raise StoreError(
            f"The database {shown(url)} needs a driver that is not installed ({error}); "
            'for PostgreSQL: pip install "goldviz[postgresql]".'
        ) from error
    except UnicodeDecodeError as error:
        # Python's, where SQLite tells of damage by quoting bytes that are no text.
        raise StoreError(_sentence("malformed", url)) from error
    except UnicodeError as error:
        raise StoreError("A text holds characters that no database keeps.") from error
    except SQLAlchemyError as error:
        raise _unusable(url, error) from error


def _unusable(url: str, error: Exception) -> StoreError:
    reason = " ".join(str(error).split()).removesuffix(".")
    return StoreError(f"The database address {shown(url)} cannot be used: {reason}.")


def full_disk(url: str) -> str:
    """That the disk of a database is full, and what to do."""
    return f"The database {shown(url)} cannot be written: the disk is full. Make room on it."


def _fault(reason: str, url: str) -> StoreError:
    if _disk_is_full(reason, url):
        return StoreFullError(full_disk(url))
    return (StoreBusyError if "locked" in reason else StoreError)(_sentence(reason, url))


def _sentence(reason: str, url: str) -> str:
    where = shown(url)
    causes = {
        "locked": f"The database {where} is locked by another program; close that program or wait, then try again.",
        "readonly": f"The database {where} cannot be written: it is read-only.",
        "unable to open": f"The database {where} cannot be opened: check that its folder exists and can be written.",
        "not a database": f"The file {where} is not a goldviz database.",
        "malformed": f"The database {where} is damaged. {way_out(url)}",
    }
    for sign, sentence in causes.items():
        if sign in reason:
            return sentence
    text = " ".join(reason.split())
    if any(sign in reason for sign in ("no such table", "no such column", "has no column", "does not exist")):
        return f"The database {where} is not as goldviz wrote it: {text}. {way_out(url)}"
    return f"The database {where} reports: {text}."


def _disk_is_full(reason: str, url: str) -> bool:
    """SQLite says so itself, unless the files beside the database were the first to find no room."""
    if "disk is full" in reason or "No space left" in reason:
        return True
    file = file_of(url)
    return "disk I/O" in reason and file is not None and has_no_room(file)


def has_no_room(file: Path) -> bool:
    """Whether the disk of a file is full."""
    with suppress(OSError):
        return shutil.disk_usage(file.parent).free < LEAST_FREE
    return False
