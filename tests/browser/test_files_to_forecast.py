"""Files as people have them, from the uploader over what was understood, and one question, to a forecast."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import button, state, train
from tests.browser.test_own_files import SMALL, bring
from tests.data.markets import test_public_kinds as kinds
from tests.data.markets.test_files_in_the_wild import CASES
from tests.data.markets.test_public_kinds import Twin

Opener = Callable[..., Page]


class Journey(NamedTuple):
    """A file, what the page says of it, the answer to what it asks, and what the market is called then."""

    make: Callable[[], Twin]
    name: str
    understood: str
    answer: str
    market: str


JOURNEYS = (
    Journey(kinds.a21_polish_bars, "bars.csv", "Price (sure): Zamkniecie is the close", "", "bars.csv: Zamkniecie"),
    Journey(kinds.a1_bars_without_a_header, "mt.csv", "Names (likely): There are none.", "", "mt.csv: column 6"),
    Journey(
        kinds.a22_auctions_of_several_regions,
        "auctions.csv",
        "Rows (please tell): All of them are one price, or each name in Country becomes a column.",
        "all rows are one",
        "auctions.csv: Auction price",
    ),
    Journey(kinds.a7_index_below_a_disclaimer, "index.csv", "Names (likely): They stand in row 2.", "", "VIX Close"),
    Journey(kinds.a4_japanese_index, "index.csv", "終値 is the close", "", "index.csv: 終値"),
    Journey(kinds.a14c_one_price_in_many_currencies, "gold.xlsx", "Dates (sure): They stand in Date.", "", "USD"),
    Journey(kinds.a14d_old_workbook, "gold.xls", "Dates (sure): They stand in Name.", "", "gold.xls: USD"),
)


@pytest.mark.parametrize("journey", JOURNEYS, ids=lambda journey: journey.make.__name__)
def test_a_file_is_understood_and_forecast(server: Server, open_page: Opener, tmp_path: Path, journey: Journey) -> None:
    path = tmp_path / journey.name
    path.write_bytes(journey.make().content)
    page = open_page(f"{server.address}/gold-forecast?{SMALL}")
    bring(page, path)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("What was understood")
    expect(dialog).to_contain_text(journey.understood)
    if journey.answer:
        expect(button(page, "Use these data")).to_have_count(0)
        dialog.get_by_text(journey.answer).click()
    button(page, "Use these data").click()
    expect(page.locator(".st-key-market")).to_contain_text(journey.market)
    train(page)
    state(page, "Finished")
    expect(page.get_by_text(re.compile(re.escape(journey.name))).first).to_be_visible()


FEW_DAYS = "task=market&networks=gru&context=4&horizon=2&width=4&heads=1&steps=5&batch=2&kernel=1"


@pytest.mark.parametrize(
    ("file", "understood", "market"),
    [
        ("s02_bars_polish.csv", "Price (sure): Zamkniecie is the close", "s02_bars_polish.csv: Zamkniecie"),
        ("s14_footer_shift_jis.csv", "終値 is the close", "s14_footer_shift_jis.csv: 終値"),
        ("s16b_date_and_time_named.csv", "at the times in <TIME>", "s16b_date_and_time_named.csv: <CLOSE>"),
        ("s05_bar_open_21utc.csv", "Values count from 21:00 UTC, next day", "s05_bar_open_21utc.csv: close"),
        ("s20_units_and_codes.xlsx", "Names (likely): They stand in row 5.", "s20_units_and_codes.xlsx: Gold"),
        ("s30_nameless_index.parquet", "Sampling changes: 24 values a day", "s30_nameless_index.parquet: price"),
    ],
)
def test_a_file_of_few_days_is_understood_and_forecast(
    server: Server, open_page: Opener, file: str, understood: str, market: str
) -> None:
    """In *Transformer for series*: the Forecast lab needs years."""
    path = CASES / file
    if not path.exists():
        pytest.skip(f"needs the small file {file} beside the project")
    page = open_page(f"{server.address}/series-attention?{FEW_DAYS}")
    bring(page, path)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(understood)
    button(page, "Use these data").click()
    expect(page.locator(".st-key-market")).to_contain_text(market)
    train(page)
    state(page, "Finished")


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_a_column_that_knows_tomorrow_is_named_before_training_and_after(
    server: Server, open_page: Opener, width: int, scheme: str
) -> None:
    path = CASES / "s08_column_from_tomorrow.csv"
    if not path.exists():
        pytest.skip("needs the small file s08 beside the project")
    page = open_page(f"{server.address}/gold-forecast?{SMALL}", width=width, scheme=scheme)
    expect(page.locator(".goldviz-figure :is(.goldviz-picture, .main-svg)").first).to_be_visible()
    if width == 390:
        page.locator(".goldviz-sheet").click()
    bring(page, path)
    expect(page.get_by_role("dialog")).to_contain_text("Close is forecast.")
    button(page, "Use these data").click()
    expect(page.locator(".st-key-market")).to_contain_text("s08_column_from_tomorrow.csv: Close")
    expect(
        page.get_by_text("Model High tells the next move: correlation").locator("visible=true").first
    ).to_be_visible()
    if width == 390:
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Change data")).to_be_hidden()
    train(page)
    state(page, "Finished")
    heading = re.compile("by ridge: no honest forecast of daily returns does that. Look for the leak in Model High")
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_row_of_names_and_the_price_are_corrected_where_they_are_said(
    server: Server, open_page: Opener, tmp_path: Path
) -> None:
    path = tmp_path / "bars.csv"
    path.write_bytes(b"Value,a,b,c,d,e\n" + kinds.a21_polish_bars().content)
    page = open_page(f"{server.address}/gold-forecast?{SMALL}")
    bring(page, path)
    dialog = page.get_by_role("dialog", name="Choose the data")
    dialog.get_by_role("button", name="Change names").click()
    row = page.get_by_role("spinbutton", name="Row of the names")
    row.fill("1")
    row.press("Enter")
    expect(dialog).to_contain_text("They stand in row 1.")
    dialog.get_by_role("button", name="Change price").click()
    page.get_by_role("combobox", name=re.compile("Price to forecast")).click()
    page.get_by_role("option", name="a", exact=True).click()
    expect(dialog).to_contain_text("a is forecast, as you say.")
    button(page, "Use these data").click()
    expect(page.locator(".st-key-market")).to_contain_text("bars.csv: a")


def test_a_look_that_takes_seconds_says_what_it_does(server: Server, open_page: Opener, tmp_path: Path) -> None:
    """Before *Train* is there, each column of a large market is set beside the next move."""
    moves = np.random.default_rng(0).normal(0, 0.01, (20_000, 60))
    days = pd.bdate_range(end="2024-12-31", periods=len(moves), name="Date")
    prices = pd.DataFrame(100 * np.exp(moves.cumsum(axis=0)), days).add_prefix("Index ").round(2)
    path = tmp_path / "indices.csv"
    prices.to_csv(path)
    page = open_page(f"{server.address}/gold-forecast?{SMALL}")
    bring(page, path)
    button(page, "Use these data").click()
    expect(page.get_by_text("Looking through the data")).to_be_visible()
    expect(page.locator(".st-key-market")).to_contain_text("indices.csv: Index 0")
    expect(button(page, "Train")).to_be_enabled()
    expect(page.get_by_text("Looking through the data")).to_have_count(0)
