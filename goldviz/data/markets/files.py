"""A visitor's own file as a market: CSV in any dialect, or Parquet.

What can be told from the file is told and noted; what cannot, such as whether 01/02/2024 is in January, is asked.
Nothing in a file is ever run, and its size is checked before it is unpacked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import pandas as pd

from goldviz.data.markets.file_channel import FileChannel, file_channel
from goldviz.data.markets.market import Market, MarketError, Transformation
from goldviz.data.tables.daily_column import DailyColumn
from goldviz.data.tables.delimited_text import delimited_table
from goldviz.data.tables.file_table import FileTable, plain_words
from goldviz.data.tables.parquet_table import ENCRYPTED_MARK, PARQUET_MARK, parquet_table
from goldviz.data.tables.printed_dates import DateOrder, Moments
from goldviz.data.tables.table_layout import TableLayout, understood

LARGEST_FILE = 50 * 10**6
"""Bytes."""

HEAD = 5
"""Rows that a preview shows."""


@dataclass(frozen=True)
class TablePreview:
    """What was read in a file, before anything is chosen.

    ``columns`` are the cleaned names in order, ``values`` those that can be channels (in a long table the channels'
    own names), ``target`` the suggested one of them. ``date_order`` is 'either' where the dates fit both readings and
    the caller must choose; ``readings`` then holds the first rows' dates as ISO for 'day' and for 'month', else the one
    under ``date_order``. ``separator`` and ``decimal`` are empty for Parquet. ``head`` are the first rows as they
    stand in the file, ``notes`` sentences on what was noticed.
    """

    name: str
    kind: Literal["text", "parquet"]
    rows: int
    columns: tuple[str, ...]
    date_column: str
    date_order: DateOrder
    readings: Mapping[str, tuple[str, ...]]
    separator: str
    decimal: str
    values: tuple[str, ...]
    target: str
    head: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Choices:
    """What a visitor chose: ``values`` with the target first, or none of them for what the preview suggests.

    Without a choice all columns that can be channels are used, or of open, high, low and close the close alone.
    ``day_first`` is needed where the preview's ``date_order`` is 'either'.
    """

    values: tuple[str, ...] = ()
    day_first: bool | None = None
    transformations: Mapping[str, Transformation] = field(default_factory=dict)


def look_into(content: bytes, name: str) -> TablePreview:
    """What a file holds, told from its bytes and never from its name's ending.

    Raises :class:`MarketError` where it cannot be used, in one sentence that names the file, the
    place, and what is allowed.

    >>> rows = "".join(f"{day}.01.2024;{1900 + day},5\\n" for day in range(31, 0, -1))
    >>> found = look_into(f"Datum;Preis\\n{rows}".encode(), "gold.csv")
    >>> found.date_order, found.readings["day"][0], found.separator, found.decimal, found.target
    ('day', '2024-01-31', ';', ',', 'Preis')
    """
    table = _table(content, name)
    layout = understood(table)
    target = layout.columns[layout.target]
    notes = (*layout.notes, *target.notes, *_future_notes([target], pd.Timestamp.now(tz="UTC")))
    return TablePreview(
        name=table.file,
        kind=table.kind,
        rows=len(table.rows),
        columns=table.names,
        date_column=layout.date_column,
        date_order=layout.dates.order,
        readings=_readings(layout),
        separator=table.separator,
        decimal=layout.decimal if table.kind == "text" else "",
        values=tuple(name for name, column in layout.columns.items() if not column.trouble),
        target=layout.target,
        head=tuple(
            tuple(table.cell(column, row) for column in range(len(table.names)))
            for row in range(min(HEAD, len(table.rows)))
        ),
        notes=notes,
    )


def market_from_file(content: bytes, name: str, choices: Choices = Choices(), *, retrieved: pd.Timestamp) -> Market:
    """The market in a file, with the columns, the reading of dates and the transformations that were chosen.

    Words, release and transformation come from :mod:`symbols` where the file or a column is named like a
    symbol. Otherwise a value is taken to be known at the end of its day in UTC, and log returns are taken where all
    values are above zero, differences elsewhere. Of a day's several time stamps the last counts.

    Raises :class:`MarketError` as :func:`look_into` does, for choices that the file does not
    offer, and where the dates can be read in two ways and neither was chosen.
    """
    table = _table(content, name)
    layout = understood(table, choices.day_first)
    _check(choices, table, layout)
    chosen = choices.values or layout.chosen
    found: list[FileChannel] = []
    for column in chosen:
        taken = {one.channel.name for one in found}
        wanted = choices.transformations.get(column)
        found.append(file_channel(column, layout.columns[column], table.file, wanted, taken))
    retrieved = retrieved.tz_localize("UTC") if retrieved.tz is None else retrieved.tz_convert("UTC")
    notes = _market_notes(layout, found, _future_notes([layout.columns[column] for column in chosen], retrieved))
    return Market(tuple(one.channel for one in found), "file", table.file, retrieved, notes)


def _market_notes(layout: TableLayout, found: Sequence[FileChannel], future: Sequence[str]) -> dict[str, str]:
    """What should be known of each channel; what holds for the whole file stands with the target alone."""
    general = [*layout.notes, *future]
    unknown = ", ".join(one.channel.name for one in found if not one.release_known)
    if unknown:
        general.append(f"When values of {unknown} become known is not said; 23:59 UTC of their day is assumed.")
    general += found[0].notes
    notes = {one.channel.name: [note for note in one.notes if note not in general] for one in found}
    notes[found[0].channel.name] = general
    return {name: " ".join(sentences) for name, sentences in notes.items() if sentences}


def _table(content: bytes, name: str) -> FileTable:
    """The table in a file of either kind, once it is known to be small enough."""
    file = plain_words(name) or "The file"
    check_size(len(content), file)
    if content[:4] in (PARQUET_MARK, ENCRYPTED_MARK):
        return parquet_table(content, file)
    return delimited_table(content, file)


def check_size(size: int, file: str) -> None:
    """Raise :class:`MarketError` for a file of more than :data:`LARGEST_FILE` bytes."""
    if size > LARGEST_FILE:
        raise MarketError(f"{file} has {size / 1e6:,.1f} MB; allowed are at most {LARGEST_FILE / 1e6:.0f} MB.")


def _readings(layout: TableLayout) -> dict[str, tuple[str, ...]]:
    dates = layout.dates
    if dates.month_first is None:
        return {dates.order: _iso(dates.moments)}
    return {"day": _iso(dates.moments), "month": _iso(dates.month_first)}


def _iso(moments: Moments) -> tuple[str, ...]:
    return tuple(str(day) for day in moments[:HEAD].astype("datetime64[D]"))


def _future_notes(columns: Sequence[DailyColumn], now: pd.Timestamp) -> tuple[str, ...]:
    last = max(column.values.index[-1] for column in columns)
    if last <= now.tz_localize(None).normalize():
        return ()
    return (f"The last date, {last:%Y-%m-%d}, is still to come.",)


def _check(choices: Choices, table: FileTable, layout: TableLayout) -> None:
    """Refuse what the file does not offer."""
    offered = ", ".join(name for name, column in layout.columns.items() if not column.trouble)
    for column in (*choices.values, *choices.transformations):
        if column not in layout.columns:
            raise MarketError(
                f"{table.file} has no channel {plain_words(column)!r}; allowed are {plain_words(offered, 300)}."
            )
    for column in choices.values:
        if layout.columns[column].trouble:
            raise MarketError(layout.columns[column].trouble)
    if len(set(choices.values)) < len(choices.values):
        raise MarketError(f"A channel of {table.file} is chosen twice; allowed is each of {offered} once.")
    allowed = get_args(Transformation)
    for column, transformation in choices.transformations.items():
        if transformation not in allowed:
            raise MarketError(f"{column} is to be seen as {transformation!r}; allowed are {', '.join(allowed)}.")
    if layout.dates.month_first is not None:
        row = int(np.argmax(layout.dates.moments != layout.dates.month_first))
        cell = table.cell(table.names.index(layout.date_column), row)
        day, month = (
            np.datetime_as_string(read[row], "D") for read in (layout.dates.moments, layout.dates.month_first)
        )
        raise MarketError(
            f"The dates of {table.file} can be read in two ways, {cell} as {day} or as {month}; choose whether the day "
            "or the month stands first."
        )
