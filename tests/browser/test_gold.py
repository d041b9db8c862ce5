"""Gold in a real browser: data from a Yahoo on the loopback address and from a file, and a forecast of each."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Page, expect

from tests.browser.app_server import Server
from tests.browser.laboratory_page import button, choose_preset, set_number, state, train
from tests.data.markets.fake_yahoo import FakeYahoo

Opener = Callable[..., Page]

SMALL = "network=gru&hidden=4&window=5&epochs=2&refits=2&test_years=2"


def drawn(page: Page) -> None:
    expect(page.locator(".goldviz-figure :is(.goldviz-picture, .main-svg)").first).to_be_visible()


def choose(page: Page, source: str) -> None:
    """Open the dialog at one of its sources."""
    page.get_by_role("button", name="Change data").click()
    page.get_by_role("tab", name=source).click()


def market_line(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.locator(".st-key-market")).to_contain_text(text)


def test_the_verdict_stands_first_and_a_leak_is_called_one(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/gold-forecast")
    drawn(page)
    expect(page.get_by_role("heading", name=re.compile("No detectable skill over zero"))).to_be_visible()
    market_line(page, "not investment advice")
    choose_preset(page, "Break it: leak")
    expect(page.get_by_role("heading", name=re.compile(r"no honest forecast", re.I))).to_be_visible()


def test_yahoo_s_data_are_fetched_and_trained_on(server: Server, open_page: Opener, yahoo: FakeYahoo) -> None:
    yahoo.faults["SI=F"] = "429"
    page = open_page(f"{server.address}/gold-forecast?{SMALL}")
    drawn(page)
    choose(page, "Yahoo Finance")
    page.get_by_role("button", name="Download", exact=True).click()
    market_line(page, re.compile("Yahoo Finance: Gold, COMEX front future and 4 more channels"))
    market_line(page, "SI=F: Yahoo refuses because it was asked too often (429)")
    expect(page).to_have_url(re.compile("data=[0-9a-f]{16}"))
    train(page)
    state(page, "Finished")
    expect(page.get_by_role("heading", name=re.compile(r"R².*over [0-9,]+ forecasts\.$"))).to_be_visible()
    # The market is the visitor's: another page has it too, and so has whoever gets the link.
    page.get_by_role("link", name="goldviz").first.click()
    page.get_by_role("link", name=re.compile("Gold market")).last.click()
    drawn(page)
    market_line(page, "Yahoo Finance")
    expect(page).to_have_url(re.compile("gold-market.*data=[0-9a-f]{16}"))
    other = open_page(page.url)
    drawn(other)
    market_line(other, "Yahoo Finance")


def test_without_yahoo_the_last_good_download_is_shown(server: Server, open_page: Opener, yahoo: FakeYahoo) -> None:
    page = open_page(f"{server.address}/gold-market")
    drawn(page)
    yahoo.faults["TIP"] = "hang up"
    choose(page, "Yahoo Finance")
    box = page.get_by_test_id("stMultiSelect").get_by_role("combobox")
    page.get_by_role("button", name=re.compile("Clear all")).click()
    box.fill("TIP")
    box.press("Enter")
    box.press("Escape")
    page.get_by_role("button", name="Download", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="TIP")).to_be_visible()
    market_line_before = page.locator(".st-key-market").inner_text()
    assert "simulated" in market_line_before


def written(folder: Path, name: str, **columns: list[str]) -> str:
    path = folder / name
    pd.DataFrame(columns).to_csv(path, index=False, sep=";")
    return str(path)


def test_a_file_is_looked_into_and_its_dates_asked_about(server: Server, open_page: Opener, tmp_path: Path) -> None:
    page = open_page(f"{server.address}/gold-market")
    drawn(page)
    choose(page, "A file")
    upload = page.locator("input[type=file]")
    upload.set_input_files(written(tmp_path, "empty.csv", Date=[], Close=[]))
    expect(page.get_by_role("alert").filter(has_text="empty.csv")).to_be_visible()

    # Twelve days of every month, so that day and month cannot be told apart, in no order.
    days = [day for day in pd.date_range("2001-01-01", "2020-12-31", freq="B") if day.day <= 12]
    noise = np.random.default_rng(0)
    noise.shuffle(days)
    closes = 1000 * np.exp(0.01 * noise.standard_normal(len(days)).cumsum())
    upload.set_input_files(
        written(
            tmp_path,
            "mine <b>bold.csv",
            Date=[f"{day:%d/%m/%Y}" for day in days],
            Close=[f"{close:.2f}".replace(".", ",") for close in closes],
        )
    )
    use = page.get_by_role("button", name="Use these data")
    expect(page.get_by_text("can be read in two ways")).to_be_visible()
    expect(use).to_have_count(0)
    page.get_by_text(re.compile("day first")).click()
    # What is read now is of this order, from the oldest day on, and the file that cannot be read is left out.
    expect(page.get_by_role("dialog")).to_contain_text(f"{min(days):%d/%m/%Y} was read as {min(days):%Y-%m-%d}")
    expect(page.get_by_role("alert").filter(has_text="Left out: empty.csv")).to_be_visible()
    expect(use).to_be_visible()
    page.get_by_role("button", name="Remove empty.csv").click()
    expect(page.get_by_role("alert").filter(has_text="empty.csv")).to_have_count(0)
    use.click()
    market_line(page, "mine <b>bold.csv")
    expect(page).to_have_url(re.compile("data=[0-9a-f]{16}"))

    # Whoever has the link holds the file's key: it opens, and stands in the list.
    guest = open_page(page.url)
    drawn(guest)
    market_line(guest, "mine <b>bold.csv")
    choose(guest, "Kept on this server")
    expect(guest.get_by_role("radio", name=re.compile("bold.csv"))).to_have_count(1)

    # A stranger finds what is everybody's alone.
    stranger = open_page(f"{server.address}/gold-market")
    drawn(stranger)
    market_line(stranger, "simulated")
    choose(stranger, "Kept on this server")
    kept = stranger.get_by_role("tabpanel", name="Kept on this server")
    expect(kept).to_contain_text(re.compile("Nothing yet|Kept data"))
    expect(stranger.get_by_role("radio", name=re.compile("bold.csv"))).to_have_count(0)


def test_a_link_to_data_that_nobody_holds_says_so(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/gold-forecast?{SMALL}&data={'0' * 16}")
    drawn(page)
    market_line(page, "does not hold the market 0000")
    # What must fail is not begun: the panel's button is closed, and the one over the figures says why.
    expect(page.locator(".st-key-training").get_by_role("button", name="Train", exact=True)).to_be_disabled()
    told = page.get_by_role("alert").filter(has_text="does not hold the market 0000")
    before = told.count()
    button(page, "Train").click()
    expect(told).to_have_count(before + 1)


def test_a_walk_forward_grows_while_it_is_watched(server: Server, open_page: Opener) -> None:
    page = open_page(f"{server.address}/gold-forecast?epochs=200&hidden=8&window=5&refits=2&test_years=2&look_every=1")
    drawn(page)
    train(page)
    expect(page.get_by_role("heading", name=re.compile("So far"))).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Stop", exact=True).last.click()
    state(page, "Stopped")
    set_number(page, "epochs", "2", experiment="gold-forecast")
