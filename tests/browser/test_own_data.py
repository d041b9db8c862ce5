"""From a link in a new browser to another page and a run there: every page says whose data it shows."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from goldviz.data.markets.files import market_from_file
from goldviz.data.markets.kept_markets import keep
from tests.browser.app_server import Server
from tests.browser.laboratory_page import state

Opener = Callable[..., Page]
FILE = "gold_gsr.csv"


@pytest.fixture
def market(server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file that somebody brought to this server: descending, with a byte-order mark and day first."""
    monkeypatch.setenv("GOLDVIZ_DATA", str(Path(server.database.removeprefix("sqlite:///")).parent / "markets"))
    days = pd.bdate_range("2009-01-01", periods=4100)
    prices = 1900 * np.exp(np.cumsum(0.01 * np.random.default_rng(2).standard_normal((len(days), 2)), axis=0))
    table = pd.DataFrame({"Date": days.strftime("%d/%m/%Y"), "Gold": prices[:, 0], "Ratio": prices[:, 1]})[::-1]
    content = table.round(2).to_csv(index=False).encode("utf-8-sig")
    return keep(market_from_file(content, FILE, retrieved=pd.Timestamp("2026-11-20", tz="UTC")))


def test_a_link_s_market_goes_along_to_another_page_and_is_trained_on(
    server: Server, open_page: Opener, market: str
) -> None:
    page = open_page(f"{server.address}/gold-market?data={market}")
    expect(page.locator(".st-key-market")).to_contain_text(FILE)
    page.get_by_role("link", name="goldviz").first.click()
    page.get_by_role("link", name=re.compile("Price tokens")).last.click()
    expect(page.locator(".st-key-market")).to_contain_text(FILE)
    not_yet = page.locator("[class*='st-key-not-yet']")
    expect(not_yet).to_contain_text(f"Not trained on {FILE} yet. This example has learned the simulated market.")
    not_yet.get_by_role("button", name="Train").click()
    state(page, "Finished")
    expect(not_yet).to_have_count(0)
    expect(page.get_by_text(f"As in the document · {FILE}").first).to_be_visible()
    page.wait_for_url(re.compile(f"price-tokens.*data={market}"))
