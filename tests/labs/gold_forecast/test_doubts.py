"""What does not fit is told before a run on a visitor's own market, and nothing of what fits."""

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.market import Channel, Market
from goldviz.data.markets.text_channels import axes_note
from goldviz.labs.gold_forecast.doubts import doubts, problem_doubts
from goldviz.labs.gold_forecast.settings import GoldForecast
from goldviz.ui.words import plain
from tests.pages.visit import Visitor

SMALL: dict[str, Any] = {"train_years": 1, "test_years": 2, "refits": 2, "final_days": 0, "window": 5}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "kept"))
    # The same numbers with other notes have the same name.
    problem_doubts.cache_clear()


def own(first: str = "2019-01-01", last: str = "2023-12-29", note: str = "", days: int = 1300) -> str:
    """A market of gold from 2019 to 2023, with silver from ``first`` to ``last``."""
    dates = pd.bdate_range("2019-01-01", "2023-12-29")[-days:]
    drawn = np.exp(np.cumsum(0.01 * np.random.default_rng(3).standard_normal((2, len(dates))), axis=1))
    gold = Channel("gold", "Gold", pd.Series(1900 * drawn[0], dates), "log_return")
    silver = Channel("silver", "Silver", pd.Series(20 * drawn[1], dates)[first:last], "log_return")
    notes = {"silver": note} if note else {}
    return keep(Market((gold, silver), "file", "gold.csv", pd.Timestamp("2026-11-20", tz="UTC"), notes))


def told(**changes: Any) -> tuple[str, ...]:
    return doubts(GoldForecast(**{**SMALL, **changes}))


def test_what_fits_is_not_doubted() -> None:
    assert told(data=own()) == ()
    assert told() == ()


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("2019-01-01", "2020-06-30", "Silver ends on 2020-06-30, before the first forecast on 2021-12"),
        ("2019-01-01", "2022-12-30", "forecasts go on until 2023-12-28 without news of it. Bring later values."),
        ("2021-12-20", "2023-12-29", "begins on 2021-12-20, too late for 1 of 2 refits"),
        ("2023-06-01", "2023-12-29", "No refit learns from Silver"),
    ],
)
def test_channels_that_do_not_overlap_are_named(first: str, last: str, words: str) -> None:
    [sentence] = told(data=own(first, last))
    assert words in sentence


def test_forecasts_from_before_the_axes_were_fitted_are_named() -> None:
    [sentence] = told(data=own(note=axes_note(date(2022, 6, 1))))
    assert "fitted on documents until 2022-06-01, and forecasts begin on 2021-12" in sentence
    assert told(data=own(note=axes_note(date(2021, 6, 1)), days=1299)) == ()


@pytest.mark.usefixtures("on_pages")
def test_the_page_says_by_train_that_a_market_is_too_short() -> None:
    visitor = Visitor("pages/gold_forecast.py", {"data": own(days=400)})
    assert any(plain("Training on 8 years, testing on 6") in line for line in visitor.captions)
