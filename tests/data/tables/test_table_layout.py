"""The columns of a table are taken for what their names and cells say."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from goldviz.data.markets.file_channel import Choices, asked_of_name, file_channel
from goldviz.data.markets.market import MarketError
from goldviz.data.markets.symbols import described
from goldviz.data.tables.file_table import FileTable
from goldviz.data.tables.table_layout import understood
from tests.refusals import refused

DAYS = pa.array([f"{day:%Y-%m-%d}" for day in pd.date_range("2024-01-01", periods=40)])
PRICES = pa.array([f"{place + 1}.25" for place in range(40)])


def table(**columns):
    return FileTable("gold.csv", "text", tuple(columns), tuple(columns.values()), np.arange(40) + 2, ",")


def layout(*names):
    return understood(table(Date=DAYS, **dict.fromkeys(names, PRICES)))


@pytest.mark.parametrize(
    ("names", "target", "chosen"),
    [
        (["Price"], "Price", ["Price"]),
        (["Open", "High", "Low", "Close", "Adj Close", "Volume"], "Close", ["Close"]),
        (["Price", "Open", "High", "Low", "Vol.", "Change %"], "Price", ["Price"]),
        (["Close/Last", "Volume", "Open", "High", "Low"], "Close/Last", ["Close/Last"]),
        (["Silver Close", "Gold Close"], "Gold Close", ["Gold Close", "Silver Close"]),
        (["Silver", "Gold", "VIX"], "Gold", ["Gold", "Silver", "VIX"]),
        (["DGS10", "DGS2"], "DGS10", ["DGS10", "DGS2"]),
    ],
)
def test_the_column_that_says_price_is_suggested(names, target, chosen):
    found = layout(*names)
    assert found.target == target
    assert list(found.chosen) == chosen


def test_a_column_named_like_a_date_comes_before_others_that_hold_dates():
    found = understood(table(Released=pa.array(["2023-01-01"] * 40), observation_date=DAYS, Gold=PRICES))
    assert found.date_column == "observation_date"
    assert found.notes == ("Released is 2023-01-01 in every row.",)


def test_what_only_counts_rows_or_days_is_no_channel():
    days = pd.DatetimeIndex(DAYS.to_pylist())
    counts = {"Year": days.year, "Weekday": days.day_of_week, "Day": days.day, "": range(40)}
    found = understood(table(**{name: pa.array(list(part)) for name, part in counts.items()}, Date=DAYS, x=PRICES))
    assert (found.target, list(found.columns)) == ("x", ["x"])
    assert [note for note in found.notes if note.endswith("only counts rows or days and is left out.")] == [
        f"{name} only counts rows or days and is left out." for name in counts
    ]


def test_a_code_that_comes_again_and_again_counts_as_no_value():
    cells = [place + 1.25 for place in range(40)]
    cells[3:9] = [-999.0] * 6
    found = understood(table(Date=DAYS, Price=pa.array(cells)))
    assert found.columns["Price"].values.min() == 1.25
    assert found.columns["Price"].missing == 6
    assert "-999 stands 6 times in Price and counts as no value." in found.notes
    cells[4:9] = cells[10:15]
    assert understood(table(Date=DAYS, Price=pa.array(cells))).columns["Price"].values.min() == -999, "once is a value"


def test_large_prices_are_no_dates():
    found = understood(table(Date=DAYS, Gold=pa.array(["20240101"] * 40), Volume=pa.array(["1704067200"] * 40)))
    assert list(found.columns) == ["Gold", "Volume"]


def test_remarks_beside_a_date_that_stands_twice_are_no_channels():
    days = DAYS.to_pylist()
    days[5] = days[4]
    found = understood(table(Date=pa.array(days), Gold=pa.array(["5.25"] * 40), Remark=DAYS))
    assert list(found.columns) == ["Gold"]


def test_a_price_that_cannot_be_used_is_not_replaced_by_another_column():
    cells = PRICES.to_pylist()
    cells[0] = "closed"
    with refused(MarketError, "bad_column", "Column Close of gold.csv", "'closed' in row 2"):
        understood(table(Date=DAYS, Close=pa.array(cells), Volume=PRICES))
    assert understood(table(Date=DAYS, First=pa.array(cells), Second=PRICES)).target == "Second"


@pytest.mark.parametrize(
    ("column", "chosen", "name", "symbol"),
    [
        ("Close", "", "Close", None),
        ("Close", "GC=F", "GC=F", "GC=F"),
        ("DGS10", "", "DGS10", "DGS10"),
        ("BTC-USD Close", "", "BTC-USD", "BTC-USD"),
        ("vix", "", "^VIX", "^VIX"),
        ("Gold", "", "Gold", None),
    ],
)
def test_a_channel_is_named_by_its_symbol_where_its_column_or_a_person_says_one(column, chosen, name, symbol):
    choice = Choices(symbols={column: chosen} if chosen else {})
    made = file_channel(column, layout("Price").columns["Price"], choice)
    assert made.channel.name == name
    assert made.release_known == (symbol is not None)
    assert made.channel.words == (described(symbol).words if symbol else name)
    again = file_channel(column, layout("Price").columns["Price"], choice, others={"GC=F"})
    assert again.channel.name == (name if name != "GC=F" else column)


@pytest.mark.parametrize(
    ("column", "file", "symbol"),
    [
        ("Close", "GC=F_daily.csv", "GC=F"),
        ("Adj Close", "gspc 2024.csv", "^GSPC"),
        ("Close", "mine.csv", ""),
        ("Open", "GC=F.csv", ""),
        ("DGS10", "GC=F.csv", ""),
    ],
)
def test_a_file_named_like_a_symbol_is_asked_about(column, file, symbol):
    asked = asked_of_name(column, file)
    assert (asked.symbol if asked else "") == symbol


@pytest.mark.parametrize(
    ("column", "percent", "kind"),
    [
        ("Close", False, "price"),
        ("Volume", False, "volume"),
        ("Open Interest", False, "volume"),
        ("10y yield", False, "rate"),
        ("Exchange rate", False, "number"),
        ("Close", True, "rate"),
        ("Bullion", False, "number"),
        ("^TNX", False, "rate"),
        ("^VIX", False, "price"),
    ],
)
def test_what_a_column_is_follows_from_its_name_and_its_cells(column, percent, kind):
    daily = replace(layout("Price").columns["Price"], percent=percent)
    assert file_channel(column, daily).kind == kind
