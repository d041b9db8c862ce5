"""Statements become channels of one's own market and are forecast with; a folder of a model reads one's own texts.

Each page on the way says whose data it shows.
"""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import button, open_part, state, train
from tests.browser.test_own_files import SMALL, bring
from tests.export.report_parts import figure_texts

Opener = Callable[..., Page]
DAYS = pd.bdate_range("2015-01-01", periods=900)
MEETINGS = DAYS[20::40]
WORDS = (("rose", "strong"), ("fell", "weak"), ("eased", "mixed"), ("rose again", "solid"))


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    """Newest first, dd/mm/yyyy, below zero at times, and empty rows for days to come."""
    drawn = 5 + np.cumsum(np.random.default_rng(5).standard_normal(len(DAYS)))
    rows = [f"{day:%d/%m/%Y},{price:.2f}" for day, price in zip(DAYS, drawn, strict=True)]
    rows += [f"{day:%d/%m/%Y}," for day in pd.bdate_range(DAYS[-1] + pd.offsets.BDay(), periods=4)]
    path = tmp_path / "spread.csv"
    path.write_text("\ufeffDate,Spread\n" + "\n".join(rows[::-1]), encoding="utf-8")
    return path


@pytest.fixture
def statements(tmp_path: Path) -> Path:
    """A statement of every meeting, and minutes of one without a text; a byte-order mark, newest first, dd/mm/yyyy."""
    rows = []
    for number, day in enumerate(MEETINGS):
        verb, growth = WORDS[number % len(WORDS)]
        text = f"Inflation {verb} since the Committee met. Growth is {growth}, and the target range stays."
        rows.append({"Date": f"{day:%d/%m/%Y}", "Type": "Statement", "Text": text})
    rows.append({"Date": f"{MEETINGS[3]:%d/%m/%Y}", "Type": "Minutes", "Text": ""})
    path = tmp_path / "meetings.csv"
    pd.DataFrame(rows[::-1]).to_csv(path, index=False, encoding="utf-8-sig")
    return path


def go_to(page: Page, title: str) -> None:
    """By the list of all laboratories, as the same visitor."""
    page.get_by_role("link", name="goldviz").first.click()
    page.get_by_role("link", name=re.compile("^All .* laboratories$")).click()
    page.get_by_role("link", name=re.compile(title)).last.click()


def test_statements_become_channels_of_a_market_of_one_s_own_and_are_forecast_with(
    server: Server, open_page: Opener, prices: Path, statements: Path
) -> None:
    page = open_page(f"{server.address}/gold-forecast?{SMALL}")
    bring(page, prices)
    button(page, "Use these data").click()
    market = page.locator(".st-key-market")
    expect(market).to_contain_text("spread.csv: Spread")
    not_yet = page.locator("[class*='st-key-not-yet']")
    expect(not_yet).to_contain_text("Not trained on spread.csv yet.")

    go_to(page, "Policy documents")
    line = page.locator(".st-key-documents")
    expect(line).to_contain_text("enerated")
    page.get_by_role("button", name="Change documents").click()
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(str(statements))
    page.get_by_role("button", name="Use these documents").click()
    expect(line).to_contain_text("meetings.csv")
    expect(line).to_contain_text(f"{len(MEETINGS)} documents")
    open_part(page, "Could a market have known?")
    expect(page.get_by_text(re.compile(r"Your market:.*spread\.csv: Spread")).first).to_be_visible()
    page.get_by_role("button", name="Use these as channels in the forecast lab").click()
    expect(page.get_by_text("Your market now has")).to_be_visible()
    page.get_by_role("link", name="See when each value was known").click()
    expect(market).to_contain_text("more channels")
    expect(market).to_contain_text("spread.csv, with channels out of documents: meetings.csv")

    go_to(page, "Forecast lab")
    expect(market).to_contain_text("meetings.csv")
    expect(not_yet).to_contain_text("Not trained on spread.csv + meetings.csv yet.")
    train(page)
    state(page, "Finished")
    expect(not_yet).to_have_count(0)
    expect(page.get_by_text("spread.csv + meetings.csv").first).to_be_visible()
    open_part(page, "Take it with you")
    with page.expect_download() as downloaded:
        button(page, "Report (HTML)").click()
    report = Path(downloaded.value.path()).read_text(encoding="utf-8")
    assert "spread.csv + meetings.csv" in report
    assert not any("Next log return" in text for text in figure_texts(report))


def test_a_folder_of_a_model_reads_a_text_and_documents_of_one_s_own(
    server: Server, open_page: Opener, statements: Path
) -> None:
    from tests.text_model_folders import with_classifier  # transformers takes seconds to load, for this test alone.

    with_classifier(Path(server.database.removeprefix("sqlite:///")).parent / "models" / "our-bank")
    page = open_page(f"{server.address}/inside-bert")
    shown = page.locator(".scroller canvas").first
    expect(shown).to_be_visible()
    page.get_by_role("button", name="Change model").click()
    page.get_by_text("Folder our-bank", exact=True).click()
    page.get_by_role("button", name="Use this model").click()
    expect(page.locator(".st-key-text-model")).to_contain_text("our-bank: 3 layers")
    box = page.get_by_role("textbox", name="Sentence", exact=True)
    box.fill("Gold rose by 2 percent.")
    box.press("Control+Enter")
    expect(page).to_have_url(re.compile("model=folder"))
    expect(shown).to_be_visible()

    go_to(page, "Policy documents")
    expect(page.get_by_text("Read by our-bank.").first).to_be_visible()
    page.get_by_role("button", name="Change documents").click()
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(str(statements))
    page.get_by_role("button", name="Use these documents").click()
    line = page.locator(".st-key-documents")
    expect(line).to_contain_text("meetings.csv")
    expect(line).to_contain_text("Read by our-bank.")
    expect(page).to_have_url(re.compile("documents=[0-9a-f]{16}"))
