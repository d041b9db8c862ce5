"""What the columns of a table mean: which holds the dates, which can be channels, and which is meant as the price.

Known layouts: one price; open, high, low, close; a column for each channel; and long tables, with a row for each
value and a column that names its channel. Numbers are asked before names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.channel_names import (
    by_channel,
    channel_names,
    one_name,
    one_row_a_moment,
    split_question,
    without_entities,
)
from goldviz.data.tables.column_roles import Roles, column_roles, priced
from goldviz.data.tables.column_words import ADJUSTED_WORDS, NO_PRICE_WORDS, name_words
from goldviz.data.tables.daily_column import FEWEST_VALUES, DailyColumn, DatedTable, daily_column
from goldviz.data.tables.date_columns import beside_other_dates, chosen_dates, clock_column, date_columns
from goldviz.data.tables.file_table import FileTable, is_empty, plain_words, printed
from goldviz.data.tables.printed_dates import DateForm, PrintedDates, date_form, read_dates, with_clock
from goldviz.data.tables.printed_numbers import ReadNumbers, decimal_mark, read_numbers, unit_behind, without_unit
from goldviz.data.tables.understood import NOTHING_TOLD, Confidence, Question, Told, Understood
from goldviz.plurals import how_many

MOST_SIGNS = 0.25
"""The largest share of a column's cells in which one word without digits, or a code, may stand for no value."""
CODES_FOR_NOTHING = (-99, -999, -9999, -99999)


@dataclass(frozen=True)
class TableLayout:
    """``columns`` are the candidates for channels in order, ``target`` one of them that can be used.

    ``chosen``, the target first, is what is used where nobody chooses: all that can be, or of open, high, low and
    close the close alone. ``date_columns`` are all that could hold the dates. ``unclear`` is a cell that the decimal
    mark could be read from in two ways, where no other cell decides; else empty. ``question`` is what must be told.
    """

    date_column: str
    dates: PrintedDates
    decimal: str
    columns: dict[str, DailyColumn]
    target: str
    chosen: tuple[str, ...]
    notes: tuple[str, ...]
    date_columns: tuple[str, ...] = ()
    unclear: str = ""
    understood: tuple[Understood, ...] = ()
    question: Question | None = None


def understood(table: FileTable, answers: Told = NOTHING_TOLD) -> TableLayout:
    """Read a table's dates and numbers and find out what they are, as far as they were not ``told``.

    Raises :class:`MarketError` where there are no dates, no numbers, fewer than 30 rows, or where
    the column that is clearly meant as the price cannot be used.
    """
    if len(table.rows) < FEWEST_VALUES:
        number = how_many(len(table.rows), "row")
        wide = " Dates stand side by side: put them below one another." if date_form(pa.array(table.names)) else ""
        raise MarketError(f"{table.file} has {number}; at least {FEWEST_VALUES} values are needed.{wide}", "too_few")
    candidates = date_columns(table)
    place, form = chosen_dates(table, candidates, answers.date_column)
    dates = read_dates(table, place, form, answers.day_first)
    clock = clock_column(table, place, dates)
    if clock is not None:
        dates = with_clock(dates, table, clock)
    elsewhere = beside_other_dates(table, candidates, place)
    others = [column for column in range(len(table.names)) if column not in (place, clock, *elsewhere)]
    table = _units_apart(table, others, dates)
    source = DatedTable(table, place, dates)
    text = [table.columns[column] for column in others if pa.types.is_string(table.columns[column].type)]
    mark, unclear = decimal_mark(text, table.separator)
    decimal = answers.decimal or mark
    notes = [*table.notes, *dates.notes]
    numbers: dict[int, ReadNumbers] = {}
    for column in others:
        numbers[column], remark = _without_signs(table, column, read_numbers(table.columns[column], decimal))
        notes += remark
    named = priced([table.names[column] for column in others])[0]
    numeric = [
        column
        for column in others
        if numbers[column].numeric or (table.names[column] == named and _meant_as_numbers(table.columns[column]))
    ]
    if not numeric:
        raise MarketError(
            f"{table.file} has no column of numbers beside the dates in {table.names[place]}; allowed are numbers like "
            "1925.45, 1,925.45 and 1.925,45.",
            "no_numbers",
        )
    left_out = [column for column in others if column not in numeric]
    numeric, entities = without_entities(source, numeric, left_out, numbers)
    notes += entities
    left_out = [column for column in left_out if not one_name(table, column)]
    key, question = channel_names(source, left_out, answers)
    rows = np.arange(len(table.rows))
    if key is not None and question is None:
        codes = key[1].indices.to_numpy()
        rows = np.flatnonzero(codes == np.bincount(codes).argmax())
    roles = column_roles(table, numeric, numbers, dates, rows, answers)
    if key is None or question is not None or answers.split == "":
        one_price = answers.split == "" or (question is not None and question.argument == "split")
        rows, remark = one_row_a_moment(source) if one_price else (rows, [])
        notes += remark
        columns = {
            table.names[column]: replace(
                daily_column(source, column, numbers[column], rows, f"Column {table.names[column]} of {table.file}"),
                change_of=roles.change_of.get(column, ""),
                unit=table.units.get(table.names[column], ""),
                of=table.names[column] if any(column in bars.columns for bars in roles.bars) else "",
            )
            for column in numeric
        }
        target, selection = _target(columns, roles, table)
    else:
        value = roles.price
        columns = by_channel(source, key[1], value, numbers[value])
        target, selection = _target(columns, None, table)
        names = ", ".join(table.names[column] for column in numeric if column != value)
        notes.append(
            f"Each name in {table.names[key[0]]} becomes a column of {table.names[value]}"
            + (f"; {plain_words(names, 80)} of each is left out." if names else ".")
        )
        left_out.remove(key[0])
    if key is not None and question is not None:
        question = split_question(question, source, key, columns[target], numbers[roles.price], roles.price)
    if unclear:
        notes.append(f"{unclear} was read with {'a comma' if decimal == ',' else 'a point'} as decimal mark.")
    if elsewhere:
        names = plain_words(", ".join(table.names[column] for column in elsewhere), 80)
        notes.append(f"Left out, as they belong to other dates: {names}. Choose those dates to read them instead.")
    if left_out:
        notes.append(f"Left out, as they hold no numbers: {', '.join(table.names[column] for column in left_out)}.")
    notes += [f"{column.trouble} It is left out." for column in columns.values() if column.trouble]
    notes += roles.notes
    if key is None or answers.split == "":
        question = question or roles.question or _price_in_doubt(table, columns, target, roles, left_out)
    layout = TableLayout(
        table.names[place],
        source.dates,
        decimal,
        columns,
        target,
        selection,
        tuple(notes),
        tuple(table.names[candidate] for candidate, _ in candidates),
        unclear,
        question=question,
    )
    split = None if key is None else table.names[key[0]]
    of_dates = _of_dates(table, layout, form, clock, answers)
    return replace(layout, understood=(*of_dates, *_of_numbers(table, layout, roles, answers, split)))


def _of_dates(
    table: FileTable, layout: TableLayout, form: DateForm, clock: int | None, answers: Told
) -> list[Understood]:
    """What was understood of the names and the dates."""
    points = []
    if table.header:
        sure: Confidence = "sure" if table.header == 1 else "likely"
        points.append(Understood("Names", f"They stand in row {table.header}.", sure, "header"))
    elif table.kind == "text":
        points.append(Understood("Names", "There are none.", "likely", "header"))
    at = f", at the times in {table.names[clock]}" if clock is not None else ""
    likely: Confidence = "likely" if form.digits_alone and not answers.date_column else "sure"
    sentence = f"They stand in {layout.date_column}{at}."
    points.append(Understood("Dates", sentence, likely, "date_column", layout.date_columns, choice=layout.date_column))
    order = layout.dates.order
    if "?P<first>" in form.pattern:
        confidence: Confidence = "likely" if layout.dates.by_rows else "asked" if order == "either" else "sure"
        sentence = "The day or the month stands first." if order == "either" else f"The {order} stands first."
        points.append(Understood("Order", sentence, confidence, "day_first", ("day", "month"), choice=order))
    return points


def _of_numbers(
    table: FileTable, layout: TableLayout, roles: Roles, answers: Told, split: str | None
) -> list[Understood]:
    """What was understood of the price, the names in rows, the decimal mark and the other columns."""
    names, target, question = table.names, layout.target, layout.question
    bars = next((one for one in roles.bars if names[one.close] == target), None)
    sure: Confidence = "sure"
    sentence = f"{target} is forecast."
    if answers.price:
        sentence = f"{target} is forecast, as you say."
    elif bars:
        sentence = (
            f"{target} is the close: {names[bars.high]} is never below and {names[bars.low]} never above it, and "
            f"{names[bars.open]} is near the close before."
        )
    elif len(layout.chosen) > 1 and priced(list(names))[0] != target:
        sure = "likely"
    if question is not None and question.argument == "price":
        sentence, sure = "Not clear which column is forecast.", "asked"
    usable = tuple(name for name, column in layout.columns.items() if not column.trouble)
    points = [Understood("Price", sentence, sure, "price", usable, choice=target)]
    if split is not None:
        apart = question is None and answers.split != ""
        sentence = f"Each name in {split} becomes a column." if apart else "All of them are one price."
        if question is not None:
            sentence = f"All of them are one price, or each name in {split} becomes a column."
        certain: Confidence = "asked" if question is not None else "likely" if answers.split is None else "sure"
        points.append(Understood("Rows", sentence, certain, "split", ("", split), choice=split if apart else ""))
    if layout.unclear or layout.decimal == "," or answers.decimal:
        sentence = f"A {'comma' if layout.decimal == ',' else 'point'} is the decimal mark."
        clear: Confidence = "asked" if layout.unclear and not answers.decimal else "sure"
        points.append(Understood("Numbers", sentence, clear, "decimal", (".", ","), choice=layout.decimal))
    rest = [name for name in usable if name not in layout.chosen]
    if len(usable) > 1:
        sentence = f"{plain_words(', '.join(layout.chosen[1:]), 200) or 'None'}."
        if rest:
            sentence += f" Left out: {plain_words(', '.join(rest), 200)}."
        points.append(Understood("Inputs", sentence, "likely", "columns", usable))
    return points


def _units_apart(table: FileTable, columns: Sequence[int], dates: PrintedDates) -> FileTable:
    """The table with the units that stand behind the numbers of these columns beside them, and not in their cells."""
    cells, units = list(table.columns), dict(table.units)
    for column in columns:
        if not pa.types.is_string(cells[column].type) or not (unit := unit_behind(cells[column])):
            continue
        # 2 years, 5 years and 10 years may be the names of a long table.
        names_come_again = len(np.unique(dates.moments)) < len(dates.moments)
        if len(pc.unique(cells[column])) > (len(table.rows) // 10 if names_come_again else 1):
            cells[column] = without_unit(cells[column], unit)
            units.setdefault(table.names[column], unit)
    return replace(table, columns=tuple(cells), units=units)


def _price_in_doubt(
    table: FileTable, columns: dict[str, DailyColumn], target: str, roles: Roles, left_out: Sequence[int]
) -> Question | None:
    """What is asked where another column may be meant as the price than the target, which nothing says to be one."""
    if roles.told or roles.bars or priced(list(columns))[0] == target:
        return None
    price, named = table.names[roles.price], priced(list(table.names))[0]
    sentence = columns[price].trouble
    of_that_name = (table.columns[column] for column in left_out if table.names[column] == named)
    if not sentence and any(is_empty(printed(cells)) for cells in of_that_name):
        sentence = f"Column {named} is empty; a formula counts once a spreadsheet has computed and saved it."
    if not sentence:
        pattern = r"\d" if name_words(target) & NO_PRICE_WORDS else r"^\W*\d"
        unread = [column for column in left_out if _meant_as_numbers(table.columns[column], pattern)]
        if not unread:
            return None
        sentence = (
            f"Column {table.names[unread[0]]} has {table.cell(unread[0], 0)!r} in row {table.rows[0]}, which is no "
            "number."
        )
    usable = {name: column.values.iloc[-1] for name, column in columns.items() if not column.trouble}
    answers = {name: f"last {last:,.10g}" for name, last in list(usable.items())[:6]}
    return Question("price", f"{sentence} Write numbers alone there, or forecast another column.", answers)


def _meant_as_numbers(column: pa.Array, pattern: str = r"\d") -> bool:
    """Whether cells have digits and are no dates: a price with strange signs is refused, and not left out."""
    cells = printed(column)
    return (pc.mean(pc.match_substring_regex(cells, pattern)).as_py() or 0) > MOST_SIGNS and date_form(cells) is None


def _without_signs(table: FileTable, column: int, numbers: ReadNumbers) -> tuple[ReadNumbers, list[str]]:
    """The numbers, in which one word or code that comes again and again stands for no value, and what is said of it."""
    for code in (*CODES_FOR_NOTHING, 0):
        given = numbers.values == code
        if (3 if code else 1) <= given.sum() <= MOST_SIGNS * len(given):
            present = numbers.values[np.isfinite(numbers.values) & ~given]
            # A price that is never near zero is not zero on a few days.
            if code == 0 and present.min(initial=np.inf) <= np.median(present) / 2:
                continue
            note = f"{code} stands {given.sum()} times in {table.names[column]} and counts as no value."
            return replace(numbers, values=np.where(given, np.nan, numbers.values)), [note]
    wrong = np.flatnonzero(numbers.wrong)
    if not 3 <= len(wrong) <= MOST_SIGNS * len(numbers.wrong):
        return numbers, []
    words = pc.unique(printed(table.columns[column]).take(pa.array(wrong))).to_pylist()
    if len(words) > 1 or any(sign.isdigit() for sign in words[0]):
        return numbers, []
    note = f"{plain_words(words[0], 30)!r} stands {len(wrong)} times in {table.names[column]} and counts as no value."
    return replace(numbers, wrong=np.zeros(len(numbers.wrong), bool)), [note]


def _target(columns: dict[str, DailyColumn], roles: Roles | None, table: FileTable) -> tuple[str, tuple[str, ...]]:
    """What is to be forecast, and all that is used where nobody chooses.

    Raises :class:`goldviz.data.markets.market.MarketError` where that column, or every one, cannot be used.
    """
    usable = [name for name, column in columns.items() if not column.trouble]
    price_column, word = priced(list(columns))
    target = price_column or (usable or list(columns))[0]
    if roles is not None:
        price = table.names[roles.price]
        clear = roles.told or roles.bars or price_column == price
        target = price if clear or not columns[price].trouble else target
    if columns[target].trouble:
        raise MarketError(columns[target].trouble, "bad_column")
    if roles is not None:
        aside = {table.names[column] for column in (*roles.constant, *roles.change_of)}
        closes = {table.names[bars.close] for bars in roles.bars}
        if roles.bars:
            usable = [name for name in usable if name in closes]
        elif roles.named_bars:
            usable = [name for name in usable if word in name_words(name) and not name_words(name) & ADJUSTED_WORDS]
        usable = [name for name in usable if name not in aside]
    return target, (target, *(name for name in usable if name != target))
