"""The page *Gold market*."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.market import Channel, Market
from goldviz.labs.gold_market.settings import GoldMarket
from goldviz.ui.words import plain
from tests.data.markets.small_market import small_market
from tests.pages.instant import InstantVisitor

pytestmark = pytest.mark.usefixtures("on_pages")

FIGURES = {"clock", "prices", "strip", "last_days", "correlation", "leak", "returns", "distribution", "memory"}


@pytest.fixture(autouse=True)
def markets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "markets"))
    return tmp_path / "markets"


def test_a_stranger_finds_every_figure() -> None:
    visitor = InstantVisitor(GoldMarket)
    assert any("not investment advice" in line for line in _said(visitor))
    drawn = visitor.all_drawn()
    assert set(drawn) == FIGURES
    assert all(figure["data"] for figure in drawn.values())
    assert any("K = 5,095 observed moves" in line for line in _said(visitor.open("why")))
    [table] = visitor.open("days").at.dataframe
    assert len(table.value) == 8


def test_joining_by_date_marks_every_leak() -> None:
    visitor = InstantVisitor(GoldMarket).open("days")
    assert _states(visitor) == {"known at the forecast"}
    visitor.choose("break-it-join-by-calendar-date")
    assert "not out yet: a leak" in _states(visitor)
    assert any("Joined by date: all" in line for line in _said(visitor.open("why")))


def test_another_covariate_changes_what_is_about_it_and_stays_through_presets() -> None:
    visitor = InstantVisitor(GoldMarket)
    before = visitor.all_drawn()
    visitor.set(channel=3)
    after = visitor.all_drawn()
    assert after["correlation"]["layout"]["title"]["text"].startswith("Does yield tell")
    assert all(after[name] != before[name] for name in ("correlation", "prices"))
    assert all(after[name] == before[name] for name in FIGURES - {"correlation", "prices"})
    visitor.choose("hide-half")
    assert visitor.at.query_params["channel"] == "3"


def test_the_forecasts_moment_goes_across_the_days_and_says_what_is_out() -> None:
    visitor = InstantVisitor(GoldMarket)
    assert visitor.position["words"][20 - 1] == "Forecast made at 19:00 UTC: drag it across the days"
    ds = GoldMarket().compute()
    out = ds["out_after"].values
    for place, hour in ((1, 0), (20, 19), (49, 48)):
        visitor.set(moment=place)
        figure = visitor.drawn()["clock"]
        for trace, holds in zip(figure["data"], (out <= hour, out > hour), strict=True):
            assert (np.isfinite(np.array(trace["x"], float)) == holds.ravel()).all()
    assert visitor.at.query_params["moment"] == "49"


@pytest.mark.untrusted
def test_a_kept_market_with_hostile_words_is_shown_as_text() -> None:
    market = small_market()
    words = "[a](b) **c** <img src=x onerror=alert(1)>"
    target = replace(market.target, words=words)
    name = keep(replace(market, channels=(target, *market.channels[1:])))
    visitor = InstantVisitor(GoldMarket, {"data": name})
    assert not visitor.errors
    assert set(visitor.all_drawn()) == FIGURES
    visitor.open("why")
    [told] = [line for line in visitor.markdown if "observed moves" in line]
    assert told.startswith(plain(words))


def test_a_market_of_the_target_alone() -> None:
    visitor = InstantVisitor(GoldMarket, {"data": keep(small_market().only(["gold"]))})
    assert not visitor.errors
    assert set(visitor.all_drawn()) == FIGURES


def test_a_link_to_a_market_that_is_not_here_says_so_and_shows_the_simulated_one() -> None:
    visitor = InstantVisitor(GoldMarket, {"data": "a" * 16})
    assert any("does not hold the market" in error for error in visitor.errors)
    assert set(visitor.drawn()) == {"clock", "strip", "correlation"}


def test_too_few_values_are_told(markets: Path) -> None:
    visitor = InstantVisitor(GoldMarket, {"data": keep(small_market(days=50))})
    assert any("has 50 values" in error for error in visitor.errors)


def test_a_column_that_tells_the_next_move_is_named_over_the_figures() -> None:
    days = pd.bdate_range("2019-01-01", periods=400)
    moves = 0.01 * np.random.default_rng(0).standard_normal(401)
    gold, early = (
        Channel(name, name, pd.Series(np.exp(np.cumsum(column)), days), "log_return")
        for name, column in (("Close", moves[:-1]), ("Model High", moves[1:]))
    )
    name = keep(Market((gold, early), "file", "gold.csv", pd.Timestamp("2026-11-20", tz="UTC")))
    visitor = InstantVisitor(GoldMarket, {"data": name})
    assert any("Model High: no honest column tells so much of what comes" in line for line in _warned(visitor))
    notes = str(visitor.all_drawn()["leak"]["layout"]["meta"]["notes"])
    assert "Model High: no honest column" in notes
    assert not any("no honest column" in line for line in _warned(InstantVisitor(GoldMarket)))


def _warned(visitor: InstantVisitor) -> list[str]:
    """The page's captions as they are read, without Markdown's escapes."""
    return [line.replace("\\", "") for line in visitor.captions]


def _said(visitor: InstantVisitor) -> list[str]:
    """The page's lines as they are read, without Markdown's escapes."""
    return [line.replace("\\", "") for line in visitor.markdown]


def _states(visitor: InstantVisitor) -> set[str]:
    return {trace["name"] for trace in visitor.drawn()["last_days"]["data"]}
