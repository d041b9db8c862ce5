"""Files are shown as they were read before they are used, each reading can be changed, and none replaces another."""

import io
from typing import Any, get_args

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from goldviz.data.markets.file_channel import Kind
from goldviz.data.markets.market import Market, Transformation
from goldviz.data.markets.release_words import release_words
from goldviz.ui.markets.reading_table import KIND, KINDS, KNOWN, SEEN, TRANSFORMATIONS, USE
from goldviz.ui.markets.upload import JOIN, REPLACE
from tests.data.markets.small_market import small_market
from tests.spoken_names import names_with_markdown

DAYS = pd.bdate_range("2024-01-01", periods=60)


def traits(days: pd.DatetimeIndex = DAYS) -> bytes:
    """Byte-order mark, newest first, dd/mm/yyyy, negative prices, percentages, 188.17M, and a future without values."""
    empty = len(days) - 5
    rows = [
        f"{day:%d/%m/%Y},{20 - place}.5,4.0{place % 9}%,{100 + place}.17M" for place, day in enumerate(days[:empty])
    ]
    rows += [f"{day:%d/%m/%Y},,," for day in days[empty:]]
    return ("\ufeffDate,Close,Yield,Volume\n" + "\n".join(rows[::-1])).encode()


def workbook() -> bytes:
    sink = io.BytesIO()
    with pd.ExcelWriter(sink) as writer:
        for name, first in (("Silver", 20.0), ("Copper", 4.0)):
            frame = pd.DataFrame({"Date": DAYS, "Price": first + 0.01 * DAYS.day})
            frame.to_excel(writer, sheet_name=name, index=False)
    return sink.getvalue()


def page() -> None:
    import streamlit as st

    from goldviz.ui.markets import upload

    market = upload.show(st.session_state.get("held"))
    if market is not None:
        st.session_state["taken"] = market


class Uploads:
    """A visitor at the uploader."""

    def __init__(self, held: Market | None = None) -> None:
        self.at = AppTest.from_function(page, default_timeout=60)
        self.at.session_state["held"] = held
        self.look()

    def look(self) -> None:
        self.at.run()
        assert not self.at.exception, self.at.exception[0].stack_trace
        assert not names_with_markdown(self.at)

    def bring(self, *files: tuple[str, bytes]) -> None:
        self.at.file_uploader[0].set_value([(name, content, "") for name, content in files])
        self.look()

    def answer(self, label: str, value: Any) -> None:
        [asked] = [one for one in [*self.at.radio, *self.at.selectbox] if label in one.label]
        asked.set_value(value)
        self.look()

    def change(self, row: int, **cells: Any) -> None:
        """Change cells of the first table, as the browser tells of them: rows by number, the dates' row first."""
        (changes,) = self.at.session_state["market-reading-changes"].values()
        columns = list(self.at.data_editor[0].value["Column"][1:])
        changes.take(columns, {row: {heading.replace("_", " "): value for heading, value in cells.items()}})
        self.look()

    @property
    def read(self) -> pd.DataFrame:
        return self.at.data_editor[0].value.set_index("Column")

    @property
    def said(self) -> str:
        return " ".join(one.value.replace("\\", "") for one in [*self.at.markdown, *self.at.caption, *self.at.error])

    def use(self) -> Market:
        [button] = [one for one in self.at.button if one.label == "Use these data"]
        button.click()
        self.look()
        found: Market = self.at.session_state["taken"]
        return found


def test_every_kind_and_transformation_has_words() -> None:
    assert set(KINDS) == set(get_args(Kind))
    assert set(TRANSFORMATIONS) == set(get_args(Transformation))


def test_a_table_says_what_was_read_before_it_is_used_and_each_reading_can_be_changed() -> None:
    visitor = Uploads()
    visitor.bring(("mine.csv", traits()))
    assert list(visitor.read[KIND]) == ["date", "price or index", "rate", "volume"]
    close = visitor.read.loc["Close"]
    assert (close["From"], close["To"], close["First"], close["Last"]) == ("2024-01-01", "2024-03-15", "20.5", "-34.5")
    assert (close["Values"], close["Missing"], close["Sign"]) == (55, 5, "34 at or below zero")
    assert (close[SEEN], close[KNOWN]) == ("change", "23:59 UTC")
    assert visitor.read.loc["Volume", "Last"] == "154,170,000"
    for noticed in (
        "01/01/2024 was read as 2024-01-01, 22/03/2024 as 2024-03-22",
        "sorted oldest first",
        "5 rows after the last",
    ):
        assert noticed in visitor.said
    visitor.change(3, Read_as="rate")
    assert visitor.read.loc["Volume", SEEN] == "change"
    visitor.change(1, Network_sees="level", Known_at="14:30 New York", Unit="USD/barrel")
    visitor.change(2, Use=False)
    found = visitor.use()
    assert [channel.name for channel in found.channels] == ["Close", "Volume"]
    assert [channel.transformation for channel in found.channels] == ["level", "difference"]
    assert (release_words(found.target.release), found.target.unit) == ("14:30 New York", "USD/barrel")


@pytest.mark.parametrize(
    ("cells", "fact"),
    [
        ({"Network_sees": "log return"}, "-1.5 on 2024-01-30"),
        ({"Read_as": "date"}, "Close of mine.csv holds no dates"),
        ({"Known_at": "at noon"}, "'at noon'"),
    ],
)
def test_a_change_that_cannot_be_is_refused_and_taken_back(cells: dict[str, str], fact: str) -> None:
    visitor = Uploads()
    visitor.bring(("mine.csv", traits()))
    before = visitor.read
    visitor.change(1, **cells)
    assert fact in visitor.said
    pd.testing.assert_frame_equal(visitor.read, before)
    assert visitor.use().target.transformation == "difference"


def test_the_name_of_a_file_is_a_question_and_only_a_yes_counts() -> None:
    for answer, name, unit, out in (
        (None, "Close", "", "23:59 UTC"),
        ("No", "Close", "", "23:59 UTC"),
        ("Yes", "CL=F", "USD/barrel", "14:30 New York"),
    ):
        visitor = Uploads()
        visitor.bring(("CL=F.csv", traits()))
        if answer:
            visitor.answer("Whether this is so", answer)
        assert visitor.read.loc["Close", KNOWN] == out
        target = visitor.use().target
        assert (target.name, target.unit, release_words(target.release)) == (name, unit, out)


def test_sheets_can_be_chosen_and_files_become_one_market_with_their_overlap_shown() -> None:
    visitor = Uploads()
    visitor.bring(("mine.csv", traits()), ("metals.xlsx", workbook()))
    visitor.answer("Sheet", "Copper")
    visitor.answer("Forecast", "Price")
    overlap = visitor.at.dataframe[-1].value.set_index("Column")
    assert list(overlap.index) == [
        "Price (metals)",
        "Close (mine)",
        "Yield (mine)",
        "Volume (mine)",
    ]
    assert overlap.loc["Close (mine)", "Days with the target"] == 55
    assert set(overlap["Values on"]) == {"weekdays"}
    found = visitor.use()
    assert found.origin == "mine.csv and metals.xlsx"
    assert found.target.name == "Price"
    assert found.target.values.iloc[0] == pytest.approx(4.01)


def test_a_single_sheet_is_no_question() -> None:
    buffer = io.BytesIO()
    days = pd.bdate_range("2024-01-01", periods=40)
    pd.DataFrame({"Date": days, "Price": [4.0 + 0.01 * day for day in range(40)]}).to_excel(buffer, index=False)
    visitor = Uploads()
    visitor.bring(("metals.xlsx", buffer.getvalue()))
    assert list(visitor.read.index) == ["Date", "Price"]
    assert "Sheet" not in [one.label for one in visitor.at.selectbox]


def test_a_second_file_joins_or_replaces_the_first_as_told_and_never_silently() -> None:
    held = small_market()
    visitor = Uploads(held)
    visitor.bring(("mine.csv", traits()))
    assert not [one for one in visitor.at.button if one.label == "Use these data"]
    assert "You use by hand now." in visitor.said
    visitor.answer("Join or replace", JOIN)
    assert [channel.name for channel in visitor.use().channels] == ["gold", "rate", "coin", "Close", "Yield", "Volume"]
    visitor.answer("Join or replace", REPLACE)
    assert visitor.use().origin == "mine.csv"


def test_a_file_that_cannot_be_used_is_left_out_and_the_others_can_be_used() -> None:
    visitor = Uploads()
    visitor.bring(("mine.csv", traits()), ("my_report.pdf", b"%PDF-1.7 and more"), ("empty.csv", b"Date,Close\n"))
    assert len(visitor.at.error) == 2
    [left_out] = [one.value.replace("\\", "") for one in visitor.at.warning]
    assert left_out.startswith("**Left out: my_report.pdf, empty.csv.**")
    assert visitor.use().origin == "mine.csv"


def test_a_file_about_which_something_is_asked_is_never_left_out() -> None:
    visitor = Uploads()
    days = [f"{day:02}/{day * 5 % 12 + 1:02}/{year}" for day in range(1, 13) for year in (2024, 2021, 2023)]
    unclear = "\n".join(["Date,Close", *(f"{day},{100 + place}" for place, day in enumerate(days))]).encode()
    visitor.bring(("mine.csv", traits()), ("unclear.csv", unclear), ("empty.csv", b"Date,Close\n"))
    assert not [one for one in visitor.at.button if one.label == "Use these data"]
    assert not visitor.at.warning
    visitor.answer("How the dates are read", True)
    assert len(visitor.at.warning) == 1
    assert visitor.use().origin == "mine.csv and unclear.csv"


def test_a_refusal_is_of_the_file_at_hand_alone() -> None:
    visitor = Uploads()
    visitor.bring(("report.pdf", b"%PDF-1.7 and more"))
    assert [one.value for one in visitor.at.error] != []
    visitor.bring(("metals.xlsx", workbook()))
    assert not visitor.at.error
    visitor.bring(("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)))
    [refused] = [one.value.replace("\\", "") for one in visitor.at.error]
    assert "old.xls begins as a workbook" in refused
    assert USE not in visitor.said


def test_what_was_understood_is_said_and_the_row_of_names_and_the_price_can_be_changed() -> None:
    rows = "\n".join(f"{day:%Y-%m-%d},{100 + place},{200 + place % 7}" for place, day in enumerate(DAYS))
    visitor = Uploads()
    visitor.bring(("mine.csv", f"Title,of,it\nDay,left,right\n{rows}".encode()))
    assert "Names (likely): They stand in row 2." in visitor.said.replace("*", "")
    visitor.answer("Price to forecast", "right")
    assert visitor.use().target.name == "right"
    visitor.at.number_input[0].set_value(1)
    visitor.look()
    assert "of" in visitor.read.index


def test_a_file_that_is_refused_lets_one_say_where_its_names_stand() -> None:
    visitor = Uploads()
    visitor.bring(("mine.csv", b"a,b\n" + b"x,1\n" * 40))
    assert "'x' and '1'" in visitor.said
    assert visitor.at.number_input[0].label == "Row of the names (0: find it)"


def test_names_that_may_be_channels_are_asked_about_before_anything_is_used() -> None:
    rows = [f"{day:%Y-%m-%d},{100 + place % 9}.5,{'EU' if place % 3 else 'DE'}" for place, day in enumerate(DAYS)]
    rows.append(f"{DAYS[3]:%Y-%m-%d},99.5,DE")
    visitor = Uploads()
    visitor.bring(("mine.csv", ("Date,Price,Country\n" + "\n".join(rows)).encode()))
    assert "is each name its own column?" in visitor.said
    assert "Use these data" not in [button.label for button in visitor.at.button]
    visitor.answer("How the table is read", "")
    assert [channel.name for channel in visitor.use().channels] == ["Price"]
