"""Files of one's own in a real browser: looked at, changed, joined, forecast, and taken away in a report."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import button, state, train
from tests.export.report_parts import figure_texts

Opener = Callable[..., Page]
SMALL = "network=rnn&hidden=3&window=4&epochs=2&refits=1&train_years=2&test_years=0.5"
DAYS = pd.bdate_range("2015-01-01", periods=900)


@pytest.fixture
def crude(tmp_path: Path) -> Path:
    """Byte-order mark, newest first, dd/mm/yyyy, a price below zero, percentages, 188.17K, a future without values."""
    prices = 50 + np.cumsum(np.random.default_rng(3).standard_normal(len(DAYS)))
    prices[600] = -37.63
    rows = [
        f"{day:%d/%m/%Y},,,"
        if number >= len(DAYS) - 6
        else f"{day:%d/%m/%Y},{prices[number]:.2f},4.0{number % 9}%,188.17K"
        for number, day in enumerate(DAYS)
    ]
    path = tmp_path / "CL=F.csv"
    path.write_text("\ufeffDate,Close,Yield,Volume\n" + "\n".join(rows[::-1]), encoding="utf-8")
    return path


@pytest.fixture
def metals(tmp_path: Path) -> Path:
    """A workbook of two sheets; its days are every day, and begin later."""
    days = pd.date_range("2015-06-01", periods=1000)
    path = tmp_path / "metals.xlsx"
    with pd.ExcelWriter(path) as workbook:
        for name, first in (("Silver", 20), ("Copper", 4)):
            frame = pd.DataFrame({"Date": days, "Price": first + 0.01 * days.day})
            frame.to_excel(workbook, sheet_name=name, index=False)
    return path


def bring(page: Page, *files: Path) -> None:
    """Open the dialog at *A file*, and bring these."""
    change = page.get_by_role("button", name="Change data")
    expect(change).to_be_visible()
    change.click()
    page.get_by_role("tab", name="A file").click()
    page.locator("input[type=file]").set_input_files([str(file) for file in files])


def table(page: Page, number: int = 0) -> str:
    """What a table of the dialog says to those who hear it."""
    cells = page.get_by_role("dialog").get_by_test_id("stDataFrame").nth(number).locator("canvas table")
    expect(cells).to_contain_text("Date" if number == 0 else "Column")
    return cells.inner_text()


def test_a_file_is_checked_forecast_and_reported_in_its_own_words(
    server: Server, open_page: Opener, crude: Path, tmp_path: Path
) -> None:
    page = open_page(f"{server.address}/gold-forecast?{SMALL}")
    bring(page, crude)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"{DAYS[-1]:%d/%m/%Y} as {DAYS[-1]:%Y-%m-%d}")
    expect(dialog).to_contain_text("sorted oldest first")
    expect(dialog).to_contain_text("6 rows after the last value are empty")
    assert "23:59 UTC" in table(page)
    expect(dialog).to_contain_text("CL=F.csv looks like Crude oil, front future: settled 14:30 New York")
    dialog.get_by_text("Yes", exact=True).click()
    expect(dialog.locator("canvas table").first).to_contain_text("14:30 New York")
    button(page, "Use these data").click()
    expect(page.locator(".st-key-market")).to_contain_text("CL=F.csv: Crude oil, front future and 1 more channel")
    train(page)
    state(page, "Finished")
    expect(
        page.get_by_text(re.compile(r"CL=F\.csv: Crude oil, front future, change in USD/barrel")).first
    ).to_be_visible()
    page.get_by_role("radio", name="Take it with you").click()
    with page.expect_download() as downloaded:
        button(page, "Report (HTML)").click()
    texts = figure_texts(Path(downloaded.value.path()).read_text(encoding="utf-8"))
    assert any("Next change (USD/barrel)" in text for text in texts)
    assert not any("Next log return" in text for text in texts)


def test_a_reading_is_changed_and_a_workbook_joins_the_file(
    server: Server, open_page: Opener, crude: Path, metals: Path
) -> None:
    page = open_page(f"{server.address}/gold-market")
    bring(page, crude)
    grid = page.get_by_role("dialog").get_by_test_id("stDataFrame").first
    assert "23:59 UTC" in table(page)
    grid.locator(".dvn-scroller").click(position={"x": 40, "y": 52})
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    editor = page.locator("textarea.gdg-input")
    editor.fill("14:30 New York")
    editor.press("Enter")
    expect(grid.locator("canvas table")).to_contain_text("14:30 New York")
    button(page, "Use these data").click()
    expect(page.locator(".st-key-market")).to_contain_text("CL=F.csv: Close and 1 more channel")

    bring(page, metals)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("You use CL=F.csv now")
    expect(button(page, "Use these data")).to_have_count(0)
    dialog.get_by_text("Join: its columns and these").click()
    assert "every day" in table(page, 1)
    button(page, "Use these data").click()
    expect(page.locator(".st-key-market")).to_contain_text("CL=F.csv and metals.xlsx: Close (CL=F) and 2 more channels")


def test_a_file_that_takes_long_shows_that_it_is_read_and_can_be_stopped(
    server: Server, open_page: Opener, tmp_path: Path
) -> None:
    days = pd.date_range("1980-01-01", periods=12_000)
    wide = pd.DataFrame({f"Close {place}": 1900.0 + days.day for place in range(60)}, index=days)
    wide.to_excel(tmp_path / "wide.xlsx", index_label="Date")
    page = open_page(f"{server.address}/gold-market")
    bring(page, tmp_path / "wide.xlsx")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Reading wide.xlsx")
    dialog.get_by_role("button", name="Stop").click()
    expect(dialog).to_contain_text("Reading wide.xlsx: stopped.")
    expect(dialog.get_by_role("button", name="Try again")).to_be_visible()
