"""Dated texts out of a CSV file: a column of dates, a column of texts, perhaps a day of release and a kind.

Columns are found by name and by content; what can be read in two ways is asked. Nothing in a file is ever run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from goldviz.data.markets.clock import utc_now
from goldviz.data.markets.market import MarketError
from goldviz.data.tables.column_words import DATE_WORDS, name_words
from goldviz.data.tables.file_table import FileTable, is_missing, plain_words
from goldviz.data.tables.printed_dates import ALLOWED_DATES, DateOrder, PrintedDates, date_form, read_dates
from goldviz.data.texts.dated_texts import (
    ASSUMED_RELEASE,
    MOST_TEXTS,
    DatedText,
    DatedTextError,
    DatedTexts,
    ReleaseRule,
    end_of_month,
    ordered,
    stamped_by_month,
    to_come,
)
from goldviz.data.texts.text_tables import text_table

SHOWN_ROWS, SHOWN_CHARACTERS = 5, 80
RELEASE_WORDS = {"release", "released", "published", "publication", "available"}
TEXT_WORDS = {"text", "texts", "statement", "content", "contents", "body", "words", "transcript", "speech", "document"}
KIND_WORDS = {"type", "kind", "category", "class", "source"}
MOST_KINDS = 20
LONGEST_KIND = 30
NOTHING = ""


@dataclass(frozen=True)
class TextTablePreview:
    """What was read in a file before anything is chosen.

    ``dates``, ``texts`` and ``kinds`` are the columns that can be each; ``date``, ``text``, ``release`` and ``kind``
    those that are suggested, ``release`` and ``kind`` empty where there is none. ``unclear`` says what should be asked.
    ``date_order`` and ``readings`` are as in :class:`goldviz.data.markets.files.TablePreview`; they are of the days of
    release where the dates leave nothing open. ``head`` are the first rows with their texts cut short.
    """

    name: str
    rows: int
    columns: tuple[str, ...]
    dates: tuple[str, ...]
    texts: tuple[str, ...]
    kinds: tuple[str, ...]
    date: str
    text: str
    release: str
    kind: str
    unclear: tuple[str, ...]
    date_order: DateOrder
    readings: Mapping[str, tuple[str, ...]]
    head: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class TextColumns:
    """What a visitor chose; ``release`` and ``kind`` may be empty: there is no such column.

    ``day_first`` is needed where the preview's ``date_order`` is 'either'.
    """

    date: str
    text: str
    release: str = NOTHING
    kind: str = NOTHING
    day_first: bool | None = None


def look_into_texts(content: bytes, name: str) -> TextTablePreview:
    """What a CSV file of dated texts holds.

    Raises :class:`DatedTextError` where it cannot be used, in one sentence that names the
    file, the place, and what is allowed.

    >>> rows = b'Date,Type,Text\\n2024-12-18,Statement,"Rates rose,\\nas expected."\\n'
    >>> found = look_into_texts(rows, "statements.csv")
    >>> found.date, found.text, found.kind, found.release, found.date_order
    ('Date', 'Text', 'Type', '', 'year')
    """
    table = text_table(content, name)
    dates = tuple(column for column in table.names if date_form(table.columns[table.names.index(column)]))
    if not dates:
        raise DatedTextError(
            f"{table.file} has no column of dates; allowed are dates like {ALLOWED_DATES}.", "no_dates"
        )
    texts, text, text_unclear = _text_column(table, [name for name in table.names if name not in dates])
    release = next((column for column in dates if name_words(column) & RELEASE_WORDS), NOTHING)
    others = [column for column in dates if column != release] or list(dates)
    date = next((column for column in others if name_words(column) & DATE_WORDS), others[0])
    release = NOTHING if release == date else release
    kinds = tuple(column for column in table.names if column not in (*dates, text) and _few(table, column))
    unclear = [*(["text"] if text_unclear else []), *(["date"] if len(others) > 1 else [])]
    with_texts = _with_texts(table, text)
    with_dates = _dates_of_so_many(with_texts, date, None)
    if release and with_dates.order != "either":
        # A cell that is no date is told when the column is used: another one may be chosen instead.
        with suppress(DatedTextError):
            releases = _dates_there(with_texts, release, None)[1]
            with_dates = releases if releases and releases.order == "either" else with_dates
    return TextTablePreview(
        name=table.file,
        rows=len(table.rows),
        columns=table.names,
        dates=dates,
        texts=texts,
        kinds=kinds,
        date=date,
        text=text,
        release=release,
        kind=next((column for column in kinds if name_words(column) & KIND_WORDS), NOTHING),
        unclear=tuple(unclear),
        date_order=with_dates.order,
        readings=_both_readings(with_dates),
        head=tuple(
            tuple(_shown(column, row) for column in table.columns) for row in range(min(SHOWN_ROWS, len(table.rows)))
        ),
        notes=(*table.notes, *_dropped(table, with_texts)),
    )


def texts_from_table(
    content: bytes, name: str, columns: TextColumns, rule: ReleaseRule = ASSUMED_RELEASE
) -> DatedTexts:
    """The documents in a CSV file, by the columns that were chosen.

    Rows without a text are left out. A document is out on the day in the ``release`` column, at the rule's clock or,
    where that column has times of day, at the latest of them: no document counts as known too early. Without that
    column, and in rows where it is empty, the rule says the day, and the notes what is doubtful in it.

    Raises :class:`DatedTextError` as :func:`look_into_texts` does, for a column that there is
    not, for a release before the day that the text is about, and for dates that can be read in two ways.
    """
    table = text_table(content, name)
    for column in filter(None, (columns.date, columns.text, columns.release, columns.kind)):
        if column not in table.names:
            raise DatedTextError(
                f"{table.file} has no column {plain_words(column)!r}; allowed are {', '.join(table.names)}.",
                "not_offered",
            )
    with_texts = _with_texts(table, columns.text)
    dates = _dates_of_so_many(with_texts, columns.date, columns.day_first)
    if dates.order == "either":
        raise DatedTextError(
            f"The dates of {table.file} can be read in two ways; choose whether the day or the month stands first.",
            "two_readings",
        )
    about = dates.moments.astype("datetime64[D]").tolist()
    kinds = _cells(with_texts, columns.kind) if columns.kind else [""] * len(about)
    kinds = [plain_words(kind, LONGEST_KIND) for kind in kinds]
    by_month = stamped_by_month(about)
    release_days = [
        rule.day_out(end_of_month(day) if by_month else day, kind) for day, kind in zip(about, kinds, strict=True)
    ]
    has_day, latest, notes = [False] * len(about), "", list(table.notes)
    if columns.release:
        has_day, days, latest = _releases(with_texts, columns.release, columns.day_first)
        release_days = [
            day if there else rule_day for there, day, rule_day in zip(has_day, days, release_days, strict=True)
        ]
        if stamped_by_month([day for there, day in zip(has_day, release_days, strict=True) if there]):
            release_days = [
                end_of_month(day) if there else day for there, day in zip(has_day, release_days, strict=True)
            ]
            notes.append(f"All days in {columns.release} are the first of a month: documents count from its end.")
        if latest:
            notes.append(f"{columns.release} has times of day; the latest, {latest} UTC, counts for all documents.")
        if not all(has_day):
            empty = len(has_day) - sum(has_day)
            notes.append(f"Rows with nothing in {columns.release}: {empty}; their day of release is assumed.")
    elif by_month:
        notes.append(f"All days in {columns.date} are the first of a month: documents count from its end or later.")
    for row, day, out in zip(with_texts.rows, about, release_days, strict=True):
        if out < day:
            raise DatedTextError(
                f"In row {row} of {table.file} the release, {out}, is before the date, {day}; allowed are releases on "
                "that day or later.",
                "released_early",
            )
    texts = [
        DatedText(day, out, kind, text.strip())
        for day, out, kind, text in zip(about, release_days, kinds, _cells(with_texts, columns.text), strict=True)
    ]
    rule = replace(rule, clock=latest, zone="UTC") if latest else rule
    doubts = rule.doubts(texts, [text for text, there in zip(texts, has_day, strict=True) if not there])
    in_order, repeats = ordered(texts)
    notes += [*to_come(texts, utc_now().date()), *doubts, *dates.notes, *_dropped(table, with_texts), *repeats]
    clock, empty_days = rule.clock_for(texts), _unwritten(table, columns)
    return DatedTexts(in_order, table.file, clock, rule.zone, notes=tuple(notes), unwritten=empty_days)


def _text_column(table: FileTable, names: Sequence[str]) -> tuple[tuple[str, ...], str, bool]:
    """The columns that can be the text, the one that is meant, and whether another could be as well."""
    lengths = {name: pc.mean(pc.utf8_length(_column(table, name))).as_py() or 0.0 for name in names}
    by_length = sorted((name for name in names if lengths[name] > 0), key=lambda name: -lengths[name])
    if not by_length:
        raise DatedTextError(
            f"{table.file} has no column of texts beside its dates; expected is one with statements.", "no_text"
        )
    by_name = [name for name in by_length if name_words(name) & TEXT_WORDS]
    column = (by_name or by_length)[0]
    rivals = [name for name in by_length if name != column and lengths[name] > lengths[column] / 2]
    return tuple(by_length), column, bool(rivals)


def _few(table: FileTable, name: str) -> bool:
    """Whether a column has so few and so short values that they can be kinds of documents."""
    cells = _column(table, name)
    values = pc.unique(cells)
    return len(values) <= MOST_KINDS and pc.max(pc.utf8_length(values)).as_py() <= 2 * LONGEST_KIND


def _with_texts(table: FileTable, name: str) -> FileTable:
    """The rows that have a text."""
    there = pc.invert(is_missing(_column(table, name)))
    if not pc.any(there).as_py():
        raise DatedTextError(f"No row of {table.file} has a text in {name}; at least one is needed.", "no_text")
    columns = tuple(column.filter(there) for column in table.columns)
    rows = table.rows[there.to_numpy(zero_copy_only=False)]
    return FileTable(table.file, "text", table.names, columns, rows, table.separator, table.notes)


def _dropped(table: FileTable, with_texts: FileTable) -> tuple[str, ...]:
    count = len(table.rows) - len(with_texts.rows)
    if not count:
        return ()
    rows = "1 row without a text is" if count == 1 else f"{count} rows without a text are"
    return (f"{rows} left out, as of meetings to come.",)


def _unwritten(table: FileTable, choice: TextColumns) -> tuple[date, ...]:
    """The days of the rows without a text that have a date; none where these cannot be read."""
    empty = pc.and_(is_missing(_column(table, choice.text)), pc.invert(is_missing(_column(table, choice.date))))
    if not pc.any(empty).as_py():
        return ()
    columns = tuple(column.filter(empty) for column in table.columns)
    rows = table.rows[empty.to_numpy(zero_copy_only=False)]
    try:
        dates = _dates(FileTable(table.file, "text", table.names, columns, rows), choice.date, choice.day_first)
    except DatedTextError:
        return ()
    return tuple(sorted(set(dates.moments.astype("datetime64[D]").tolist())))


def _dates_of_so_many(table: FileTable, name: str, day_first: bool | None) -> PrintedDates:
    """The dates; raises :class:`DatedTextError` with all that is wrong at once: too many texts, and a wrong date."""
    count = len(table.rows)
    too_many = (
        "" if count <= MOST_TEXTS else f"{table.file} has {count:,} documents; allowed are at most {MOST_TEXTS:,}."
    )
    try:
        dates = _dates(table, name, day_first)
    except DatedTextError as error:
        raise DatedTextError(f"{too_many} {error}".strip(), "too_large" if too_many else error.code) from None
    if too_many:
        raise DatedTextError(too_many, "too_large")
    return dates


def _dates(table: FileTable, name: str, day_first: bool | None) -> PrintedDates:
    place = table.names.index(name)
    form = date_form(table.columns[place])
    if form is None:
        raise DatedTextError(
            f"{name} of {table.file} holds no dates; allowed are dates like {ALLOWED_DATES}.", "no_dates"
        )
    try:
        return read_dates(table, place, form, day_first)
    except MarketError as error:
        raise DatedTextError(str(error), error.code) from None


def _releases(table: FileTable, name: str, day_first: bool | None) -> tuple[list[bool], list[date], str]:
    """Whether each row says its release; its day, any where it does not; and the latest time of day where there are."""
    there, dates = _dates_there(table, name, day_first)
    days = np.full(len(there), np.datetime64("1970-01-01"), "datetime64[D]")
    clock = ""
    if dates:
        if dates.order == "either":
            raise DatedTextError(
                f"The dates in {name} of {table.file} can be read in two ways; choose whether the day or the month "
                "stands first.",
                "two_readings",
            )
        days[there] = dates.moments.astype("datetime64[D]")
        latest = int((dates.moments - dates.moments.astype("datetime64[D]")).astype(int).max())
        clock = f"{latest // 3600:02d}:{latest // 60 % 60:02d}" if latest else ""
    return there.tolist(), days.tolist(), clock


def _dates_there(table: FileTable, name: str, day_first: bool | None) -> tuple[NDArray[np.bool_], PrintedDates | None]:
    """Which rows have something in a column of dates, and these dates; None where no row has."""
    there = pc.invert(is_missing(_column(table, name))).to_numpy(zero_copy_only=False)
    if not there.any():
        return there, None
    columns = tuple(column.filter(pa.array(there)) for column in table.columns)
    return there, _dates(FileTable(table.file, "text", table.names, columns, table.rows[there]), name, day_first)


def _both_readings(dates: PrintedDates) -> dict[str, tuple[str, ...]]:
    readings = {dates.order if dates.month_first is None else "day": dates.moments}
    if dates.month_first is not None:
        readings["month"] = dates.month_first
    return {
        order: tuple(str(day) for day in moments[:3].astype("datetime64[D]")) for order, moments in readings.items()
    }


def _column(table: FileTable, name: str) -> pa.StringArray:
    return table.columns[table.names.index(name)]


def _cells(table: FileTable, name: str) -> list[str]:
    cells: list[str] = _column(table, name).to_pylist()
    return cells


def _shown(column: pa.StringArray, row: int) -> str:
    return plain_words(column[row].as_py(), SHOWN_CHARACTERS)
