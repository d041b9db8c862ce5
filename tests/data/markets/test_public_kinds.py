"""Files of the kinds that exchanges, banks, statistics offices and data shops hand out, made anew with drawn numbers.

Headers, encodings, stamps, metadata and footers are as theirs. Each is read right, read right after one question, or
refused with what to do; and it is counted how many are.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from goldviz.data.markets.alignment import aligned, next_values
from goldviz.data.markets.file_channel import Choices
from goldviz.data.markets.files import look_into, market_from_file
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.markets.release_words import release_words
from goldviz.diagnostics.forecasts.lookahead import columns_ahead
from tests.old_workbooks import old_workbook
from tests.refusals import refused

pytestmark = pytest.mark.slow
NOW = pd.Timestamp("2026-11-20", tz="UTC")
Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class Twin:
    """A file, what is right of it, and the one thing that a person may have to say.

    ``answer`` is empty where nothing need be said, and ``refused`` are parts of the sentence where it cannot be read.
    """

    content: bytes
    target: str = ""
    values: pd.Series | None = None
    channels: tuple[str, ...] | None = None
    """All of them; without it the target alone."""
    answer: dict[str, Any] = field(default_factory=dict)
    said: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    unit: str = ""
    seen_as: str = "log_return"
    known: str = "23:59 UTC"


def prices(count: int, seed: int, level: float = 500.0, digits: int = 2) -> Columns:
    """Bars of a market that opens near its last close."""
    drawn = np.random.default_rng(seed)
    close = level * np.exp(np.cumsum(drawn.normal(0, 0.008, count)))
    start = np.r_[level, close[:-1]] * np.exp(drawn.normal(0, 0.0008, count))
    high = np.maximum(start, close) * np.exp(np.abs(drawn.normal(0, 0.002, count)))
    low = np.minimum(start, close) * np.exp(-np.abs(drawn.normal(0, 0.002, count)))
    bars = {"open": start, "high": high, "low": low, "close": close}
    return {name: column.round(digits) for name, column in bars.items()} | {
        "volume": drawn.integers(900, 90_000, count)
    }


def text(
    rows: Sequence[Sequence[Any]],
    names: Sequence[str] = (),
    above: str = "",
    below: str = "",
    separator: str = ",",
    encoding: str = "utf-8",
    quoted: bool = False,
) -> bytes:
    """A table as text."""
    mark = '"' if quoted else ""
    lines = [separator.join(f"{mark}{cell}{mark}" for cell in row) for row in ([names] if names else []) + [*rows]]
    return (above + "\n".join(lines) + "\n" + below).encode(encoding)


def rows_of(days: Sequence[str], *columns: Sequence[Any], newest_first: bool = False) -> list[tuple[Any, ...]]:
    rows = list(zip(days, *columns, strict=True))
    return rows[::-1] if newest_first else rows


def workdays(count: int, start: str = "2010-01-04") -> pd.DatetimeIndex:
    return pd.bdate_range(start, periods=count)


def comma(value: float, digits: int = 2) -> str:
    """1.234,50 as in Germany, Brazil and Poland."""
    return f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def a1_bars_without_a_header() -> Twin:
    days = workdays(996)
    days = days.append(workdays(120, f"{days[-1] + pd.Timedelta(81, 'D'):%Y-%m-%d}"))
    bars = prices(len(days), 1, 3300)
    stamps = [f"{day:%Y.%m.%d},00:00" for day in days]
    content = text(rows_of(stamps, *bars.values(), np.zeros(len(days), int)))
    said = ("no header", "8 is 0 in every row", "81 days")
    return Twin(content, "column 6", pd.Series(bars["close"], days), said=said)


def a2_zone_of_half_an_hour() -> Twin:
    days = pd.date_range("2003-05-04", periods=700)
    bars = prices(len(days), 2)
    flat = days.day_of_week >= 5
    for name in ("open", "high", "low", "close"):
        bars[name] = np.where(flat, pd.Series(np.where(flat, np.nan, bars["close"])).ffill().bfill(), bars[name])
    bars["volume"] = np.where(flat, 0, bars["volume"])
    stamps = [f"{day:%d.%m.%Y} 00:00:00.000 GMT+0430" for day in days]
    content = text(rows_of(stamps, *bars.values()), ["Local time", "Open", "High", "Low", "Close", "Volume"])
    said = ("100 on Saturdays, 100 on Sundays. 199 of these repeat the value of the day before",)
    return Twin(content, "Close", pd.Series(bars["close"], days), said=said)


def a2b_bars_stamped_at_their_opening() -> Twin:
    nights = [day for day in pd.date_range("2010-01-03", periods=1400) if day.day_of_week not in (4, 5)]
    hours = [22 if day.month in (1, 2, 11, 12) else 21 for day in nights]
    stamps = [f"{day:%Y-%m-%d}T{hour}:00:00Z" for day, hour in zip(nights, hours, strict=True)]
    bars = prices(len(nights), 3)
    content = text(rows_of(stamps, *list(bars.values())[:4]), ["time", "open", "high", "low", "close"])
    said = ("None are dated on a Friday",)
    values = pd.Series(bars["close"], pd.DatetimeIndex(nights))
    return Twin(content, "close", values, said=said, known="22:00 UTC, next day")


def a4_japanese_index() -> Twin:
    days, bars = workdays(842), prices(842, 4, 39_000)
    columns = [bars[name] for name in ("close", "open", "high", "low")]
    names = ["データ日付", "終値", "始値", "高値", "安値"]
    below = "\u672c\u8cc7\u6599\u306f\u898b\u672c\u3067\u3059\u3002\n"
    rows = rows_of([f"{day:%Y/%m/%d}" for day in days], *columns)
    content = text(rows, names, below=below, encoding="cp932", quoted=True)
    return Twin(content, "終値", pd.Series(bars["close"], days), said=("Shift-JIS", "left out below the table"))


def a5_yields_with_the_unit_above() -> Twin:
    days, drawn = workdays(1200, "1974-09-24"), np.random.default_rng(5)
    curves = {name: (1 + np.cumsum(drawn.normal(0, 0.03, 1200))).round(3) for name in ("1Y", "10Y", "40Y")}
    cells = [[*map(str, column)] for column in curves.values()]
    cells[2][:300] = ["-"] * 300
    rows = rows_of([f"{day.year}/{day.month}/{day.day}" for day in days], *cells)
    content = text(rows, ["Date", *curves], above="Interest Rate,,,(Unit : %)\n")
    values = pd.Series(curves["1Y"], days)
    return Twin(content, "1Y", values, ("1Y", "10Y", "40Y"), unit="percent", seen_as="difference")


def a7_index_below_a_disclaimer() -> Twin:
    days, bars = workdays(900), prices(900, 6, 20)
    above = '"Data are, as they stand, for those who look at them",no warranty\n'
    columns = [bars[name] for name in ("open", "high", "low", "close")]
    names = ["Date", "VIX Open", "VIX High", "VIX Low", "VIX Close"]
    rows = rows_of([f"{day.month}/{day.day}/{day.year}" for day in days], *columns)
    return Twin(text(rows, names, above=above), "VIX Close", pd.Series(bars["close"], days))


def a7b_coin_below_an_address() -> Twin:
    days, bars = pd.date_range("2018-05-15", periods=800), prices(800, 7, 48_000)
    seconds = days.as_unit("s").asi8
    columns = [["BTC/USD"] * 800, *(bars[name] for name in ("open", "high", "low", "close"))]
    volumes = [bars["volume"] / 1e3, (bars["volume"] * bars["close"] / 1e3).round(2)]
    names = ["unix", "date", "symbol", "open", "high", "low", "close", "Volume BTC", "Volume USD"]
    stamps = [f"{unix},{day:%Y-%m-%d %H:%M:%S}" for unix, day in zip(seconds, days, strict=True)]
    content = text(
        rows_of(stamps, *columns, *volumes, newest_first=True), names, above="https://www.example.com/data\n"
    )
    return Twin(content, "close", pd.Series(bars["close"], days), said=("symbol is BTC/USD in every row",))


def a8_years_of_two_digits() -> Twin:
    days, bars = workdays(900, "2007-10-18"), prices(900, 8, 2500)
    rows = rows_of([f"{day.month}/{day.day}/{day:%y}" for day in days], *bars.values())
    content = text(rows, ["Date", "Open", "High", "Low", "Close", "Volume"])
    return Twin(content, "Close", pd.Series(bars["close"], days), said=("two digits",))


def yfinance(columns: Columns, stamps: Sequence[str], symbol: str, index: str, *more: str) -> bytes:
    names = list(columns)
    above = f"Price,{','.join(names)}\nTicker,{','.join('' if name in more else symbol for name in names)}\n"
    return text(rows_of(stamps, *columns.values()), above=above + f"{index}{',' * len(names)}\n")


def a10_intraday_of_a_library() -> Twin:
    days = workdays(60)
    moments = [day + pd.Timedelta(14 * 60 + 30 + 30 * place, "min") for day in days for place in range(13)]
    bars = prices(len(moments), 9)
    order = ("close", "high", "low", "open", "volume")
    stamps = [f"{moment:%Y-%m-%d %H:%M:%S}+00:00" for moment in moments]
    content = yfinance({name.capitalize(): bars[name] for name in order}, stamps, "SPY", "Datetime")
    return Twin(content, "SPY Close", pd.Series(bars["close"][12::13], days), said=("the last of each day counts",))


def a10b_known_symbol_with_indicators() -> Twin:
    days, bars = workdays(600), prices(600, 10, 1900)
    drawn = np.random.default_rng(10)
    columns = {"Close": bars["close"], "Volume": bars["volume"], "RSI": drawn.uniform(20, 80, 600).round(2)}
    columns["MACD"] = drawn.normal(0, 3, 600).round(3)
    content = yfinance(columns, [f"{day:%Y-%m-%d}" for day in days], "GC=F", "Date", "RSI", "MACD")
    channels = ("GC=F", "GC=F Volume", "RSI", "MACD")
    values = pd.Series(bars["close"], days)
    return Twin(content, "GC=F", values, channels, unit="USD/oz", known="13:30 New York")


def brazilian(bars: Columns, days: pd.DatetimeIndex, digits: int, volumes: Sequence[str]) -> bytes:
    changes = np.r_[0, 100 * np.diff(bars["close"]) / bars["close"][:-1]]
    order = ("close", "open", "high", "low")
    columns = [[comma(value, digits) for value in bars[name]] for name in order]
    names = ["Data", "Último", "Abertura", "Máxima", "Mínima", "Vol.", "Var%"]
    cells = [*columns, volumes, [comma(change) + "%" for change in changes]]
    rows = rows_of([f"{day:%d.%m.%Y}" for day in days], *cells, newest_first=True)
    return b"\xef\xbb\xbf" + text(rows, names, quoted=True)


def a11_brazilian_index() -> Twin:
    days, bars = workdays(700), prices(700, 11, 118_000, 0)
    content = brazilian(bars, days, 0, [f"{comma(value / 7000)}B" for value in bars["volume"]])
    return Twin(content, "Último", pd.Series(bars["close"], days), said=("Var% is the change of Último",))


def a11c_brazilian_page_of_an_american_index() -> Twin:
    days, bars = workdays(700), prices(700, 12, 4500)
    volumes = ["" if place % 50 == 7 else f"{comma(value / 1e3)}M" for place, value in enumerate(bars["volume"])]
    content = brazilian(bars, days, 2, volumes)
    return Twin(content, "Último", pd.Series(bars["close"], days), said=("Var% is the change of Último",))


def a12_hours_in_a_column_of_digits() -> Twin:
    days = workdays(312, "2020-01-01")
    stamps = [f"{day:%Y%m%d},{hour:02d}0000" for day in days for hour in (9, 15, 23)]
    bars = prices(len(stamps), 13, 1898, 3)
    content = text(rows_of(stamps, *bars.values()))
    values = pd.Series(bars["close"][2::3], days)
    return Twin(content, "column 6", values, said=("The time of day stands in column 2", "the last of each day counts"))


def tagged(ticker: str, stamps: Sequence[str], bars: Columns) -> bytes:
    names = ["<TICKER>", "<PER>", "<DATE>", "<TIME>", "<OPEN>", "<HIGH>", "<LOW>", "<CLOSE>", "<VOL>"]
    return text(rows_of([f"{ticker},D,{stamp}" for stamp in stamps], *bars.values()), names)


def a12b_one_ticker_in_every_row() -> Twin:
    days = pd.date_range("2005-01-03", periods=900)
    days = days[(days.day_of_week < 5) | (days.day % 3 == 0)]
    bars = prices(len(days), 14, 1170, 1)
    content = tagged("comex.GC", [f"{day:%Y%m%d},000000" for day in days], bars)
    return Twin(content, "<CLOSE>", pd.Series(bars["close"], days), said=("<TICKER> is comex.GC", "on Saturdays"))


def a12c_minutes_of_five_days() -> Twin:
    moments = pd.date_range("2016-05-02", periods=7200, freq="min")
    bars = prices(7200, 15, 900, 3)
    content = text(rows_of([f"{moment:%Y-%m-%d %H:%M:%S}" for moment in moments], bars["close"]), ["Date", "Price"])
    return Twin(content, refused=("7,200 values on 5 days, and one a day counts; at least 30 are needed",))


def workbook(sheets: dict[str, list[list[Any]]], hidden: str = "") -> bytes:
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        sheet.sheet_state = "hidden" if name == hidden else "visible"
        for row in rows:
            sheet.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


SERIAL = pd.Timestamp("1899-12-30")


def a13_terminal_s_wide_sheet() -> Twin:
    days, drawn = workdays(60), np.random.default_rng(16)
    names = [f"T{place} Index" for place in range(220)]
    top = [["Start", "2010-01-04"], [], [None, *names], [None, *["PX_LAST"] * 220]]
    body = [[(day - SERIAL).days, *drawn.uniform(90, 110, 220).round(2)] for day in days]
    return Twin(workbook({"A": [*top, *body]}), refused=("221 columns; allowed are at most 200", "serial numbers"))


def a13b_terminal_s_sign_for_nothing() -> Twin:
    days, bars = workdays(900, "1988-05-20"), prices(900, 17, 67)
    change = np.r_[0, np.diff(bars["close"]) / bars["close"][:-1]].round(6)
    volumes = ["#N/A N/A" if place < 200 else value for place, value in enumerate(bars["volume"])]
    rows = rows_of([f"{day:%Y-%m-%d}" for day in days], bars["close"], volumes, change)
    content = text(rows, ["date", "brent", "volume", "brent_pct"])
    said = ("brent_pct is the change of brent itself",)
    return Twin(content, "brent", pd.Series(bars["close"], days), ("brent", "volume"), said=said)


def a14_months_with_units_and_codes() -> Twin:
    months = pd.period_range("1960-01", periods=300, freq="M")
    gold, copper = prices(300, 18, 35)["close"], [*prices(300, 19, 700)["close"]]
    copper[40:46] = ["…"] * 6
    top = [["A bank's monthly prices"], ["(monthly series in nominal US dollars)"], [], [None, "Gold", "Copper"]]
    top += [[None, "($/troy oz)", "($/mt)"], [None, "GOLD", "COPPER"]]
    body = [[f"{month.year}M{month.month:02d}", *row] for month, *row in zip(months, gold, copper, strict=True)]
    content = workbook({"Words": [["About these data"]], "Monthly Prices": [*top, *body]}, hidden="Words")
    values = pd.Series(gold, months.to_timestamp(how="end").normalize())
    return Twin(content, "Gold", values, ("Gold", "Copper"), unit="$/troy oz")


def a14c_one_price_in_many_currencies() -> Twin:
    days, names = workdays(700, "1978-12-29"), ["USD", "EUR", "JPY", "GBP", "CHF", "INR", "CNY", "TRY"]
    columns = {name: prices(700, 20 + place, 2300)["close"] for place, name in enumerate(names)}
    body = [[day.to_pydatetime(), *row] for day, *row in zip(days, *columns.values(), strict=True)]
    content = workbook({"Daily": [["Date", *names], *body]})
    return Twin(content, "USD", pd.Series(columns["USD"], days), tuple(names))


def a14d_old_workbook() -> Twin:
    months = pd.date_range("1978-12-31", periods=400, freq="ME")
    columns = {name: prices(400, 26 + place, 230)["close"] for place, name in enumerate(("USD", "EUR", "JPY"))}
    body = [[day.date(), *row] for day, *row in zip(months, *columns.values(), strict=True)]
    content = old_workbook(Words=[["About these data"]], Monthly=[["Monthly averages"], ["Name", *columns], *body])
    return Twin(content, "USD", pd.Series(columns["USD"], months), tuple(columns))


def a15_polish_months() -> Twin:
    months = pd.date_range("1990-01-01", periods=360, freq="MS")
    course = prices(360, 30, 1300, 3)["close"]
    change = [*(f"{value:.4f}" for value in np.r_[0, np.diff(course)])]
    rows = rows_of([f"{day.day}/{day.month}/{day.year}" for day in months], course, change)
    content = text(rows, ["Data", "Kurs", "Zmiana"])
    answer = {"day_first": True}
    known = "23:59 UTC, end of month"
    values = pd.Series(course, months)
    return Twin(content, "Kurs", values, answer=answer, known=known, said=("Zmiana is the change of Kurs itself",))


def a15b_polish_days() -> Twin:
    days, course = workdays(900), prices(900, 31, 1.1, 3)["close"]
    changes = [f"{value:.4f}" for value in np.r_[0, np.diff(course)]]
    rows = rows_of([f"{day:%d.%m.%Y}" for day in days], course, changes, newest_first=True)
    content = text(rows, ["Data", "Kurs", "Zmiana"], separator=";")
    said = ("Zmiana is the change of Kurs itself",)
    return Twin(content, "Kurs", pd.Series(course, days), said=said)


def a16_a_price_below_zero() -> Twin:
    days, close = workdays(900), prices(900, 32, 50)["close"].copy()
    close[700] = -37.63
    rows = rows_of([f"{day:%m/%d/%Y}" for day in days], close, prices(900, 33)["volume"], newest_first=True)
    content = text(rows, ["Date", " Close/Last", " Volume"])
    said = ("goes to zero or below: we use changes",)
    values = pd.Series(close, days)
    return Twin(content, "Close/Last", values, ("Close/Last", "Volume"), said=said, seen_as="difference")


def parquet(frame: pd.DataFrame) -> bytes:
    sink = io.BytesIO()
    frame.to_parquet(sink)
    return sink.getvalue()


def a17_hours_then_quarters() -> Twin:
    hours = pd.date_range("2023-11-01", periods=24 * 60, freq="h", tz="UTC")
    quarters = pd.date_range(hours[-1] + pd.Timedelta(1, "h"), periods=96 * 60, freq="15min")
    moments = hours.append(quarters)
    power = np.random.default_rng(34).normal(80, 30, len(moments)).round(2)
    frame = pd.DataFrame({"price_eur_mwh": power}, index=moments)
    values = frame["price_eur_mwh"].groupby(moments.tz_localize(None).normalize()).last()
    said = ("Sampling changes: 24 values a day", "the last of each day counts")
    return Twin(parquet(frame), "price_eur_mwh", values, said=said, unit="EUR/MWh", seen_as="difference")


def a17b_several_pairs_below_each_other() -> Twin:
    days = workdays(500)
    parts = []
    for place, pair in enumerate(("EURUSD", "GBPUSD", "USDJPY")):
        bars = prices(500, 40 + place, 1.1, 5)
        parts.append(pd.DataFrame({"date": days, "pair": pair, **bars}))
    frame = pd.concat(parts, ignore_index=True)
    values = pd.Series(prices(500, 40, 1.1, 5)["close"], days)
    said = ("Each name in pair becomes a column of close",)
    return Twin(parquet(frame), "EURUSD", values, ("EURUSD", "GBPUSD", "USDJPY"), said=said)


def a17c_volatilities_by_ticker() -> Twin:
    days, tickers = workdays(400), ["PETR4", "VALE3", "ITUB4", "GOLD11"]
    drawn = np.random.default_rng(44)
    columns = {ticker: np.exp(np.cumsum(drawn.normal(0, 0.02, 400)) - 1).round(6) for ticker in tickers}
    parts = [pd.DataFrame({"Data": days, "Ticker": name, "Volatilidade": cells}) for name, cells in columns.items()]
    frame = pd.concat(parts, ignore_index=True).sort_values("Data", kind="stable", ignore_index=True)
    said = ("Each name in Ticker becomes a column of Volatilidade",)
    return Twin(parquet(frame), "PETR4", pd.Series(columns["PETR4"], days), tuple(tickers), said=said)


def a18_two_sundays() -> Twin:
    days = workdays(900).union(pd.DatetimeIndex(["2010-02-07", "2010-11-14"]))
    close = prices(len(days), 45, 5100)["close"]
    rows = rows_of([f"{day:%Y-%m-%d}" for day in days], [f'"{value:,.2f}"' for value in close])
    content = text(rows, ["Date", "Close"])
    return Twin(content, "Close", pd.Series(close, days), said=("2 on Sundays",))


def a19_saturday_to_thursday() -> Twin:
    days = pd.date_range("2010-01-02", periods=900)
    days = days[days.day_of_week != 4]
    close = prices(len(days), 46, 63_786_000, 0)["close"].astype(int)
    content = text(rows_of([f"{day:%Y-%m-%d}" for day in days], close), ["date", "price"])
    return Twin(content, "price", pd.Series(close, days), said=("none on Fridays",))


def a20_calendar_with_the_month_in_brackets() -> Twin:
    months = pd.date_range("2000-01-14", periods=240, freq="MS") + pd.Timedelta(13, "D")
    actual, forecast = (np.random.default_rng(seed).normal(3, 1, 240).round(1) for seed in (47, 48))
    rows = rows_of(
        [f'"{day:%b %d, %Y} ({day - pd.Timedelta(20, "D"):%b})"' for day in months],
        ["14:30"] * 240,
        *([f"{value:.1f}%" for value in column] for column in (actual, forecast)),
        newest_first=True,
    )
    content = text(rows, ["Release Date", "Time", "Actual", "Forecast"])
    return Twin(
        content,
        "Actual",
        pd.Series(actual, months),
        ("Actual", "Forecast"),
        said=("All values are stamped 14:30",),
        unit="percent",
        seen_as="difference",
    )


def a20b_calendar_with_two_forms_of_dates() -> Twin:
    days, drawn = workdays(400), np.random.default_rng(49)
    actual, forecast = (4.9 + np.cumsum(drawn.normal(0, 0.03, (2, 400)), axis=1)).round(3)
    dates = [f"{day:%d-%b-%y}" if place < 130 else f'"{day:%b %d, %Y}"' for place, day in enumerate(days)]
    cells = [[f"{value:.3f}M" for value in column] for column in (actual, forecast)]
    rows = rows_of(dates, ["17:30"] * 400, *cells, newest_first=True)
    content = text(rows, ["Release Date", "Time", "Actual", "Forecast"])
    values = pd.Series((1e6 * actual).round(), days)
    said = ("both were read", "All values are stamped 17:30")
    return Twin(content, "Actual", values, ("Actual", "Forecast"), said=said)


def a21_polish_bars() -> Twin:
    days, bars = workdays(900), prices(900, 50, 1840)
    names = ["Data", "Otwarcie", "Najwyzszy", "Najnizszy", "Zamkniecie", "Wolumen"]
    content = text(rows_of([f"{day:%Y-%m-%d}" for day in days], *bars.values()), names)
    return Twin(content, "Zamkniecie", pd.Series(bars["close"], days))


def a22_auctions_of_several_regions() -> Twin:
    days = workdays(1200)
    price = prices(1200, 51, 25)["close"]
    region = ["EU" if place % 3 else "DE" for place in range(1200)]
    rows = rows_of([f"{day:%Y-%m-%d}" for day in days], price, [1000] * 1200, region)
    content = text(rows, ["Date", "Auction price €/tCO2", "Auction volume tCO2", "Country"])
    values = pd.Series(price, days)
    return Twin(content, "Auction price €/tCO2", values, answer={"split": ""}, unit="€/tCO2")


def a23_a_column_of_tomorrow() -> Twin:
    days, bars = workdays(1500), prices(1500, 52)
    drawn = np.random.default_rng(52)
    tomorrow = (np.r_[bars["close"][1:], bars["close"][-1]] * np.exp(drawn.normal(0, 0.01, 1500))).round(2)
    rows = rows_of([f"{day:%Y-%m-%d}" for day in days], *bars.values(), tomorrow)
    content = text(rows, ["Date", "Open", "High", "Low", "Close", "Volume", "Model High"])
    return Twin(content, "Close", pd.Series(bars["close"], days))


def a24_months_dated_by_their_first_day() -> Twin:
    months = pd.date_range("2010-01-01", periods=138, freq="MS")
    close = prices(138, 53, 537)["close"]
    content = text(rows_of([f"{day:%Y-%m-%d}" for day in months], [2781] * 138, close), ["date", "name", "close"])
    known = "23:59 UTC, end of month"
    return Twin(content, "close", pd.Series(close, months), said=("name is 2781 in every row",), known=known)


KINDS: tuple[Callable[[], Twin], ...] = tuple(
    make for name, make in sorted(globals().items()) if name[0] == "a" and name[1].isdigit() and callable(make)
)


def read(twin: Twin, **more: Any) -> Market:
    return market_from_file(twin.content, "mine.csv", Choices(**twin.answer, **more), retrieved=NOW)


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_each_kind_is_right_asked_or_refused_with_what_to_do(make: Callable[[], Twin]) -> None:
    twin = make()
    if twin.refused:
        with pytest.raises(MarketError) as caught:
            read(twin)
        for part in twin.refused:
            assert part in str(caught.value)
        return
    if twin.answer:
        with pytest.raises(MarketError, match=r"[Ss]ay "):
            market_from_file(twin.content, "mine.csv", retrieved=NOW)
    made = read(twin)
    target = made.target
    assert [channel.name for channel in made.channels] == [*(twin.channels or (twin.target,))]
    assert twin.values is not None
    pd.testing.assert_series_equal(
        target.observed, twin.values.astype(float), check_names=False, check_freq=False, check_index_type=False
    )
    assert (target.unit, target.transformation) == (twin.unit, twin.seen_as)
    assert release_words(target.release) == twin.known
    notes = " ".join(look_into(twin.content, "mine.csv", Choices(**twin.answer)).notes)
    for sentence in twin.said:
        assert sentence in notes


@pytest.mark.parametrize("make", [a13b_terminal_s_sign_for_nothing, a20b_calendar_with_two_forms_of_dates])
def test_a_column_that_counts_the_rows_is_no_price(make: Callable[[], Twin]) -> None:
    """As pandas writes an index beside its columns."""
    twin = make()
    first, *lines = twin.content.decode().splitlines()
    content = "\n".join([f",{first}", *(f"{row},{line}" for row, line in enumerate(lines))]).encode()
    made = read(replace(twin, content=content))
    assert twin.values is not None
    assert (made.target.name, len(made.target.observed)) == (twin.target, len(twin.values))
    assert "column 1 only counts rows or days and is left out" in " ".join(made.notes.values())


def test_a_price_with_its_unit_in_each_cell_is_read_and_one_with_a_strange_word_is_not_replaced() -> None:
    twin = a21_polish_bars()
    with_words = {
        word: re.sub(r"(?<=,)(\d+\.\d+)", rf"\1 {word}", twin.content.decode()).encode()
        for word in ("PLN", "zł", "points", "(est.)")
    }
    for word in ("PLN", "zł", "points"):
        assert read(replace(twin, content=with_words[word])).target.observed.equals(read(twin).target.observed)
    with refused(MarketError, "bad_column", "Column Zamkniecie of mine.csv", "(est.)' in row 2"):
        read(replace(twin, content=with_words["(est.)"]))


def test_how_many_are_right_by_themselves_after_one_question_or_refused() -> None:
    # The numbers that docs/data.md gives.
    twins = [make() for make in KINDS]
    asked, refused = sum(bool(twin.answer) for twin in twins), sum(bool(twin.refused) for twin in twins)
    assert (len(twins), len(twins) - asked - refused, asked, refused) == (34, 30, 2, 2)
    assert all(len(twin.answer) <= 1 for twin in twins)


def test_a_column_of_tomorrow_is_named_where_it_is_chosen() -> None:
    twin = a23_a_column_of_tomorrow()
    market = read(twin, values=("Close", "Model High"))
    panel = aligned(market)
    kinds = [channel.transformation for channel in market.channels]
    assert [link.channel for link in columns_ahead(panel, kinds, next_values(panel, "return"))] == ["Model High"]
