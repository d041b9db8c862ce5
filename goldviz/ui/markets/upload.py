"""A visitor's own files as a market: what was read in each, what only the visitor can say, and how they overlap."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd
import streamlit as st

from goldviz.cache import Cache
from goldviz.data.markets.brought_market import look, make
from goldviz.data.markets.calendars import calendars
from goldviz.data.markets.file_channel import Choices
from goldviz.data.markets.files import LARGEST_FILE, DateReading, TablePreview, check_size
from goldviz.data.markets.joining import joined
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.tables.brought_files import Told
from goldviz.data.tables.understood import Question, Understood
from goldviz.plurals import how_many
from goldviz.runs.execution.memory_watch import give_back_memory
from goldviz.runs.jobs.jobs import Task
from goldviz.ui.brought_files import READ_SECONDS, BroughtFile, answer_about, brought
from goldviz.ui.markets import reading_table
from goldviz.ui.markets.reading_table import Changes, changes_of
from goldviz.ui.serving import services
from goldviz.ui.words import plain

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

MOST_FILES = 12
ORDERS = {True: "day first, as in 31/12/2024", False: "month first, as in 12/31/2024"}
MARKS = {".": "a point", ",": "a comma"}
SURENESS = {"sure": "sure", "likely": "likely", "asked": "please tell"}
CONTROLS = {
    "sheet": "Sheet",
    "header": "Row of the names (0: find it)",
    "date_column": "Dates stand in",
    "day_first": "First in dates",
    "price": "Price to forecast",
    "split": "Names in rows",
    "decimal": "Decimal mark",
}
"""By argument of a reading, what its control is called."""
OPTIONS: dict[str, dict[str, str]] = {
    "day_first": {"day": ORDERS[True], "month": ORDERS[False]},
    "split": {"": "all rows are one price"},
    "decimal": MARKS,
}
JOIN, REPLACE = "Join: its columns and these", "Replace it by these files"


def show(current_market: Market | None) -> Market | None:
    """The uploader, what was read in every file, and their overlap; the market once *Use these data* was pressed.

    A file that cannot be used is left out, and said to be. ``held`` is the market that the visitor uses now, if it is
    not simulated: files join it or replace it, as told.
    """
    st.caption(
        f"CSV, Excel, OpenDocument or Parquet, at most {LARGEST_FILE // 10**6} MB: one column of dates, and prices or "
        "other numbers. Several files become one market. They stay on this server; only you, and those to whom you "
        "give a link, can choose them."
    )
    files = st.file_uploader("Files", accept_multiple_files=True, key="market-file")
    if len(files) > MOST_FILES:
        _keep(files)
        st.error(f"{len(files)} files were chosen; allowed are at most {MOST_FILES}.", icon=":material/block:")
        return None
    read: list[Market | None] = []
    refusals: list[str] = []
    for place, upload in enumerate(files):
        with st.container(border=True, key=f"market-file-{place}"):
            try:
                [file] = brought([upload], MarketError)
                check_size(file.size, file.name)
                read.append(_one_file(file))
            except _NotReadError:
                read.append(None)
            except MarketError as error:
                _refuse(error)
                refusals.append(upload.name)
    markets = [market for market in read if market is not None]
    if not markets or len(markets) < len(read):
        return None
    whole = _together(markets, current_market)
    if whole is not None and refusals:
        st.warning(
            f"**Left out: {plain(', '.join(refusals))}.** What is wrong stands above in red. "
            "*Use these data* takes the other files.",
            icon=":material/playlist_remove:",
        )
    if whole is None or not st.button("Use these data", type="primary", key="use-file"):
        return None
    return whole


def _keep(files: Sequence[UploadedFile]) -> None:
    """Keep files that are too many, so that they can be used once the visitor takes some of them out."""
    try:
        brought(files, MarketError)
    except MarketError as error:
        _refuse(error)


class _NotReadError(Exception):
    """A file is not read yet, or no longer: the page says so where it stands."""


Value = TypeVar("Value")


def _one_file(file: BroughtFile) -> Market | None:
    """What was read in a file and the choices about it; its market, or None while something is missing.

    Raises :class:`MarketError` for a file that cannot be used, and _NotReadError.
    """
    identity = hashlib.sha256(f"{file.key} {file.name}".encode()).hexdigest()[:12]
    choices = _how_to_read(file, identity)
    return None if choices is None else _with_channels(file, choices, identity)


def _look(file: BroughtFile, choices: Choices) -> TablePreview:
    """What a worker saw in a file; it looks once for each choice. Raises MarketError and _NotReadError."""
    return _answer(Task(_key("look", file, choices), look, (file.key, file.name, choices), *_words_of(file)))


def _make(file: BroughtFile, choices: Choices) -> Market:
    """The market that a worker made of a file. Raises MarketError and _NotReadError."""
    task = Task(_key("make", file, choices), make, (file.key, file.name, choices), *_words_of(file))
    market = _MADE.held(task.key)
    if market is None:
        market = _answer(task)
        _MADE.put(task.key, market)
        # Among the results of all jobs it would stay for as long as there is room, which is much.
        services.jobs().results.forget(task.key)
        give_back_memory()
    return market


_MADE: Cache[Market] = Cache(40 * 10**6, lambda market: market.nbytes)
"""Markets that visitors are about to use; a worker makes another of the same file at once."""


def _key(what: str, file: BroughtFile, choices: Choices) -> str:
    return f"{what}-market-{hashlib.sha256(repr((file, choices)).encode()).hexdigest()}"


def _answer(task: Task[Told[Value]]) -> Value:
    answer = answer_about(task, MarketError)
    if answer is None:
        raise _NotReadError
    return answer


def _words_of(file: BroughtFile) -> tuple[str, float]:
    return f"Reading {file.name}", READ_SECONDS


def _refuse(error: MarketError) -> None:
    st.error(plain(str(error)), icon=":material/block:")


def _asked(sentence: str, name: str, options: Sequence[Any], **how: Any) -> Any:
    """A choice under a sentence with text from people in it, which a control's own ``name`` may not have: a screen
    reader reads that letter by letter, escapes and all."""
    st.markdown(plain(sentence))
    return st.radio(name, options, label_visibility="collapsed", **how)


def _how_to_read(file: BroughtFile, identity: str) -> Choices | None:
    """What was understood and what the visitor corrected in it; None while something must be told."""
    changes = changes_of(identity)
    try:
        preview = _look(file, changes.read_as)
    except MarketError as error:
        if not changes.told:
            _control(Understood("Names", "", "likely", "header"), identity)
            raise
        _refuse(error)
        changes.take_back_told()
        preview = _look(file, changes.read_as)
    if len(preview.sheets) > 1:
        _control(Understood("Sheet", "", "likely", "sheet", preview.sheets, preview.sheet), identity)
    choices = changes.read_as
    if preview.unclear:
        mark = _asked(
            f"Which decimal mark does {preview.unclear} have?",
            "Decimal mark",
            list(MARKS),
            format_func=MARKS.__getitem__,
            index=list(MARKS).index(preview.decimal),
            horizontal=True,
            key=f"market-decimal-{identity}",
        )
        choices = replace(choices, decimal=mark)
    st.markdown("**What was understood**")
    with st.container(gap=None):
        for point in preview.understood:
            _line(point, identity)
    if preview.question:
        answer = _asked_of_table(preview.question, identity)
        if answer is None:
            st.info("Choose one, so that the file can be read.")
            return None
        of_price = preview.question.argument == "price"
        choices = replace(choices, price=answer) if of_price else replace(choices, split=answer)
    if preview.date_order != "either":
        return choices
    day_first = _asked(
        f"The dates of {file.name} can be read in two ways.",
        "How the dates are read",
        list(ORDERS),
        format_func=lambda first: f"{ORDERS[first]}: {', '.join(preview.readings['day' if first else 'month'][:3])}",
        index=None,
        key=f"market-dates-{identity}",
    )
    if day_first is None:
        st.info("Choose how the dates are to be read.")
        return None
    return replace(choices, day_first=day_first)


def _line(point: Understood, identity: str) -> None:
    """One thing that was understood, how sure it is, and where it can be changed, beside it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        elsewhere = " Change it under *Use* below." if point.argument == "columns" else ""
        sentence = f"**{point.what}** ({SURENESS[point.confidence]}): {plain(point.sentence)}{elsewhere}"
        st.markdown(sentence, width="content")
        choosable = point.argument in CONTROLS and (len(point.options) > 1 or point.argument == "header")
        if choosable and point.confidence != "asked":
            with st.popover(f"Change {point.what.lower()}", type="tertiary"):
                _control(point, identity)


def _control(point: Understood, identity: str) -> None:
    """The control that corrects one thing; what is told counts from the next run of the page on."""
    changes = changes_of(identity)
    key = f"market-{point.argument}-told-{identity}-{changes.version}"

    def tell() -> None:
        changes.tell(point.argument, st.session_state[key])

    label = CONTROLS[point.argument]
    if point.argument == "header":
        row = re.search(r"\d+", point.sentence)
        st.number_input(label, min_value=0, value=int(row[0]) if row else 0, step=1, key=key, on_change=tell)
    else:
        words = OPTIONS.get(point.argument, {})
        st.selectbox(
            label,
            point.options,
            index=point.options.index(point.choice),
            format_func=lambda one: words.get(one, one),
            key=key,
            on_change=tell,
        )


def _asked_of_table(question: Question, identity: str) -> str | None:
    """The visitor's answer to what only a person can tell, with what comes of each."""
    answer: str | None = _asked(
        question.sentence,
        "How the table is read",
        list(question.answers),
        format_func=lambda one: plain(f"{one}: {question.answers[one]}" if one else question.answers[one]),
        index=None,
        key=f"market-{question.argument}-asked-{identity}",
    )
    return answer


def _with_channels(file: BroughtFile, choices: Choices, identity: str) -> Market | None:
    """The table of what was read, what the file's name is asked about, and the market that they make."""
    changes = changes_of(identity)
    preview = _look(file, choices)
    _say(preview)
    symbols = _answers(preview, [column for column in preview.values if changes.used(column, column in preview.chosen)])
    choices = replace(choices, symbols=symbols)
    try:
        changes.refuse_dates(preview)
        preview = _look(file, _changed(choices, changes))
    except MarketError as error:
        _refuse(error)
        changes.take_back()
        preview = _look(file, _changed(choices, changes))
    choices = _changed(choices, changes)
    reading_table.show(preview, identity)
    st.caption("Double-click a cell under *Read as*, *Network sees*, *Unit* or *Known at* to change it.")
    for note in preview.notes:
        st.caption(f":material/info: {plain(note)}")
    columns = [column for column in preview.values if changes.used(column, column in preview.chosen)]
    if not columns:
        st.info("Choose at least one column under *Use*.")
        return None
    columns.sort(key=lambda column: column != preview.target)
    return _make(file, replace(choices, values=tuple(columns)))


def _changed(choices: Choices, changes: Changes) -> Choices:
    return replace(
        choices,
        kinds=changes.kinds,
        transformations=changes.transformations,
        releases=changes.releases,
        units=changes.units,
    )


def _answers(preview: TablePreview, columns: Sequence[str]) -> dict[str, str]:
    """The symbols to which a visitor said yes; what a file's name suggests is asked once, of the first such column."""
    symbol_question = next((question for question in preview.questions if question.column in columns), None)
    if symbol_question is None:
        return {}
    choice = _asked(
        symbol_question.sentence,
        "Whether this is so",
        ["Yes", "No"],
        index=None,
        horizontal=True,
        key=f"market-symbol-{preview.name}-{symbol_question.symbol}",
    )
    return {symbol_question.column: symbol_question.symbol} if choice == "Yes" else {}


def _say(preview: TablePreview) -> None:
    """The file in a sentence: its name, its sheet, its rows, and its dates from the first row to the last."""
    sheet = f", sheet *{plain(preview.sheet)}*" if len(preview.sheets) > 1 else ""
    marks = (
        f", separated by {_mark(preview.separator)}, decimals with {_mark(preview.decimal)}"
        if preview.separator
        else ""
    )
    rows = how_many(preview.rows, "row")
    st.markdown(f"**{plain(preview.name)}**{sheet}: {rows}{marks}. {_dates_in_words(preview.dates)}")


def _dates_in_words(dates: DateReading) -> str:
    first, last = dates.first, dates.last
    if first[0] == first[1]:
        return f"Dates in *{plain(dates.column)}*, from {first[1]} to {last[1]}."
    read = f"{plain(first[0])} was read as {first[1]}, {plain(last[0])} as {last[1]}"
    return f"Dates in *{plain(dates.column)}*: {read}."


def _mark(character: str) -> str:
    return {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars", ".": "points", " ": "blanks"}[character]


def _together(markets: Sequence[Market], market: Market | None) -> Market | None:
    """The files as one market, with the one in use where it is to be joined; None while that is not told."""
    parts = list(markets)
    if market is not None:
        with_it = _asked(
            f"You use {market.origin} now.",
            "Join or replace",
            [JOIN, REPLACE],
            index=None,
            horizontal=True,
            key="market-with-held",
        )
        if with_it is None:
            st.info("Choose whether these files join the market that you use, or replace it.")
            return None
        parts = [market, *parts] if with_it == JOIN else parts
    try:
        return _forecast(joined(parts))
    except MarketError as error:
        _refuse(error)
        return None


def _forecast(market: Market) -> Market:
    """The market with the channel to forecast first, and how the others overlap with it."""
    names = [channel.name for channel in market.channels]
    words = {channel.name: channel.words for channel in market.channels}
    target = st.selectbox("Forecast", names, format_func=words.__getitem__, key=f"market-target-{'-'.join(names)}")
    market = market.only([target, *(name for name in names if name != target)])
    if len(names) > 1:
        st.markdown("**How do the columns overlap?**")
        st.dataframe(overlap(market), hide_index=True)
        st.caption("Each series keeps its own dates and is used only after its release. Nothing is filled in.")
    return market


def overlap(market: Market) -> pd.DataFrame:
    """A row for each channel, the target first: its time, its calendar, its gaps, and the days with the target."""
    by_channel = calendars(market)
    target = by_channel[market.target.name]
    return pd.DataFrame(
        [
            {
                "Column": channel.words,
                "From": by_channel[channel.name].first,
                "To": by_channel[channel.name].last,
                "Values": len(by_channel[channel.name].days),
                "Values on": by_channel[channel.name].rhythm,
                "Longest gap (days)": by_channel[channel.name].longest_gap,
                "Gap ends": by_channel[channel.name].gap_ends,
                "Days with the target": by_channel[channel.name].shared(target),
            }
            for channel in market.channels
        ]
    )
