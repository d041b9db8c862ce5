"""The database's clock: signs of life are told and judged by it, so clocks of workers and servers need not agree."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Float
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class database_clock(FunctionElement[float]):  # noqa: N801 - read as a function of SQL
    """Seconds since 1970 by the clock of the machine that keeps the database, at this statement.

    A SQLite file in write-ahead mode is used by programs of one machine, so that machine's clock is meant.
    """

    type = Float()
    inherit_cache = True


@compiles(database_clock)
def _standard(_element: database_clock, _compiler: Any, **_options: Any) -> str:
    return "EXTRACT(EPOCH FROM CURRENT_TIMESTAMP)"


@compiles(database_clock, "postgresql")
def _postgresql(_element: database_clock, _compiler: Any, **_options: Any) -> str:
    # CURRENT_TIMESTAMP is when the transaction began; one that waited for a lock would tell of an earlier moment.
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)"


@compiles(database_clock, "sqlite")
def _sqlite(_element: database_clock, _compiler: Any, **_options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"
