"""Migrations: how a database of an earlier version becomes one of today's, one step for each version.

A step is written in SQL that SQLite and PostgreSQL both know, and never in terms of today's tables: those move on,
while a step stays what it was.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, text

Migration = Callable[[Connection], None]


def _runs_carry_the_version_of_their_settings(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE runs ADD COLUMN settings_version INTEGER DEFAULT 1 NOT NULL"))


MIGRATIONS: tuple[Migration, ...] = (_runs_carry_the_version_of_their_settings,)
"""The first one leads from schema 1 to 2, the next one from 2 to 3, and so on."""

SCHEMA_VERSION = 1 + len(MIGRATIONS)


def migrate(connection: Connection, version: int) -> None:
    """Bring the tables from this version to today's, inside the caller's transaction."""
    for number, migration in enumerate(MIGRATIONS[version - 1 :], start=version + 1):
        migration(connection)
        connection.execute(text("UPDATE schema_version SET version = :number"), {"number": number})
