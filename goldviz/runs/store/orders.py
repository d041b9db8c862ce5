"""What people ask of a run, in the database: what comes while a run ends is not lost, and a stop always wins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from sqlalchemy import Connection, delete, insert, select, update

from goldviz.runs.recorder import Order
from goldviz.runs.store.clock import database_clock
from goldviz.runs.store.schema import orders, runs

Halt = Literal["pause", "stop"]

HELD = ("running", "interrupted")
"""Runs that a worker may hold, which reads orders: one that was taken for dead may come back."""


def halt(connection: Connection, run_id: str, kind: Halt) -> str:
    """Pause or stop a run, and return how it was listed; nothing where there is no such run.

    One that no worker holds ends at once, any other is given the order. Its row is written first: a worker that ends
    the run meanwhile did so before, which is seen here, or does so afterwards, and sees the order.
    """
    own = runs.c.id == run_id
    if not connection.execute(update(runs).where(own).values(version=runs.c.version)).rowcount:
        return ""
    status = str(connection.execute(select(runs.c.status).where(own)).scalar_one())
    if status == "queued":
        ended = "stopped" if kind == "stop" else "paused"
        _end(connection, run_id, ended, f"{ended.capitalize()} while it waited.")
    elif status == "paused" and kind == "stop":
        _end(connection, run_id, "stopped", _stopped_after(connection, run_id))
    elif status in HELD:
        give(connection, run_id, [Order(kind)])
    return status


def give(connection: Connection, run_id: str, given: Iterable[Order]) -> None:
    """Let orders wait for a run."""
    rows = [{"run_id": run_id, "kind": order.kind, "changes": dict(order.changes)} for order in given]
    if rows:
        connection.execute(insert(orders), rows)


def waiting(connection: Connection, run_id: str) -> list[tuple[int, Order]]:
    """Orders that wait for a run, oldest first, each with its number."""
    query = select(orders.c.id, orders.c.kind, orders.c.changes).where(orders.c.run_id == run_id)
    return [(row.id, Order(row.kind, row.changes)) for row in connection.execute(query.order_by(orders.c.id))]


def take(connection: Connection, numbers: Sequence[int]) -> None:
    """Let these orders wait no longer."""
    connection.execute(delete(orders).where(orders.c.id.in_(numbers)))


def forget_halts(connection: Connection, run_id: str) -> None:
    """Drop orders to pause or stop that came too late."""
    connection.execute(delete(orders).where(orders.c.run_id == run_id, orders.c.kind != "change"))


def forget(connection: Connection, run_ids: Sequence[str]) -> None:
    """Drop all orders to these runs."""
    connection.execute(delete(orders).where(orders.c.run_id.in_(run_ids)))


def settled_end(
    connection: Connection, run_id: str, status: str, message: str, left: Sequence[Order]
) -> tuple[str, str]:
    """How a run is listed that its worker ends so, its row locked: a pause gives way to a stop that came meanwhile.

    ``left`` are orders that the worker took and did not come to. Changes of hot settings wait for the run's next start.
    """
    pending = waiting(connection, run_id)
    late = [*left, *(order for _, order in pending)]
    take(connection, [number for number, _ in pending])
    give(connection, run_id, [order for order in late if order.kind == "change"])
    if status == "paused" and any(order.kind == "stop" for order in late):
        return "stopped", _stopped_after(connection, run_id)
    return status, message


def _end(connection: Connection, run_id: str, status: str, message: str) -> None:
    columns = {"status": status, "message": message, "heartbeat": database_clock(), "version": runs.c.version + 1}
    connection.execute(update(runs).where(runs.c.id == run_id).values(**columns))


def _stopped_after(connection: Connection, run_id: str) -> str:
    row: Any = connection.execute(select(runs.c.step, runs.c.attributes).where(runs.c.id == run_id)).one()
    dimension = row.attributes.get("step_dimension", "step") if isinstance(row.attributes, dict) else "step"
    return f"Stopped after {dimension} {row.step}."
