"""Dates are read as they were printed; what can be read in two ways is read in both."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.markets.files import look_into
from goldviz.data.markets.market import MarketError
from goldviz.data.tables.file_table import FileTable
from goldviz.data.tables.printed_dates import date_form, read_dates
from tests.refusals import refused

DAYS = pd.date_range("2024-01-01", periods=31)


def read(cells, day_first=None):
    column = pa.array(cells)
    table = FileTable("gold.csv", "text", ("Date",), (column,), np.arange(len(cells)) + 2)
    return read_dates(table, 0, date_form(column), day_first)


@pytest.mark.parametrize(
    ("cell", "moment"),
    [
        ("2024-03-09", "2024-03-09"),
        ("2024-3-9", "2024-03-09"),
        ("2024/03/09", "2024-03-09"),
        ("2024.03.09", "2024-03-09"),
        ("20240309", "2024-03-09"),
        ("2024-02", "2024-02-29"),
        ("Feb 2023", "2023-02-28"),
        ("Mar 09, 2024", "2024-03-09"),
        ("march 9 2024", "2024-03-09"),
        ("Sept. 9, 2024", "2024-09-09"),
        ("09-Mar-2024", "2024-03-09"),
        ("9 March 2024", "2024-03-09"),
        ("Tue, 31 Dec 2024", "2024-12-31"),
        ("Tuesday, December 31, 2024", "2024-12-31"),
        ("Mon, 4 Mar 2024", "2024-03-04"),
        ("Mo 04.03.2024", "2024-03-04"),
        ("Mi., 13. März 2024", "2024-03-13"),
        ("mercredi 13 mars 2024", "2024-03-13"),
        ("mar. 12/03/2024", "2024-03-12"),
        ("miércoles, 13 de marzo de 2024", "2024-03-13"),
        ("segunda-feira, 4 de março de 2024", "2024-03-04"),
        ("gio 14/03/24", "2024-03-14"),
        ("Wed 2024-03-13", "2024-03-13"),
        ("2024/3/4(月)", "2024-03-04"),
        ("13.03.2024 (Mi)", "2024-03-13"),
        ("1st March 2024", "2024-03-01"),
        ("2024-W05", "2024-01-29"),
        ("2020W53", "2020-12-28"),
        ("Q1 24", "2024-03-31"),
        ("4Q2023", "2023-12-31"),
        ("T2 2024", "2024-06-30"),
        ("5/2024", "2024-05-31"),
        ("2024. 03. 09.", "2024-03-09"),
        ("13. 3. 2024", "2024-03-13"),
        ("20240309;163000", "2024-03-09T16:30"),
        ("20240309  16:30:00", "2024-03-09T16:30"),
        ("2023-H1", "2023-06-30"),
        ("2023S2", "2023-12-31"),
        ("H1 24", "2024-06-30"),
        ("FY2023/24", "2024-12-31"),
        ("1999/2000", "2000-12-31"),
        ("2024-03-09 24:00", "2024-03-09T23:59:59"),
        ("09.03.2024 23:00 - 10.03.2024 00:00", "2024-03-09T23:00"),
        ("03/15/2024 01:00 - 02:00", "2024-03-15T01:00"),
        ("202405", "2024-05-31"),
        ("2024-03-09 16:30 CET", "2024-03-09T15:30"),
        ("2024-03-09 20:30 EST", "2024-03-10T01:30"),
        ("March 22nd, 2024", "2024-03-22"),
        ("9. März 2024", "2024-03-09"),
        ("09. Mrz. 24", "2024-03-09"),
        ("31-Dez-2024", "2024-12-31"),
        ("1er août 2024", "2024-08-01"),
        ("9 juil. 2024", "2024-07-09"),
        ("9 juin 2024", "2024-06-09"),
        ("9 de mayo de 2024", "2024-05-09"),
        ("Februar 2024", "2024-02-29"),
        ("2024年3月9日", "2024-03-09"),
        ("12/31/2024 4:00:00 PM", "2024-12-31T16:00"),
        ("12/31/2024 12:30 am", "2024-12-31T00:30"),
        ("1709942400000.0", "2024-03-09"),
        ("31/12/2024", "2024-12-31"),
        ("31.12.2024", "2024-12-31"),
        ("12/31/2024", "2024-12-31"),
        ("12/31/2024 16:00:00", "2024-12-31T16:00"),
        ("2024-03-09T16:30", "2024-03-09T16:30"),
        ("2024-03-09 16:30:15.123456", "2024-03-09T16:30:15"),
        ("2024-03-09T16:30:15Z", "2024-03-09T16:30:15"),
        ("2024-03-09 16:30+0530", "2024-03-09T11:00"),
        ("2024-03-09 23:30:00-05", "2024-03-10T04:30"),
        ("2024-03-09 00:00:00+09:00", "2024-03-09"),
        ("-1325583000", "1927-12-30T14:30"),
    ],
)
def test_a_date_is_read(cell, moment):
    assert read([cell]).moments[0] == np.datetime64(moment, "s")


@pytest.mark.parametrize(
    "cell", ["", "closed", "2024", "2024-F05", "45293", "1925.45", "24-03-09", "Foo 09, 2024", "12:30", "99999999999"]
)
def test_what_is_no_date_has_no_form(cell):
    assert date_form(pa.array([cell])) is None


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["2024-02-30"], "calendar"),
        (["2023-02-29"], "calendar"),
        (["2023-W53"], "calendar"),
        (["2024-00-10"], "calendar"),
        (["31/31/2024"], "calendar"),
        (["2024-01-01 25:00"], "clock"),
        (["2024-01-01 10:00+99:00"], "time zone"),
        (["2024-01-01 15:00-16:00"], "time zone"),
        (["2024-01-01 10:00", "2024-01-02 10:00Z"], "no time zone"),
        (["2200-01-01"], "1700 to 2199"),
        (["9999999999"], "1700 to 2199"),
    ],
)
def test_what_is_no_day_is_refused_with_its_row(cells, reason):
    with refused(MarketError, "bad_date", "row 2 of gold.csv", "column Date", repr(cells[0]), reason):
        read(cells)


def test_years_from_one_into_the_next_are_no_months():
    years = [f"{year}/{(year + 1) % 100:02d}" for year in range(1996, 2020)]
    assert read(years).moments[0] == np.datetime64("1997-12-31", "s")
    assert read(years[4:10]).moments[0] == np.datetime64("2000-01-31", "s")
    with refused(MarketError, "bad_date", "'2020/22'"):
        read([*years, "2020/22"])


HOURS = {
    "0 to 23": (str, range(24), "Hour"),
    "1 to 24": (str, range(1, 25), "Hour ending"),
    "in German": (str, range(24), "Stunde"),
    "01:00 to 24:00": ("{:02d}:00".format, range(1, 25), "Hour"),
    "from and to": (lambda hour: f"{hour:02d}:00 - {hour + 1:02d}:00", range(24), "Interval"),
    "from and to, short": (lambda hour: f"{hour:02d} - {hour + 1:02d}", range(24), "Hours"),
    "HE 1": ("HE {}".format, range(1, 25), "Delivery"),
    "H1 to H25": ("H{}".format, range(1, 26), "Hour"),
    "13h": ("{:02d}h".format, range(24), "Hora"),
    "1 PM": (lambda hour: f"{hour % 12 or 12} {'PM' if hour > 11 else 'AM'}", range(24), "Time"),
}


@pytest.mark.parametrize("kind", HOURS)
def test_hours_beside_days_are_never_names_nor_numbers(kind):
    words, hours, name = HOURS[kind]
    rows = [f"{day:%Y-%m-%d},{words(hour)},{10 * hour + day.day}" for day in DAYS for hour in hours]
    seen = look_into("\n".join([f"Date,{name},Price", *rows]).encode(), "spot.csv")
    assert seen.values == ("Price",)
    assert (seen.readings_of["Price"].values, seen.readings_of["Price"].last) == (31, 10 * hours[-1] + 31)
    assert f"stands in {name}." in " ".join(seen.notes)


@pytest.mark.parametrize("name", ["Months", "Time", "Time to maturity"])
def test_tenors_beside_days_are_no_hours(name):
    rows = [f"{day:%Y-%m-%d},{months},{months + day.day}" for day in DAYS for months in (1, 3, 12)]
    with refused(MarketError, "bad_column", f"{name} of rates.csv", "2024-01-01", "1 in row 2 and 3"):
        look_into("\n".join([f"Date,{name},Rate", *rows]).encode(), "rates.csv")


def test_a_fiscal_year_of_one_number_is_asked_for_its_end():
    with refused(MarketError, "no_dates", "'FY90'", "fiscal year"):
        look_into("\n".join(["Year,Price", *(f"FY{year},{year}" for year in range(90, 60, -1))]).encode(), "gold.csv")


def test_months_with_years_of_two_digits_are_read_where_they_are_in_order():
    dates = read(["Nov-23", "Dec-23", "Jan-24", "Feb-24"])
    assert dates.moments[0] == np.datetime64("2023-11-30", "s")
    assert dates.moments[-1] == np.datetime64("2024-02-29", "s")
    for days in (["Jan-02", "Jan-03", "Jan-04", "Jan-05"], ["Jan-30", "Jan-31", "Feb-01", "Mar-01"]):
        with refused(MarketError, "two_digit_years", f"'{days[0]}'"):
            read(days)


def test_days_and_months_that_a_spreadsheet_has_turned_are_turned_back():
    days = pd.bdate_range("2024-01-01", periods=60)
    cells = [f"{day:%d/%m/%Y}" if day.day > 12 else f"{day:%Y-%d-%m} 00:00:00" for day in days]
    dates = read(cells)
    np.testing.assert_array_equal(dates.moments, days.to_numpy().astype("datetime64[s]"))
    assert "'2024-01-01 00:00:00' and the like were turned round" in dates.notes[-1]


@given(
    st.lists(st.dates(pd.Timestamp("1700-01-01").date(), pd.Timestamp("2199-12-31").date()), min_size=1, max_size=20),
    st.sampled_from(["day", "month"]),
    st.sampled_from("-/."),
)
def test_the_right_reading_is_never_lost(days, order, mark):
    form = mark.join(("%d", "%m", "%Y") if order == "day" else ("%m", "%d", "%Y"))
    cells = [day.strftime(form) for day in days]
    truth = np.array(days, "datetime64[s]")
    chosen = read(cells, day_first=order == "day")
    np.testing.assert_array_equal(chosen.moments, truth)
    told = read(cells)
    if told.order == "either":
        np.testing.assert_array_equal(told.moments if order == "day" else told.month_first, truth)
    elif (told.moments != truth).any():
        # Only the order of the rows can mislead, and only where the true one is in no order at all.
        steps = np.diff(told.moments).astype(int)
        assert (steps >= 0).all() or (steps <= 0).all()
        true_steps = np.diff(truth).astype(int)
        assert (true_steps < 0).any()
        assert (true_steps > 0).any()
