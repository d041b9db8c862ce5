"""Files in any dialect read back to the numbers that were written, and what cannot be used is refused."""

import csv
import io
import zipfile
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goldviz.data.markets.file_channel import Choices
from goldviz.data.markets.files import LARGEST_FILE, look_into, market_from_file
from goldviz.data.markets.market import END_OF_DAY, MarketError, Release
from goldviz.data.markets.parquet import market_name
from goldviz.data.markets.symbols import described
from goldviz.data.tables.printed_dates import ALLOWED_DATES
from tests.places import REAL_DATA
from tests.refusals import refused

NOW = pd.Timestamp("2026-11-20", tz="UTC")
FOLDER = REAL_DATA
DAYS = pd.date_range("2024-01-01", periods=40)


def written(columns, separator=",", lines="\n"):
    """A table of text as it stands in a file."""
    sink = io.StringIO()
    writer = csv.writer(sink, delimiter=separator, lineterminator=lines)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return sink.getvalue().encode()


def parquet(table):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def prices(days=DAYS, **changed):
    """A plain file of a price a day; ``changed`` are rows by number, the first below the header being 2."""
    rows = [f"{day:%Y-%m-%d},{1900 + place}.25" for place, day in enumerate(days)]
    for row, text in changed.items():
        rows[int(row[3:]) - 2] = text
    return "\n".join(["Date,Close", *rows]).encode()


def market(content, name="gold.csv", **choices):
    return market_from_file(content, name, Choices(**choices), retrieved=NOW)


def refused_market(content, code, *facts, **choices):
    with refused(MarketError, code, *facts):
        market(content, **choices)


# Properties


AMOUNTS = st.integers(-(10**8), 10**8)


@st.composite
def dialects(draw):
    """Days, numbers, and a way of writing them."""
    count = draw(st.integers(30, 45))
    first = draw(st.dates(pd.Timestamp("1800-01-01").date(), pd.Timestamp("2020-01-01").date()))
    steps = draw(st.lists(st.integers(1, 40), min_size=count, max_size=count))
    days = pd.Timestamp(first).as_unit("s") + pd.to_timedelta(np.cumsum(steps), unit="D").as_unit("s")
    decimal = draw(st.sampled_from([".", ","]))
    return {
        "days": pd.DatetimeIndex(days),
        # Two digits behind the mark: a table of numbers like 1,234 alone says nothing of its mark.
        "hundredths": draw(st.lists(st.tuples(AMOUNTS, st.one_of(st.none(), AMOUNTS)), min_size=count, max_size=count)),
        "separator": draw(st.sampled_from([",", ";", "\t", "|"])),
        "decimal": decimal,
        "thousands": draw(st.sampled_from(["", " ", "\u00a0", "'", "," if decimal == "." else "."])),
        "order": draw(
            st.sampled_from(["%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%b %d, %Y"])
        ),
        "newest_first": draw(st.booleans()),
        "encoding": draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])),
        "missing": draw(st.sampled_from(["", ".", "NA", "N/A", "-", "#N/A"])),
        "lines": draw(st.sampled_from(["\n", "\r\n", "\r"])),
    }


def as_written(hundredths, decimal, thousands, missing):
    if hundredths is None:
        return missing
    whole = f"{abs(hundredths) // 100:,}".replace(",", thousands)
    return f"{'-' if hundredths < 0 else ''}{whole}{decimal}{abs(hundredths) % 100:02d}"


@given(dialects())
def test_any_dialect_reads_back_to_the_printed_digits(dialect):
    days, separator, order = dialect["days"], dialect["separator"], dialect["order"]
    columns = {"Date": [day.strftime(order) for day in days]}
    expected = {}
    for place, name in enumerate(("Gold é", "Silver")):
        cells = [row[place] for row in dialect["hundredths"]]
        columns[name] = [
            as_written(cell, *(dialect[key] for key in ("decimal", "thousands", "missing"))) for cell in cells
        ]
        expected[name] = pd.Series([np.nan if cell is None else cell / 100 for cell in cells], days).dropna()
    if dialect["newest_first"]:
        columns = {name: cells[::-1] for name, cells in columns.items()}
    content = written(columns, separator, dialect["lines"]).decode().encode(dialect["encoding"])
    few = [name for name, values in expected.items() if len(values) < 30]
    seen = look_into(content, "gold.csv")
    day_first = "%d" in order[:2] if seen.date_order == "either" else None
    if seen.date_order == "either":
        assert [*seen.readings["day" if day_first else "month"]] == [
            f"{day:%Y-%m-%d}" for day in (days[::-1] if dialect["newest_first"] else days)[:5]
        ]
    assert seen.separator == separator
    assert seen.decimal == dialect["decimal"]
    assert seen.rows == len(days)
    found = market(content, day_first=day_first)
    assert [channel.name for channel in found.channels] == [name for name in expected if name not in few]
    for channel in found.channels:
        pd.testing.assert_series_equal(channel.observed, expected[channel.name], check_freq=False, check_names=False)


@given(st.binary(max_size=300))
@example(b"\xff\xfe")
@example(b"\xff\xfe\x00\xd8" * 60)
@example(b"sep=;\n")
@example(b'"' + b"a," * 40)
@example(b"PAR1PAR1")
@example(b"PAR1" + b"\xff" * 40 + b"PAR1")
@example(b",\n" * 50)
@example(b"\n\n,\r\r\n" * 50)
def test_arbitrary_bytes_never_raise_anything_else(content):
    for name in ("gold.csv", "", "x" * 300, "<script>\x00"):
        with pytest.raises(MarketError):
            look_into(content, name)


@given(
    st.lists(
        st.lists(
            st.one_of(
                st.text(max_size=6),
                st.sampled_from(
                    [
                        "2024-01-02",
                        "01/02/2024",
                        "1e300",
                        "1.234,5",
                        "inf",
                        "#N/A",
                        "99999999999999999999",
                        '"',
                        "\x00",
                        "2024-02-30",
                        "Jan 32, 2024",
                        "1704153600",
                        "2024-01-02T25:61Z",
                        "2024-01-02 05:00+99:99",
                        "−5",
                    ]
                ),
            ),
            max_size=5,
        ),
        max_size=6,
    ),
    st.sampled_from([",", ";", "\t", "|"]),
    st.integers(1, 20),
)
def test_arbitrary_cells_are_read_or_refused(rows, separator, times):
    content = "\n".join(separator.join(row) for row in rows * times).encode("utf-8", errors="replace")
    with suppress(MarketError):
        seen = look_into(content, "gold.csv")
        assert seen.target in seen.values
        assert len(set(seen.columns)) == len(seen.columns)
        market(content, day_first=True)


@given(st.integers(0, 3000), st.integers(0, 255), st.integers(0, 3000))
def test_damaged_parquet_is_read_or_refused(place, byte, cut):
    content = bytearray(parquet(pa.table({"Date": DAYS, "Close": np.arange(40.0), "Note": ["a", "b"] * 20})))
    content[place % len(content)] = byte
    for damaged in (bytes(content), bytes(content[: cut % len(content)]), bytes(content[:-8]) + b"\xff" * 4 + b"PAR1"):
        with suppress(MarketError):
            look_into(damaged, "gold.parquet")


@given(st.permutations(range(40)))
def test_the_order_of_rows_changes_nothing_but_a_note(order):
    rows = prices().decode().split("\n")
    shuffled = "\n".join([rows[0], *(rows[1 + place] for place in order)]).encode()
    pd.testing.assert_series_equal(market(shuffled).target.values, market(prices()).target.values)


# Real files


@pytest.mark.parametrize(
    ("file", "rows", "name", "observed", "channels", "first", "last"),
    [
        ("gold/GC=F_daily.csv", 6489, "Close", 6489, 1, "2000-08-30", "2026-07-13"),
        ("gold/lbma_fix.csv", 13308, "USD (PM)", 13167, 6, "1968-04-01", "2020-08-25"),
        ("gold/monthly.csv", 2322, "Price", 2322, 1, "1833-01-31", "2026-06-30"),
        ("macro/DGS10.csv", 16848, "DGS10", 16848 - 719, 1, "1962-01-02", "2026-07-30"),
        ("macro/VIXCLS.csv", 9543, "VIXCLS", 9543 - 302, 1, "1990-01-02", "2026-07-30"),
        ("macro/T10Y2Y.csv", 13089, "T10Y2Y", 13089 - 551, 1, "1976-06-01", "2026-07-31"),
        ("macro/DTWEXBGS.csv", 5365, "DTWEXBGS", 5365 - 211, 1, "2006-01-02", "2026-07-24"),
        ("macro/WALCL.csv", 1233, "WALCL", 1233, 1, "2002-12-18", "2026-07-29"),
        ("macro/GSPC_daily.csv", 24748, "Close", 24748, 1, "1927-12-30", "2026-07-13"),
        ("macro/SI=F_daily.csv", 6491, "Close", 6491, 1, "2000-08-30", "2026-07-13"),
        ("macro/EURUSD=X_daily.csv", 5867, "Close", 5867, 1, "2003-12-01", "2026-07-13"),
    ],
)
def test_real_files_are_read(file, rows, name, observed, channels, first, last):
    path = FOLDER / file
    if not path.exists():
        pytest.skip(f"needs the real data file {path.name} beside the project")
    assert look_into(path.read_bytes(), path.name).rows == rows
    found = market(path.read_bytes(), path.name)
    assert len(found.channels) == channels
    target = found.target
    assert target.name == name
    assert len(target.observed) == observed
    assert [f"{day:%Y-%m-%d}" for day in target.values.index[[0, -1]]] == [first, last]
    asked = look_into(path.read_bytes(), path.name).questions
    assert [question.column for question in asked] == (["Close"] if name == "Close" else [])
    if name != "Price" and channels == 1:
        if asked:
            target = market(path.read_bytes(), path.name, symbols={asked[0].column: asked[0].symbol}).target
        known = described(target.name)
        assert (target.words, target.release, target.transformation) == (
            known.words,
            known.release,
            known.transformation,
        )
        assert bool(found.notes) == bool(asked)
        # pandas reads the same numbers, the last column being the close.
        plain = pd.read_csv(path, index_col=0, parse_dates=True).iloc[:, -1]
        np.testing.assert_array_equal(target.values.to_numpy(), plain.to_numpy(np.float64))


# Layouts and words


def test_of_open_high_low_and_close_the_close_is_taken_and_the_others_are_offered():
    columns = {"Date": [f"{day:%Y-%m-%d}" for day in DAYS]}
    columns |= {
        name: [str(100 + shift)] * 40 for shift, name in enumerate(["Open", "High", "Low", "Adj Close", "Close"])
    }
    columns["Volume"] = ["188.17K"] * 40
    seen = look_into(written(columns), "CL=F_daily.csv")
    assert seen.values == ("Open", "High", "Low", "Adj Close", "Close", "Volume")
    assert seen.target == "Close"
    found = market(written(columns), symbols={"Close": "CL=F"})
    assert [channel.name for channel in found.channels] == ["CL=F"]
    assert found.target.transformation == "difference"
    both = market(written(columns), values=("Close", "Adj Close", "Volume"))
    assert [channel.name for channel in both.channels] == ["Close", "Adj Close", "Volume"]
    assert both.channel("Volume").values.iloc[0] == 188_170


def test_fixes_of_london_are_known_at_their_times():
    columns = {"Date": [f"{day:%Y-%m-%d}" for day in DAYS], "USD (AM)": ["1900.5"] * 40, "EURO (PM)": ["1800.5"] * 40}
    found = market(written(columns))
    assert found.target.name == "EURO (PM)"
    assert found.target.release == Release("15:00", "Europe/London")
    assert found.channel("USD (AM)").release == Release("10:30", "Europe/London")
    assert found.target.unit == "EUR/oz"


def test_empty_days_inside_stay_as_days_without_a_value():
    found = market(prices(row5="2024-01-04,", row2="2024-01-01,.")).target.values
    assert len(found) == 39
    assert found.index[0] == pd.Timestamp("2024-01-02")
    assert found.isna().sum() == 1


@pytest.mark.parametrize("key", ["channel", "series_name", "what"])
def test_a_long_table_makes_a_channel_of_each_name(key):
    days = [*DAYS, *DAYS]
    columns = {
        "time": [f"{day:%Y-%m-%d}" for day in days],
        key: ["^VIX"] * 40 + ["gold"] * 40,
        "value": [str(value) for value in range(1, 81)],
    }
    seen = look_into(written(columns), "long.csv")
    assert seen.values == ("^VIX", "gold")
    assert seen.target == "gold"
    found = market(written(columns), "long.csv")
    assert [channel.name for channel in found.channels] == ["gold", "^VIX"]
    assert found.channel("^VIX").release == described("^VIX").release
    assert found.target.values.tolist() == [*range(41, 81)]


NUMBERS = [1925.4 + place % 9 + place / 20 for place in range(40)]
VOLUMES = [9000 + 7 * place**2 % 4000 for place in range(40)]


@pytest.mark.parametrize(
    ("form", "unit", "seen_as"),
    [
        ("{:.2f} points", "points", "log_return"),
        ("{:,.2f}USD/oz", "USD/oz", "log_return"),
        ("{:.2f} Ft", "Ft", "log_return"),
        ("{:.2f} bp", "bp", "difference"),
    ],
)
@pytest.mark.parametrize("mark", [".", ","])
def test_a_unit_behind_each_number_is_its_unit(form, unit, seen_as, mark):
    cells = [form.format(number) for number in NUMBERS]
    if mark == ",":
        cells = [cell.translate(str.maketrans(",.", ".,")) for cell in cells]
    made = market(written({"Date": DAYS.date, "Volume": VOLUMES, "Fixing": ["-", *cells[1:]]}, separator=";"))
    assert made.target.name == "Fixing"
    np.testing.assert_allclose(made.target.observed, np.round(NUMBERS[1:], 2))
    assert (made.target.unit, made.target.transformation) == (unit, seen_as)


def test_a_column_counted_in_lots_is_no_price():
    cells = {"Traded": [f"{volume} lots" for volume in VOLUMES], "Fixing": [f"{number} points" for number in NUMBERS]}
    assert market(written({"Date": DAYS.date, **cells})).target.name == "Fixing"


def test_spans_of_a_long_table_stay_names():
    names = [f"{years} years" for years in (2, 5, 10)]
    rows = {"Date": np.repeat(DAYS.date, 3), "Maturity": names * 40, "Level": np.arange(120) + 5.0}
    assert [channel.name for channel in market(written(rows)).channels] == names


@pytest.mark.parametrize("form", ["{:.2f}~", "ca. {:.2f}", "{0:.2f}-{0:.2f}", "{:.2f} (est.)", "#{:.2f}"])
@pytest.mark.parametrize("other", ["Volume", "Trades", "ID", "Wolumen"])
def test_a_volume_is_not_forecast_in_silence_where_the_price_is_no_number(form, other):
    content = written({"Date": DAYS.date, "Fixing": [form.format(number) for number in NUMBERS], other: VOLUMES})
    cell = f"Fixing has {form.format(NUMBERS[0])!r} in row 2"
    refused_market(content, "unanswered", cell, f"price='{other}' (last {VOLUMES[-1]:,})", "--market-price")
    assert look_into(content, "gold.csv").question.answers.keys() == {other}
    assert market(content, price=other).target.name == other


def test_nothing_else_is_forecast_in_silence_where_some_of_the_price_is_no_number():
    cells = [f"{number:.2f}{' x' if row % 9 == 0 else ''}" for row, number in enumerate(NUMBERS)]
    content = written({"Date": DAYS.date, "Fixing": cells, "Volume": VOLUMES})
    refused_market(content, "unanswered", "'1925.40 x' in row 2")
    assert market(content, price="Volume").target.name == "Volume"


def test_the_table_that_yfinance_writes_is_read():
    head = "Price,Close,Close,Open\nTicker,GC=F,^VIX,GC=F\nDate,,,\n"
    content = (head + "\n".join(f"{day:%Y-%m-%d},{1900 + day.day},{15 + day.day},7" for day in DAYS)).encode()
    found = market(content, values=("GC=F Close", "^VIX Close"))
    assert [channel.name for channel in found.channels] == ["GC=F", "^VIX"]
    assert found.target.words == described("GC=F").words


def test_parquet_reads_as_text_does():
    values = np.linspace(1900, 2000, 40)
    values[3] = np.nan
    table = pa.table({"Date": DAYS, "Close": values})
    found = market(parquet(table), "GC=F.csv")
    assert found.target.name == "Close"
    np.testing.assert_array_equal(found.target.values.to_numpy(), values)
    seen = look_into(parquet(table), "GC=F.csv")
    assert (seen.separator, seen.decimal, seen.dates.first[0]) == ("", "", "2024-01-01")


@pytest.mark.parametrize("name", ["GC=F_daily.csv", "CL=F.csv", "DGS10.csv", "mine.txt"])
def test_the_name_of_a_file_changes_nothing_but_what_is_asked(name):
    content = prices(row7="2024-01-06,-37.63")
    plain, named = market(content, "plain.csv"), market(content, name)
    assert market_name(replace(named, origin="plain.csv")) == market_name(plain)
    assert named.notes == plain.notes
    told = look_into(content, name)
    assert told.readings_of == look_into(content, "plain.csv").readings_of
    assert [question.symbol for question in told.questions] == ([] if name == "mine.txt" else [name[:-4].split("_")[0]])


def test_a_yes_to_the_question_about_a_name_brings_what_is_known():
    content = prices(row7="2024-01-06,-37.63")
    (asked,) = look_into(content, "CL=F.csv").questions
    assert asked.sentence == "CL=F.csv looks like Crude oil, front future: settled 14:30 New York, in USD/barrel?"
    found = market(content, "other.csv", symbols={asked.column: asked.symbol}).target
    known = described("CL=F")
    assert (found.name, found.words, found.release, found.unit) == ("CL=F", known.words, known.release, known.unit)


def traits(days):
    """A file as an exporter writes it: byte-order mark, newest first, dd/mm/yyyy, 188.17K, negatives, a future."""
    rows = [
        f"{day:%d/%m/%Y},{20 - place}.5,4.0{place % 9}%,{100 + place}.17K"
        if place < len(days) - 5
        else f"{day:%d/%m/%Y},,,"
        for place, day in enumerate(days)
    ]
    return ("\ufeffDate,Price,Yield,Volume\n" + "\n".join(rows[::-1])).encode()


def test_a_preview_tells_what_each_column_was_read_as():
    days = pd.bdate_range("2024-01-01", periods=60)
    seen = look_into(traits(days), "mine.csv")
    assert (seen.dates.column, seen.date_order) == ("Date", "day")
    assert seen.dates.first == (f"{days[0]:%d/%m/%Y}", f"{days[0]:%Y-%m-%d}"), (
        "the oldest, though the newest stands first"
    )
    read = seen.readings_of
    assert [(name, one.kind, one.transformation) for name, one in read.items()] == [
        ("Price", "price", "difference"),
        ("Yield", "rate", "difference"),
        ("Volume", "volume", "log_return"),
    ]
    price, volume = read["Price"], read["Volume"]
    assert (price.first, price.last, price.values, price.missing) == (20.5, -34.5, 55, 5)
    assert (price.first_day, price.last_day) == (days[0], days[54])
    assert price.not_positive == 34
    assert (volume.first, volume.last) == (100_170, 154_170)
    assert "5 rows after the last value are empty." in seen.notes
    assert "The newest row stood first: sorted oldest first." in seen.notes


def test_each_reading_can_be_changed():
    days = pd.bdate_range("2024-01-01", periods=60)
    at_noon = Release("12:00", "America/New_York")
    choices = Choices(kinds={"Volume": "rate"}, transformations={"Price": "level"}, releases={"Price": at_noon})
    read = look_into(traits(days), "mine.csv", choices).readings_of
    assert (read["Volume"].kind, read["Volume"].transformation) == ("rate", "difference")
    assert (read["Price"].transformation, read["Price"].release, read["Price"].release_known) == (
        "level",
        at_noon,
        True,
    )
    found = market_from_file(traits(days), "mine.csv", choices, retrieved=NOW)
    assert [(one.transformation, one.release) for one in found.channels] == [
        (read[one.name].transformation, read[one.name].release) for one in found.channels
    ]


def test_other_dates_and_another_decimal_mark_can_be_told():
    frame = {"Date": DAYS.strftime("%Y-%m-%d"), "Released": (DAYS + pd.Timedelta(days=7)).strftime("%Y-%m-%d")}
    content = written({**frame, "Close": [f"1,{300 + place}" for place in range(40)]}, ";")
    seen = look_into(content, "gold.csv")
    assert (seen.understood[1].options, seen.unclear) == (("Date", "Released"), "1,300")
    assert market(content).target.values.iloc[0] == 1.3
    told = market(content, date_column="Released", decimal=".").target.values
    assert (told.index[0], told.iloc[0]) == (DAYS[7], 1300)
    refused_market(content, "not_offered", "'Close'", "Date, Released", date_column="Close")


def test_what_is_not_known_is_said():
    found = market(prices(), "mine.csv")
    assert found.target.name == found.target.words == "Close"
    assert found.target.release == END_OF_DAY
    assert found.notes["Close"] == (
        "Release time unknown: end of day (UTC) assumed. Values by weekday: 5 on Saturdays, 5 on Sundays."
    )
    assert (found.source, found.origin, found.retrieved) == ("file", "mine.csv", NOW)


def test_prices_below_zero_become_differences_and_a_chosen_log_return_is_refused():
    content = prices(row7="2024-01-06,-37.63")
    found = market(content)
    assert found.target.transformation == "difference"
    assert "Close goes to zero or below: we use changes." in found.notes["Close"]
    refused_market(content, "not_positive", "-37.63 on 2024-01-06", transformations={"Close": "log_return"})
    assert market(content, transformations={"Close": "level"}).target.transformation == "level"


# Dates


MONTHS = pd.date_range("2020-01-01", periods=40, freq="MS")


def ambiguous(form, days=MONTHS):
    return written({"Date": [day.strftime(form) for day in days], "Close": ["5.25"] * len(days)})


MONTHS = pd.date_range("1990-01-31", periods=36, freq="ME")
GERMAN = ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August")
GERMAN += ("September", "Oktober", "November", "Dezember")


@pytest.mark.parametrize(
    ("parts", "days", "note"),
    [
        ({"Year": MONTHS.year, "Month": MONTHS.month}, MONTHS, "name months"),
        ({"Month": [f"{month:%b}" for month in MONTHS], "Year": MONTHS.year}, MONTHS, "name months"),
        ({"Jahr": MONTHS.year, "Monat": [GERMAN[month - 1] for month in MONTHS.month]}, MONTHS, "name months"),
        ({"Year": MONTHS.year, "Period": [f"M{month:02d}" for month in MONTHS.month]}, MONTHS, "name months"),
        ({"No": range(36), "Year": DAYS.year[:36], "Month": DAYS.month[:36], "Day": DAYS.day[:36]}, DAYS[:36], ""),
        ({"Year": np.repeat(range(1990, 1999), 4), "Quarter": ["Q1", 2, 3, 4] * 9}, None, "name quarters"),
        ({"Year": range(1990, 2026)}, pd.date_range("1990-12-31", periods=36, freq="YE"), "name years"),
        ({"date": [f"{year}.0" for year in range(2025, 1989, -1)]}, None, "name years"),
    ],
)
def test_dates_that_stand_in_parts_are_put_together(parts, days, note):
    values = [float(1900 + place) for place in range(36)]
    seen = look_into(written({**parts, "Gold": values}), "gold.csv")
    made = market(written({**parts, "Gold": values}))
    assert [channel.name for channel in made.channels] == ["Gold"]
    if days is None:
        days = (
            pd.date_range("1990", "1999", freq="QE") if "Quarter" in parts else pd.date_range("1990", "2026", freq="YE")
        )
    assert made.target.observed.index.tolist() == days.tolist()
    assert sorted(made.target.observed) == values
    assert seen.dates.column == " ".join(name for name in parts if name != "No")
    assert note in " ".join(seen.notes)


def test_a_column_for_each_month_is_refused_with_what_to_do():
    wide = {"Year": range(1980, 2020), **dict.fromkeys(GERMAN, range(40))}
    refused_market(written(wide), "months_in_columns")


def test_columns_set_apart_by_blanks_are_refused_with_what_to_do():
    lines = [f"{day:%Y-%m-%d}   {1900 + place}.25   {place}" for place, day in enumerate(DAYS)]
    refused_market("\n".join(lines).encode(), "one_column", "set apart by blanks")


def test_dates_that_can_be_read_in_two_ways_are_asked_about():
    content = ambiguous("%d/%m/%Y")
    seen = look_into(content, "gold.csv")
    assert seen.date_order == "either"
    assert seen.readings["day"][:2] == ("2020-01-01", "2020-02-01")
    assert seen.readings["month"][:2] == ("2020-01-01", "2020-01-02")
    refused_market(content, "two_readings", "01/02/2020 as 2020-02-01 or as 2020-01-02", "day_first=", "--market-dates")
    assert market(content, day_first=True).target.values.index[1] == pd.Timestamp("2020-02-01")
    assert market(content, day_first=False).target.values.index[1] == pd.Timestamp("2020-01-02")


def test_the_order_of_the_rows_can_decide():
    days = pd.DatetimeIndex(
        [f"{year}-{month:02d}-{day:02d}" for year in (2020, 2021) for month in (1, 5) for day in range(1, 13)]
    )
    assert look_into(ambiguous("%d/%m/%Y", days), "gold.csv").date_order == "day"
    assert look_into(ambiguous("%m/%d/%Y", days[::-1]), "gold.csv").date_order == "month"


def test_a_choice_against_the_data_is_refused():
    content = written({"Date": [f"{day:%m/%d/%Y}" for day in DAYS], "Close": ["5.25"] * 40})
    assert look_into(content, "gold.csv").date_order == "month"
    refused_market(content, "bad_date", "row 14", "column Date", "'01/13/2024'", day_first=True)


@pytest.mark.parametrize(
    ("stamps", "first", "note"),
    [
        (["2024-07-02 00:00:00+01:00", "2024-12-02 00:00:00+00:00"], "2024-07-02", "at midnight of their time zones"),
        (["2024-07-02T20:00:00-05:00", "2024-12-02T20:00:00-04:00"], "2024-07-03", "in 2 time zones were converted"),
        (["2024-07-02T23:30:00Z", "2024-12-02T23:30:00Z"], "2024-07-02", "in a time zone were converted"),
        (["2024-07-02 23:30", "2024-12-02 00:30"], "2024-07-02", ""),
        (["1719878400", "1733097600"], "2024-07-02", "seconds since 1970"),
        (["1719878400000", "1733097600000"], "2024-07-02", "seconds since 1970"),
    ],
)
def test_time_stamps_become_days(stamps, first, note):
    rest = pd.date_range("2025-01-01", periods=40)
    if stamps[0].isdecimal():
        more = [str(int(day.timestamp()) * 10 ** (len(stamps[0]) - 10)) for day in rest]
    else:
        more = [f"{day:%Y-%m-%d}{stamps[place % 2][10:]}" for place, day in enumerate(rest)]
    content = written({"Date": stamps + more, "Close": ["5.25"] * 42})
    found = market(content)
    assert f"{found.target.values.index[0]:%Y-%m-%d}" == first
    assert note in found.notes["Close"]


def test_of_several_moments_a_day_the_last_counts_and_is_known_at_the_end_of_the_day():
    stamps = [f"{day:%Y-%m-%d} {hour:02d}:00" for day in DAYS for hour in (9, 17)]
    found = market(written({"Time": stamps, "Close": [str(1000 + place) for place in range(80)]}), "GC=F.csv")
    assert found.target.values.tolist() == [*range(1001, 1080, 2)]
    assert found.target.release == END_OF_DAY
    assert "There are several values a day" in found.notes["Close"]


# What should be known


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (prices(row6="2024-01-04,1903.25"), "1 value stands there twice for the same time: one counts."),
        (prices(days=DAYS[::-1]), "The newest row stood first: sorted oldest first."),
        (
            prices(days=DAYS[[1, 0, *range(2, 40)]]),
            "The rows were not in the order of their dates: sorted oldest first.",
        ),
        (prices(row41="2150-01-01,5"), "The last date, 2150-01-01, is still to come."),
        (
            prices(days=pd.date_range("2020-01-01", periods=40, freq="MS")),
            "Dated by the first day of their month, values",
        ),
        (prices().split(b"\n", 1)[1], "There is no header; the columns are named by their places."),
        (prices().replace(b"Close", "Schlu\u00df".encode("latin-1")), "The text is not UTF-8 and was read as Latin-1."),
        (prices().replace(b".25", b"").replace(b",1900", b',"1,900"'), "1,900 was read with a point as decimal mark."),
    ],
)
def test_what_was_noticed_is_said_in_the_preview_and_in_the_market(content, note):
    assert any(note in said for said in look_into(content, "gold.csv").notes)
    found = market(content)
    assert note in found.notes[found.target.name]


def test_headers_are_plain_text():
    names = ["Date", "<script>alert(1)</script>", "Close\x07\u202e\n (USD)", "Close\x07\u202e\n (USD)", "", "x" * 300]
    cells = [[f"{day:%Y-%m-%d}" for day in DAYS], *[["5.25"] * 40] * 5]
    sink = io.StringIO()
    csv.writer(sink).writerows([names, *zip(*cells, strict=True)])
    seen = look_into(sink.getvalue().encode(), "a<b>\x00.csv")
    assert seen.columns[:5] == ("Date", "<script>alert(1)</script>", "Close (USD)", "Close (USD) (2)", "column 5")
    assert len(seen.columns[5]) <= 60
    assert seen.name == "a<b>.csv"


def test_a_column_that_cannot_be_used_is_left_out_and_named():
    columns = {
        "Date": [f"{day:%Y-%m-%d}" for day in DAYS],
        "Close": ["5.25"] * 40,
        "Silver": ["5.5"] * 40,
        "Word": ["a"] * 40,
    }
    columns["Silver"][4] = "closed"
    seen = look_into(written(columns), "gold.csv")
    assert seen.values == ("Close",)
    sentence = "Column Silver of gold.csv has 'closed' in row 6; allowed are numbers and empty cells."
    assert seen.notes[:2] == ("Word is a in every row.", f"{sentence} It is left out.")
    refused_market(written(columns), "bad_column", "Silver", "'closed' in row 6", values=("Close", "Silver"))


# Refusals


def archive(name):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as file:
        file.writestr(name, "x")
    return sink.getvalue()


LONG_CELL = "a word!" * 700_000


@pytest.mark.parametrize(
    ("content", "code", "facts"),
    [
        (b"", "empty", ()),
        (b" \n\n", "empty", ()),
        (b"Date,Close", "no_rows", ()),
        (b"Date,Close\n\n,\n", "no_rows", ()),
        (b"Date,Close\n2024-01-01,5\n2024-01-02,6", "too_few", ("2 rows", "30")),
        (b"5\n6\n7", "one_column", ()),
        (written({"Day": ["Monday"] * 40, "Close": ["5"] * 40}), "no_dates", ("'Monday' and '5'", ALLOWED_DATES)),
        (written({"Day": [f"{day:%Y-%m-%d}" for day in DAYS], "Close": ["closed"] * 40}), "no_numbers", ("in Day",)),
        (
            prices(row17="2024-01-16,see the remark at the end of the file"),
            "bad_column",
            ("Column Close", "'see the remark at the end of …' in row 17"),
        ),
        (prices(row3="2024-01-02,inf"), "bad_column", ("Column Close", "'inf' in row 3")),
        (prices(row3="2024-01-02,1e300"), "bad_column", ("Column Close", "'1e300' in row 3", "1e+15")),
        (prices(row3="2024-01-02,1e999"), "bad_column", ("Column Close", "'1e999' in row 3", "1e+15")),
        (
            prices(row6="2024-01-04,1800"),
            "bad_column",
            ("Column Close", "2024-01-04", "1903.25 in row 5", "1800 in row 6"),
        ),
        (prices(row2="1699-12-31,5"), "bad_date", ("row 2", "column Date", "'1699-12-31'", "1700 to 2199")),
        (prices(row4="2024-02-30,5"), "bad_date", ("row 4", "column Date", "'2024-02-30'", ALLOWED_DATES)),
        (prices(row4=",5"), "bad_date", ("row 4", "column Date", "there is no date")),
        (prices(row4="Source: here,"), "bad_date", ("row 4", "column Date", "'Source: here'")),
        (
            prices()
            .replace(b",", b"T05:00,", 1 + 20)
            .replace(b"DateT05:00", b"Date")
            .replace(b"03T05:00", b"03T05:00Z"),
            "bad_date",
            ("row 2", "column Date", "'2024-01-01T05:00'", "time zone"),
        ),
        (prices(row9="2024-01-08,5,6"), "uneven_row", ("Row 9", "3 cells", "have 2")),
        (prices(row9=f"2024-01-08,{LONG_CELL}"), "too_long", ("Row 9", "4,900,000", "column 2", "1,000")),
        (b"," * 200 + b"\n" + b"5," * 200, "too_large", ("201 columns", "200")),
        (b"a,b\n" + b"1,2\n" * 2_000_001, "too_large", ("2,000,001 rows", "2,000,000", "no column of dates")),
        (bytes(LARGEST_FILE + 1), "too_large", ("50 MB",)),
        (bytes(range(256)) * 20, "other_kind", ("binary",)),
        (archive("xl/workbook.xml"), "damaged", ("a workbook",)),
        (archive("gold.csv"), "other_kind", ("zip",)),
        (b"<!doctype html><p>", "other_kind", ("web page",)),
        (b"PAR1 and nothing else", "damaged", ("Parquet",)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_files_are_refused(content, code, facts):
    refused_market(content, code, "gold.csv", *facts)
    with refused(MarketError, code, "gold.csv", *facts):
        look_into(content, "gold.csv")


def test_a_huge_file_is_refused_before_it_is_looked_at():
    class Huge(bytes):
        def __len__(self):
            return 300 * 10**6

        def __getitem__(self, _):
            raise AssertionError("The file was looked at.")

    with refused(MarketError, "too_large", "gold.csv", "300.0 MB", "50 MB"):
        look_into(Huge(b"Date,Close"), "gold.csv")


@pytest.mark.parametrize(
    ("choices", "code", "facts"),
    [
        ({"values": ("Open",)}, "not_offered", ("'Open'", "Close")),
        ({"values": ("Close", "Close")}, "twice", ("Close",)),
        ({"transformations": {"Open": "level"}}, "not_offered", ("'Open'", "Close")),
        ({"transformations": {"Close": "sqrt"}}, "not_allowed", ("'sqrt'", "log_return, difference, level")),
    ],
)
def test_choices_that_a_file_does_not_offer_are_refused(choices, code, facts):
    refused_market(prices(), code, *facts, **choices)
