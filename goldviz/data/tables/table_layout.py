"""What the columns of a table mean: which holds the dates, which can be channels, and which is meant as the price.

Known layouts: one price; open, high, low, close; a column for each channel; and long tables, with a row for each
value and a column that names its channel. Numbers are asked before names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from goldviz.data.markets.market import MarketError
from goldviz.data.tables.bars import Bars, bars_in
from goldviz.data.tables.column_words import (
    ADJUSTED_WORDS,
    BAR_WORDS,
    CHANGE_WORDS,
    CHANNEL_WORDS,
    CLOCK_WORDS,
    CLOSE_WORDS,
    DATE_WORDS,
    HIGH_WORDS,
    LOW_WORDS,
    OPEN_WORDS,
    PRICE_WORDS,
    VOLUME_WORDS,
    name_words,
)
from goldviz.data.tables.daily_column import FEWEST_VALUES, DailyColumn, DatedTable, daily_column
from goldviz.data.tables.file_table import FileTable, distinct_names, is_missing, plain_words, printed
from goldviz.data.tables.printed_dates import (
    ALLOWED_DATES,
    SERIAL_DAYS,
    DateForm,
    PrintedDates,
    date_form,
    read_dates,
    with_clock,
)
from goldviz.data.tables.printed_numbers import ReadNumbers, decimal_mark, read_numbers

MOST_CHANNELS = 200
DATE_TYPES = (pa.types.is_string, pa.types.is_date, pa.types.is_timestamp, pa.types.is_integer)
CLOCK = r"^\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp][Mm])?$"
CLOCK_DIGITS = r"^(?:[01]?\d|2[0-3])[0-5]\d(?:[0-5]\d)?$"
MOSTLY_REPEATED = 0.6
"""Where there are fewer different dates than this share of the rows, names beside them are channels without a doubt."""

MOST_SIGNS = 0.25
"""The largest share of a column's cells in which one word without digits may stand for no value."""

ROWS_FOR_CHANGES = 5_000
"""About so many rows, spread over a table, tell whether a column is the change of another."""

Confidence = Literal["sure", "likely", "asked"]


@dataclass(frozen=True)
class Understood:
    """One thing that was understood of a file: ``what`` it is, the sentence, and the argument that corrects it."""

    what: str
    sentence: str
    confidence: Confidence
    argument: str


@dataclass(frozen=True)
class Question:
    """What only a person can tell: the argument that answers it, and what comes of each of the ``answers``."""

    argument: Literal["price", "split"]
    sentence: str
    answers: Mapping[str, str]


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


@dataclass(frozen=True)
class Told:
    """What a person said of a table; what is left out is found out from the table.

    ``price`` is the column to forecast. ``split`` is the column whose names are channels, or empty: all rows are one.
    """

    date_column: str = ""
    day_first: bool | None = None
    decimal: str = ""
    price: str = ""
    split: str | None = None


def understood(table: FileTable, answers: Told = Told()) -> TableLayout:
    """Read a table's dates and numbers and find out what they are, as far as they were not ``told``.

    Raises :class:`MarketError` where there are no dates, no numbers, fewer than 30 rows, or where
    the column that is clearly meant as the price cannot be used.
    """
    if len(table.rows) < FEWEST_VALUES:
        raise MarketError(f"{table.file} has {len(table.rows)} rows; at least {FEWEST_VALUES} values are needed.")
    candidates = date_columns(table)
    place, form = _chosen_dates(table, candidates, answers.date_column)
    dates = read_dates(table, place, form, answers.day_first)
    clock = _clock_column(table, place, dates)
    if clock is not None:
        dates = with_clock(dates, table, clock)
    source = DatedTable(table, place, dates)
    others = [column for column in range(len(table.names)) if column not in (place, clock)]
    text = [table.columns[column] for column in others if pa.types.is_string(table.columns[column].type)]
    mark, unclear = decimal_mark(text, table.separator)
    decimal = answers.decimal or mark
    notes = [*table.notes, *dates.notes]
    numbers: dict[int, ReadNumbers] = {}
    for column in others:
        numbers[column], remark = _without_signs(table, column, read_numbers(table.columns[column], decimal))
        notes += remark
    numeric = [column for column in others if numbers[column].numeric]
    if not numeric:
        raise MarketError(
            f"{table.file} has no column of numbers beside the dates in {table.names[place]}; allowed are numbers like "
            "1925.45, 1,925.45 and 1.925,45."
        )
    left_out = [column for column in others if not numbers[column].numeric]
    numeric, entities = _without_entities(table, numeric, left_out, numbers)
    notes += entities
    left_out = [column for column in left_out if not _one_name(table, column)]
    key, question = _channel_names(source, left_out, answers)
    rows = np.arange(len(table.rows))
    if key is not None and question is None:
        codes = key[1].indices.to_numpy()
        rows = np.flatnonzero(codes == np.bincount(codes).argmax())
    roles = _roles(table, numeric, numbers, dates, rows, answers)
    if key is None or question is not None or answers.split == "":
        one_price = answers.split == "" or (question is not None and question.argument == "split")
        rows, remark = _one_row_a_moment(source) if one_price else (rows, [])
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
        target, chosen = _target(columns, roles, table)
    else:
        value = roles.price
        columns = _by_channel(source, key[1], value, numbers[value])
        target, chosen = _target(columns, None, table)
        names = ", ".join(table.names[column] for column in numeric if column != value)
        notes.append(
            f"Each name in {table.names[key[0]]} is a channel of {table.names[value]}"
            + (f"; {plain_words(names, 80)} of each is left out." if names else ".")
        )
        left_out.remove(key[0])
    if key is not None and question is not None:
        question = _split_question(question, source, key, columns[target], numbers[roles.price], roles.price)
    if unclear:
        notes.append(f"{unclear} was read with {'a comma' if decimal == ',' else 'a point'} as decimal mark.")
    if left_out:
        notes.append(f"Left out, for no numbers are in it: {', '.join(table.names[column] for column in left_out)}.")
    notes += [f"{column.trouble} It is left out." for column in columns.values() if column.trouble]
    notes += roles.notes
    question = question or roles.question
    points = _points(table, source, form, clock, roles, target, chosen)
    if question is not None:
        points = (*points[:-1], replace(points[-1], confidence="asked"))
    return TableLayout(
        table.names[place],
        source.dates,
        decimal,
        columns,
        target,
        chosen,
        tuple(notes),
        tuple(table.names[candidate] for candidate, _ in candidates),
        unclear,
        points,
        question,
    )


def date_columns(table: FileTable) -> list[tuple[int, DateForm]]:
    """The places that can hold the dates, with their forms: columns named like a date first.

    Raises :class:`MarketError` where there is none.
    """
    candidates: list[tuple[bool, int, DateForm]] = []
    for place, (name, column) in enumerate(zip(table.names, table.columns, strict=True)):
        if not any(allows(column.type) for allows in DATE_TYPES):
            continue
        by_name = bool(name_words(name) & DATE_WORDS)
        form = date_form(printed(column))
        if form and (by_name or place == 0 or not form.digits_alone):
            # A clock alone, or a number, stands behind a whole date that is named like one.
            candidates.append((not by_name or form.digits_alone, place, form))
    if not candidates and (form := _serial_days(table)):
        candidates.append((False, 0, form))
    if not candidates:
        raise MarketError(
            f"{table.file} has no column of dates: its first cells are {_first_cells(table)}. Allowed are dates like "
            f"{ALLOWED_DATES}; where the names stand in another row, say which."
        )
    return [(place, form) for _, place, form in sorted(candidates, key=lambda item: item[:2])]


def _first_cells(table: FileTable) -> str:
    return " and ".join(repr(table.cell(place, 0)) for place in range(min(2, len(table.names))))


def _serial_days(table: FileTable) -> DateForm | None:
    """The form of a spreadsheet's day numbers, where the first column rises or falls by whole days."""
    cells = printed(table.columns[0])
    if not pc.all(pc.match_substring_regex(cells, SERIAL_DAYS.pattern)).as_py():
        return None
    steps = np.diff(cells.cast(pa.float64()).to_numpy())
    return SERIAL_DAYS if (steps > 0).all() or (steps < 0).all() else None


def _chosen_dates(table: FileTable, candidates: list[tuple[int, DateForm]], name: str) -> tuple[int, DateForm]:
    if not name:
        return candidates[0]
    for place, form in candidates:
        if table.names[place] == name:
            return place, form
    choices = ", ".join(table.names[place] for place, _ in candidates)
    raise MarketError(f"{table.file} has no dates in {plain_words(name)!r}; allowed are {plain_words(choices, 300)}.")


def _clock_column(table: FileTable, place: int, dates: PrintedDates) -> int | None:
    """The column of times of day that belong to dates without any."""
    if (dates.moments != dates.moments.astype("datetime64[D]")).any():
        return None
    repeated = len(np.unique(dates.moments)) < len(dates.moments)
    for column in range(len(table.names)):
        if column == place:
            continue
        kind = table.columns[column].type
        cells = printed(table.columns[column])
        if pa.types.is_time(kind) or pc.all(pc.match_substring_regex(cells, CLOCK)).as_py():
            return column
        named = bool(name_words(table.names[column]) & CLOCK_WORDS)
        digits = (pa.types.is_string(kind) or pa.types.is_integer(kind)) and (
            named or (repeated and column == place + 1)
        )
        if digits and pc.all(pc.match_substring_regex(cells, CLOCK_DIGITS)).as_py():
            return column
    return None


def _without_signs(table: FileTable, column: int, numbers: ReadNumbers) -> tuple[ReadNumbers, list[str]]:
    """The numbers, in which one word that comes again and again stands for no value, and what is said of it."""
    wrong = np.flatnonzero(numbers.wrong)
    if not 3 <= len(wrong) <= MOST_SIGNS * len(numbers.wrong):
        return numbers, []
    words = pc.unique(printed(table.columns[column]).take(pa.array(wrong))).to_pylist()
    if len(words) > 1 or any(sign.isdigit() for sign in words[0]):
        return numbers, []
    note = f"{plain_words(words[0], 30)!r} stands {len(wrong)} times in {table.names[column]} and counts as no value."
    return replace(numbers, wrong=np.zeros(len(numbers.wrong), bool)), [note]


def _without_entities(
    table: FileTable, numeric: list[int], text: Sequence[int], numbers: Mapping[int, ReadNumbers]
) -> tuple[list[int], list[str]]:
    """The columns of numbers without one that names what the table is of, and what such columns say."""
    names = [column for column in text if _one_name(table, column)]
    coded = [
        column
        for column in numeric
        if name_words(table.names[column]) & CHANNEL_WORDS and np.ptp(numbers[column].values) == 0
    ]
    said = [f"{table.names[column]} is {table.cell(column, 0)} in every row." for column in (*names, *coded)]
    return [column for column in numeric if column not in coded] or numeric, said


def _one_name(table: FileTable, column: int) -> bool:
    """Whether a column of text has the same in all of its rows."""
    names = pc.unique(printed(table.columns[column]))
    return len(names) == 1 and bool(names[0].as_py())


def _channel_names(
    source: DatedTable, columns: Sequence[int], answers: Told
) -> tuple[tuple[int, pa.DictionaryArray] | None, Question | None]:
    """The column of a long table that names the channels, with its names; and a question where that is not sure."""
    moments, table = source.dates.moments, source.table
    different = len(np.unique(moments)) if columns else 0
    for column in columns:
        name = table.names[column]
        told = answers.split == name
        named = bool(name_words(name) & CHANNEL_WORDS) or (different < len(moments) and len(columns) == 1)
        if not (told or named):
            continue
        names = pc.dictionary_encode(printed(table.columns[column]))
        few = 1 < len(names.dictionary) <= min(MOST_CHANNELS, len(names) // 10)
        if not few or pc.any(is_missing(names.dictionary)).as_py():
            continue
        if told or different <= MOSTLY_REPEATED * len(moments):
            return (column, names), None
        sentence = f"{name} has {len(names.dictionary)} names, and most dates have one row: is each name a channel?"
        return (column, names), None if answers.split == "" else Question("split", sentence, {})
    if answers.split:
        raise MarketError(
            f"{table.file} has no names of channels in {plain_words(answers.split)!r}; allowed is a column of names "
            "that come again."
        )
    return None, None


def _split_question(
    question: Question,
    source: DatedTable,
    key: tuple[int, pa.DictionaryArray],
    whole: DailyColumn,
    numbers: ReadNumbers,
    price: int,
) -> Question:
    """The question with what comes of each answer."""
    counts = np.bincount(key[1].indices.to_numpy())
    names = [plain_words(name, 20) for name in key[1].dictionary.to_pylist()]
    by_name = ", ".join(f"{names[code]} {counts[code]}" for code in np.argsort(-counts, kind="stable")[:6])
    repeated = len(source.dates.moments) - len(np.unique(source.dates.moments))
    twice = f", {repeated} rows have a date again" if repeated else ""
    name = source.table.names[price]
    last = whole.values.iloc[-1] if len(whole.values) else float("nan")
    return replace(
        question,
        answers={
            "": f"all rows are one {name}: {len(whole.values.dropna())} days{twice}, last {last:,.10g}",
            source.table.names[key[0]]: f"a channel for each: {by_name} rows",
        },
    )


def _one_row_a_moment(source: DatedTable) -> tuple[NDArray[np.int64], list[str]]:
    """Each moment's first row, and how many others there are."""
    firsts = np.sort(np.unique(source.dates.moments, return_index=True)[1])
    again = len(source.dates.moments) - len(firsts)
    return firsts, [f"{again} rows have a date again; the first of each date counts."] if again else []


@dataclass(frozen=True)
class _Roles:
    """What columns of numbers are to each other: bars, constants, changes of another column, and the price."""

    price: int
    bars: tuple[Bars, ...]
    named_bars: bool
    constant: tuple[int, ...]
    change_of: dict[int, str]
    notes: tuple[str, ...]
    question: Question | None
    told: bool


def _roles(
    table: FileTable,
    numeric: Sequence[int],
    numbers: Mapping[int, ReadNumbers],
    dates: PrintedDates,
    rows: NDArray[np.int64],
    answers: Told,
) -> _Roles:
    order = rows[np.argsort(dates.moments[rows], kind="stable")]
    values = {column: numbers[column].values for column in numeric if not numbers[column].wrong.any()}
    names = {column: table.names[column] for column in numeric}
    groups = [_by_words(bars, names) for bars in bars_in(values, order)]
    constant = [column for column, cells in values.items() if _constant(cells[order])]
    constant = constant if len(constant) < len(numeric) else []
    free = [column for column in numeric if column not in constant] or list(numeric)
    named = _priced([names[column] for column in free])[0]
    by_name = next((column for column in free if names[column] == named), None)
    closes = [bars.close for bars in groups]
    price = by_name if by_name is not None and (not groups or by_name in closes) else None
    if price is None:
        price = closes[0] if closes else _first_price(free, names)
    if answers.price:
        price = _told_price(table, names, answers.price)
    change_of = {
        column: names[other]
        for column in free
        for other in dict.fromkeys((price, *closes))
        if column in values
        and other in values
        and column != other
        and _is_change(values[column][order], values[other][order])
    }
    notes = [f"{names[column]} is the change of {name} itself and is left out." for column, name in change_of.items()]
    notes += [
        f"{names[column]} is {values[column][order[0]]:.10g} in every row and is left out." for column in constant
    ]
    question = None
    of_price = next((bars for bars in groups if price in (bars.close, bars.open)), None)
    if of_price and not of_price.certain and not answers.price and by_name is None:
        question = Question(
            "price",
            f"Of open and close in {table.file} the numbers do not tell which is which: which column is the close?",
            {names[column]: f"last {values[column][order[-1]]:,.10g}" for column in (of_price.close, of_price.open)},
        )
    nameless = not (table.header or table.kind == "parquet") or _says_nothing(names[price])
    others = [column for column in free if column in values and column not in change_of]
    if nameless and not of_price and by_name is None and not answers.price and len(others) > 1:
        question = Question(
            "price",
            f"The columns of {table.file} do not say which one is the price: which one is to be forecast?",
            {names[column]: f"last {values[column][order[-1]]:,.10g}" for column in others[:6]},
        )
    words = set().union(*(name_words(name) for name in names.values()))
    return _Roles(
        price,
        tuple(groups),
        words.issuperset(BAR_WORDS),
        tuple(constant),
        change_of,
        tuple(notes),
        question,
        bool(answers.price),
    )


def _by_words(bars: Bars, names: Mapping[int, str]) -> Bars:
    """The bars, in which a column that is named as the close is the close."""
    inner = (bars.close, bars.open, *bars.others)
    for word in (*PRICE_WORDS[:3], *CLOSE_WORDS, "last", "price"):
        named = [column for column in inner if word in name_words(names[column])]
        if named:
            close = min(named, key=lambda column: _vagueness(names[column]))
            others = [column for column in inner if column != close]
            first = bars.open if bars.open != close else others[0]
            return Bars(first, bars.high, bars.low, close, tuple(one for one in others if one != first), certain=True)
    return bars


def _says_nothing(name: str) -> bool:
    """Whether a column's name does not tell what it is of: a letter alone, or a part of a day's bar."""
    return len(set(name)) < 2 or bool(name_words(name) & {*BAR_WORDS, *OPEN_WORDS, *HIGH_WORDS, *LOW_WORDS})


def _constant(values: NDArray[np.float64]) -> bool:
    given = values[np.isfinite(values)]
    return len(given) > 1 and bool((given == given[0]).all())


def _first_price(columns: Sequence[int], names: Mapping[int, str]) -> int:
    """The first column that is not named as a change or a volume."""
    aside = CHANGE_WORDS | VOLUME_WORDS
    return next((column for column in columns if not name_words(names[column]) & aside), columns[0])


def _told_price(table: FileTable, names: Mapping[int, str], price: str) -> int:
    for column, name in names.items():
        if name == price or price == str(column + 1):
            return column
    allowed = plain_words(", ".join(names.values()), 300)
    raise MarketError(f"{table.file} has no numbers in {plain_words(price)!r}; allowed as price are {allowed}.")


def _is_change(values: NDArray[np.float64], prices: NDArray[np.float64]) -> bool:
    """Whether a column is another one's move: its difference, or its change in per cent or as a share."""
    every = slice(None, None, max(1, len(prices) // ROWS_FOR_CHANGES))
    before, after, values = prices[:-1][every], prices[1:][every], values[1:][every]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = (after - before) / before
    for change in (after - before, 100 * shares, shares):
        both = np.isfinite(change) & np.isfinite(values)
        size = np.median(np.abs(change[both])) if both.sum() >= FEWEST_VALUES - 2 else 0.0
        if size > 0 and (np.abs(values - change)[both] <= 0.06 * size).mean() > 0.9:
            return True
    return False


def _by_channel(
    source: DatedTable, key: pa.DictionaryArray, column: int, numbers: ReadNumbers
) -> dict[str, DailyColumn]:
    """A candidate for each name in a long table, in the order in which they appear."""
    codes = key.indices.to_numpy()
    file, unit = source.table.file, source.table.units.get(source.table.names[column], "")
    return {
        name: replace(
            daily_column(source, column, numbers, np.flatnonzero(codes == code), f"Channel {name} of {file}"),
            unit=unit,
            of=source.table.names[column],
        )
        for code, name in enumerate(distinct_names(key.dictionary.to_pylist()))
    }


def _priced(names: Sequence[str]) -> tuple[str, str]:
    """The name that most clearly says price, and the word that says it; empty where none does.

    Of several the shortest is meant (Close rather than Adj Close), and gold before anything else.
    """
    for word in (*PRICE_WORDS, *CLOSE_WORDS):
        fitting = [name for name in names if word in name_words(name) and not name_words(name) & CHANGE_WORDS]
        if fitting:
            return min(fitting, key=_vagueness), word
    return "", ""


def _vagueness(name: str) -> tuple[int, bool]:
    words = name_words(name)
    return len(words - {"gold"}), "gold" not in words


def _target(columns: dict[str, DailyColumn], roles: _Roles | None, table: FileTable) -> tuple[str, tuple[str, ...]]:
    """What is to be forecast, and all that is used where nobody chooses.

    Raises :class:`goldviz.data.markets.market.MarketError` where that column, or every one, cannot be used.
    """
    usable = [name for name, column in columns.items() if not column.trouble]
    named, word = _priced(list(columns))
    target = named or (usable or list(columns))[0]
    if roles is not None:
        price = table.names[roles.price]
        clear = roles.told or roles.bars or named == price
        target = price if clear or not columns[price].trouble else target
    if columns[target].trouble:
        raise MarketError(columns[target].trouble)
    if roles is not None:
        aside = {table.names[column] for column in (*roles.constant, *roles.change_of)}
        closes = {table.names[bars.close] for bars in roles.bars}
        if roles.bars:
            usable = [name for name in usable if name in closes]
        elif roles.named_bars:
            usable = [name for name in usable if word in name_words(name) and not name_words(name) & ADJUSTED_WORDS]
        usable = [name for name in usable if name not in aside]
    return target, (target, *(name for name in usable if name != target))


def _points(
    table: FileTable,
    source: DatedTable,
    form: DateForm,
    clock: int | None,
    roles: _Roles,
    target: str,
    chosen: Sequence[str],
) -> tuple[Understood, ...]:
    """What was understood, in the order in which a person would ask."""
    names = table.names
    points = []
    if table.header:
        points.append(
            Understood(
                "Names", f"They stand in row {table.header}.", "sure" if table.header == 1 else "likely", "header"
            )
        )
    elif table.kind == "text":
        points.append(Understood("Names", "There are none.", "likely", "header"))
    order = source.dates.order
    standing = {"day": ", the day first", "month": ", the month first", "either": ", the day or the month first"}
    at = f", at the times in {names[clock]}" if clock is not None else ""
    sentence = f"They stand in {names[source.place]}{standing.get(order, '')}{at}."
    confidence: Confidence = "asked" if order == "either" else "likely" if form.digits_alone else "sure"
    points.append(Understood("Dates", sentence, confidence, "day_first" if order == "either" else "dates"))
    bars = next((one for one in roles.bars if names[one.close] == target), None)
    if roles.told:
        said, sure = f"{target} is forecast, as you say.", "sure"
    elif bars:
        said = (
            f"{target} is the close: {names[bars.high]} is never below and {names[bars.low]} never above it, and "
            f"{names[bars.open]} is near the close before."
        )
        sure = "sure" if bars.certain else "asked"
    else:
        said = f"{target} is forecast."
        sure = "sure" if len(chosen) == 1 or _priced(list(names))[0] == target else "likely"
    points.append(Understood("Price", said, sure, "price"))  # type: ignore[arg-type]
    return tuple(points)
