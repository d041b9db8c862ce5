"""The store: runs in a database, SQLite by default and any other by its address."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Table,
    Text,
    Update,
    bindparam,
    cast,
    delete,
    func,
    insert,
    select,
    type_coerce,
    update,
)
from sqlalchemy.types import NullType

from goldviz.data.tables.whole_files import size_of
from goldviz.declare.data_labels import ATTRIBUTE, labels_of
from goldviz.declare.settings import Settings, Variable
from goldviz.runs.execution.limits import gigabytes
from goldviz.runs.live import LiveRun
from goldviz.runs.recorder import Batch, Command, Progress, in_words
from goldviz.runs.store import arrays, commands
from goldviz.runs.store.checkpoints import OLD_SHARE, room_of_run, surplus
from goldviz.runs.store.clock import database_clock
from goldviz.runs.store.lent_connections import LentConnections
from goldviz.runs.store.rows import (
    UNFINISHED,
    DamagedRunError,
    TooLargeRunError,
    checked_labels,
    marks_of,
    reading_of,
    settled_row,
)
from goldviz.runs.store.run import About, Result, Run, Size, Start
from goldviz.runs.store.schema import (
    BIRTHMARK,
    StoreError,
    batches,
    birthmark,
    checkpoints,
    default_url,
    file_of,
    finals,
    full_disk,
    has_no_room,
    marks,
    open_engine,
    reads_only,
    runs,
    sentences,
    settled,
    shown,
    way_out,
)

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.declare.settings import Experiment

HEARTBEAT_LIMIT = 10.0
"""An unfinished run that has given no sign of life for so many seconds of the database's clock was interrupted."""
NAME_LENGTH = 200
RESULTS = ("test_loss", "evaluation_loss", "loss")
"""What says how well a run went: the first of these that it recorded."""
LEAST_GIVEN_BACK = 32 * 2**20
"""Bytes that lie empty in a file before it is written anew without them."""


DAMAGED_RECORDS = "records damaged"
"""In a result's place."""
MOST_COMPLAINTS = 3
"""Sentences of SQLite's on what is wrong with a file."""

log = logging.getLogger(__name__)


class Declared(Protocol):
    """What a run's row is made of: the settings of an experiment, or the facts of a run that has none."""

    @property
    def name(self) -> str:
        """Of what it is a run."""

    @property
    def version(self) -> int:
        """The version of what is kept."""

    @property
    def variables(self) -> Mapping[str, Variable]:
        """What may be recorded."""

    @property
    def step(self) -> str:
        """The dimension along which the run grows."""

    def steps_planned(self) -> int:
        """How many steps the run takes; 0 where nobody knows."""

    def model_dump_json(self) -> str:
        """What is kept, as JSON."""


class UnknownRunError(LookupError):
    """No run has this id."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"There is no run {run_id[:40]!r} in this store; it may have been deleted.")


_RUN_COLUMNS = [runs.c[name] for name in Run.__dataclass_fields__]


_LABELS = ("attributes_text", "coordinates_text", "last_mark", "last_final")
_RUN_AND_LABELS = select(
    *_RUN_COLUMNS,
    cast(runs.c.attributes, Text).label("attributes_text"),
    cast(runs.c.coordinates, Text).label("coordinates_text"),
    select(func.max(marks.c.id)).where(marks.c.run_id == runs.c.id).scalar_subquery().label("last_mark"),
    select(func.max(finals.c.id)).where(finals.c.run_id == runs.c.id).scalar_subquery().label("last_final"),
).where(runs.c.id == bindparam("wanted"))


# What a worker says several times a second stands here: putting such a question together takes longer than asking it.
_MINE = (runs.c.id == bindparam("run")) & (runs.c.lease == bindparam("holder"))
_ALIVE = update(runs).where(_MINE).values(heartbeat=database_clock())
_GREW = _ALIVE.values(
    version=runs.c.version + 1, **{name: bindparam(f"new_{name}") for name in Progress.__dataclass_fields__}
)
_BACK = (
    update(runs)
    .where(_MINE, runs.c.status == "interrupted")
    .values(status="running", message="", version=runs.c.version + 1)
)
_NEW_BATCH = insert(batches)


def _run(row: RowMapping) -> Run:
    return Run(**settled_row({name: row[name] for name in Run.__dataclass_fields__}))


class Store:
    """All access to the database. Safe to use from several threads; pickles as its address."""

    def __init__(self, url: str | None = None) -> None:
        self.url = settled(url) if url else default_url()
        self._file = file_of(self.url)
        self._opening = threading.Lock()
        self._shared = threading.local()
        self._engine = open_engine(self.url)
        self._connections = LentConnections(self._file, self._connected) if self._file is not None else None
        self._reads_only = self._file is not None and reads_only(self._file)
        self._birthmark = birthmark(self._engine)
        self._gone = ""
        self._damage = ""

    def __reduce__(self) -> tuple[type[Store], tuple[str]]:
        return Store, (self.url,)

    def close(self) -> None:
        """Let go of the connections that wait to be used again."""
        if self._connections is not None:
            self._connections.close()
        self._engine.dispose()

    @property
    def place(self) -> str:
        """Where the database is, without its password."""
        return shown(self.url)

    @property
    def notices(self) -> Sequence[str]:
        """What whoever looks at runs should know of the database, in sentences; mostly nothing."""
        only_read = f"The database {self.place} can only be read: its runs can be seen, and no new one can be kept."
        return [sentence for sentence in (self._damage, self._gone, only_read if self._reads_only else "") if sentence]

    @property
    def full(self) -> str:
        """That the disk is full, and what to do, in sentences; nothing while there is room, or no file."""
        return full_disk(self.url) if self._file is not None and has_no_room(self._file) else ""

    def check(self) -> None:
        """Let SQLite look through its whole file; what it finds is among the :attr:`notices` from then on."""
        if self._file is None:
            return
        try:
            with self._reading() as connection:
                question = f"PRAGMA integrity_check({MOST_COMPLAINTS})"
                answers = [str(row[0]) for row in connection.exec_driver_sql(question)]
        except StoreError as error:
            self._damage = str(error)
        else:
            trouble = "; ".join(" ".join(line.replace("*", "").split()) for line in answers)
            sound = f"The database {self.place} is damaged: {trouble}. {way_out(self.url)}"
            self._damage = "" if answers == ["ok"] else sound
        if self._damage:
            log.error("%s", self._damage)

    @contextmanager
    def together(self) -> Iterator[None]:
        """What this thread reads meanwhile shares one connection."""
        with self._reading() as connection:
            self._shared.connection = connection
            try:
                yield
            finally:
                self._shared.connection = None

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        own: Connection | None = getattr(self._shared, "connection", None)
        with sentences(self.url), nullcontext(own) if own is not None else self._lent() as connection:
            yield connection

    def _lent(self) -> AbstractContextManager[Connection]:
        return self._connections.lent() if self._connections is not None else self._connected()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with sentences(self.url), self._lent() as connection, connection.begin():
            yield connection

    def _connected(self) -> Connection:
        """A connection to the database that was opened, or to the one that has taken its place, which is told."""
        if self._file is None:
            return self._engine.connect()
        if self._file.is_file() and self._reads_only == reads_only(self._file):
            connection = self._engine.connect()
            if connection.info[BIRTHMARK] == self._birthmark:
                return connection
            connection.close()
        self._open_again()
        return self._engine.connect()

    def _open_again(self) -> None:
        with self._opening:
            there = self._file is not None and self._file.is_file()
            engine = open_engine(self.url)
            identity = birthmark(engine)
            if self._birthmark and identity != self._birthmark:
                became = "was replaced by another file" if there else "was gone and has been made anew"
                moment = time.strftime("%H:%M on %d %B", time.localtime())
                self._gone = f"The database {self.place} {became} at {moment}: runs that it held before are not in it."
                self._damage = ""
                log.error("%s", self._gone)
            self._engine, self._birthmark = engine, identity
            self._reads_only = self._file is not None and reads_only(self._file)

    # -- runs ---------------------------------------------------------------------------------------------------

    def create(self, settings: Declared, *, name: str = "", status: str = "queued") -> str:
        """A new run; returns its id. One that somebody else carries out is ``running`` from the start."""
        row = self._new_row(settings, name, status)
        with self._writing() as connection:
            connection.execute(insert(runs).values(**row))
        return str(row["id"])

    def fork(
        self, run_id: str, step: int, settings: Experiment, *, changes: Mapping[str, Any] | None = None, name: str = ""
    ) -> str:
        """A new run that shares another's records and state up to one of its kept steps.

        A hot setting that had been changed by then stays changed. Another value for one, in ``settings`` or in
        ``changes``, is a change at that step: it is marked there, and the records before it keep the settings that
        made them. Raises :class:`UnknownRunError`, :class:`StoreError` where the step was not kept, and
        :class:`goldviz.declare.settings.SettingsError` where the other's settings are not understood any more.
        """
        parent = self.run(run_id)
        state = self.checkpoint(run_id, step)
        first = settings.from_store(parent.settings_version, parent.settings).model_dump(mode="json")
        values = settings.model_dump(mode="json")
        hot = settings.hot_settings()
        hot_changes = {key: values[key] for key in hot if values[key] != first[key]} | dict(changes or {})
        row = self._new_row(settings.changed(**{key: first[key] for key in hot}), name, "queued")
        fork_id = str(row["id"])
        share = step / max(parent.step, 1)
        row |= {
            "parent": run_id,
            "parent_step": step,
            "attributes": {**row["attributes"], **_kept_labels(parent)},
            "step": step,
            "seconds": parent.seconds * share,
            "instrument_seconds": parent.instrument_seconds * share,
        }
        with self._writing() as connection:
            connection.execute(insert(runs).values(**row))
            coordinates = select(runs.c.coordinates).where(runs.c.id == run_id).scalar_subquery()
            connection.execute(update(runs).where(runs.c.id == fork_id).values(coordinates=coordinates))
            batch_query = select(batches.c.last_step, batches.c.data).where(
                batches.c.run_id == run_id, batches.c.last_step <= step
            )
            for batch in connection.execute(batch_query.order_by(batches.c.id)).all():
                connection.execute(insert(batches).values(run_id=fork_id, last_step=batch.last_step, data=batch.data))
            mark_query = select(marks.c.step, marks.c.text, marks.c.changes).where(
                marks.c.run_id == run_id, marks.c.step < step
            )
            earlier = [dict(mark._mapping) for mark in connection.execute(mark_query.order_by(marks.c.id))]
            for mark in earlier:
                mark["changes"] = settings.changes_from_store(parent.settings_version, mark["changes"])
            in_force = {key: value for mark in earlier for key, value in mark["changes"].items()}
            new = {key: value for key, value in hot_changes.items() if in_force.get(key, first.get(key)) != value}
            if new:
                earlier.append({"step": step, "text": in_words(new), "changes": new})
            self._write_marks(connection, fork_id, earlier)
            connection.execute(insert(checkpoints).values(run_id=fork_id, step=step, size=len(state), data=state))
        return fork_id

    def _new_row(self, settings: Declared, name: str, status: str) -> dict[str, Any]:
        return {
            "id": secrets.token_hex(6),
            "experiment": settings.name,
            "name": _clean(name),
            "settings": settings.model_dump_json(),
            "settings_version": settings.version,
            "variables": {key: asdict(variable) for key, variable in settings.variables.items()},
            "coordinates": {},
            "attributes": {"step_dimension": settings.step, **_labels(settings)},
            "changes": {},
            "status": status,
            "message": "",
            "created": time.time(),
            "heartbeat": database_clock(),
            "step": 0,
            "total": settings.steps_planned(),
            "seconds": 0.0,
            "instrument_seconds": 0.0,
            "version": 0,
            "lease": "",
            "parent": None,
            "parent_step": None,
        }

    def run(self, run_id: str) -> Run:
        """One run; raises :class:`UnknownRunError`."""
        if _in_no_name(run_id):
            raise UnknownRunError(run_id)
        with self._reading() as connection:
            row = connection.execute(select(*_RUN_COLUMNS).where(runs.c.id == run_id)).first()
        if row is None:
            raise UnknownRunError(run_id)
        return _run(row._mapping)

    def run_and_labels(self, run_id: str) -> tuple[Run, Hashable]:
        """One run, and what tells whether :meth:`about` would say anything new of it.

        Raises :class:`UnknownRunError`.
        """
        if _in_no_name(run_id):
            raise UnknownRunError(run_id)
        with self._reading() as connection:
            row = connection.execute(_RUN_AND_LABELS, {"wanted": run_id}).first()
        if row is None:
            raise UnknownRunError(run_id)
        return _run(row._mapping), tuple(row._mapping[name] for name in _LABELS)

    def versions(self, run_ids: Sequence[str]) -> dict[str, int]:
        """The versions of these runs, which grow with every change; those that are gone are left out."""
        with self._reading() as connection:
            rows = connection.execute(select(runs.c.id, runs.c.version).where(runs.c.id.in_(run_ids)))
            return {row.id: row.version for row in rows}

    def list(
        self,
        *,
        experiment: str | None = None,
        status: str | None = None,
        text: str = "",
        name_of: Callable[[Run], str] = attrgetter("name"),
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[list[Run], int]:
        """Runs, newest first, and how many there are in all.

        ``text`` is looked for in ids and in what runs are ``called``, which may be other words for runs of kept files.
        """
        if _in_no_name(text):
            return [], 0
        conditions = []
        if experiment:
            conditions.append(runs.c.experiment == experiment)
        if status:
            conditions.append(runs.c.status == status)
        if text:
            name_matches = runs.c.name.icontains(text, autoescape=True) | runs.c.id.contains(text, autoescape=True)
            conditions.append(name_matches | cast(runs.c.attributes, Text).contains(ATTRIBUTE, autoescape=True))
        query = select(*_RUN_COLUMNS).where(*conditions).order_by(runs.c.created.desc(), runs.c.id)
        page = query.limit(limit).offset(offset)
        with self._reading() as connection:
            if text:
                every = (_run(row._mapping) for row in connection.execute(query))
                matching = [run for run in every if text.lower() in name_of(run).lower() or text.lower() in run.id]
                return matching[offset : offset + limit], len(matching)
            rows = connection.execute(page).all()
            total = connection.execute(select(func.count()).select_from(runs).where(*conditions)).scalar_one()
        return [_run(row._mapping) for row in rows], total

    def count_unfinished(self) -> int:
        """How many runs wait or train."""
        with self._reading() as connection:
            return connection.execute(
                select(func.count()).select_from(runs).where(runs.c.status.in_(UNFINISHED))
            ).scalar_one()

    def rename(self, run_id: str, name: str) -> None:
        """Give a run a name; raises :class:`UnknownRunError`, and :class:`StoreError` for one that is too long."""
        if len(name) > NAME_LENGTH:
            raise StoreError(f"The name has {len(name)} characters; allowed are up to {NAME_LENGTH}.")
        self._update(run_id, name=_clean(name))

    def delete(self, run_ids: Sequence[str]) -> None:
        """Forget runs and all that was recorded of them."""
        with self._writing() as connection:
            for table in (batches, finals, checkpoints, marks):
                connection.execute(delete(table).where(table.c.run_id.in_(run_ids)))
            commands.forget(connection, run_ids)
            connection.execute(delete(runs).where(runs.c.id.in_(run_ids)))

    def set_status(self, run_id: str, status: str, message: str = "") -> None:
        """How the run is listed from now on, and why; raises :class:`UnknownRunError`."""
        self._update(run_id, status=status, message=message, heartbeat=database_clock())

    def turn(self, run_id: str, now: Sequence[str], status: str, message: str = "") -> bool:
        """Set the status of a run if it is one of ``now``; returns whether it was. Of two callers one succeeds."""
        return self._change(
            (runs.c.id == run_id) & runs.c.status.in_(now), status=status, message=message, heartbeat=database_clock()
        )

    def enqueue(self, run_id: str) -> bool:
        """List a run that ended early as queued; False where it waits, trains or is finished already.

        Changes of hot settings that were ordered meanwhile stay; a command to stop or pause that came too late goes.
        Raises :class:`UnknownRunError`.
        """
        self.run(run_id)
        has_ended = (runs.c.id == run_id) & runs.c.status.in_(
            ("paused", "stopped", "interrupted", "failed", "diverged")
        )
        columns = {"status": "queued", "message": "", "heartbeat": database_clock(), "version": runs.c.version + 1}
        # In one transaction: a stop that comes right behind is given to the run that waits again.
        with self._writing() as connection:
            if not connection.execute(update(runs).where(has_ended).values(**columns)).rowcount:
                return False
            commands.forget_halts(connection, run_id)
        return True

    def begin(self, run_id: str) -> Start | None:
        """Take a queued run for training; None where it is not queued (any more).

        The run goes back to its last kept step: records after it are forgotten, and hot settings that were changed
        after it count as changed there. Raises :class:`UnknownRunError`.
        """
        lease = secrets.token_hex(8)
        with self._writing() as connection:
            claim = update(runs).where(runs.c.id == run_id, runs.c.status == "queued")
            if not connection.execute(
                claim.values(status="running", message="", lease=lease, heartbeat=database_clock())
            ).rowcount:
                self.run(run_id)
                return None
            run = _run(connection.execute(select(*_RUN_COLUMNS).where(runs.c.id == run_id)).one()._mapping)
            latest = select(checkpoints.c.step, checkpoints.c.data).where(
                checkpoints.c.run_id == run_id, checkpoints.c.step <= run.step
            )
            state = connection.execute(latest.order_by(checkpoints.c.step.desc()).limit(1)).first()
            step = state.step if state else 0
            for table, column in ((batches, batches.c.last_step), (checkpoints, checkpoints.c.step)):
                connection.execute(delete(table).where(table.c.run_id == run_id, column > step))
            connection.execute(update(marks).where(marks.c.run_id == run_id, marks.c.step > step).values(step=step))
            share = step / run.step if run.step else 0.0
            began = replace(
                run,
                status="running",
                message="",
                step=step,
                seconds=run.seconds * share,
                instrument_seconds=run.instrument_seconds * share,
                version=run.version + 1,
            )
            columns = ("step", "seconds", "instrument_seconds", "version")
            values = {column: getattr(began, column) for column in columns}
            connection.execute(update(runs).where(runs.c.id == run_id).values(**values))
        return Start(lease, began, bytes(state.data) if state else None)

    def _update(self, run_id: str, **values: Any) -> None:
        if not self._change(runs.c.id == run_id, **values):
            raise UnknownRunError(run_id)

    def _change(self, condition: ColumnElement[bool], **values: Any) -> bool:
        with self._writing() as connection:
            result = connection.execute(update(runs).where(condition).values(version=runs.c.version + 1, **values))
        return result.rowcount > 0

    # -- signs of life ------------------------------------------------------------------------------------------

    def touch(self, run_ids: Sequence[str]) -> None:
        """A sign of life for those of these runs that wait in the queue."""
        with self._writing() as connection:
            waiting = runs.c.id.in_(run_ids) & (runs.c.status == "queued")
            connection.execute(update(runs).where(waiting).values(heartbeat=database_clock()))

    def sign_of_life(self, run_id: str, lease: str) -> None:
        """The worker that holds the lease still trains; raises :class:`UnknownRunError` as :meth:`append` does."""
        with self._writing() as connection:
            self._write_as_holder(connection, run_id, lease, _ALIVE)

    def _write_as_holder(
        self, connection: Connection, run_id: str, lease: str, change: Update, **values: object
    ) -> None:
        mine = {"run": run_id, "holder": lease}
        if not connection.execute(change, {**mine, **values}).rowcount:
            raise UnknownRunError(run_id)
        # It was taken for dead while its signs of life could not be written.
        connection.execute(_BACK, mine)

    def interrupt_silent(self) -> int:
        """List unfinished runs without a sign of life as interrupted; returns how many."""
        silent = runs.c.status.in_(UNFINISHED) & (runs.c.heartbeat < database_clock() - HEARTBEAT_LIMIT)
        with self._reading() as connection:
            if connection.execute(select(runs.c.id).where(silent).limit(1)).first() is None:
                return 0
        message = "The server or the worker that trained it went away. What was recorded is kept; it can be continued."
        with self._writing() as connection:
            silent_runs = connection.execute(
                update(runs).where(silent).values(status="interrupted", message=message, version=runs.c.version + 1)
            )
        return silent_runs.rowcount

    # -- commands -------------------------------------------------------------------------------------------------

    def command(self, run_id: str, command: Command) -> None:
        """Ask something of a run."""
        with self._writing() as connection:
            commands.give(connection, run_id, [command])

    def halt(self, run_id: str, kind: commands.Halt) -> str:
        """Pause or stop a run: at once where it waits, or is paused and to be stopped; else its worker is asked to.

        Returns how it was listed before. Raises :class:`UnknownRunError`.
        """
        with self._writing() as connection:
            is_listed = commands.halt(connection, run_id, kind)
        if not is_listed:
            raise UnknownRunError(run_id)
        return is_listed

    def take_commands(self, run_id: str) -> Sequence[Command]:
        """Commands that wait for this run, oldest first; each is taken once."""
        with self._reading() as connection:
            pending = commands.waiting(connection, run_id)
        if pending:
            with self._writing() as connection:
                commands.take(connection, [number for number, _ in pending])
        return [command for _, command in pending]

    # -- records ------------------------------------------------------------------------------------------------

    def append(
        self,
        run_id: str,
        progress: Progress,
        *,
        lease: str = "",
        batch: Batch | None = None,
        once: Mapping[str, np.ndarray] | None = None,
        coordinates: Mapping[str, Any] | None = None,
        attributes: Mapping[str, Any] | None = None,
        new_marks: Sequence[Mapping[str, Any]] = (),
        checkpoint: tuple[int, bytes] | None = None,
        status: str | None = None,
        message: str = "",
        left: Sequence[Command] = (),
    ) -> str | None:
        """Write what was recorded since the last call, in one transaction.

        With a ``status`` the run ends; ``left`` are commands that its worker did not come to. Returns the status that
        it ends with, which is another where a stop came meanwhile.

        Raises :class:`UnknownRunError` where the run was deleted or another worker has begun it since ``lease``.
        """
        with self._writing() as connection:
            self._write_as_holder(
                connection, run_id, lease, _GREW, **{f"new_{name}": value for name, value in asdict(progress).items()}
            )
            if coordinates is not None:
                connection.execute(update(runs).where(runs.c.id == run_id).values(coordinates=dict(coordinates)))
            if attributes:
                attributes_before = connection.execute(
                    select(runs.c.attributes).where(runs.c.id == run_id)
                ).scalar_one()
                connection.execute(
                    update(runs).where(runs.c.id == run_id).values(attributes={**attributes_before, **attributes})
                )
            if batch is not None and batch.values:
                data = arrays.batch_to_bytes(batch)
                connection.execute(_NEW_BATCH, {"run_id": run_id, "last_step": batch.last_step, "data": data})
            for name, array in (once or {}).items():
                connection.execute(delete(finals).where(finals.c.run_id == run_id, finals.c.variable == name))
                connection.execute(
                    insert(finals).values(run_id=run_id, variable=name, data=arrays.array_to_bytes(array))
                )
            self._write_marks(connection, run_id, new_marks)
            if checkpoint is not None:
                step, state = checkpoint
                own = checkpoints.c.run_id == run_id
                connection.execute(delete(checkpoints).where(own, checkpoints.c.step == step))
                connection.execute(insert(checkpoints).values(run_id=run_id, step=step, size=len(state), data=state))
                self._thin(connection, run_id, progress.total, room_of_run())
            if status is not None:
                status, message = commands.settled_end(connection, run_id, status, message, left)
                connection.execute(update(runs).where(runs.c.id == run_id).values(status=status, message=message))
        return status

    def _write_marks(self, connection: Connection, run_id: str, new_marks: Sequence[Mapping[str, Any]]) -> None:
        if not new_marks:
            return
        connection.execute(insert(marks), [{"run_id": run_id, **mark} for mark in new_marks])
        in_force = dict(connection.execute(select(runs.c.changes).where(runs.c.id == run_id)).scalar_one())
        for mark in new_marks:
            in_force.update(mark["changes"])
        connection.execute(update(runs).where(runs.c.id == run_id).values(changes=in_force))

    def records_after(self, run_id: str, position: int) -> tuple[arrays.Stacked, int]:
        """Records written after a position (0 at first) and the new position."""
        new = (batches.c.run_id == run_id) & (batches.c.id > position)
        query = select(batches.c.id, _data_of(batches)).where(new)
        with self._reading() as connection:
            _check_size(connection, run_id, batches, new)
            rows = connection.execute(query.order_by(batches.c.id)).all()
        if not rows:
            return {}, position
        with reading_of(run_id):
            return arrays.joined(arrays.batch_from_bytes(row.data) for row in rows), rows[-1].id

    def about(self, run_id: str) -> About:
        """What a run's records are labelled with; raises :class:`UnknownRunError`."""
        columns = (runs.c.variables, runs.c.coordinates, runs.c.attributes)
        changes = select(marks.c.step, marks.c.text, marks.c.changes).where(marks.c.run_id == run_id)
        with self._reading() as connection:
            row = connection.execute(select(*columns).where(runs.c.id == run_id)).first()
            mark_rows = [dict(mark._mapping) for mark in connection.execute(changes.order_by(marks.c.id))]
            final_query = select(finals.c.variable, _data_of(finals)).where(finals.c.run_id == run_id)
            _check_size(connection, run_id, finals, finals.c.run_id == run_id)
            once = connection.execute(final_query).all()
        if row is None:
            raise UnknownRunError(run_id)
        with reading_of(run_id):
            arrays_by_name = {one.variable: arrays.array_from_bytes(one.data) for one in once}
            return About(**checked_labels(dict(row._mapping)), marks=marks_of(mark_rows), once=arrays_by_name)

    def load(self, run_id: str) -> xr.Dataset:
        """A run's dataset; raises :class:`UnknownRunError`."""
        return LiveRun(self, run_id).snapshot()[1].dataset

    # -- checkpoints --------------------------------------------------------------------------------------------

    def checkpoint_steps(self, run_id: str) -> Sequence[int]:
        """The steps that a run can be rewound to."""
        query = select(checkpoints.c.step).where(checkpoints.c.run_id == run_id).order_by(checkpoints.c.step)
        with self._reading() as connection:
            return connection.execute(query).scalars().all()

    def checkpoint(self, run_id: str, step: int) -> bytes:
        """The packed state at the end of a kept step; raises :class:`StoreError` where it was not kept."""
        query = select(checkpoints.c.data).where(checkpoints.c.run_id == run_id, checkpoints.c.step == step)
        with self._reading() as connection:
            row = connection.execute(query).first()
        if row is None:
            steps = ", ".join(map(str, self.checkpoint_steps(run_id))) or "none"
            raise StoreError(f"Run {run_id} has no kept state at step {step}; kept are {steps}.")
        return bytes(row.data)

    def _thin(self, connection: Connection, run_id: str, total: int, room: int) -> int:
        """Drop a run's checkpoints that are more than fit in ``room`` bytes; returns how many bytes go."""
        rows = connection.execute(select(checkpoints.c.step, checkpoints.c.size).where(checkpoints.c.run_id == run_id))
        sizes = {row.step: row.size for row in rows}
        steps = surplus(sizes, total, room)
        if steps:
            connection.execute(delete(checkpoints).where(checkpoints.c.run_id == run_id, checkpoints.c.step.in_(steps)))
        return sum(sizes[step] for step in steps)

    def thin_checkpoints(self) -> None:
        """Drop checkpoints of runs that kept more than may stay today."""
        size = func.sum(checkpoints.c.size)
        large = select(checkpoints.c.run_id, runs.c.total).join(runs, runs.c.id == checkpoints.c.run_id)
        with self._writing() as connection:
            by_run = large.group_by(checkpoints.c.run_id, runs.c.total)
            for row in connection.execute(by_run.having((size > room_of_run()) & (func.count() > 1))).all():
                self._thin(connection, row.run_id, row.total, room_of_run())

    def give_back_room(self) -> None:
        """Make a SQLite file smaller where it is mostly empty and nothing is written to it."""
        if self._engine.dialect.name != "sqlite" or self.count_unfinished():
            return
        with sentences(self.url), self._engine.connect() as connection:
            free, pages, size = (
                int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
                for name in ("freelist_count", "page_count", "page_size")
            )
            if free * size > LEAST_GIVEN_BACK and 2 * free > pages:
                connection.exec_driver_sql("VACUUM")
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def size_of_checkpoints(self) -> int:
        """Bytes of all checkpoints."""
        with self._reading() as connection:
            return int(connection.execute(select(func.sum(checkpoints.c.size))).scalar() or 0)

    def size_on_disk(self) -> int | None:
        """Bytes of the SQLite file and its log; None for a database that is no file."""
        if self._file is None:
            return None
        file = str(self._file)
        return size_of(map(Path, (file, f"{file}-wal")))

    def sizes(self, run_ids: Sequence[str]) -> dict[str, Size]:
        """How much room the records and the checkpoints of these runs take."""
        by_run = {run_id: Size(0, 0) for run_id in run_ids}
        of_records = select(batches.c.run_id, func.sum(func.length(batches.c.data)).label("size"))
        of_weights = select(checkpoints.c.run_id, func.sum(checkpoints.c.size).label("size"))
        with self._reading() as connection:
            for name, query, table in (("records", of_records, batches), ("checkpoints", of_weights, checkpoints)):
                for row in connection.execute(query.where(table.c.run_id.in_(run_ids)).group_by(table.c.run_id)):
                    by_run[row.run_id] = by_run[row.run_id]._replace(**{name: int(row.size or 0)})
        return by_run

    def results(self, run_ids: Sequence[str]) -> dict[str, Result]:
        """What these runs came to: the test loss, or the last loss that was recorded; runs without one are left out."""
        about = select(runs.c.id, runs.c.coordinates).where(runs.c.id.in_(run_ids))
        final_query = select(finals.c.run_id, _data_of(finals)).where(
            finals.c.run_id.in_(run_ids), finals.c.variable == RESULTS[0]
        )
        latest = select(func.max(batches.c.id)).where(batches.c.run_id.in_(run_ids)).group_by(batches.c.run_id)
        batch_query = select(batches.c.run_id, _data_of(batches)).where(batches.c.id.in_(latest))
        with self._reading() as connection:
            labels = {row.id: row.coordinates for row in connection.execute(about)}
            final_losses = {row.run_id: row.data for row in connection.execute(final_query)}
            going = {row.run_id: row.data for row in connection.execute(batch_query) if row.run_id not in final_losses}
        by_run: dict[str, Result] = {}
        for data, read in ((final_losses, _test_loss), (going, _last_loss)):
            by_run |= {run_id: _result(run_id, read, own, labels.get(run_id)) for run_id, own in data.items()}
        return by_run

    def forget_old_checkpoints(self, budget_bytes: int) -> None:
        """Make all runs' checkpoints fit the budget; their records stay.

        From the oldest on, runs keep a tenth of a run's room, as many as it takes; then none.
        """
        columns = (checkpoints.c.run_id, runs.c.created, runs.c.status, runs.c.total)
        per_run = select(*columns, func.sum(checkpoints.c.size).label("size"))
        per_run = per_run.join(runs, runs.c.id == checkpoints.c.run_id).group_by(*columns)
        with self._reading() as connection:
            rows = connection.execute(per_run.order_by(runs.c.created)).all()
        surplus_bytes = sum(row.size for row in rows) - budget_bytes
        settled = [row for row in rows if row.status not in (*UNFINISHED, "paused")]
        left = {row.run_id: row.size for row in settled}
        for row in settled:
            if surplus_bytes > 0:
                with self._writing() as connection:
                    freed = self._thin(connection, row.run_id, row.total, room_of_run() // OLD_SHARE)
                left[row.run_id] -= freed
                surplus_bytes -= freed
        for row in settled:
            if surplus_bytes > 0:
                with self._writing() as connection:
                    connection.execute(delete(checkpoints).where(checkpoints.c.run_id == row.run_id))
                surplus_bytes -= left[row.run_id]


def _data_of(table: Table) -> ColumnElement[Any]:
    """A table's bytes as they stand there: a row with something else is met where its run is read, and there alone."""
    return type_coerce(table.c.data, NullType()).label("data")


def _check_size(connection: Connection, run_id: str, table: Table, rows: ColumnElement[bool]) -> None:
    """Raise :class:`TooLargeRunError` where the bytes of these rows are more than a run's may be."""
    size = connection.execute(select(func.sum(func.length(table.c.data))).where(rows)).scalar() or 0
    if size > arrays.MOST_BYTES:
        raise TooLargeRunError(run_id, gigabytes(size), gigabytes(arrays.MOST_BYTES))


def _result(run_id: str, read: Callable[[bytes], tuple[str, np.ndarray]], data: bytes, coordinates: Any) -> Result:
    try:
        with reading_of(run_id):
            name, values = read(data)
            return Result(name, _by_network(values, coordinates))
    except DamagedRunError:
        return Result(DAMAGED_RECORDS, {})


def _test_loss(data: bytes) -> tuple[str, np.ndarray]:
    return RESULTS[0], arrays.array_from_bytes(data)


def _last_loss(data: bytes) -> tuple[str, np.ndarray]:
    """The name and the last values of the loss in a batch; nothing where it holds none."""
    records = arrays.batch_from_bytes(data)
    name = next((name for name in RESULTS if name in records), "")
    return (name, records[name][1][-1]) if name else ("", np.zeros(0))


def _by_network(values: np.ndarray, coordinates: Mapping[str, Any]) -> dict[str, float]:
    """Medians of what is recorded of each network; under no name where networks have none of their own."""
    names = [str(name) for name in coordinates.get("network", ())]
    if values.ndim == 0 or len(names) != len(values):
        names, values = [""], values[None]
    medians = [float(np.median(own)) if own.size else np.nan for own in values]
    return {name: value for name, value in zip(names, medians, strict=True) if np.isfinite(value)}


def _labels(settings: Declared) -> dict[str, Any]:
    """What the run's data are called now; they may be gone when it is looked at."""
    labels = labels_of(settings) if isinstance(settings, Settings) else {}
    return {ATTRIBUTE: labels} if labels else {}


def _kept_labels(run: Run) -> dict[str, Any]:
    return {name: value for name, value in run.attributes.items() if name == ATTRIBUTE}


def _in_no_name(text: str) -> bool:
    """Whether no name and no id can have this in it; databases stumble over it."""
    return len(text) > NAME_LENGTH or any(character == "\0" or "\ud800" <= character <= "\udfff" for character in text)


def _clean(name: str) -> str:
    """A name on one line, without characters that cannot be shown."""
    printable = "".join(character if character.isprintable() else " " for character in name)
    return " ".join(printable.split())[:NAME_LENGTH]
