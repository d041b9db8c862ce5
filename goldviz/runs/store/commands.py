"""What people ask of a run, in the database: what comes while a run ends is not lost, and a stop always wins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from goldviz.runs.recorder import Command
from goldviz.runs.store.schema import commands, runs

Halt = Literal["pause", "stop"]

HELD = ("running", "interrupted")
"""Runs that a worker may hold, which reads commands: one that was taken for dead may come back."""


_WAITING = (
    select(commands.c.id, commands.c.kind, commands.c.changes)
    .where(commands.c.run_id == bindparam("run"))
    .order_by(commands.c.id)
)


def halt(connection: Connection, run_id: str, kind: Halt) -> str:
    """Pause or stop a run, and return how it was listed; nothing where there is no such run.

    One that no worker holds ends at once, any other is given the command. Its row is written first: a worker that ends
    the run meanwhile did so before, which is seen here, or does so afterwards, and sees the command.
    """
    own = runs.c.id == run_id
    if not connection.execute(update(runs).where(own).values(version=runs.c.version)).rowcount:
        return ""
    status = str(connection.execute(select(runs.c.status).where(own)).scalar_one())
    if status == "queued":
        end = "stopped" if kind == "stop" else "paused"
        _end(connection, run_id, end, f"{end.capitalize()} while it waited.")
    elif status == "paused" and kind == "stop":
        _end(connection, run_id, "stopped", _stopped_after(connection, run_id))
    elif status in HELD:
        give(connection, run_id, [Command(kind)])
    return status


def give(connection: Connection, run_id: str, several: Iterable[Command]) -> None:
    """Let commands wait for a run."""
    rows = [{"run_id": run_id, "kind": command.kind, "changes": dict(command.changes)} for command in several]
    if rows:
        connection.execute(insert(commands), rows)


def waiting(connection: Connection, run_id: str) -> list[tuple[int, Command]]:
    """Commands that wait for a run, oldest first, each with its number."""
    return [(row.id, Command(row.kind, row.changes)) for row in connection.execute(_WAITING, {"run": run_id})]


def take(connection: Connection, numbers: Sequence[int]) -> None:
    """Let these commands wait no longer."""
    connection.execute(delete(commands).where(commands.c.id.in_(numbers)))


def forget_halts(connection: Connection, run_id: str) -> None:
    """Drop commands to pause or stop that came too late."""
    connection.execute(delete(commands).where(commands.c.run_id == run_id, commands.c.kind != "change"))


def forget(connection: Connection, run_ids: Sequence[str]) -> None:
    """Drop all commands to these runs."""
    connection.execute(delete(commands).where(commands.c.run_id.in_(run_ids)))


def settled_end(
    connection: Connection, run_id: str, status: str, message: str, left: Sequence[Command]
) -> tuple[str, str]:
    """How a run is listed that its worker ends so, its row locked: a pause gives way to a stop that came meanwhile.

    ``left`` are commands that the worker took and did not come to. Changes of hot settings wait for the run's next
    start.
    """
    pending = waiting(connection, run_id)
    late = [*left, *(command for _, command in pending)]
    take(connection, [number for number, _ in pending])
    give(connection, run_id, [command for command in late if command.kind == "change"])
    if status == "paused" and any(command.kind == "stop" for command in late):
        return "stopped", _stopped_after(connection, run_id)
    return status, message


def _end(connection: Connection, run_id: str, status: str, message: str) -> None:
    columns = {"status": status, "message": message, "version": runs.c.version + 1}
    connection.execute(update(runs).where(runs.c.id == run_id).values(**columns))


def _stopped_after(connection: Connection, run_id: str) -> str:
    row: Any = connection.execute(select(runs.c.step, runs.c.attributes).where(runs.c.id == run_id)).one()
    # As the database has it, which somebody else may have written: readers' checks come later.
    dimension = row.attributes.get("step_dimension", "step") if isinstance(row.attributes, dict) else "step"
    return f"Stopped after {dimension} {row.step}."
