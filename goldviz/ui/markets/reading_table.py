"""The table of what was read in a file, in which each reading can be changed.

A change is kept by file and column, so that a look at another file, or at the same one again, finds it there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from goldviz.data.markets.file_channel import Choices, ColumnReading, Kind
from goldviz.data.markets.files import TablePreview
from goldviz.data.markets.market import MarketError, Release, Transformation
from goldviz.data.markets.release_words import ALLOWED_RELEASES, release_words, written_release
from goldviz.diagnostics.forecasts.moves import SEEN_AS

USE, COLUMN, KIND, SEEN, KNOWN, UNIT = "Use", "Column", "Read as", "Network sees", "Known at", "Unit"
DATE = "date"
KINDS: Mapping[Kind, str] = {"price": "price or index", "rate": "rate", "volume": "volume", "number": "other number"}
TRANSFORMATIONS = SEEN_AS
WHERE = ("sheet", "header")
"""What says where a table stands."""
Edits = dict[str, dict[str, Any]]
"""By column of the file and heading of the table."""


@dataclass
class Changes:
    """What a visitor changed in one file's table; ``before`` is what held before the last change."""

    edits: Edits = field(default_factory=dict)
    before: Edits = field(default_factory=dict)
    version: int = 0
    """Counts changes: each makes the table anew, with what follows from it."""
    told: dict[str, Any] = field(default_factory=dict)
    """By argument of a reading, what the visitor corrected in what was understood, the latest last."""

    @property
    def read_as(self) -> Choices:
        """How the file is to be read."""
        answers = dict(self.told)
        if "day_first" in answers:
            answers["day_first"] = answers["day_first"] == "day"
        return Choices(**answers)

    def tell(self, argument: str, value: Any) -> None:
        """Correct one thing. Another sheet or header has other columns, of which nothing was told yet."""
        if argument in WHERE:
            self.told = {one: self.told[one] for one in WHERE if one in self.told}
        self.told.pop(argument, None)
        self.told[argument] = value
        self.version += 1

    def take_back_told(self) -> None:
        """Forget the last correction."""
        self.told.popitem()
        self.version += 1

    def of(self, heading: str) -> dict[str, Any]:
        """What was put under a heading, by column."""
        return {column: row[heading] for column, row in self.edits.items() if row.get(heading) is not None}

    @property
    def units(self) -> dict[str, str]:
        """In which units columns were said to be."""
        return {column: row[UNIT] or "" for column, row in self.edits.items() if UNIT in row}

    @property
    def kinds(self) -> dict[str, Kind]:
        """What columns were said to be."""
        return {column: _key(KINDS, words) for column, words in self.of(KIND).items()}

    @property
    def transformations(self) -> dict[str, Transformation]:
        """What the network is to see of columns."""
        return {column: _key(TRANSFORMATIONS, words) for column, words in self.of(SEEN).items()}

    @property
    def releases(self) -> dict[str, Release]:
        """When columns were said to be known; raises MarketError for what is no release time."""
        return {column: written_release(words) for column, words in self.of(KNOWN).items()}

    def used(self, column: str, suggestion: bool) -> bool:
        """Whether a column is used."""
        return bool(self.edits.get(column, {}).get(USE, suggestion))

    def take(self, columns: list[str], rows: Mapping[int, Mapping[str, Any]]) -> None:
        """Take in what was changed in the table's rows; the row of dates, which comes first, cannot be changed."""
        self.before = {column: dict(row) for column, row in self.edits.items()}
        for number, row in rows.items():
            if number:
                self.edits.setdefault(columns[number - 1], {}).update(row)
        self.version += 1

    def refuse_dates(self, preview: TablePreview) -> None:
        """Raise MarketError where a column of numbers was said to be the dates."""
        for column, words in self.of(KIND).items():
            if words == DATE:
                raise MarketError(
                    f"{column} of {preview.name} holds no dates; dates stand in {preview.dates.column}. Allowed are "
                    f"{', '.join(KINDS.values())}.",
                    "no_dates",
                )

    def take_back(self) -> None:
        """Forget the last change."""
        self.edits, self.version = self.before, self.version + 1


def _key(labels: Mapping[Any, str], words: str) -> Any:
    return next(key for key, label in labels.items() if label == words)


def changes_of(identity: str) -> Changes:
    """The visitor's changes to the file of this identity."""
    changes: dict[str, Changes] = st.session_state.setdefault(_CHANGES, {})
    return changes.setdefault(identity, Changes())


_CHANGES = "market-reading-changes"


def rows_read(preview: TablePreview, changes: Changes) -> pd.DataFrame:
    """A row for the dates and one for each column that can be a channel; text is not escaped."""
    days = pd.DatetimeIndex(
        [day for reading in preview.readings_of.values() for day in (reading.first_day, reading.last_day)]
    )
    dates = {
        USE: None,
        COLUMN: preview.dates.column,
        KIND: DATE,
        "From": f"{days.min():%Y-%m-%d}",
        "To": f"{days.max():%Y-%m-%d}",
        "Values": preview.rows,
        "Missing": 0,
        "First": preview.dates.first[0],
        "Last": preview.dates.last[0],
        "Sign": "",
        SEEN: None,
        KNOWN: "",
        UNIT: "",
    }
    rows = [_row(reading, changes.used(name, name in preview.chosen)) for name, reading in preview.readings_of.items()]
    return pd.DataFrame([dates, *rows])


def _row(reading: ColumnReading, in_use: bool) -> dict[str, Any]:
    return {
        USE: in_use,
        COLUMN: reading.column,
        KIND: KINDS[reading.kind],
        "From": f"{reading.first_day:%Y-%m-%d}",
        "To": f"{reading.last_day:%Y-%m-%d}",
        "Values": reading.values,
        "Missing": reading.missing,
        "First": f"{reading.first:,.10g}",
        "Last": f"{reading.last:,.10g}",
        "Sign": f"{reading.not_positive:,} at or below zero" if reading.not_positive else "above zero",
        SEEN: TRANSFORMATIONS[reading.transformation],
        KNOWN: release_words(reading.release),
        UNIT: reading.unit,
    }


def show(preview: TablePreview, identity: str) -> None:
    """Draw the table; what is changed in it counts from the next run of the page on."""
    changes = changes_of(identity)
    key = f"market-reading-{identity}-{changes.version}"
    columns = list(preview.readings_of)

    def take() -> None:
        changes.take(columns, st.session_state[key]["edited_rows"])

    st.data_editor(
        rows_read(preview, changes),
        key=key,
        on_change=take,
        hide_index=True,
        placeholder="",
        disabled=[COLUMN, "From", "To", "Values", "Missing", "First", "Last", "Sign"],
        column_order=[USE, COLUMN, KIND, "From", "To", "First", "Last", "Values", "Missing", "Sign", SEEN, UNIT, KNOWN],
        column_config={
            USE: st.column_config.CheckboxColumn(help="Whether this column is read."),
            COLUMN: st.column_config.TextColumn(pinned=True),
            KIND: st.column_config.SelectboxColumn(options=[*KINDS.values(), DATE], required=True),
            SEEN: st.column_config.SelectboxColumn(
                options=[*TRANSFORMATIONS.values()],
                help="A log return needs values above zero. A change is in the column's own unit.",
            ),
            UNIT: st.column_config.TextColumn(help="What the values count, such as USD/barrel.", max_chars=20),
            KNOWN: st.column_config.TextColumn(help=f"When a day's value is out: {ALLOWED_RELEASES}."),
            "First": st.column_config.TextColumn(help="The oldest value."),
            "Last": st.column_config.TextColumn(help="The newest value."),
        },
    )
